// Generates src/gen from the protos and the service, or checks it (--check): with the repository's Python.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const repository = fileURLToPath(new URL("../../..", import.meta.url));
const python = process.env.SCHEIDS_PYTHON ?? `${repository}/.venv/bin/python`;
const asked = process.argv.includes("--check") ? ["--check-all"] : [];
const done = spawnSync(python, [`${repository}/scripts/client_typescript.py`, ...asked], {
    stdio: "inherit",
    cwd: repository,
});
process.exit(done.status ?? 1);
