#!/usr/bin/env bash
# Builds the wheels of the Python client and of the engine: scripts/wheels.sh [FOLDER], by default dist.
# They are built by the hatchling of the Python that is named, without a network.
set -euo pipefail
out=$(mkdir -p "${1:-dist}" && cd "${1:-dist}" && pwd)
python=$(command -v "${PYTHON:-.venv/bin/python}")
case $python in /*) ;; *) python=$PWD/$python ;; esac
cd "$(dirname "$0")/.."

for folder in clients/python clients/python/engine; do
    (cd "$folder" && "$python" -m hatchling build --target wheel --directory "$out" >/dev/null)
done
ls "$out"/scheids_client-*.whl "$out"/scheids_engine-*.whl
