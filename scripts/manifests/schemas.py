"""Holds rendered manifests to the strict schemas of the three newest Kubernetes: schemas.py FOLDER.

Run by the Python of scripts/manifests.sh, which has kubernetes-validate. Other kinds than Kubernetes' own are named
and left to scripts/manifests/main.go.
"""

import copy
import re
import sys
from pathlib import Path
from typing import Any

import kubernetes_validate  # type: ignore[import-not-found]
import yaml

NEWEST = 3
CUSTOM = ("gateway.networking.k8s.io/", "monitoring.coreos.com/")
FOLDER = re.compile(r"v(\d+)\.(\d+)\.\d+-local-strict")


def versions() -> list[str]:
    """The newest minors whose schemas are installed."""
    folder = Path(kubernetes_validate.__file__).parent / "kubernetes-json-schema"
    found = {match.groups() for path in folder.iterdir() if (match := FOLDER.fullmatch(path.name))}
    return [f"{major}.{minor}" for major, minor in sorted(found, key=lambda each: tuple(map(int, each)))[-NEWEST:]]


def fault(document: dict[str, Any], version: str) -> str | None:
    """What is wrong with a document, if anything."""
    try:
        kubernetes_validate.validate(document, version, strict=True)
    except kubernetes_validate.ValidationError as found:
        return str(found.message)
    return None


def main() -> int:
    faults = 0
    for version in versions():
        for path in sorted(Path(sys.argv[1]).glob("*.yaml")):
            checked = 0
            for document in yaml.safe_load_all(path.read_text()):
                if document["apiVersion"].startswith(CUSTOM):
                    continue
                checked += 1
                found = fault(document, version)
                if found:
                    print(f"{path.name}: {document['kind']} {document['metadata']['name']}, {version}: {found}")
                    faults += 1
                spoilt = copy.deepcopy(document)
                spoilt["metadata"]["lables"] = {}
                if fault(spoilt, version) is None:
                    print(
                        f"{document['kind']}, {version}: a field that there is not would pass; the check checks nothing"
                    )
                    faults += 1
            print(f"{version}: {path.name}: {checked} resources checked")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
