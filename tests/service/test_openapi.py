"""The OpenAPI document: valid, whole, and true: its examples are asked and answered as it says."""

import json
from collections.abc import Iterator
from typing import Any

import httpx
import jsonschema
import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator

from service.config import load
from service.rules import Rules
from service.transports.rest.openapi import document
from service.transports.rest.operations import OPERATIONS
from tests.service.running import Running, running

Json = dict[str, Any]
DOCUMENT = document(Rules(load({}).limits))
SCHEMAS: Json = DOCUMENT["components"]["schemas"]
POSTED = {path: methods["post"] for path, methods in DOCUMENT["paths"].items() if "post" in methods}
OF_TABLES = "/v1/tables"
EXAMPLES = [
    (path, name)
    for path, operation in POSTED.items()
    if not path.startswith(OF_TABLES)
    for name in operation["requestBody"]["content"]["application/json"]["examples"]
]


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    with running() as service:
        yield service


def check(name: str, value: Any) -> None:
    """That a value is what the document says of a schema."""
    whole = {"$ref": f"#/components/schemas/{name}", "components": {"schemas": SCHEMAS}}
    jsonschema.Draft202012Validator(whole).validate(value)


def name_in(content: Json) -> str:
    return str(content["schema"]["$ref"]).rpartition("/")[2]


def nodes(value: Any) -> Iterator[Json]:
    if isinstance(value, dict):
        yield value
        for inside in value.values():
            yield from nodes(inside)
    elif isinstance(value, list):
        for inside in value:
            yield from nodes(inside)


def test_it_is_valid() -> None:
    OpenAPIV31SpecValidator(DOCUMENT).validate()
    for name, schema in SCHEMAS.items():
        jsonschema.Draft202012Validator.check_schema(schema)
        assert name[0].isupper()


def test_it_is_what_is_served(server: Running) -> None:
    assert server.http.get("/openapi.json").json() == DOCUMENT


def test_operation_ids_are_these_for_ever() -> None:
    ids = [operation["operationId"] for methods in DOCUMENT["paths"].values() for operation in methods.values()]
    assert ids == [
        "listGames", "getGame", "deal", "validateMove", "listLegalMoves", "playMove", "score", "viewState", "replay",
        "listOutcomes", "sampleStates", "simulate", "batch", "createTable", "claimPlace", "getTable", "endTable",
        "listTableMoves", "getTableRecord", "playTableMove", "createEventTicket", "startTable", "addEntropy",
        "resignTable", "undoTable", "reissueToken", "watchTable", "getLiveness", "getReadiness",
    ]  # fmt: skip


def test_every_schema_is_there_and_used() -> None:
    refs = {node["$ref"].rpartition("/")[2] for node in nodes(DOCUMENT) if "$ref" in node}
    assert refs - {"RetryAfter"} == set(SCHEMAS)


def test_every_union_says_what_tells_its_arms_apart() -> None:
    unions = [name for name, schema in SCHEMAS.items() if "discriminator" in schema]
    assert {"State", "Move", "Event", "DealRequest", "ReplayRequest", "ScoreFactsRequest"} <= set(unions)
    for name in unions:
        schema = SCHEMAS[name]
        tag, mapping = schema["discriminator"]["propertyName"], schema["discriminator"]["mapping"]
        assert [arm["$ref"] for arm in schema["oneOf"]] == list(mapping.values())
        for value, ref in mapping.items():
            arm = SCHEMAS[ref.rpartition("/")[2]]
            assert arm["properties"][tag] == {"const": value}
            assert tag in arm["required"]


def test_an_arm_is_only_named_in_its_union() -> None:
    """Whatever takes a state takes that of any game."""
    arms = set(SCHEMAS["State"]["discriminator"]["mapping"].values())
    for name, schema in SCHEMAS.items():
        if "discriminator" not in schema:
            assert not arms & {node["$ref"] for node in nodes(schema) if "$ref" in node}, name


def test_requests_refuse_what_they_do_not_know() -> None:
    for name, schema in SCHEMAS.items():
        if name.endswith(("Request", "Choices", "Call")) and "properties" in schema:
            assert schema["additionalProperties"] is False, name


@pytest.mark.parametrize("choices", [name for name in SCHEMAS if name.endswith("OptionsChoices")])
def test_options_have_defaults_and_meanings(choices: str) -> None:
    for name, option in SCHEMAS[choices]["properties"].items():
        assert option["description"], name
        assert "default" in option or name == "preset"


@pytest.mark.parametrize("card", ["AS", "TD", "10D", "td", "10d"])
def test_cards_in_every_spelling(card: str) -> None:
    check("Card", card)
    check("MoveInput", f"play {card}")
    check("MoveInput", {"type": "play", "card": card})


@pytest.mark.parametrize("card", ["0", "12", "+10", "X2", "flip3", "Freeze", "second"])
def test_cards_of_flip7_in_every_spelling(card: str) -> None:
    check("FlipCard", card)
    check("AnyCard", card)
    check("MoveInput", {"type": "draw", "card": card})


@pytest.mark.parametrize("card", ["", "1D", "A", "SA", "AS ", "11D", "0D"])
def test_what_is_no_card(card: str) -> None:
    with pytest.raises(jsonschema.ValidationError):
        check("Card", card)


def test_every_operation_has_an_example() -> None:
    assert {path for path, _ in EXAMPLES} == {operation.path for operation in OPERATIONS}


@pytest.mark.parametrize(("path", "name"), EXAMPLES)
def test_an_example_is_answered_as_shown(server: Running, path: str, name: str) -> None:
    operation = POSTED[path]
    asked = operation["requestBody"]["content"]["application/json"]
    answered = operation["responses"]["200"]["content"]["application/json"]
    request, answer = asked["examples"][name]["value"], answered["examples"][name]["value"]
    check(name_in(asked), request)
    check(name_in(answered), answer)
    response = server.http.post(path, json=request)
    assert (response.status_code, response.json()) == (200, answer)


READ = [path for path, methods in DOCUMENT["paths"].items() if "get" in methods and not path.startswith(OF_TABLES)]


@pytest.mark.parametrize("path", READ)
def test_what_is_read_is_as_shown(server: Running, path: str) -> None:
    operation = DOCUMENT["paths"][path]["get"]
    content = operation["responses"]["200"]["content"]["application/json"]
    assert server.http.get(path.replace("{game}", "whist")).json() == content["example"]
    if "$ref" in content["schema"]:
        check(name_in(content), content["example"])


@pytest.mark.parametrize("path", [path for path in DOCUMENT["paths"] if path.startswith(OF_TABLES)])
def test_examples_of_tables_are_what_the_document_says(path: str) -> None:
    for method, operation in DOCUMENT["paths"][path].items():
        body = operation.get("requestBody", {"content": {}})["content"].get("application/json")
        if body is not None:
            check(name_in(body), body["examples"]["whist"]["value"])
        answered = operation["responses"]["200"]["content"]
        if "application/json" in answered:
            example = answered["application/json"]["examples"]["whist"]["value"]
            check(name_in(answered["application/json"]), example)
            assert example
        else:
            data = answered["text/event-stream"]["example"].partition("data: ")[2]
            check("WatchTableResponse", json.loads(data))
        assert {"400", "500", "501", "503"} <= set(operation["responses"]), method


def test_a_table_is_named_by_its_path_only() -> None:
    for name, schema in SCHEMAS.items():
        if name.endswith("Request"):
            assert "table" not in schema.get("properties", {}) or name.endswith("ReplayRequest"), name


def statuses(path: str, method: str = "post") -> Json:
    found: Json = DOCUMENT["paths"][path][method]["responses"]
    return found


def test_problems_are_described(server: Running) -> None:
    asked: list[tuple[str, httpx.Response]] = [
        ("/v1/deal", server.http.post("/v1/deal", json={"game": "snap"})),
        ("/v1/deal", server.http.post("/v1/deal", content=b"{}")),
        ("/v1/play", server.http.post("/v1/play", json={"state": {}, "move": "x"})),
    ]
    for path, answer in asked:
        described = statuses(path)[str(answer.status_code)]["content"][answer.headers["content-type"]]
        assert name_in(described) == "Problem"
        check("Problem", answer.json())
    for path in {path for path, _ in EXAMPLES}:
        assert {"200", "400", "413", "415", "429", "500"} <= set(statuses(path))
        assert statuses(path)["429"]["headers"]["Retry-After"]
    assert "422" in statuses("/v1/play")
    assert "404" in statuses("/v1/games/{game}", "get")
