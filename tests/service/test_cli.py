"""The command line: pipes of JSON, shown for people, a server's tables, and a game in the terminal."""

import json
import os
import pty
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from engine.games import GAMES
from service.cli import main
from tests.service.access.calling import listed, made
from tests.service.running import COMMAND, ROOT, Running, environment, running

Json = dict[str, Any]
SECONDS = 60


def run(*arguments: str, given: Any = None, **env: str) -> Result:
    text = given if given is None or isinstance(given, str) else json.dumps(given)
    return CliRunner().invoke(main, list(arguments), input=text, env=env)


def told(*arguments: str, given: Any = None) -> Any:
    result = run(*arguments, given=given)
    assert result.exit_code == 0, result.output
    return json.loads(result.output)


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    with running() as service:
        yield service


@pytest.fixture(scope="module", params=["here", "asked"])
def where(request: pytest.FixtureRequest, server: Running) -> list[str]:
    """The engine in this process, and a server."""
    return [] if request.param == "here" else ["--server", server.url]


def test_a_position_goes_through_a_pipe(where: list[str]) -> None:
    dealt = told("deal", "whist", "--seed", "tour", *where)
    assert dealt["game"] == "whist"
    legal = told("legal", *where, given=dealt)
    words = legal["moves"][0]["text"]
    assert told("judge", words, *where, given=dealt) == {"legal": True}
    after = told("play", words, *where, given=dealt)
    assert told("view", "1", *where, given=after)["viewer"] == 1
    assert told("score", *where, given=after)["scope"] == "deal"
    assert told("play", words, "--events", *where, given=dealt)["events"]


def test_answers_of_a_server_can_be_piped_too(server: Running) -> None:
    state = server.http.post("/v1/deal", json={"game": "whist", "seed": "tour"}).json()
    assert told("legal", given=state)["moves"]


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_every_game_and_its_rules(where: list[str], game: Any) -> None:
    assert game.name in [each["game"] for each in told("games", *where)["games"]]
    assert [clause["id"] for clause in told("rules", game.name, *where)["clauses"]]
    assert told("deal", game.name, "--seed", "x", *where)["game"] == game.name


def test_options_are_named_or_of_a_preset() -> None:
    dealt = told("deal", "whist", "--preset", "short", "-o", "target=9", "-o", "trump=none", "--dealer", "2")
    assert (dealt["options"]["target"], dealt["options"]["trump"], dealt["dealer"]) == (9, "none", 2)


def test_an_illegal_move_is_told_with_code_1(where: list[str]) -> None:
    dealt = told("deal", "whist", "--seed", "tour", *where)
    result = run("judge", "play 2C", "--language", "nl", *where, given=dealt)
    assert result.exit_code == 1
    assert json.loads(result.stdout)["violation"]["clause"].startswith("whist/")
    result = run("play", "play 2C", *where, given=dealt)
    assert (result.exit_code, result.stdout) == (1, "")
    assert "ILLEGAL_MOVE" in result.stderr


def test_records_are_replayed(where: list[str], tmp_path: Path) -> None:
    record = tmp_path / "record.json"
    record.write_text(json.dumps({"game": "whist", "seed": "tour", "moves": [{"move": "play JS"}]}))
    assert told("replay", str(record), *where)["state"]["phase"] == "play"
    record.write_text(
        json.dumps({"game": "whist", "seed": "tour", "moves": [{"move": "play JS"}, {"move": "play TH"}]})
    )
    result = run("replay", str(record), *where)
    assert (result.exit_code, json.loads(result.stdout)["index"]) == (1, 1)


def test_facts_odds_samples_and_playouts(where: list[str]) -> None:
    sheet = told("score", *where, given={"game": "whist", "facts": {"tricks": [9, 4]}})
    assert sheet["winners"] == []
    flip = told("deal", "flip7", "--seed", "x", "--places", "2", *where)
    assert told("odds", *where, given=flip)["figures"]
    view = told("view", "0", *where, given=flip)
    assert len(told("sample", "-n", "2", *where, given=view)["states"]) == 2
    assert told("simulate", "-n", "3", *where, given=view)["playouts"] == 3


@pytest.mark.parametrize(
    ("arguments", "given", "code"),
    [
        (["deal", "snap"], None, 1),
        (["rules", "snap"], None, 1),
        (["legal"], "not json", 2),
        (["legal"], "[]", 2),
        (["legal"], "{}", 1),
        (["legal", "/no/such/file"], None, 2),
        (["deal", "whist", "-o", "target"], None, 2),
        (["games", "--server", "http://127.0.0.1:9"], None, 3),
        (["nonsense"], None, 2),
    ],
)
def test_exit_codes(arguments: list[str], given: str | None, code: int) -> None:
    result = run(*arguments, given=given)
    assert result.exit_code == code, result.output
    assert "Traceback" not in result.output


# --- for people


def in_terminal(*arguments: str, given: str = "") -> str:
    """What a person sees in a real terminal."""
    main_end, side = pty.openpty()
    process = subprocess.Popen(
        [*COMMAND, *arguments], cwd=ROOT, env={**environment(), "TERM": "dumb", "COLUMNS": "200"},
        stdin=subprocess.PIPE, stdout=side, stderr=side,
    )  # fmt: skip
    os.close(side)
    assert process.stdin is not None
    process.stdin.write(given.encode())
    process.stdin.close()
    seen = b""
    while True:
        try:
            more = os.read(main_end, 4_096)
        except OSError:
            break
        seen += more
    os.close(main_end)
    process.wait(SECONDS)
    return seen.decode()


def test_a_terminal_is_noticed() -> None:
    shown = in_terminal("deal", "whist", "--seed", "tour")
    assert "whist, play" in shown
    assert "J♠" in shown


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """What a person is shown."""
    monkeypatch.setattr("service.cli.backend.is_terminal", lambda: True)

    def show(*arguments: str, given: Any = None) -> str:
        result = run(*arguments, given=given, COLUMNS="200")
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        return result.output

    return show


def test_answers_are_shown_for_people(shown: Callable[..., str]) -> None:
    assert "oddTricks" in shown("score", given={"game": "whist", "facts": {"tricks": [9, 4]}})
    dealt = json.loads(shown("deal", "whist", "--seed", "tour", "--json"))
    assert "  1  play" in shown("legal", "--explain", given=dealt)
    assert shown("judge", "play JS", given=dealt) == "legal\n"
    assert shown("judge", "play 2C", given=dealt).startswith("illegal: ")
    assert "played" in shown("play", "play JS", given=dealt)
    view = json.loads(shown("view", "0", "--json", given=dealt))
    assert "seen by" not in shown("sample", given=view)
    assert "playouts finished" in shown("simulate", "-n", "3", given=view)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_every_game_is_shown(shown: Callable[..., str], game: Any) -> None:
    state = shown("deal", game.name, "--seed", "x", "--json")
    assert "seat 0" in shown("view", "0", given=state)
    assert game.name in shown("rules", game.name)
    assert game.name in shown("games")
    if game.odds is not None:
        assert "bust" in shown("odds", given=state)
    record = {"game": game.name, "seed": "x", "moves": []}
    assert game.name in shown("replay", "-", given=record)


# --- the terminal game


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
@pytest.mark.parametrize("bots", ["simple", "random"])
def test_a_game_is_played_in_the_terminal(game: Any, bots: str) -> None:
    result = run("table", "play", game.name, "--seed", "an evening", "--bots", bots, given="1\n" * 15 + "quit\n")
    assert result.exit_code == 0, result.output
    assert "your move" in result.output
    assert "total" in result.output


def test_the_terminal_explains_hints_and_ends() -> None:
    given = "hint\nwhy play 2C\nplay 2C\nnonsense\nquit\n"
    result = run("table", "play", "whist", "--seed", "tour", "--dealer", "3", given=given)
    assert result.exit_code == 0
    assert "MALFORMED" in result.stderr
    assert result.output.count("your move") == 5
    assert run("table", "play", "whist", given="").exit_code == 0
    assert run("table", "play", "whist", "--seat", "9").exit_code == 2


# --- tables of a server


def test_a_table_is_played_from_the_command_line(server: Running) -> None:
    at = {"SCHEIDS_SERVER": server.url}

    def asked(*arguments: str, token: str = "") -> Any:
        result = run("table", *arguments, **at, SCHEIDS_TOKEN=token)
        assert result.exit_code == 0, result.output
        return json.loads(result.output)

    created = asked(
        "create", "flip7", "--places", "2", "--name", "An", "--name", "Bo", "--spectators", "--key", server.url
    )
    host, table = created["hostToken"], created["id"]
    tokens = [asked("claim", table, code)["token"] for code in created["joinCodes"]]
    asked("start", table, token=host)
    seen = asked("show", table)
    place = seen["view"]["toAct"]["seat"]
    words = asked("moves", table, token=tokens[place])["legal"]["moves"][0]["text"]
    played = asked("move", table, words, token=tokens[place])
    assert played["version"] == seen["version"] + 1
    asked("undo", table, token=host)
    result = run("table", "move", table, "stay", **at, SCHEIDS_TOKEN="forged")
    assert (result.exit_code, "INVALID_TOKEN" in result.stderr) == (1, True)
    asked("end", table, token=host)
    watched = run("table", "watch", table, **at)
    assert [json.loads(line) for line in watched.output.splitlines()][-1] == {"reason": "ended"}
    record = asked("record", table, token=tokens[0])
    assert told("replay", "-", given=record)["state"]["game"] == "flip7"
    renewed = run("table", "reissue", table, **at, SCHEIDS_TOKEN=host)
    assert "TABLE_ENDED" in renewed.stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_complete(shell: str) -> None:
    assert "_SCHEIDS_COMPLETE" in run("completion", shell).output


def test_variables_of_callers_are_no_settings() -> None:
    env = environment(SCHEIDS_SERVER="http://x", SCHEIDS_TOKEN="t", SCHEIDS_HTTP_ADDRESS="bad")
    done = subprocess.run(
        [*COMMAND, "serve"], cwd=ROOT, env=env, capture_output=True, text=True, check=False, timeout=SECONDS
    )
    assert done.returncode == 2
    assert "SCHEIDS_SERVER" not in done.stderr
    assert "SCHEIDS_TOKEN" not in done.stderr


# --- API keys


def test_the_key_of_the_environment_is_shown_to_a_server() -> None:
    key = made("ours")
    with running(api_keys=listed(key)) as server:
        at = {"SCHEIDS_SERVER": server.url}
        assert run("games", "--json", **at, SCHEIDS_API_KEY=key.key).exit_code == 0
        assert run("table", "create", "flip7", "--places", "2", **at, SCHEIDS_API_KEY=key.key).exit_code == 0
        for refused, code in (({}, "NO_API_KEY"), ({"SCHEIDS_API_KEY": made("other").key}, "INVALID_API_KEY")):
            result = run("games", "--json", **at, **refused)
            assert result.exit_code == 1
            assert code in result.stderr
            assert key.key not in result.output
