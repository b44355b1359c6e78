#!/usr/bin/env bash
# Builds the image without a registry or a container engine: scripts/image_rootfs.sh [FOLDER], by default build/image.
#
# mmdebstrap makes a stand-in for the base image, a bare Debian bookworm with its Python 3.11, out of the sources that
# apt has on this machine; buildah then carries out the Dockerfile itself, by chroot. FOLDER/rootfs leads to the root
# file system that comes of it, FOLDER/image.json is its configuration. Exit code 77: it cannot be done here, and why.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mkdir -p "${1:-build/image}" && cd "${1:-build/image}" && pwd)

skip() {
    echo "image: ******** SKIPPED: $* ********" >&2
    exit 77
}
note() { echo "image: $*" >&2; }

[ "$(id -u)" = 0 ] || skip "only root can make a root file system with devices and owners"
if ! command -v mmdebstrap >/dev/null || ! command -v buildah >/dev/null; then
    command -v apt-get >/dev/null || skip "no mmdebstrap and no buildah, nor apt-get to install them"
    [ "${SCHEIDS_NO_INSTALL:-}" != 1 ] || skip "no mmdebstrap or no buildah, and SCHEIDS_NO_INSTALL=1 forbids to install"
    note "installing Debian's mmdebstrap and buildah"
    { apt-get update --quiet && DEBIAN_FRONTEND=noninteractive apt-get install --yes --quiet \
        --no-install-recommends mmdebstrap buildah; } >"$work/install.log" 2>&1 </dev/null ||
        skip "mmdebstrap and buildah could not be installed: $(tail -n 1 "$work/install.log")"
fi
sources=
for each in /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list; do
    if [ -s "$each" ] && grep -qw bookworm "$each"; then sources=$each && break; fi
done
[ -n "$sources" ] || skip "apt of this machine has no sources of Debian bookworm"

# One file system and one store of images of our own: those of the machine are left alone.
images() { buildah --root "$work/storage" --runroot "$work/run" --storage-driver vfs "$@"; }
if [ -d "$work/storage" ]; then
    images rm --all >/dev/null
fi
base=$(sed -n 's/^FROM \(.*\) AS base$/\1/p' Dockerfile)
if [ ! -s "$work/base.tar" ] || [ "$0" -nt "$work/base.tar" ]; then
    note "mmdebstrap: a stand-in for $base"
    mmdebstrap --quiet --variant=minbase --include=python3.11,python3.11-venv,libpython3.11-dev,ca-certificates \
        --customize-hook='ln -s /usr/bin/python3.11 "$1/usr/local/bin/python"' \
        --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' \
        --dpkgopt='path-exclude=/usr/share/locale/*' \
        bookworm "$work/base.new.tar" "$sources"
    mv "$work/base.new.tar" "$work/base.tar"
fi
if [ ! -f "$work/based" ] || [ "$(cat "$work/based")" != "$base" ] || [ "$work/base.tar" -nt "$work/based" ]; then
    container=$(images from scratch)
    images add --quiet "$container" "$work/base.tar" / >/dev/null
    images commit --quiet --rm "$container" "$base" >/dev/null
    echo "$base" >"$work/based"
fi

# The builder reaches packages as this machine does: with its certificates and its settings of pip, which are mounted
# and so are in no layer.
python3 - >"$work/pip.conf" <<'PYTHON'
import subprocess
import sys

wanted = {"cert", "default-timeout", "extra-index-url", "index-url", "proxy", "trusted-host"}
listed = subprocess.run([sys.executable, "-m", "pip", "config", "list"], capture_output=True, text=True, check=True)
found = {}
for line in listed.stdout.splitlines():
    name, _, value = line.partition("=")
    if name.rpartition(".")[2] in wanted:
        found[name.rpartition(".")[2]] = value.strip("'")
print("[global]")
for name, value in found.items():
    print(f"{name} = {value}")
PYTHON

note "buildah: the Dockerfile"
version=$(sed -n 's/^version = "\(.*\)"$/\1/p' pyproject.toml)
revision=$(git rev-parse HEAD 2>/dev/null || echo unknown)
images bud --isolation chroot --pull-never --layers=false --format oci --quiet \
    --build-arg "VERSION=$version" --build-arg "REVISION=$revision" \
    --build-arg "CREATED=$(date --utc +%Y-%m-%dT%H:%M:%SZ)" \
    --volume /etc/ssl/certs:/etc/ssl/certs:ro --volume /usr/local/share/ca-certificates:/usr/local/share/ca-certificates:ro \
    --volume /usr/share/ca-certificates:/usr/share/ca-certificates:ro --volume "$work/pip.conf:/etc/pip.conf:ro" \
    --tag "scheids:$version" . >"$work/build.log" 2>&1 || {
    tail -n 30 "$work/build.log" >&2
    note "the Dockerfile cannot be built"
    exit 1
}
container=$(images from --pull-never "scheids:$version")
images inspect --type image "scheids:$version" |
    python3 -c 'import json, sys; json.dump(json.load(sys.stdin)["OCIv1"], sys.stdout, indent=2)' >"$work/image.json"
ln -sfn "$(images mount "$container")" "$work/rootfs"
note "scheids:$version, $(du -sm --apparent-size "$work/rootfs/" | cut -f1) MB with its base, in ${work#"$PWD"/}/rootfs"
