"""Writes what promtool reads: the alerts as rules.yaml, each query of the dashboard as a rule of queries.yaml.

Usage: rules.py FOLDER
"""

import json
import sys
from pathlib import Path
from typing import Any, Final

import yaml

MONITORING: Final = Path(__file__).resolve().parents[2] / "k8s" / "components" / "monitoring"
VARIABLES: Final = {"$__rate_interval": "5m", "$namespace": ".*", "$pod": ".*"}


def queries() -> dict[str, Any]:
    """The dashboard's queries as recording rules, which no Prometheus is to have."""
    rules = []
    for panel in json.loads((MONITORING / "dashboard.json").read_text())["panels"]:
        for target in panel.get("targets", ()):
            query = target["expr"]
            for variable, value in VARIABLES.items():
                query = query.replace(variable, value)
            rules.append({"record": f"dashboard:panel{panel['id']}:{target['refId'].lower()}", "expr": query})
    return {"groups": [{"name": "dashboard", "rules": rules}]}


def main() -> int:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    alerts = yaml.safe_load((MONITORING / "prometheusrule.yaml").read_text())["spec"]
    for name, made in (("rules.yaml", alerts), ("queries.yaml", queries())):
        (folder / name).write_text(yaml.safe_dump(made))
    return 0


if __name__ == "__main__":
    sys.exit(main())
