"""A worked case: one call with its JSON body, and what the answer must hold, over the engine and every transport.

An expected object is a subset: the keys it names must match, at every depth. `among(...)` matches a list whose
entries are the named ones in any order.
"""

from dataclasses import dataclass
from typing import Any

import msgspec

from service import messages

Body = dict[str, Any]


@dataclass(frozen=True)
class among:  # noqa: N801 - reads as a word in the cases
    """A list with just these entries, in any order; each a subset as usual."""

    entries: tuple[Any, ...]

    def __init__(self, *entries: Any) -> None:
        object.__setattr__(self, "entries", entries)


@dataclass(frozen=True, kw_only=True)
class Case:
    """`call` is a method of the service's rules; `answer` or `problem` is what comes of `request`."""

    name: str
    call: str
    request: Body
    answer: Body | None = None
    problem: Body | None = None
    language: str = "en"


def differs(expected: Any, found: Any, path: str = "$") -> str | None:
    """Where and how an answer is not what is expected; None where it is."""
    if isinstance(expected, among):
        return _differs_among(expected, found, path)
    if isinstance(expected, dict):
        if not isinstance(found, dict):
            return f"{path}: {found!r} is no object"
        wrong = (differs(value, found.get(key), f"{path}.{key}") for key, value in expected.items())
        return next((fault for fault in wrong if fault), None)
    if isinstance(expected, list):
        if not isinstance(found, list) or len(found) != len(expected):
            return f"{path}: {found!r} instead of {expected!r}"
        wrong = (differs(value, found[index], f"{path}[{index}]") for index, value in enumerate(expected))
        return next((fault for fault in wrong if fault), None)
    return None if expected == found else f"{path}: {found!r} instead of {expected!r}"


def _differs_among(expected: among, found: Any, path: str) -> str | None:
    if not isinstance(found, list) or len(found) != len(expected.entries):
        return f"{path}: {found!r} instead of {expected.entries!r} in any order"
    left = list(found)
    for entry in expected.entries:
        match = next((each for each in left if differs(entry, each) is None), None)
        if match is None:
            return f"{path}: nothing in {found!r} matches {entry!r}"
        left.remove(match)
    return None


def body(value: Any) -> Any:
    """A struct as the JSON value that the wire has."""
    return msgspec.json.decode(msgspec.json.encode(value, enc_hook=messages.to_json))


def check(case: Case, answer: Any, problem: Any) -> None:
    """Asserts that what came is what the case expects."""
    if case.problem is not None:
        assert problem is not None, f"answered {answer!r}"
        fault = differs(case.problem, problem)
    else:
        assert problem is None, problem
        fault = differs(case.answer, answer)
    assert fault is None, fault
