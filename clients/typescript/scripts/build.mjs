// Compiles src/ into dist/, afresh.
import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";

const root = new URL("..", import.meta.url);
rmSync(new URL("dist", root), { recursive: true, force: true });
execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "tsconfig.json"], {
    cwd: root,
    stdio: "inherit",
});
