#!/usr/bin/env bash
# Locks the ranges of pyproject.toml into requirements/*.txt. Versions already locked stay, unless asked otherwise:
# scripts/lock.sh [--upgrade | --upgrade-package NAME ...]
set -euo pipefail
cd "$(dirname "$0")/.."

python=${PYTHON:-python3}
tools=$(mktemp -d)
trap 'rm -rf "$tools"' EXIT
"$python" -m venv "$tools/venv"
if [ -s requirements/lock.txt ]; then
    "$tools/venv/bin/python" -m pip install --quiet --disable-pip-version-check \
        --require-hashes --only-binary :all: -r requirements/lock.txt
else
    "$tools/venv/bin/python" -m pip install --quiet --disable-pip-version-check 'uv<1'
fi

lock() { # name, then what to lock
    local name=$1
    shift
    echo "lock: requirements/$name.txt"
    "$tools/venv/bin/uv" --quiet pip compile "$@" --output-file "requirements/$name.txt" \
        --universal --python-version 3.11 --generate-hashes --only-binary :all: \
        --no-emit-index-url --no-emit-find-links --custom-compile-command 'make lock' >/dev/null
}
lock runtime pyproject.toml "$@"
# The four others never choose another version than the service runs with.
lock build --group pyproject.toml:build --constraint requirements/runtime.txt "$@"
lock dev --group pyproject.toml:dev --constraint requirements/runtime.txt --constraint requirements/build.txt "$@"
lock compile --group pyproject.toml:compile --constraint requirements/dev.txt "$@"
lock lock --group pyproject.toml:lock "$@"

if grep -nE '://|--(index|extra-index|find-links|trusted)' requirements/*.txt | grep -v 'requirements/[a-z]*.txt:[0-9]*: *#'; then
    echo "lock: a lock file names a host" >&2
    exit 1
fi
