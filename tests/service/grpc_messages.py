"""What the tests of the codec and of gRPC are given: positions reached by play, and messages and structs at random."""

import random
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache
from typing import Any, get_args

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from google.protobuf.struct_pb2 import Value
from msgspec import inspect

from engine import game as engine
from engine.game import Query, Setup
from engine.games import BY_NAME, State
from engine.moves import Move
from service import messages
from service.messages import MoveInput
from service.wire.codec import CODEC
from service.wire.gen.scheids.v1 import referee_pb2
from service.wire.plan import Kind, Record

WHIST = BY_NAME["whist"]
VARIANTS: tuple[tuple[str, int, dict[str, Any]], ...] = (
    ("whist", 4, {}),
    ("whist", 4, {"target": 9, "honours": "none", "match": "game"}),
    ("whist", 4, {"trump": "none", "turn_up": False, "match": "deal"}),
    ("whist", 3, {"dummy": True, "dummy_partner": 2, "dummy_exposed": "afterLead"}),
    ("whist", 4, {"revoke": "record", "revoke_penalty": "choice", "slam_bonus": 5, "trump_card_public": "always"}),
    ("whist", 4, {"draw_for_partners": True, "draw_ace": "low"}),
    ("peewee7", 4, {}),
    ("peewee7", 4, {"team_draw": True, "pass_is_final": True, "win_scope": "total"}),
    ("wippen", 4, {}),
    ("wippen", 2, {"build_obligation": "none", "build_in_sum": "all", "raise_with_open": True, "target": 20}),
    ("wipe", 2, {}),
    ("wipe", 4, {"crossing": "declared", "double_building": True, "false_sweep": "penalty"}),
    ("flip7", 2, {}),
    ("flip7", 6, {"second_chance_gift": True, "set_aside": "oneByOne", "deal_replace_action": True}),
    ("flip7", 1, {"challenge": "any"}),
)
"""A game, how many places, and options."""


@cache
def played(variant: int, seed: int, moves: int = 120) -> tuple[State, ...]:
    """The states of a match played at random."""
    name, places, options = VARIANTS[variant]
    game = BY_NAME[name]
    choices = random.Random(f"{variant} {seed}")
    setup = Setup(options=game.options(**options), chance="seed", seed=f"seed {seed}", places=places)
    states = [engine.begin(game, setup).state]
    for _ in range(moves):
        state = states[-1]
        found = [
            (seat, each.move)
            for seat in range(len(state.hands))
            for each in engine.legal_moves(game, state, seat, Query()).moves
        ]
        if not found:
            break
        seat, move = choices.choice(found)
        states.append(engine.play(game, state, move, seat).state)
    return tuple(states)


def positions(step: int = 7) -> Iterator[State]:
    """States of every variant, and what seats and spectators see of them."""
    for variant, (name, _, _) in enumerate(VARIANTS):
        for state in played(variant, 1)[::step]:
            yield state
            yield engine.view(BY_NAME[name], state, state.dealer)
            yield engine.view(BY_NAME[name], state, "spectator")


def mid_hand() -> State:
    """A state in the middle of a hand of whist."""
    return played(0, 1)[25]


def mid_round() -> State:
    """A state in the middle of a round of Flip 7."""
    return played(VARIANTS.index(("flip7", 2, {})), 1)[4]


def requests() -> dict[str, bytes]:
    """One good request for each method that takes one, as bytes."""
    state = mid_hand()
    assert state.to_act is not None
    legal = engine.legal_moves(WHIST, state, None, Query()).moves[0]
    move = MoveInput(legal.move)
    record = [messages.RecordedMove(move=MoveInput(legal.move)), messages.RecordedMove(seat=2, move=move)]
    made = {
        "GetGame": messages.GetGameRequest(game="whist"),
        "Deal": messages.WhistDealRequest(seed="x", options=messages.WhistChoices(preset="long"), dealer=2),
        "ValidateMove": messages.ValidateMoveRequest(state=state, move=move),
        "ListLegalMoves": messages.ListLegalMovesRequest(state=state, explain=True, limit=3),
        "PlayMove": messages.PlayMoveRequest(state=state, move=move),
        "Score": messages.ScoreStateRequest(state=state, scope="match"),
        "ViewState": messages.ViewStateRequest(state=state, viewer="spectator"),
        "Replay": messages.WhistReplayRequest(seed="x", moves=tuple(record)),
        "ListOutcomes": messages.ListOutcomesRequest(state=mid_round(), viewer=1),
    }
    written = {name: CODEC.writer(f"{name}Request")(request) for name, request in made.items()}
    batch = referee_pb2.BatchRequest()
    for method, arm in ARMS.items():
        call = batch.calls.add(id=method)
        getattr(call, arm).MergeFromString(written[method])
    return {**written, "ListGames": b"", "Batch": batch.SerializeToString()}


ARMS = {
    "Deal": "deal",
    "ValidateMove": "validate",
    "ListLegalMoves": "legal_moves",
    "PlayMove": "play",
    "Score": "score",
    "ViewState": "view",
    "Replay": "replay",
    "ListOutcomes": "outcomes",
}


# --- messages at random

TEXTS = ("AS", "td", "10D", "2C", "play AS", "deal", "whist", "", "S", "1", "XX", "é" * 9, "z" * 300, "end")
NUMBERS = (0, 1, 2, 3, 4, 5, 13, 17, 18, 104, 105, -1, 10_000_001, 2**31 - 1, -(2**31))


def random_message(of: Descriptor, choices: random.Random, depth: int = 0) -> Message:
    """A message with any fields set to anything, plausible or not."""
    message: Any = GetMessageClass(of)()
    if of.full_name.startswith("google.protobuf."):
        for name in choices.choices(TEXTS, k=choices.choice((0, 0, 1, 3))):
            number = choices.choice((0, 1.5, -3, 1e300, 2.0**60, float("nan"), float("inf")))
            values: list[dict[str, Any]] = [{"string_value": "é"}, {"null_value": 0}, {}, {"number_value": number}]
            message.fields[name].MergeFrom(Value(**choices.choice(values)))
        return message  # type: ignore[no-any-return]
    for field in of.fields:
        if choices.random() < 0.25 + depth / 20:
            continue
        if field.is_repeated:
            values = [random_value(field, choices, depth) for _ in range(choices.choice((0, 1, 2, 4, 5)))]
            if field.message_type is None:
                getattr(message, field.name).extend(values)
            else:
                for value in values:
                    getattr(message, field.name).add().CopyFrom(value)
        elif field.message_type is not None:
            getattr(message, field.name).CopyFrom(random_value(field, choices, depth))
        else:
            setattr(message, field.name, random_value(field, choices, depth))
    return message  # type: ignore[no-any-return]


def random_value(field: FieldDescriptor, choices: random.Random, depth: int) -> Any:
    """A value for a field."""
    if field.message_type is not None:
        return random_message(field.message_type, choices, depth + 1)
    if field.enum_type is not None:
        return choices.choice([*range(len(field.enum_type.values)), 1, 99])
    if field.type == FieldDescriptor.TYPE_BOOL:
        return choices.random() < 0.5
    if field.type == FieldDescriptor.TYPE_DOUBLE:
        return choices.choice((0.0, 1.0, -1.5, 1 / 3, 1e300))
    return choices.choice(TEXTS if field.type == FieldDescriptor.TYPE_STRING else (*NUMBERS, *range(5)))


# --- structs at random


def random_struct(kind: Any, choices: random.Random) -> Any:
    """A struct of the kind, or of one of a union's, with any of its fields set to anything it may be."""
    return value_of(inspect.type_info(choices.choice(get_args(kind) or (kind,))), choices)


def value_of(info: Any, choices: random.Random) -> Any:  # noqa: C901, PLR0912 - one case a type
    """A value of a type."""
    match info:
        case inspect.Metadata(type=inner):
            return value_of(inner, choices)
        case inspect.UnionType(types=types):
            return value_of(choices.choice(types), choices)
        case inspect.NoneType():
            return None
        case inspect.BoolType():
            return choices.random() < 0.5
        case inspect.EnumType(cls=cls):
            return choices.choice(list(cls))
        case inspect.LiteralType(values=literals):
            return choices.choice(literals)
        case inspect.IntType(ge=low, le=high):
            low, high = -(2**31) if low is None else low, 2**31 - 1 if high is None else high
            return choices.choice((low, high, choices.randint(low, high), choices.randint(low, min(high, 300))))
        case inspect.FloatType():
            return choices.choice((0.0, 1.0, -1.5, 1 / 3, 1e300))
        case inspect.StrType(max_length=int(high), pattern=str()):  # the one there is: of bytes in hexadecimal digits
            return choices.randbytes(choices.randint(1, high // 2)).hex()
        case inspect.StrType(min_length=low, max_length=high):
            size = choices.randint(low or 0, min(high or 200, choices.choice((3, 200))))
            return "".join(choices.choices("aZ0 é\n\0\U0001f0a1", k=size))
        case inspect.CustomType():
            return MoveInput(value_of(inspect.type_info(Move), choices))
        case inspect.DictType(value_type=inspect.AnyType()):
            return {"a": [1, None, {"b": True}], "c": 1.5, "": choices.choice(("x", -3, {}, []))}
        case inspect.DictType():
            return (
                {"card": "AS", "count": choices.randint(-9, 9), "cards": ("AS", "KS")} if choices.random() < 0.5 else {}
            )
        case inspect.StructType(cls=messages.BatchResult, fields=(_, *answers)):
            answer = choices.choice(answers)
            return messages.BatchResult(id="x", **{answer.name: value_of(answer.type, choices)})
        case inspect.StructType(cls=cls, fields=fields):
            named = [field for field in fields if field.required or choices.random() < 0.6]
            for _ in range(100):
                with suppress(ValueError):  # some structs look at what they are made of
                    return cls(**{field.name: value_of(field.type, choices) for field in named})
        case inspect.TupleType(item_types=items):
            return tuple(value_of(item, choices) for item in items)
        case inspect.VarTupleType(item_type=item, min_length=low, max_length=high):
            size = max(low or 0, min(choices.randint(0, 3), 3 if high is None else high))
            return tuple(value_of(item, choices) for _ in range(size))
    raise NotImplementedError(info)


# --- the plans


def records(plans: Iterable[Kind] = CODEC.plans.values()) -> dict[str, Record]:
    """Every struct in the plans that has a message, by the message's name."""
    found: dict[str, Record] = {}

    def visit(kind: Any) -> None:
        if isinstance(kind, Record):
            if kind.of.name in found:
                return
            found[kind.of.name] = kind
            for field in kind.fields:
                visit(field.kind)
        for inner in (getattr(kind, name, None) for name in ("item", "many", "move")):
            if inner is not None:
                visit(inner)
        for arm in getattr(kind, "arms", {}).values():
            visit(arm)

    for plan in plans:
        visit(plan)
    return found
