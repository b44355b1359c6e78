"""What kustomize rendered into build/manifests/rendered, held against the service: `make manifests` runs this.

The name of this file keeps it out of `make test`, where nothing is rendered.
"""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.deploy.knowing import Deployed, paths_of_service
from tests.deploy.layers import K8S, Document, layered
from tests.service.running import ROOT

RENDERED = sorted((ROOT / "build" / "manifests" / "rendered").glob("*.yaml"))
ALL = ("redis-sentinel", "monitoring", "gateway", "tracing", "api-keys", "tls")
HASH = re.compile(r"-[a-z0-9]{10}$")


def documents_of(path: Path) -> list[Document]:
    """The documents as rendered, secrets as they were written."""
    documents: list[Document] = list(yaml.safe_load_all(path.read_text()))
    for document in documents:
        if document["kind"] == "Secret":
            literals = yaml.safe_load((K8S / "overlays/dev/kustomization.yaml").read_text())["secretGenerator"]
            document["data"] = dict(each.split("=", 1) for each in literals[0]["literals"])
    return documents


def layers_of(name: str) -> list[Document]:
    overlay, _, component = name.partition("+")
    documents = layered(K8S / "overlays" / overlay)
    for each in ALL if component == "all" else [component] if component else []:
        documents = layered(K8S / "components" / each, documents)
    return documents


def plain(value: Any) -> Any:
    """Without hashes in names, and without what kustomize says of a generated resource."""
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items() if key not in ("namespace", "type")}
    if isinstance(value, list):
        return [plain(each) for each in value]
    return HASH.sub("", value) if isinstance(value, str) else value


def by_name(documents: list[Document]) -> dict[str, Any]:
    return {f"{each['kind']} {plain(each['metadata']['name'])}": plain(each) for each in documents}


def test_something_is_rendered() -> None:
    assert {path.stem for path in RENDERED} >= {path.name for path in (K8S / "overlays").iterdir()}


@pytest.mark.parametrize("path", RENDERED, ids=lambda path: path.stem)
def test_rendered(path: Path) -> None:
    documents = documents_of(path)
    assert Deployed(documents).faults(paths_of_service()) == []
    namespaces = {each["metadata"].get("namespace") for each in documents if each["kind"] != "Namespace"}
    assert namespaces == {each["metadata"]["name"] for each in documents if each["kind"] == "Namespace"}


@pytest.mark.parametrize("path", RENDERED, ids=lambda path: path.stem)
def test_the_fast_tests_read_the_same(path: Path) -> None:
    assert by_name(documents_of(path)) == by_name(layers_of(path.stem))
