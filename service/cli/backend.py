"""Who is asked: the engine in this process, or a server by HTTP. Both are given a body and give an answer, in JSON."""

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from http import HTTPStatus
from typing import Any, Protocol

import click

Json = dict[str, Any]
SECONDS = 30.0
API_KEY = "SCHEIDS_API_KEY"
"""The variable with the caller's key; no option, since options are told to whoever lists processes."""


class Problem(Exception):  # noqa: N818 - what callers are told
    """Why the answer is none; `told` is the problem as the service tells it."""

    def __init__(self, told: Json, *, unreachable: bool = False) -> None:
        super().__init__(told.get("detail", ""))
        self.told = told
        self.unreachable = unreachable


class Backend(Protocol):
    """Answers requests."""

    def post(self, operation: str, path: str, body: Json) -> Json:
        """The answer of an operation: by its name in process, by its path over HTTP."""

    def games(self) -> Json:
        """All games."""

    def game(self, name: str) -> Json:
        """One game."""


class Local:
    """The engine in this process: what a server would answer, by the same code."""

    def __init__(self, language: str) -> None:
        from service.config import Settings  # noqa: PLC0415 - seconds, where a server is asked
        from service.rules import Rules  # noqa: PLC0415 - as above

        self._rules = Rules(Settings(max_work=10_000_000, max_record_moves=100_000).limits)
        self._language = language

    def post(self, operation: str, path: str, body: Json) -> Json:
        from service.batch import answer  # noqa: PLC0415 - as above
        from service.transports.rest.bodies import encode, read  # noqa: PLC0415 - as above

        del path
        limits = self._rules.limits
        return self._told(lambda: answer(self._rules, operation, read(operation, encode(body), limits), self._language))

    def games(self) -> Json:
        return self._told(self._rules.list_games)

    def game(self, name: str) -> Json:
        from service.messages import GetGameRequest  # noqa: PLC0415 - as above

        return self._told(lambda: self._rules.get_game(GetGameRequest(game=name)))

    def _told(self, ask: Callable[[], Any]) -> Json:
        import msgspec  # noqa: PLC0415 - as above

        from service.errors import problem_of  # noqa: PLC0415 - as above
        from service.transports.rest.bodies import encode  # noqa: PLC0415 - as above

        try:
            answered = ask()
        except Exception as fault:
            problem = problem_of(fault, self._language)
            if problem.code == "INTERNAL":
                raise
            raise Problem(msgspec.json.decode(encode(problem))) from None
        decoded: Json = msgspec.json.decode(encode(answered))
        return decoded


class Remote:
    """A server, by HTTP, which is shown the API key of the environment where that has one."""

    def __init__(self, server: str, language: str, token: str | None = None) -> None:
        import httpx  # noqa: PLC0415 - not needed in process

        headers = {"Accept-Language": language}
        if api_key := os.environ.get(API_KEY):
            headers["X-Api-Key"] = api_key
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        self._http = httpx.Client(base_url=server, headers=headers, timeout=SECONDS)
        click.get_current_context().call_on_close(self._http.close)

    def post(self, operation: str, path: str, body: Json) -> Json:
        del operation
        return self.send("POST", path, body)

    def games(self) -> Json:
        return self.send("GET", "/v1/games")

    def game(self, name: str) -> Json:
        return self.send("GET", f"/v1/games/{name}")

    def send(self, method: str, path: str, body: Json | None = None, query: Json | None = None) -> Json:
        """The answer to a request. Problem where it is refused, or nobody answers."""
        import httpx  # noqa: PLC0415 - as above

        try:
            answered = self._http.request(method, path, json=body, params=query)
        except httpx.HTTPError as fault:
            detail = f"the server at {self._http.base_url} cannot be reached: {fault}"
            raise Problem({"code": "UNREACHABLE", "detail": detail}, unreachable=True) from None
        if answered.status_code >= HTTPStatus.BAD_REQUEST:
            raise Problem(_problem(answered))
        decoded: Json = answered.json()
        return decoded

    def stream(self, path: str) -> Any:
        """The lines of a stream of events, as a context."""
        return self._http.stream("GET", path, timeout=None)


def _problem(answered: Any) -> Json:
    try:
        told = answered.json()
    except ValueError:
        told = None
    if isinstance(told, dict) and "code" in told:
        return told
    return {"code": "UNREACHABLE", "detail": f"not an answer of a referee: HTTP {answered.status_code}"}


@dataclass
class Asked:
    """How a command is to ask and to answer."""

    backend: Backend
    as_json: bool


def is_terminal() -> bool:
    """Whether a person reads what is printed."""
    return sys.stdout.isatty()


def asks(command: Any) -> Any:
    """Adds the options that every asking command has; the command is given an `Asked`."""

    @click.option("--server", envvar="SCHEIDS_SERVER", help="Ask the server at http://host:port, not the engine here.")
    @click.option(
        "--language", type=click.Choice(["en", "nl", "fr"]), default="en", show_default=True, help="Of messages."
    )
    @click.option("--json", "as_json", is_flag=True, help="Answer in JSON, as through a pipe.")
    @wraps(command)
    def asking(server: str | None, language: str, *, as_json: bool, **rest: Any) -> None:
        backend: Backend = Local(language) if server is None else Remote(server, language)
        command(Asked(backend, as_json or not is_terminal()), **rest)

    return asking
