"""Reading a decision log, and having its lines judged again."""

import json
import time
from pathlib import Path
from typing import Any

import httpx

Json = dict[str, Any]
SECONDS = 30


def lines_of(path: Path) -> list[Json]:
    """The lines of a log, as far as they are whole by now."""
    return [json.loads(line) for line in path.read_text().rpartition("\n")[0].splitlines()]


def written(path: Path, number: int) -> list[Json]:
    """The lines of a log, once there are so many; it is written beside the requests."""
    until = time.monotonic() + SECONDS
    while len(lines_of(path)) < number:
        assert time.monotonic() < until, f"{len(lines_of(path))} lines instead of {number}"
        time.sleep(0.01)
    return lines_of(path)


def verdict(answer: Json) -> Json:
    """What a line says where `POST /v1/validate` answers so."""
    if answer["legal"]:
        return {"legal": True}
    return {"legal": False, "violation": {name: answer["violation"][name] for name in ("code", "clause")}}


def judged_again(http: httpx.Client, line: Json) -> Json:
    """The verdict on a line's request, sent as it is."""
    answer = http.post("/v1/validate", json=line["request"])
    assert answer.status_code == 200, (answer.text, line)
    return verdict(answer.json())
