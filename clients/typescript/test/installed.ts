/** The package as its users have it: packed, and installed into an empty project. */

import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const PACKAGE = fileURLToPath(new URL("..", import.meta.url));

/** A new project with nothing but the packed client in it. */
export function installed(): string {
  const folder = mkdtempSync(join(tmpdir(), "scheids-project-"));
  const npm = (cwd: string, ...asked: string[]): string =>
    execFileSync("npm", [...asked, "--no-fund", "--no-audit", "--loglevel=error"], { cwd, encoding: "utf8" });
  npm(PACKAGE, "pack", "--pack-destination", folder);
  const [tarball = ""] = readdirSync(folder);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "empty", private: true, type: "module" }));
  npm(folder, "install", "--prefer-offline", `./${tarball}`);
  return folder;
}
