#!/usr/bin/env bash
# Sees to it that `make bench` has h2load to load servers with: installs Debian's where we may, says so where not.
# SCHEIDS_NO_INSTALL=1 leaves the machine as it is.
set -euo pipefail

if command -v h2load >/dev/null; then
    echo "h2load: $(h2load --version)"
    exit 0
fi
if [ "${SCHEIDS_NO_INSTALL:-}" = 1 ] || [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    echo "h2load: there is none on the PATH. On Debian: sudo apt-get install nghttp2-client" >&2
    exit 1
fi

echo "h2load: there is none on the PATH; installing Debian's nghttp2-client"
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
trap 'rm -f "$log"' EXIT
install() { apt-get install --yes --quiet --no-install-recommends nghttp2-client </dev/null; }
if { apt-get update --quiet && install; } >"$log" 2>&1; then
    echo "h2load: $(h2load --version)"
    exit 0
fi
tail -n 20 "$log" >&2
exit 1
