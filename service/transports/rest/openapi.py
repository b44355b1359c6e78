"""The OpenAPI 3.1 document: made from the messages' structs, so that it says what is read and written."""

import copy
import re
from collections.abc import Callable, Iterator
from http import HTTPStatus
from typing import Any, Final

import msgspec

from engine.events import Event
from engine.game import LegalMove
from engine.moves import Move
from service import messages
from service.batch import OPERATIONS as BATCH_OPERATIONS
from service.batch import RETRY_AFTER_SECONDS
from service.config import version_of_service
from service.errors import STATUSES
from service.messages import (
    BatchCall,
    BatchRequest,
    GetGameRequest,
    GetGameResponse,
    Limits,
    ListGamesResponse,
    MoveInput,
    Problem,
    ScoreStateRequest,
)
from service.rules import Rules

from . import table_openapi
from .bodies import LONGEST_ID, encode
from .examples import Examples, examples, games_examples
from .operations import OPERATIONS, Operation
from .table_examples import Shown, table_examples
from .table_operations import WATCH, TableOperation

Json = dict[str, Any]
REF: Final = "#/components/schemas/"
PROBLEM_JSON: Final = "application/problem+json"
EVERY_POST: Final = ("MALFORMED", "TOO_DEEP", "IMPOSSIBLE_STATE", "UNSUPPORTED_RULESET", "LIST_TOO_LONG", "TOO_LARGE")
EVERY_POST_TOO: Final = ("UNSUPPORTED_MEDIA_TYPE", "TOO_MUCH_WORK", "OVERLOADED", "INTERNAL")
EVERY_CALL: Final = ("NO_API_KEY", "INVALID_API_KEY", "RATE_LIMITED")
"""What a call can be refused with where the service knows its callers by keys."""

UNIONS: Final[dict[str, tuple[Any, str]]] = {
    "State": (messages.State, "A match at one moment: everything about it. With `viewer` it is that viewer's view."),
    "Move": (Move, "A move, as an object."),
    "Event": (Event, "Something that happened, as everybody at the table is told."),
    "DealRequest": (messages.DealRequest, "What a match is begun from."),
    "ReplayRequest": (messages.ReplayRequest, "A record: what a match was begun from, and its moves."),
    "ScoreFactsRequest": (messages.ScoreFactsRequest, "Bare facts to be scored."),
    "CreateTableRequest": (messages.CreateTableRequest, "What a table is made from."),
}
"""Unions the document names, and what it says of them; a tag tells which arm a value is."""

CARD: Final[Json] = {
    "title": "Card",
    "description": "A card: rank, then suit, as in `TD` for the ten of diamonds; `10D` and lower case are understood.",
    "type": "string",
    "pattern": "^(?:10|[2-9TJQKAtjqka])[SHDCshdc]$",
    "examples": ["AS", "TD"],
}
FLIP_CARD: Final[Json] = {
    "title": "FlipCard",
    "description": "A card of Flip 7: a number, a plus, `x2`, `freeze`, `flip3` or `second`; capitals are understood.",
    "type": "string",
    "pattern": r"^(?:\d|1[012]|\+(?:[2468]|10)|[Xx]2"
    "|[Ff][Rr][Ee][Ee][Zz][Ee]|[Ff][Ll][Ii][Pp]3|[Ss][Ee][Cc][Oo][Nn][Dd])$",
    "examples": ["7", "+4", "flip3"],
}
ANY_CARD: Final[Json] = {
    "title": "AnyCard",
    "description": "A card of any game, in one of the forms of `Card` and `FlipCard`.",
    "anyOf": [{"$ref": f"{REF}Card"}, {"$ref": f"{REF}FlipCard"}],
}
STRAIN: Final[Json] = {
    "title": "Strain",
    "description": "What a bid names: a suit that is to be trumps, or `NT` for none. Lower case is understood.",
    "type": "string",
    "pattern": "^(?:[SHDCshdc]|[Nn][Tt])$",
    "examples": ["H", "NT"],
}
SUIT: Final[Json] = {
    "title": "Suit",
    "description": "A suit: spades, hearts, diamonds, clubs. Lower case is understood.",
    "type": "string",
    "pattern": "^[SHDCshdc]$",
    "examples": ["S"],
}
MOVE_INPUT: Final[Json] = {
    "title": "MoveInput",
    "description": "A move however it is at hand: its text, the object, or the pair of both that an answer gave.",
    "oneOf": [
        {"type": "string", "minLength": 1, "maxLength": 2_000, "examples": ["play TD"]},
        {"$ref": f"{REF}Move"},
        {"$ref": f"{REF}LegalMove"},
    ],
}
API_KEY: Final[Json] = {
    "type": "apiKey",
    "in": "header",
    "name": "X-Api-Key",
    "description": "Where the service knows its callers by keys.",
}
LANGUAGE: Final[Json] = {
    "name": "Accept-Language",
    "in": "header",
    "description": "The language of messages: English, Dutch or French; English where it names none of them.",
    "schema": {"type": "string", "examples": ["nl"]},
}


def document(rules: Rules) -> Json:
    """The document of the API under these limits."""
    made = examples(rules)
    read = games_examples(rules)
    schemas = _schemas(rules)
    tables = _tables(schemas, table_examples(rules))
    queried = {_name_of(each.request) for each in table_openapi.OPERATIONS if each.method != "POST"}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Scheids",
            "version": version_of_service(),
            "summary": "A referee for card games.",
            "description": "Which moves are legal, why a move is not, what a play leads to and what it scores. Nothing "
            "is kept between requests about a position: the state goes back and forth, and is checked each time. "
            "Whole matches can be played at hosted tables, which are kept here.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "/"}],
        "tags": [
            {"name": "games", "description": "The games there are."},
            {"name": "rules", "description": "Questions about a position, and answers."},
            {"name": "tables", "description": "Matches that are kept here, and played by whoever has a place."},
            {"name": "service", "description": "Whether the service is well."},
        ],
        "paths": {
            "/v1/games": {"get": _get("listGames", "games", "List the games", "ListGamesResponse", read["listGames"])},
            "/v1/games/{game}": {"get": _get_game(read["getGame"])},
            **{operation.path: {"post": _posted(operation, made[operation.name])} for operation in OPERATIONS},
            **tables,
            "/livez": {"get": _probe("getLiveness", "Is the process alive?", {"status": "alive"})},
            "/readyz": {"get": _probe("getReadiness", "Is the service ready?", {"status": "ready", "tables": "ready"})},
        },
        "components": {
            "schemas": {name: schema for name, schema in schemas.items() if name not in queried},
            "headers": {"RetryAfter": _retry_after()},
            "securitySchemes": {**table_openapi.SCHEMES, "apiKey": API_KEY},
        },
    }


# --- operations


def _get(name: str, tag: str, summary: str, response: str, example: Json) -> Json:
    return {
        "operationId": name,
        "tags": [tag],
        "summary": summary,
        "responses": {
            "200": _answer(response, {"example": example}),
            **_problems((*EVERY_CALL, "OVERLOADED", "INTERNAL")),
        },
        "security": [{}, {"apiKey": []}],
    }


def _get_game(example: Json) -> Json:
    described = _get("getGame", "games", "What a game is", "GetGameResponse", example)
    described["description"] = (
        "Its places, its options as a JSON Schema with defaults, its rulesets, its rules clause by clause in three "
        "languages, and the limits of this service."
    )
    described["parameters"] = [
        {"name": "game", "in": "path", "required": True, "schema": {"type": "string"}, "example": "whist"}
    ]
    described["responses"] |= _problems(("UNKNOWN_GAME", "MALFORMED"))
    return described


def _posted(operation: Operation, named: Examples) -> Json:
    request = _name_of(operation.request)
    return {
        "operationId": operation.id,
        "tags": ["rules"],
        "summary": operation.summary,
        "description": operation.description,
        "security": [{}, {"apiKey": []}],
        "parameters": [LANGUAGE],
        "requestBody": {
            "required": True,
            "content": {
                "application/json": {
                    "schema": {"$ref": REF + request},
                    "examples": {name: {"value": asked} for name, (asked, _) in named.items()},
                }
            },
        },
        "responses": {
            "200": _answer(
                operation.response.__name__,
                {"examples": {name: {"value": answered} for name, (_, answered) in named.items()}},
            ),
            **_problems((*EVERY_POST, *EVERY_POST_TOO, *EVERY_CALL, *operation.refusals)),
        },
    }


def _tables(schemas: Json, made: dict[str, Shown]) -> Json:
    paths: Json = {}
    for operation in table_openapi.OPERATIONS:
        of_path = paths.setdefault(table_openapi.path_of(operation), {})
        of_path[operation.method.lower()] = _of_table(operation, schemas, made[operation.name])
    return paths


def _of_table(operation: TableOperation, schemas: Json, shown: Shown) -> Json:
    request = _name_of(operation.request)
    described: Json = {
        "operationId": operation.id,
        "tags": ["tables"],
        "summary": operation.summary,
        "description": operation.description,
        "security": table_openapi.security(operation),
        "parameters": [LANGUAGE, *table_openapi.parameters(operation, schemas.get(request, {}))],
    }
    if operation.method == "POST":
        body = {"schema": {"$ref": REF + request}, "examples": {"whist": {"value": shown.asked}}}
        described["requestBody"] = {"required": operation.name == "create", "content": {"application/json": body}}
    if operation is WATCH:
        text = f"id: {shown.answered['version']}\r\nevent: frame\r\ndata: {encode(shown.answered).decode()}\r\n\r\n"
        answers = table_openapi.events_answer({"$ref": REF + _name_of(operation.response)}, text)
    else:
        example = {"examples": {"whist": {"value": shown.answered}}}
        answers = {"200": _answer(_name_of(operation.response), example)}
    described["responses"] = answers | _problems((*table_openapi.codes(operation), *EVERY_CALL))
    return described


def _probe(name: str, summary: str, example: Json) -> Json:
    schema = {
        "type": "object",
        "properties": {key: {"type": "string"} for key in example},
        "required": list(example),
    }
    content = {"application/json": {"schema": schema, "example": example}}
    return {
        "operationId": name,
        "tags": ["service"],
        "summary": summary,
        "responses": {"200": {"description": "Yes.", "content": content}},
    }


def _answer(schema: str, shown: Json) -> Json:
    return {
        "description": "The answer.",
        "content": {"application/json": {"schema": {"$ref": REF + schema}, **shown}},
    }


def _problems(codes: tuple[str, ...]) -> Json:
    """A response for each status of these codes, which its description names."""
    by_status: dict[int, list[str]] = {}
    for code in codes:
        by_status.setdefault(STATUSES[code].http, []).append(code)
    return {str(status): _problem(status, by_status[status]) for status in sorted(by_status)}


def _problem(status: int, codes: list[str]) -> Json:
    described: Json = {
        "description": f"{HTTPStatus(status).phrase}: {', '.join(f'`{code}`' for code in codes)}.",
        "content": {PROBLEM_JSON: {"schema": {"$ref": f"{REF}Problem"}}},
    }
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        described["headers"] = {"Retry-After": {"$ref": "#/components/headers/RetryAfter"}}
    return described


def _retry_after() -> Json:
    schema = {"type": "integer", "minimum": RETRY_AFTER_SECONDS}
    return {"description": "Seconds to wait before asking again.", "required": True, "schema": schema}


# --- schemas


def _name_of(kind: Any) -> str:
    """What the document calls a message: a union by its name in `messages`, a struct by its own."""
    for name, (union, _) in UNIONS.items():
        if union is kind:
            return name
    return "ScoreRequest" if kind is messages.ScoreRequest else str(kind.__name__)


def _schemas(rules: Rules) -> Json:
    structs = [
        *(operation.response for operation in OPERATIONS),
        *(operation.request for operation in OPERATIONS if operation.request is not messages.ScoreRequest),
        ScoreStateRequest, ListGamesResponse, GetGameResponse, LegalMove, Problem,
        *(each.request for each in table_openapi.OPERATIONS if each.request is not messages.CreateTableRequest),
        *(each.response for each in table_openapi.OPERATIONS if each.response is not messages.ReplayRequest),
    ]  # fmt: skip
    named = [union for union, _ in UNIONS.values()]
    made, schemas = msgspec.json.schema_components(
        [*named, *structs], schema_hook=_by_hand, ref_template=REF + "{name}"
    )
    schemas = msgspec.json.decode(msgspec.json.encode(schemas, enc_hook=messages.to_json))
    wholes = dict(zip(UNIONS, made, strict=False))
    schemas = {name: _tidied(_renamed(schema, wholes)) for name, schema in schemas.items()}
    schemas = {name: table_openapi.without_table(name, schema) for name, schema in schemas.items()}
    for name, (union, meaning) in UNIONS.items():
        schemas[name] = _union(name, union, meaning)
    schemas |= {"Card": CARD, "FlipCard": FLIP_CARD, "AnyCard": ANY_CARD, "Strain": STRAIN, "Suit": SUIT}
    schemas |= {"MoveInput": MOVE_INPUT, "ScoreRequest": _score_request()}
    schemas |= dict(_choices(rules))
    _fill_batch(schemas, rules.limits)
    return dict(sorted(schemas.items()))


def _by_hand(kind: type) -> Json:
    if kind is MoveInput:
        return {"$ref": f"{REF}MoveInput"}
    raise NotImplementedError(kind)


def _union(name: str, union: Any, meaning: str) -> Json:
    arms = list(_arms(union))
    mapping = {arm.__struct_config__.tag: REF + arm.__name__ for arm in arms}
    return {
        "title": name,
        "description": meaning,
        "oneOf": [{"$ref": ref} for ref in mapping.values()],
        "discriminator": {"propertyName": arms[0].__struct_config__.tag_field, "mapping": mapping},
    }


def _arms(union: Any) -> Iterator[Any]:
    """The structs of a union, or the one there is so far."""
    yield from getattr(union, "__args__", (union,))


def _choices(rules: Rules) -> Iterator[tuple[str, Json]]:
    """The options of each game as a caller may name them, as `getGame` tells them."""
    for summary in rules.list_games().games:
        schema = dict(rules.get_game(GetGameRequest(game=summary.game)).options_schema)
        del schema["$schema"]
        name = f"{schema['title']}Choices"
        yield (
            name,
            schema
            | {"title": name, "description": "Options named here win over the preset, and that over the defaults."},
        )


def _score_request() -> Json:
    return {
        "title": "ScoreRequest",
        "description": "A state, or a game and the facts of a deal.",
        "oneOf": [{"$ref": f"{REF}ScoreStateRequest"}, {"$ref": f"{REF}ScoreFactsRequest"}],
    }


def _fill_batch(schemas: Json, limits: Limits) -> None:
    """Says what the calls are, which the structs leave to be read one by one."""
    requests = {operation.name: _name_of(operation.request) for operation in OPERATIONS}
    fields = dict(zip(BatchCall.__struct_fields__, BatchCall.__struct_encode_fields__, strict=True))
    schemas[BatchCall.__name__] = {
        "title": BatchCall.__name__,
        "description": "One call of a batch: an id of your choice, and exactly one request.",
        "type": "object",
        "properties": {
            "id": {"type": "string", "maxLength": LONGEST_ID},
            **{fields[name]: {"$ref": REF + requests[name]} for name in BATCH_OPERATIONS},
        },
        "required": ["id"],
        "additionalProperties": False,
        "minProperties": 2,
        "maxProperties": 2,
    }
    schemas[BatchRequest.__name__]["properties"]["calls"] = {
        "type": "array",
        "items": {"$ref": REF + BatchCall.__name__},
        "maxItems": limits.batch_calls,
    }


def _renamed(schema: Any, wholes: Json) -> Any:
    """The schema with every union that has a name called by it."""

    def named(node: Json) -> Json:
        for name, whole in wholes.items():
            if whole.items() <= node.items() if "$ref" in whole else whole == node:
                return {**node, "$ref": REF + name} if "$ref" in whole else {"$ref": REF + name}
        return node

    return _walked(schema, named)


_SNAKE: Final = re.compile(r"`+([a-z]+(?:_[a-z]+)*)`+")


def _tidied(schema: Any) -> Any:
    """Tags as constants, tagged unions as exclusive, and fields called in prose as they are in JSON."""

    def tidy(node: Json) -> Json:
        tidied = copy.copy(node)
        if isinstance(node.get("enum"), list) and len(node["enum"]) == 1:
            tidied["const"] = tidied.pop("enum")[0]
        if "discriminator" in node and "anyOf" in node:
            tidied["oneOf"] = tidied.pop("anyOf")
        if isinstance(node.get("description"), str):
            tidied["description"] = _SNAKE.sub(lambda match: f"`{_camel(match[1])}`", node["description"])
        return tidied

    return _walked(schema, tidy)


def _camel(words: str) -> str:
    first, *others = words.split("_")
    return first + "".join(word.capitalize() for word in others)


def _walked(node: Any, change: Callable[[Json], Json]) -> Any:
    """The schema with every object in it changed, from the inside out."""
    if isinstance(node, dict):
        return change({key: _walked(value, change) for key, value in node.items()})
    if isinstance(node, list):
        return [_walked(value, change) for value in node]
    return node
