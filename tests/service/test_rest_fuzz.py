"""Bodies that nobody would write: mutations of valid ones, and what schemathesis makes of the OpenAPI document.

Whatever is sent, the answer is one the document describes, and never a 5xx.
"""

import json
from collections.abc import Iterator
from typing import Any

import httpx
import jsonschema
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis import Case
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from service.config import load
from service.rules import Rules
from service.transports.rest.examples import examples
from service.transports.rest.openapi import document
from service.transports.rest.operations import OPERATIONS
from tests.service.running import Running, running

Json = dict[str, Any]
RULES = Rules(load({}).limits)
DOCUMENT = document(RULES)
EXAMPLES = examples(RULES)
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
BODIES = [(operation.path, request) for operation in OPERATIONS for request, _ in EXAMPLES[operation.name].values()]


def bounded(examples: int) -> settings:
    return settings(max_examples=examples, deadline=None, database=None, suppress_health_check=list(HealthCheck))


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    with running() as service:
        yield service


def check(path: str, answer: httpx.Response) -> None:
    """That an answer is one the document describes for the path."""
    described = DOCUMENT["paths"][path]["post"]["responses"]
    assert answer.status_code < 500, answer.text
    content = described[str(answer.status_code)]["content"][answer.headers["content-type"]]
    whole = {**content["schema"], "components": DOCUMENT["components"]}
    jsonschema.Draft202012Validator(whole).validate(answer.json())


def places(value: Any, here: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in a JSON value, as the keys and indices that lead there."""
    yield here
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in inside:
        yield from places(part, (*here, key))


def replaced(value: Any, place: tuple[Any, ...], new: Any) -> Any:
    if not place:
        return new
    key, *rest = place
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[key] = replaced(value[key], tuple(rest), new)
    return copy


STRANGE = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 20),
    st.sampled_from([2**31, 2**63, 2**64, -(2**63), 10**30, 1.5, 1e308]),
    st.sampled_from(["", "AS", "10d", "play AS", "deal", "spectator", "whist", "seed", "0", "\0", "é", "x" * 3_000]),
    st.text(max_size=5),
    st.sampled_from([[], {}, [[]], [None], ["AS"], {"": 1}, {"type": "play"}, {"cards": [], "hidden": 104}]),
)


@bounded(250)
@given(data=st.data())
def test_mutations_of_valid_bodies(server: Running, data: st.DataObject) -> None:
    path, body = data.draw(st.sampled_from(BODIES))
    changed: Any = body
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.sampled_from(list(places(changed))))
        part = changed
        for key in place:
            part = part[key]
        change = data.draw(st.sampled_from(["replace", "drop", "double", "add", "steal"]))
        if change == "drop" and isinstance(part, (dict, list)) and part:
            gone = data.draw(st.sampled_from(list(part) if isinstance(part, dict) else range(len(part))))
            new = (
                {key: kept for key, kept in part.items() if key != gone}
                if isinstance(part, dict)
                else [*part[:gone], *part[gone + 1 :]]
            )
        elif change == "double" and isinstance(part, list):
            new = [*part, *part]
        elif change == "add" and isinstance(part, dict):
            new = {
                **part,
                data.draw(st.sampled_from(["viewer", "seed", "seat", "deck", "history", "card", "x"])): data.draw(
                    STRANGE
                ),
            }
        elif change == "steal":
            other = data.draw(st.sampled_from(list(places(changed))))
            new = changed
            for key in other:
                new = new[key]
        else:
            new = data.draw(STRANGE)
        changed = replaced(changed, place, new)
    check(path, server.http.post(path, json=changed))


@bounded(200)
@given(data=st.data())
def test_broken_bytes(server: Running, data: st.DataObject) -> None:
    path, body = data.draw(st.sampled_from(BODIES))
    text = json.dumps(body).encode()
    at = data.draw(st.integers(0, len(text)))
    length = data.draw(st.integers(0, 8))
    broken = text[:at] + data.draw(st.binary(max_size=8)) + text[at + length :]
    check(path, server.http.post(path, content=broken, headers={"Content-Type": "application/json"}))


API = schemathesis.openapi.from_dict(
    DOCUMENT, config=schemathesis.Config.from_dict({"phases": {"coverage": {"enabled": False}}})
)


@API.parametrize()
@bounded(10)
def test_what_the_document_allows(server: Running, case: Case[Any]) -> None:
    case.call_and_validate(base_url=server.url, checks=CHECKS)
