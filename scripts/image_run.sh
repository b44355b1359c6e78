#!/usr/bin/env bash
# Runs the service out of a root file system as Kubernetes' `restricted` would have it run, in place of this process:
# scripts/image_run.sh FOLDER NAME=VALUE ...
#
# Root is read-only and nothing is writable but /tmp, in memory; the user is the image's, no capability is left or can
# be gained, and the environment has nothing but the image's and the settings named. FOLDER is from image_rootfs.sh.
set -euo pipefail
work=$(cd "${1:?usage: scripts/image_run.sh FOLDER NAME=VALUE ...}" && pwd)
shift
configured() { # the lists and texts of the image's configuration, an item a line
    python3 -c 'import json, sys
found = json.load(open(sys.argv[1]))["config"][sys.argv[2]]
print(found if isinstance(found, str) else "\n".join(found))' "$work/image.json" "$1"
}
mapfile -t environ < <(configured Env)
mapfile -t entrypoint < <(configured Entrypoint)
mapfile -t cmd < <(configured Cmd)
IFS=: read -r uid gid < <(configured User)

# exec all the way: whoever started this script has the service's own process id.
exec unshare --mount --propagation private bash -euc '
    root=$1 uid=$2 gid=$3
    shift 3
    mount --bind "$root" "$root"
    mount -t proc -o ro,nosuid,nodev,noexec proc "$root/proc"
    mount --bind /dev "$root/dev"
    mount -o remount,bind,ro,nosuid,noexec "$root/dev"
    mount -t tmpfs -o nosuid,nodev,noexec,size=16m,mode=1777 tmpfs "$root/tmp"
    mount -o remount,bind,ro "$root"
    exec chroot "$root" /usr/bin/setpriv --reuid "$uid" --regid "$gid" --clear-groups --no-new-privs \
        --bounding-set=-all --inh-caps=-all /usr/bin/env --ignore-environment "$@"
' bash "$(realpath "$work/rootfs")" "$uid" "$gid" "${environ[@]}" "$@" "${entrypoint[@]}" "${cmd[@]}"
