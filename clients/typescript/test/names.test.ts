/** Every public name has a test of its types. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";
import { PACKAGE } from "./installed.js";

test("every public name is in a test of types", () => {
  const entry = join(PACKAGE, "src/index.ts");
  const program = ts.createProgram([entry], {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
  });
  const checker = program.getTypeChecker();
  const source = checker.getSymbolAtLocation(program.getSourceFile(entry) as ts.SourceFile);
  const isPublic = (symbol: ts.Symbol): boolean => {
    const meant = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    return !meant.getJsDocTags().some((tag) => tag.name === "internal");
  };
  const names = checker
    .getExportsOfModule(source as ts.Symbol)
    .filter(isPublic)
    .map((each) => each.name);
  expect(names.length).toBeGreaterThan(200);
  const tests = ["test/types.test-d.ts", "test/models.test-d.ts"]
    .map((file) => readFileSync(join(PACKAGE, file), "utf8"))
    .join("\n");
  expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(tests))).toEqual([]);
});
