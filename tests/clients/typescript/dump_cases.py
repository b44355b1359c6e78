"""Prints the worked cases as JSON, for clients in other languages: python -m tests.clients.typescript.dump_cases.

A list whose entries may come in any order is ``{"$among": [...]}``.
"""

import dataclasses
import json
import sys
from typing import Any

from tests.cases import CASES
from tests.cases.case import among


def plain(value: Any) -> Any:
    if isinstance(value, among):
        return {"$among": [plain(each) for each in value.entries]}
    if isinstance(value, dict):
        return {name: plain(each) for name, each in value.items()}
    return [plain(each) for each in value] if isinstance(value, list | tuple) else value


json.dump(
    [{each.name: plain(getattr(case, each.name)) for each in dataclasses.fields(case)} for case in CASES], sys.stdout
)
