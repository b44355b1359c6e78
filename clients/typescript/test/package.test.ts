/** The packed client in an empty project: the examples of the documentation, and what it is made of. */

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import ts from "typescript";
import { describe, expect, inject, test } from "vitest";
import { PACKAGE } from "./installed.js";
import { ROOT } from "./serving.js";

const project = inject("project");
const GAMES = ["whist", "peewee7", "wippen", "wipe", "flip7"];

/** What a program of the project prints. */
async function run(file: string, ...asked: string[]): Promise<string> {
  const child = spawn(process.execPath, [file, ...asked], { cwd: project, stdio: ["ignore", "pipe", "pipe"] });
  let [printed, faults] = ["", ""];
  child.stdout.on("data", (data) => (printed += String(data)));
  child.stderr.on("data", (data) => (faults += String(data)));
  const [code] = (await once(child, "close")) as [number];
  expect(faults).toBe("");
  expect(code).toBe(0);
  return printed;
}

describe.each(["http", "grpc"] as const)("over %s", (transport) => {
  test("the example plays a match of each game", async () => {
    copyFileSync(join(ROOT, "docs/examples/bot_games.mjs"), join(project, "bot_games.mjs"));
    const lines = (await run("bot_games.mjs", inject(transport))).trim().split("\n");
    expect(lines.map((line) => line.split(" ")[0])).toEqual(GAMES);
    for (const line of lines) {
      expect(line).toMatch(/^\w+ won by \d/);
    }
  }, 300_000);
});

/** The blocks of a page that are TypeScript, in order, as one program. */
function program(page: string): string {
  const text = readFileSync(join(ROOT, page), "utf8");
  const blocks = [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map((found) => found[1] ?? "");
  expect(blocks.length).toBeGreaterThan(0);
  return blocks.join("\n");
}

const PAGES = ["clients/typescript/README.md", "docs/apps.md"].filter((page) => existsSync(join(ROOT, page)));

test.each(PAGES)("every block of %s compiles, and runs in order", async (page) => {
  const source = program(page)
    .replaceAll("http://127.0.0.1:8080", inject("http"))
    .replaceAll("grpc://127.0.0.1:8081", inject("grpc"));
  const file = join(project, `${page.replaceAll(/\W/g, "_")}.mts`);
  writeFileSync(file, source);
  expect(faultsOf(file)).toEqual([]);
  const made = await build({ entryPoints: [file], write: false, format: "esm", target: "node20" });
  writeFileSync(file.replace(".mts", ".mjs"), made.outputFiles[0]?.text ?? "");
  await run(file.replace(".mts", ".mjs"));
});

/** What the compiler says of a file of the project. */
function faultsOf(file: string): string[] {
  const types = join(PACKAGE, "node_modules/@types");
  const compiled = ts.createProgram([file], {
    strict: true,
    noEmit: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    lib: ["lib.es2023.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"],
    types: ["node"],
    typeRoots: [types],
    skipLibCheck: false,
  });
  return ts.getPreEmitDiagnostics(compiled).map((each) => ts.flattenDiagnosticMessageText(each.messageText, "\n"));
}

test("the types of REST alone", () => {
  const file = join(project, "rest.mts");
  writeFileSync(
    file,
    `import type { components, paths } from "@scheids/client/openapi";
     type Deal = paths["/v1/deal"]["post"];
     const asked: Deal["requestBody"]["content"]["application/json"] = { game: "whist", seed: "x" };
     const answer = await fetch("/v1/deal", { method: "POST", body: JSON.stringify(asked) });
     const { state }: Deal["responses"][200]["content"]["application/json"] = await answer.json();
     if (state.game === "whist") {
       const phase: "draw" | "deal" | "play" | "claim" | "choose" | "over" | "expose" = state.phase;
       console.log(phase, state.tricks?.length);
     }
     const move: components["schemas"]["Move"] = { type: "play", card: "AS" };
     console.log(move);
     // @ts-expect-error there is no such game
     const wrong: Deal["requestBody"]["content"]["application/json"] = { game: "chess" };
     console.log(wrong);`,
  );
  expect(faultsOf(file)).toEqual([]);
});

test("the protos alone", async () => {
  const file = join(project, "connect.mjs");
  writeFileSync(
    file,
    `import { createClient } from "@connectrpc/connect";
     import { createConnectTransport } from "@connectrpc/connect-web";
     import { Referee } from "@scheids/client/protos";
     const transport = createConnectTransport({ baseUrl: process.argv[2], useBinaryFormat: true });
     const { state } = await createClient(Referee, transport).deal({ game: { case: "whist", value: { seed: "x" } } });
     console.log(state.game.case);`,
  );
  expect((await run(file, inject("http"))).trim()).toBe("whist");
});

test("what is packed, and under which licences what it needs is", () => {
  const client = join(project, "node_modules/@scheids/client");
  expect(readdirSync(client).sort()).toEqual(["LICENSE", "README.md", "dist", "package.json"]);
  const listed = execFileSync("npm", ["ls", "--all", "--parseable"], { cwd: project, encoding: "utf8" });
  const needed = listed
    .trim()
    .split("\n")
    .filter((path) => path.includes("node_modules"));
  const licences = needed.map(
    (path) => (JSON.parse(readFileSync(join(path, "package.json"), "utf8")) as { license: string }).license,
  );
  expect(new Set(licences)).toEqual(new Set(["Apache-2.0", "(Apache-2.0 AND BSD-3-Clause)"]));
});
