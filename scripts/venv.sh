#!/usr/bin/env bash
# Brings .venv up to the lock files: scripts/venv.sh runtime|dev
# Does nothing when it already is; starts afresh when the Python, the folder or a lock changed.
set -euo pipefail
cd "$(dirname "$0")/.."

level=${1:?usage: scripts/venv.sh runtime|dev}
python=${PYTHON:-python3}
venv=.venv
case $level in
runtime) locks=(requirements/runtime.txt requirements/build.txt) ;;
dev) locks=(requirements/runtime.txt requirements/build.txt requirements/dev.txt) ;;
*)
    echo "venv: '$level' is neither runtime nor dev" >&2
    exit 2
    ;;
esac

command -v "$python" >/dev/null || {
    echo "venv: no program '$python'. Install Python 3.11 or later, or name one: make PYTHON=/path/to/python3" >&2
    exit 1
}
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
    echo "venv: Python 3.11 or later is needed, '$python' is $("$python" -V). Name another: make PYTHON=python3.11" >&2
    exit 1
}
"$python" -c 'import ensurepip, venv' 2>/dev/null || {
    echo "venv: '$python' lacks the venv module; on Debian: apt-get install python3-venv" >&2
    exit 1
}

# Two makes at once wait for each other.
if command -v flock >/dev/null; then
    exec 9<"$0"
    flock 9
fi

stamp() { # of one list of locks, for this Python in this folder
    { "$python" -c 'import sys; print(sys.version, sys.base_prefix)' && pwd -P && cat "$@"; } | "$python" -c \
        'import hashlib, sys; print(hashlib.sha256(sys.stdin.buffer.read()).hexdigest())'
}
is_stamped() { [ -f "$venv/stamp-$1" ] && [ "$(cat "$venv/stamp-$1")" = "$2" ]; }

wanted=$(stamp "${locks[@]}")
base=$(stamp requirements/runtime.txt requirements/build.txt)
if ! is_stamped "$level" "$wanted"; then
    if ! is_stamped runtime "$base" || [ -f "$venv/stamp-$level" ]; then
        echo "venv: making $venv with $("$python" -V)"
        rm -rf "$venv"
        "$python" -m venv "$venv"
    fi
    args=()
    for lock in "${locks[@]}"; do args+=(-r "$lock"); done
    echo "venv: installing ${locks[*]}"
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-input \
        --require-hashes --only-binary :all: "${args[@]}"
    echo "$base" >"$venv/stamp-runtime"
    echo "$wanted" >"$venv/stamp-$level"
fi

# The project itself, as a link to this folder: gives the command `scheids`.
wanted=$(stamp pyproject.toml requirements/build.txt)
if ! is_stamped project "$wanted"; then
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-input \
        --no-deps --no-build-isolation --editable .
    echo "$wanted" >"$venv/stamp-project"
fi
