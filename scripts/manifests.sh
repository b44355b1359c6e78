#!/usr/bin/env bash
# Renders every overlay of k8s/, and production with each component and with all, and checks what comes of it; has
# promtool play the alerts through, where it is there (Debian has it in its package prometheus):
# scripts/manifests.sh [--lock]. With --lock it locks its own tools anew (scripts/manifests/tools.in) and does no more.
set -euo pipefail
cd "$(dirname "$0")/.."
work=build/manifests
kustomize_version=v5.7.1
mkdir -p "$work"

if [ "${1:-}" = --lock ]; then
    "${PYTHON:-python3}" -m venv "$work/uv"
    "$work/uv/bin/python" -m pip install --quiet --require-hashes --only-binary :all: -r requirements/lock.txt
    "$work/uv/bin/uv" --quiet pip compile scripts/manifests/tools.in --output-file scripts/manifests/tools.txt \
        --universal --python-version 3.11 --generate-hashes --only-binary :all: --no-emit-index-url --no-emit-find-links \
        --custom-compile-command 'scripts/manifests.sh --lock' --upgrade >/dev/null
    exit
fi

skip() { echo "manifests: ******** SKIPPED: $* ********"; }
note() { echo "==== manifests: $*"; }

# Tools of their own, so that they and the service need not agree on what both depend on.
wanted=$("${PYTHON:-python3}" -V | cat - scripts/manifests/tools.txt | sha256sum)
if [ "$(cat "$work/tools.stamp" 2>/dev/null)" != "$wanted" ]; then
    note "installing scripts/manifests/tools.txt"
    rm -rf "$work/tools"
    "${PYTHON:-python3}" -m venv "$work/tools"
    "$work/tools/bin/python" -m pip install --quiet --disable-pip-version-check --no-input \
        --require-hashes --only-binary :all: -r scripts/manifests/tools.txt
    echo "$wanted" >"$work/tools.stamp"
fi
tools=$work/tools/bin

note "hadolint"
"$tools/hadolint" Dockerfile
note "yamllint"
"$tools/yamllint" --strict --config-file k8s/.yamllint k8s

if command -v kubectl >/dev/null && kubectl kustomize --help >/dev/null 2>&1; then
    render() { kubectl kustomize "$1"; }
elif command -v kustomize >/dev/null; then
    render() { kustomize build "$1"; }
elif [ -x "$work/bin/kustomize" ] || { command -v go >/dev/null &&
    GOBIN=$PWD/$work/bin go install "sigs.k8s.io/kustomize/kustomize/v5@$kustomize_version"; }; then
    render() { "$work/bin/kustomize" build "$1"; }
else
    skip "neither kubectl, nor kustomize, nor Go to install it: nothing is rendered, nothing rendered is checked"
    exit 0
fi

rm -rf "$work/rendered" "$work/layers"
mkdir -p "$work/rendered"
with() { # a name, then the components that production gets
    local layer=$work/layers/$1
    mkdir -p "$layer"
    {
        printf 'apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nnamespace: scheids\n'
        printf 'resources:\n  - ../../../../k8s/overlays/production\ncomponents:\n'
        shift
        printf '  - ../../../../k8s/components/%s\n' "$@"
    } >"$layer/kustomization.yaml"
    render "$layer" >"$work/rendered/${layer##*/}.yaml"
}
note "rendering"
for overlay in k8s/overlays/*/; do
    render "$overlay" >"$work/rendered/$(basename "$overlay").yaml"
done
for component in k8s/components/*/; do
    with "production+$(basename "$component")" "$(basename "$component")"
done
with production+all redis-sentinel monitoring gateway tracing api-keys tls
ls "$work/rendered"

note "schemas"
"$tools/python" scripts/manifests/schemas.py "$work/rendered"
if command -v go >/dev/null; then
    (cd scripts/manifests && go build -o "../../$work/custom" .)
    "$work/custom" "$work"/rendered/*.yaml
else
    skip "no Go to check ServiceMonitor, HTTPRoute and GRPCRoute by their types"
fi

note "alerts, and the queries of the dashboard"
promtool=${PROMTOOL:-promtool}
if command -v "$promtool" >/dev/null; then
    .venv/bin/python scripts/manifests/rules.py "$work/alerts"
    cp tests/deploy/alerts.yaml "$work/alerts"
    "$promtool" check rules "$work/alerts/rules.yaml" "$work/alerts/queries.yaml"
    "$promtool" test rules "$work/alerts/alerts.yaml"
else
    skip "no promtool (of Prometheus; PROMTOOL=... names one) to play the alerts through"
fi

note "checkov"
"$tools/checkov" --config-file k8s/.checkov.yaml --framework kubernetes --directory "$work/rendered"
"$tools/checkov" --config-file k8s/.checkov.yaml --framework dockerfile --file Dockerfile

note "what the service knows of them"
.venv/bin/python -m pytest tests/deploy/rendered.py -q
