#!/usr/bin/env bash
# Installs, checks, tests and packs the TypeScript client: scripts/client_typescript.sh all|quick|stubs
# `quick` leaves out what takes long (tables, browsers, packages), and all of it where there is no Node.
set -euo pipefail
cd "$(dirname "$0")/../clients/typescript"

what=${1:?usage: scripts/client_typescript.sh all|quick|stubs}
if ! command -v npm >/dev/null || ! node -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)' 2>/dev/null; then
    echo "client-typescript: ******** SKIPPED: there is no Node 20 or later with npm ********"
    [ "$what" = quick ] && exit 0
    exit 1
fi

# Two at once wait for each other.
if command -v flock >/dev/null; then
    exec 9<package-lock.json
    flock 9
fi
if ! cmp --silent package-lock.json node_modules/.locked; then
    npm ci --loglevel=error
    cp package-lock.json node_modules/.locked
fi

case $what in
stubs)
    npm run --silent generate
    ;;
quick)
    npm run --silent format:check
    npm run --silent build
    npm run --silent typecheck
    npx vitest run test/cases.test.ts test/fair.test.ts test/names.test.ts
    ;;
all)
    npm run --silent generate:check
    npm run --silent format:check
    npm run --silent build
    npm run --silent typecheck
    npm run --silent test
    mkdir -p ../../dist
    npm pack --loglevel=error --pack-destination ../../dist
    ;;
*)
    echo "client-typescript: '$what' is neither all nor quick nor stubs" >&2
    exit 2
    ;;
esac
