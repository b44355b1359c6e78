"""A worked case as calls of the client, with and without waiting."""

from collections.abc import Awaitable
from typing import Any

import msgspec

from scheids_client import ScheidsError, models, state_from_json
from tests.cases.case import Case, body, check

FACTS: dict[str, type[models.Facts]] = {
    "whist": models.WhistFacts,
    "peewee7": models.PeeweeFacts,
    "wippen": models.WippenFacts,
    "wipe": models.WipeFacts,
    "flip7": models.Flip7Facts,
}


def asked(client: Any, case: Case) -> Any:
    """The client's call for the case's request: an answer, or what is awaited for one."""
    request = dict(case.request)
    if "state" in request:
        request["state"] = state_from_json(msgspec.json.encode(request["state"]))
    match case.call:
        case "deal":
            return client.deal(**request)
        case "score" if "state" in request:
            return client.score(**request)
        case "score":
            game = request.pop("game")
            facts = msgspec.convert(request.pop("facts"), FACTS[game])
            return client.score_facts(facts, request.get("options"))
        case "replay":
            moves = [models.RecordedMove(**{**step, "move": move_of(step["move"])}) for step in request.pop("moves")]
            return client.replay(**request, moves=moves)
        case "view":
            return client.view(request["state"], request["viewer"])
        case "outcomes":
            return client.outcomes(request["state"], request.get("viewer"))
        case "legal_moves":
            return client.legal_moves(**request)
    state, move = request.pop("state"), move_of(request.pop("move"))
    return getattr(client, case.call)(state, move, **request)


def move_of(move: Any) -> models.MoveInput:
    """A move of a case: its text, or its object."""
    if isinstance(move, str):
        return move
    found: models.MoveInput = msgspec.json.decode(
        msgspec.json.encode(move), type=models.LegalMove if "move" in move else models.Move
    )
    return found


def told(case: Case, answer: Any) -> Any:
    """The answer as the service's JSON has it."""
    boxes = {"deal": "state", "view": "view", "score": "sheet"}
    return body({boxes[case.call]: answer} if case.call in boxes else answer)


def play_case(client: Any, case: Case) -> None:
    try:
        answer = asked(client, case)
    except ScheidsError as refused:
        check(case, None, body(refused.problem))
    else:
        check(case, told(case, answer), None)


async def await_case(client: Any, case: Case) -> None:
    try:
        coming: Awaitable[Any] = asked(client, case)
        answer = await coming
    except ScheidsError as refused:
        check(case, None, body(refused.problem))
    else:
        check(case, told(case, answer), None)
