"""JSON bodies: text to requests, by decoders made once, and answers to text.

A body that is understood cannot be deeper than the messages are, so how deep a body lies is looked at only where it
has been refused: to say so, rather than what the decoder tripped over first.
"""

import re
from array import array
from collections.abc import Callable
from functools import partial
from itertools import accumulate
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta, Raw, Struct
from msgspec.json import Decoder

from engine.violations import Malformed
from service.batch import OPERATIONS, Call, check_batch
from service.errors import ServiceError
from service.messages import (
    BatchCall,
    BatchRequest,
    DealRequest,
    Limits,
    ListLegalMovesRequest,
    ListOutcomesRequest,
    PlayMoveRequest,
    ReplayRequest,
    SampleStatesRequest,
    ScoreFactsRequest,
    ScoreStateRequest,
    SimulateRequest,
    ValidateMoveRequest,
    ViewStateRequest,
    from_json,
    to_json,
)

LONGEST_ID: Final = 128


class _ScoreForm(Struct):
    state: Raw = Raw()


class _AnyCall(Struct):
    id: str = ""


def decoder(kind: Any) -> Callable[[bytes | Raw], Any]:
    """What reads a kind of request."""
    return Decoder(kind, dec_hook=from_json).decode


encode: Final = msgspec.json.Encoder(enc_hook=to_json).encode
_score_form: Final = decoder(_ScoreForm)
_score_state: Final = decoder(ScoreStateRequest)
_score_facts: Final = decoder(ScoreFactsRequest)
_batch: Final = decoder(BatchRequest)
_call: Final = decoder(BatchCall)
_any_call: Final = decoder(_AnyCall)


def _score(body: bytes | Raw) -> Any:
    """The form with a state, or the one with a game and facts."""
    return (_score_state if bytes(_score_form(body).state) else _score_facts)(body)


_KINDS: Final[dict[str, Any]] = {
    "deal": DealRequest,
    "validate": ValidateMoveRequest,
    "legal_moves": ListLegalMovesRequest,
    "play": PlayMoveRequest,
    "score": ScoreStateRequest,
    "view": ViewStateRequest,
    "replay": ReplayRequest,
    "outcomes": ListOutcomesRequest,
    "sample": SampleStatesRequest,
    "simulate": SimulateRequest,
}
_READERS: Final[dict[str, Callable[[bytes | Raw], Any]]] = {
    **{name: decoder(kind) for name, kind in _KINDS.items()},
    "score": _score,
}

WholeCall: Final = msgspec.defstruct(
    "WholeCall",
    [
        ("id", Annotated[str, Meta(max_length=LONGEST_ID)]),
        *((name, kind | None, None) for name, kind in _KINDS.items()),
    ],
    frozen=True,
    forbid_unknown_fields=True,
    rename="camel",
)
"""A `BatchCall` whose request is read with it; of the two forms of scoring, that of a state."""
_whole_batch: Final = decoder(
    msgspec.defstruct("WholeBatch", [("calls", tuple[WholeCall, ...])], frozen=True, forbid_unknown_fields=True)  # type: ignore[valid-type]
)


def read(operation: str, body: bytes | Raw, limits: Limits) -> Any:
    """The request of an operation; DecodeError where the body is none, TOO_DEEP where it is nested beyond the limit."""
    return read_with(_READERS[operation], body, limits)


def read_batch(body: bytes, limits: Limits) -> list[Call]:
    """The calls of a batch, all read at once; where anything is wrong each by itself, to say so when its turn comes."""
    try:
        whole = _whole_batch(body).calls
    except (msgspec.DecodeError, RecursionError):
        raws = read_with(_batch, body, limits).calls
        check_batch(limits, len(raws))
        return [_read_call(raw, limits) for raw in raws]
    check_batch(limits, len(whole))
    return [_call_of(call) for call in whole]


def read_with(decode: Callable[[bytes | Raw], Any], body: bytes | Raw, limits: Limits) -> Any:
    """What a decoder makes of a body; as `read`."""
    try:
        return decode(body)
    except (msgspec.DecodeError, RecursionError):
        if depth(bytes(body)) > limits.nesting:
            raise ServiceError("TOO_DEEP", f"a body is nested at most {limits.nesting} deep", "$") from None
        raise


_ABSENT: Final = (b"", b"null")


def _call_of(call: Any) -> Call:
    named = [name for name in OPERATIONS if getattr(call, name) is not None]
    if len(named) != 1:
        return _of_many(call.id, len(named))
    request = getattr(call, named[0])
    return Call(call.id, named[0], lambda: request)


def _read_call(raw: Raw, limits: Limits) -> Call:
    try:
        call = read_with(_call, raw, limits)
    except (msgspec.DecodeError, ServiceError) as fault:
        return Call(_id_of(raw), "", partial(_refuse, fault))
    named = [name for name in OPERATIONS if bytes(getattr(call, name)) not in _ABSENT]
    if len(named) != 1:
        return _of_many(call.id, len(named))
    return Call(call.id, named[0], partial(read, named[0], getattr(call, named[0]), limits))


def _of_many(name: str, requests: int) -> Call:
    return Call(name, "", partial(_refuse, Malformed("$", f"a call has exactly one request, not {requests}")))


def _refuse(fault: Exception) -> Any:
    raise fault


def _id_of(raw: Raw) -> str:
    """The id of a call that is no call, as far as one can be read."""
    try:
        found: str = _any_call(raw).id
    except (msgspec.DecodeError, RecursionError):
        return ""
    return found if len(found) <= LONGEST_ID else ""


_STRING: Final = re.compile(rb'"[^"\\]*+(?:\\.?[^"\\]*+)*+(?:"|\Z)', re.DOTALL)
_BRACKETS: Final = b"[]{}"
_STEPS: Final = bytes.maketrans(_BRACKETS, b"\x01\xff\x01\xff")
_NO_BRACKETS: Final = bytes(set(range(256)) - set(_BRACKETS))


def depth(body: bytes) -> int:
    """How deeply lists and objects lie in each other; in time linear in the body, whatever it is.

    >>> depth(b'{"a": ["[[[", {}]}'), depth(b"1"), depth(b"[" * 200_000)
    (3, 0, 200000)
    """
    brackets = _STRING.sub(b"", body).translate(None, _NO_BRACKETS)
    return max(accumulate(array("b", brackets.translate(_STEPS))), default=0)
