"""Calls over each of the transports with whatever headers, and what becomes of them."""

import base64
import json
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple

import grpc
import httpx
from google.protobuf.descriptor import ServiceDescriptor
from google.rpc.error_details_pb2 import ErrorInfo, RetryInfo  # type: ignore[import-untyped]

from service.access import HEADER, digest_of, new_key
from service.wire.gen.scheids.v1 import referee_pb2, tables_pb2
from tests.service.grpc_server import Refused, raw, raw_decide, refused
from tests.service.running import SECONDS

Json = dict[str, Any]
Headers = Sequence[tuple[str, str]]
SERVICES: Final[tuple[ServiceDescriptor, ...]] = tuple(
    pb2.DESCRIPTOR.services_by_name[name] for pb2, name in ((referee_pb2, "Referee"), (tables_pb2, "Tables"))
)
WHIST: Final = referee_pb2.DealRequest()
WHIST.whist.SetInParent()
TRANSPORTS: Final = ("rest", "connect", "grpc")


class Key(NamedTuple):
    """A key, and what is configured of it."""

    key: str
    entry: Json

    @property
    def headers(self) -> Headers:
        return [(HEADER, self.key)]


def made(name: str, **limits: float) -> Key:
    """A new key of a name."""
    key = new_key()
    return Key(key, {"name": name, "sha256": digest_of([key]), **limits})


def listed(*keys: Key) -> str:
    """What is configured of keys."""
    return json.dumps([key.entry for key in keys])


class Told(NamedTuple):
    """What became of a call: the code of its problem, or OK, and after how many seconds to ask again."""

    code: str
    status: int | str
    retry_after: int | None = None


class Callers:
    """Deals over each transport."""

    def __init__(self, http: httpx.Client, channel: grpc.Channel) -> None:
        self._http = http
        self._channel = channel

    def deal(self, transport: str, headers: Headers = ()) -> Told:
        match transport:
            case "rest":
                return of_rest(self._http.post("/v1/deal", json={"game": "whist"}, headers=list(headers)))
            case "connect":
                return self.connect("Referee", "Deal", WHIST.SerializeToString(), headers)
            case _:
                return self.grpc("Referee", "Deal", WHIST.SerializeToString(), headers)

    def connect(self, service: str, method: str, data: bytes = b"", headers: Headers = ()) -> Told:
        path = f"/scheids.v1.{service}/{method}"
        sent = [("content-type", "application/proto"), *headers]
        return of_connect(self._http.post(path, content=data, headers=sent))

    def grpc(self, service: str, method: str, data: bytes = b"", headers: Headers = ()) -> Told:
        call = raw(self._channel, method, service)
        try:
            call(data, metadata=tuple(headers), timeout=30)
        except grpc.RpcError as error:
            found = error
        else:
            return Told("OK", "OK")

        def again() -> None:
            raise found

        return of_grpc(refused(again))

    def decide(self, requests: Iterator[bytes], headers: Headers) -> Iterator[bytes]:
        return raw_decide(self._channel)(requests, metadata=tuple(headers), timeout=30)


def of_rest(answer: httpx.Response) -> Told:
    """What an answer of REST says."""
    after = answer.headers.get("retry-after")
    code = "OK" if answer.status_code == httpx.codes.OK else str(answer.json()["code"])
    return Told(code, answer.status_code, None if after is None else int(after))


def of_connect(answer: httpx.Response) -> Told:
    """What an answer of Connect says, its problem being among the details."""
    if answer.status_code == httpx.codes.OK:
        return Told("OK", answer.status_code)
    error = answer.json()
    retry = detail_in(error, RetryInfo)
    after = None if retry is None else int(retry.retry_delay.seconds)
    assert answer.headers.get("retry-after") == (None if after is None else str(after))
    return Told(reason_in(error), answer.status_code, after)


def reason_in(error: Json) -> str:
    """The code of the problem that an error of Connect has among its details."""
    return str(detail_in(error, ErrorInfo).reason)


def detail_in(error: Json, kind: Any) -> Any:
    """The detail of a kind, where an error of Connect has one."""
    found = [each["value"] for each in error["details"] if each["type"] == kind.DESCRIPTOR.full_name]
    return kind.FromString(base64.b64decode(found[0] + "==")) if found else None


def of_grpc(refusal: Refused) -> Told:
    """What a refusal of gRPC says."""
    after = None if refusal.retry is None else int(refusal.retry.retry_delay.seconds)
    return Told(refusal.info.reason, refusal.code, after)


def until(is_so: Callable[[], bool]) -> None:
    """Returns once it is so."""
    end = time.monotonic() + SECONDS
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.05)
