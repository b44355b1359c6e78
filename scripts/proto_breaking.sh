#!/usr/bin/env bash
# Fails when protos/ breaks callers of an earlier state of the contract.
#
# Earlier states are the last commits that touched protos/, newest first, back to 20 of them or to the first whose
# message has a trailer 'Breaking-Proto: why': such a commit begins the contract anew.
# CI checks out main itself, so comparing with origin/main would compare main with itself.
set -euo pipefail
cd "$(dirname "$0")/.."

skip() {
    echo "buf breaking: ******** SKIPPED: $* ********"
    exit 0
}

buf=${BUF:-.venv/bin/buf}
[ -n "$(find protos -name '*.proto' 2>/dev/null)" ] || skip "there is no .proto file under protos/"
git rev-parse --verify --quiet HEAD >/dev/null || skip "there is no commit to compare with"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
compared=0
for commit in $(git rev-list --max-count=20 HEAD -- protos); do
    short=$(git rev-parse --short "$commit")
    if [ -n "$(git ls-tree -r --name-only "$commit" -- protos | grep '\.proto$' || true)" ] &&
        ! git diff --quiet "$commit" -- protos; then
        rm -rf "$work/then"
        mkdir "$work/then"
        git archive "$commit" protos | tar -x -C "$work/then"
        cp buf.yaml "$work/then/"
        echo "buf breaking: against $short"
        "$buf" breaking --against "$work/then" || {
            echo "buf breaking: callers of $short would break." \
                "If that is meant, commit with the trailer 'Breaking-Proto: why'." >&2
            exit 1
        }
        compared=$((compared + 1))
    fi
    if [ -n "$(git show --no-patch --format='%(trailers:key=Breaking-Proto,valueonly)' "$commit")" ]; then
        echo "buf breaking: $short began the contract anew; nothing older is compared"
        break
    fi
done
if [ "$compared" = 0 ]; then
    [ "$(git rev-parse --is-shallow-repository)" = false ] ||
        skip "this clone is shallow and holds no earlier protos; git fetch --unshallow"
    skip "no earlier commit has other protos"
fi
echo "buf breaking: compatible with $compared earlier states"
