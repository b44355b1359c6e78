"""The manifests as kustomize lays them: resources, generated settings, components, patches. No program is needed.

Only what k8s/ makes use of is understood. `make manifests` compares what comes of it with what kustomize renders.
"""

import copy
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from tests.service.running import ROOT

K8S = ROOT / "k8s"
Document = dict[str, Any]
GENERATORS = {"configMapGenerator": "ConfigMap", "secretGenerator": "Secret"}
NAMESPACED = ("Namespace",)


def read(path: Path) -> list[Any]:
    """The documents of a file."""
    return [document for document in yaml.safe_load_all(path.read_text()) if document is not None]


def layered(folder: Path, below: list[Document] | None = None) -> list[Document]:
    """What a folder with a kustomization comes to; a component, on top of what is `below` it."""
    asked = read(folder / "kustomization.yaml")[0]
    made = [*(below or [])]
    for name in asked.get("resources", ()):
        made += layered(folder / name) if (folder / name).is_dir() else read(folder / name)
    for generator, kind in GENERATORS.items():
        for each in asked.get(generator, ()):
            _generate(made, kind, each, folder)
    for name in asked.get("components", ()):
        made = layered(folder / name, made)
    for patch in asked.get("patches", ()):
        for written in read(folder / patch["path"]):
            _patch(made, written, patch.get("target"))
    for document in made:
        if "namespace" in asked and document["kind"] not in NAMESPACED:
            document["metadata"]["namespace"] = asked["namespace"]
        for image in asked.get("images", ()):
            for container in containers(document):
                if container["image"] == image["name"]:
                    container["image"] = f"{image['name']}:{image['newTag']}"
    return made


def containers(document: Document) -> list[Document]:
    """The containers of what has a template of pods."""
    found: list[Document] = document.get("spec", {}).get("template", {}).get("spec", {}).get("containers", [])
    return found


def named(documents: list[Document], kind: str, name: str) -> Document:
    """The document of a kind and a name."""
    (found,) = (each for each in documents if each["kind"] == kind and each["metadata"]["name"] == name)
    return found


def _generate(made: list[Document], kind: str, asked: Document, folder: Path) -> None:
    values = dict(literal.split("=", 1) for literal in asked.get("literals", ()))
    values |= {name: (folder / name).read_text() for name in asked.get("files", ())}
    if asked.get("behavior") == "merge":
        named(made, kind, asked["name"])["data"] |= values
        return
    labels = asked.get("options", {}).get("labels")
    metadata = {"name": asked["name"], **({"labels": labels} if labels else {})}
    made.append({"apiVersion": "v1", "kind": kind, "metadata": metadata, "data": values})


def _patch(made: list[Document], written: Any, target: Mapping[str, str] | None) -> None:
    if isinstance(written, dict):
        document = named(made, written["kind"], written["metadata"]["name"])
        document.update(_merged(document, written))
        return
    assert target is not None
    found = (target["kind"], target["name"].strip("^$"))
    for document in (each for each in made if (each["kind"], each["metadata"]["name"]) == found):
        for step in written if isinstance(written, list) else [written]:
            _step(document, step)


def _step(document: Document, step: Document) -> None:
    """A step of a JSON patch: something more in a list, or something else in its place."""
    *path, last = step["path"].strip("/").split("/")
    where: Any = document
    for part in path:
        where = where[int(part) if isinstance(where, list) else part]
    match step["op"]:
        case "add":
            assert last == "-", step
            where.append(step["value"])
        case "replace":
            assert last in where, step
            where[last] = step["value"]
        case _:
            raise AssertionError(step)


def _merged(old: Any, new: Any) -> Any:
    """Kubernetes' strategic merge, of mappings and of lists whose items have names."""
    if isinstance(old, dict) and isinstance(new, dict):
        both = {key: _merged(old.get(key), value) for key, value in new.items() if value is not None}
        return {key: value for key, value in (old | both).items() if key not in new or new[key] is not None}
    if isinstance(old, list) and isinstance(new, list) and all("name" in item for item in [*old, *new]):
        ours = {item["name"]: item for item in old}
        changed = [_merged(ours.get(item["name"]), item) for item in new]
        return [*changed, *(item for item in old if item["name"] not in {each["name"] for each in new})]
    if isinstance(new, dict):
        return {key: _merged(None, value) for key, value in new.items() if value is not None}
    return copy.deepcopy(new)
