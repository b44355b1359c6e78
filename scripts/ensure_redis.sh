#!/usr/bin/env bash
# Sees to it that tests can start a redis-server of their own: installs Debian's where we may, says so where not.
# It never starts one. SCHEIDS_NO_INSTALL=1 leaves the machine as it is.
set -euo pipefail

if command -v redis-server >/dev/null; then
    echo "redis: $(redis-server --version | cut -d' ' -f1-3)"
    exit 0
fi
if [ "${SCHEIDS_NO_INSTALL:-}" = 1 ] || [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    echo "redis: no redis-server on the PATH. Tests that need one are skipped; on Debian: sudo apt-get install redis-server"
    exit 0
fi

echo "redis: no redis-server on the PATH; installing Debian's"
# Debian starts a server when it installs one, unless policy says no: the tests start their own, on ports of their own.
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
    trap 'rm -f "$policy"' EXIT
    printf '#!/bin/sh\nexit 101\n' >"$policy"
    chmod +x "$policy"
fi
install() { apt-get install --yes --quiet --no-install-recommends redis-server </dev/null; }
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
if { apt-get update --quiet && install; } >"$log" 2>&1; then
    echo "redis: $(redis-server --version | cut -d' ' -f1-3)"
    rm -f "$log"
    exit 0
fi
tail -n 20 "$log" >&2
rm -f "$log"
echo "redis: redis-server could not be installed; the tests that need it cannot run" >&2
[ "${CI:-}" != true ] || exit 1
