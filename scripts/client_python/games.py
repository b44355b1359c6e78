"""`_async/games.py`: the calls that differ by game."""

import re
from collections.abc import Iterator
from typing import Final, cast

from service.wire.plan import Boxed, Field, Json, Many, OneOf, Record

from .contract import Contract
from .source import BY, doc, type_of

TOLD: Final = {
    "deal": "Begins a match, and deals where the service holds the cards. Of `seed`, `deck` and `chance` one is named; "
    "without any the service draws a seed. The state is all there is: keep it, and send it with the next question.",
    "replay": "Plays a record through, as far as its moves are legal: a record that a table gave, or a game with what "
    "its cards came from and its moves. Where a move is illegal the answer has its violation and index, and the state "
    "just before it.",
    "create_table": "Opens a table; the answer has the host's `Table`, and a join code for each place. Without an "
    "`idempotency_key` one is made, so that a creation that is repeated makes one table.",
}


class Games:
    """Writes `_async/games.py`."""

    def __init__(self, contract: Contract) -> None:
        self.contract = contract

    def text(self) -> str:
        return "\n".join(self._lines()) + "\n"

    def _lines(self) -> Iterator[str]:
        yield f'"""The calls whose options differ by game, typed for each. {BY}"""'
        yield ""
        yield "from abc import ABC, abstractmethod"
        yield "from collections.abc import Mapping, Sequence"
        yield "from typing import Any, Literal, overload"
        yield ""
        yield "from .. import models"
        yield "from .._requests import deal_request, replay_request, table_request"
        yield "from .table import AsyncCreatedTable"
        yield ""
        yield ""
        yield "class AsyncDealing(ABC):"
        yield from doc("Dealing and replaying, typed for each game.")
        yield from self._calls("deal", "DealRequest", "{game}State", "State")
        yield from self._body("deal", "deal_request", "models.State", "_deal")
        yield from self._calls(
            "replay", "ReplayRequest", "ReplayResponse[models.{game}State]", "ReplayResponse[models.State]"
        )
        yield from self._body("replay", "replay_request", "models.ReplayResponse[Any]", "_replay")
        yield ""
        yield "    @abstractmethod"
        yield "    async def _deal(self, request: models.DealRequest, timeout: float | None) -> models.State: ..."
        yield ""
        yield "    @abstractmethod"
        yield "    async def _replay("
        yield "        self, request: models.ReplayRequest, timeout: float | None"
        yield "    ) -> models.ReplayResponse[Any]: ..."
        yield ""
        yield ""
        yield "class AsyncHosting(ABC):"
        yield from doc("Opening tables, typed for each game.")
        yield from self._calls("create_table", "CreateTableRequest", "", "")
        yield from self._body("create_table", "table_request", "AsyncCreatedTable", "_create")
        yield ""
        yield "    @abstractmethod"
        yield "    async def _create("
        yield "        self, request: models.CreateTableRequest, timeout: float | None"
        yield "    ) -> AsyncCreatedTable: ..."

    def _calls(self, name: str, requests: str, answer: str, any_answer: str) -> Iterator[str]:
        union = cast("OneOf", self.contract.kinds[requests])
        if name == "replay":
            for record in union.arms.values():
                yield ""
                yield "    @overload"
                yield f"    async def {name}("
                yield f"        self, game: models.{record.of.name}, *, timeout: float | None = None"
                yield f"    ) -> {self._answer(answer, record)}: ..."
            yield ""
            yield "    @overload"
            yield f"    async def {name}("
            yield "        self, game: models.ReplayRequest, *, timeout: float | None = None"
            yield f"    ) -> models.{any_answer}: ..."
        for game, record in union.arms.items():
            yield ""
            yield "    @overload"
            yield f"    async def {name}("
            yield "        self,"
            yield f'        game: Literal["{game}"],'
            yield "        *,"
            for each in record.fields:
                if each.name not in ("table", "result"):
                    yield f"        {each.name}: {self._argument(each)},"
            yield "        timeout: float | None = None,"
            yield f"    ) -> {self._answer(answer, record)}: ..."
        first = next(iter(union.arms.values()))
        yield ""
        yield "    @overload"
        yield f"    async def {name}("
        yield "        self,"
        yield "        game: str,"
        yield "        *,"
        for each in first.fields:
            if each.name not in ("table", "result"):
                wanted = "models.OptionsChoices | None = None"
                yield f"        {each.name}: {wanted if each.name == 'options' else self._argument(each)},"
        yield "        timeout: float | None = None,"
        yield f"    ) -> {'models.' + any_answer if any_answer else 'AsyncCreatedTable'}: ..."

    def _answer(self, answer: str, record: Record) -> str:
        game = re.sub(r"(DealRequest|ReplayRequest|CreateTableRequest)$", "", record.of.name)
        return f"models.{answer.format(game=game)}" if answer else "AsyncCreatedTable"

    def _argument(self, each: Field) -> str:
        kind = each.kind.many if isinstance(each.kind, Boxed) else each.kind
        if each.name == "options":
            name = type_of(kind, each)
            return f"models.{name} | models.{name.replace('Choices', 'Dict')} | None = None"
        if each.name == "moves":
            return "Sequence[models.RecordedMove | models.MoveInput]"
        if each.name == "seating":
            return "Sequence[Sequence[int]] | None = None"
        if isinstance(kind, Many):
            inner = "Mapping[str, Any]" if isinstance(kind.item, Json) else "str"
            return f"Sequence[{inner}] | None = None"
        text = type_of(kind, each)
        text = text if text in ("int", "str", "bool") else f"models.{text}"
        return f"{text} = False" if text == "bool" else f"{text} | None = None"

    def _body(self, name: str, made: str, answer: str, then: str) -> Iterator[str]:
        yield ""
        kind = "models.ReplayRequest | str" if name == "replay" else "str"
        yield f"    async def {name}("
        yield f"        self, game: {kind}, *, timeout: float | None = None, **named: Any"
        yield f"    ) -> {answer}:"
        yield from doc(TOLD[name], "        ")
        yield f"        return await self.{then}({made}(game, named), timeout)"
