"""What the OpenAPI document says of hosted tables."""

from typing import Any, Final

from service.messages import TableRequest

from .table_operations import TABLE_OPERATIONS, WATCH, TableOperation

Json = dict[str, Any]
EVENT_STREAM: Final = "text/event-stream"
EVERY: Final = ("MALFORMED", "UNKNOWN_TABLE", "TABLES_OFF", "STORE_AWAY", "OVERLOADED", "INTERNAL")
EVERY_BODY: Final = ("TOO_DEEP", "TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE")
OPERATIONS: Final = (*TABLE_OPERATIONS, WATCH)

SCHEMES: Final[Json] = {
    "token": {
        "type": "http",
        "scheme": "bearer",
        "bearerFormat": "JWT",
        "description": "The token of a place, or of the host.",
    }
}
TABLE_ID: Final[Json] = {
    "name": "table",
    "in": "path",
    "required": True,
    "description": "The table's id.",
    "schema": {"type": "string"},
}
KEY: Final[Json] = {
    "name": "Idempotency-Key",
    "in": "header",
    "description": "The same as `idempotencyKey`.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 128},
}
LAST_EVENT: Final[Json] = {
    "name": "Last-Event-ID",
    "in": "header",
    "description": "The last version that was seen; the same as `afterVersion`, and before it.",
    "schema": {"type": "integer", "minimum": 0},
}
TICKET: Final[Json] = {
    "name": "ticket",
    "in": "query",
    "description": "A ticket for the events, instead of a token.",
    "schema": {"type": "string"},
}


def without_table(name: str, schema: Json) -> Json:
    """The schema of a request as REST has it: the table is named by the path."""
    if name not in _OF_TABLES:
        return schema
    return {**schema, "properties": {key: its for key, its in schema["properties"].items() if key != "table"}}


def path_of(operation: TableOperation) -> str:
    """The path, as OpenAPI writes it."""
    return operation.path.replace(":str}", "}")


def parameters(operation: TableOperation, query: Json) -> list[Json]:
    """The parameters; `query` is the schema of the request, where that is read from the query."""
    found = [TABLE_ID] if "{" in operation.path else []
    if operation.method != "POST":
        fields = query["properties"].items()
        found += [{"name": name, "in": "query", "schema": schema} for name, schema in fields if name != "table"]
    if operation is WATCH:
        found += [TICKET, LAST_EVENT]
    if "KEY_REUSED" in operation.refusals:
        found.append(KEY)
    return found


def codes(operation: TableOperation) -> tuple[str, ...]:
    """What the operation can refuse."""
    of_token = {"none": (), "required": ("NO_TOKEN", "INVALID_TOKEN"), "optional": ("INVALID_TOKEN",)}
    of_body = EVERY_BODY if operation.method == "POST" else ()
    of_path = EVERY if "{" in operation.path else tuple(code for code in EVERY if code != "UNKNOWN_TABLE")
    return (*of_path, *of_body, *of_token[operation.authorization], *operation.refusals)


def security(operation: TableOperation) -> list[Json]:
    """Which token the operation asks for; with an API key, where the service knows its callers by keys."""
    asked: dict[str, list[Json]] = {"none": [{}], "required": [{"token": []}], "optional": [{"token": []}, {}]}
    return [{**tokens, **key} for key in _KEYS for tokens in asked[operation.authorization]]


_KEYS: Final[tuple[Json, ...]] = ({}, {"apiKey": []})


def events_answer(schema: Json, example: str) -> Json:
    """The answers of the watching operation."""
    stream = {"schema": {"type": "string"}, "example": example, "x-event-data": schema}
    return {
        "200": {"description": "Events; the data of each is a frame.", "content": {EVENT_STREAM: stream}},
        "204": {"description": "The table has ended, and all of it was seen."},
    }


_OF_TABLES: Final = frozenset(
    each.request.__name__
    for each in OPERATIONS
    if isinstance(each.request, type) and issubclass(each.request, TableRequest)
)
