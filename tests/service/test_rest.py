"""REST through a running server: every route, and that the answers are what they are said to be."""

from collections.abc import Iterator
from typing import Any

import pytest

from engine.games import GAMES
from tests.service.running import WHIST, Running, running

Json = dict[str, Any]


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    with running() as service:
        yield service


def ask(server: Running, path: str, body: Json, language: str | None = None) -> Json:
    headers = {} if language is None else {"Accept-Language": language}
    answer = server.http.post(path, json=body, headers=headers)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/json"
    found: Json = answer.json()
    return found


@pytest.fixture
def dealt(server: Running) -> Json:
    state: Json = ask(server, "/v1/deal", WHIST)["state"]
    return state


def test_the_games(server: Running) -> None:
    games = server.http.get("/v1/games").json()["games"]
    assert [game["game"] for game in games] == [game.name for game in GAMES]
    for game in games:
        about = server.http.get(f"/v1/games/{game['game']}").json()
        assert about["rulesets"] == game["rulesets"]
        assert about["optionsSchema"]["properties"]["preset"]["enum"] == game["presets"]
        assert about["limits"]["bodyBytes"] == 1_048_576
        assert all(clause["nl"] and clause["fr"] for clause in about["clauses"])


def test_the_same_seed_deals_the_same(server: Running, dealt: Json) -> None:
    assert ask(server, "/v1/deal", WHIST)["state"] == dealt
    assert ask(server, "/v1/deal", {"game": "whist"})["state"]["hands"] != dealt["hands"]


def test_a_whole_deal(server: Running, dealt: Json) -> None:
    """Each move is listed, judged, played; the record replays to the same state, which scores."""
    state, record = dealt, []
    while state["phase"] == "play":
        listed = ask(server, "/v1/legal-moves", {"state": state})
        assert listed["total"] == str(len(listed["moves"]))
        chosen = listed["moves"][-1]
        assert ask(server, "/v1/validate", {"state": state, "move": chosen["text"]}) == {"legal": True}
        state = ask(server, "/v1/play", {"state": state, "move": chosen})["state"]
        record.append({"move": chosen["move"]})
    replayed = ask(server, "/v1/replay", {**WHIST, "moves": record})
    assert replayed["state"] == state
    assert "violation" not in replayed
    assert ask(server, "/v1/score", {"state": state})["sheet"] == replayed["sheet"]


def illegal(dealt: Json) -> Json:
    """A position and a card of another's hand."""
    stranger = dealt["hands"][(dealt["toAct"]["hand"] + 1) % 4]["cards"][0]
    return {"state": dealt, "move": f"play {stranger}"}


def test_an_illegal_move_is_an_answer_to_validate(server: Running, dealt: Json) -> None:
    answer = ask(server, "/v1/validate", illegal(dealt))
    assert (answer["legal"], answer["violation"]["code"]) == (False, "NOT_IN_HAND")


def test_an_illegal_move_is_an_error_to_play(server: Running, dealt: Json) -> None:
    answer = server.http.post("/v1/play", json=illegal(dealt))
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"
    problem = answer.json()
    assert (problem["status"], problem["code"], problem["path"]) == (422, "ILLEGAL_MOVE", "$.move")
    assert problem["violation"]["clause"] == "whist/W-7"


@pytest.mark.parametrize("language", ["nl", "fr", "fr-BE, en;q=0.5"])
def test_messages_speak_the_language_asked_for(server: Running, dealt: Json, language: str) -> None:
    asked = illegal(dealt)
    english = ask(server, "/v1/validate", asked)["violation"]
    other = ask(server, "/v1/validate", asked, language)["violation"]
    assert other["message"] != english["message"]
    assert {**other, "message": ""} == {**english, "message": ""}
    refused = server.http.post("/v1/play", json=asked, headers={"Accept-Language": language}).json()
    assert refused["detail"] == other["message"]


def test_a_view_hides_what_its_viewer_does_not_see(server: Running, dealt: Json) -> None:
    view = ask(server, "/v1/view", {"state": dealt, "viewer": 0})["view"]
    assert "seed" not in view
    assert view["hands"][0] == dealt["hands"][0]
    assert view["hands"][1] == {"cards": [], "hidden": 13} or view["hands"][1] == {"hidden": 13}
    assert ask(server, "/v1/legal-moves", {"state": view})["total"] == "13"


def test_a_move_in_every_form_is_the_same_move(server: Running, dealt: Json) -> None:
    pair = ask(server, "/v1/legal-moves", {"state": dealt})["moves"][0]
    answers = [ask(server, "/v1/play", {"state": dealt, "move": form}) for form in (pair, pair["move"], pair["text"])]
    assert answers[0] == answers[1] == answers[2]


def test_cards_are_understood_in_every_spelling(server: Running) -> None:
    pack = [rank + suit for suit in "shdc" for rank in ("10", *"23456789jqka")]
    state = ask(server, "/v1/deal", {"game": "whist", "deck": pack})["state"]
    assert state["hands"][0]["cards"][0] == "AS"
    assert {"TS", "TH", "TD", "TC"} <= {card for hand in state["hands"] for card in hand["cards"]}


def test_facts_are_scored_without_a_state(server: Running) -> None:
    facts = {"game": "whist", "facts": {"tricks": [9, 4], "honours": [1, 1, 1, 1]}}
    sheet = ask(server, "/v1/score", facts)["sheet"]
    assert next(item["points"] for item in sheet["items"] if item["rule"] == "oddTricks") == 3


def test_pages_of_legal_moves(server: Running, dealt: Json) -> None:
    whole = ask(server, "/v1/legal-moves", {"state": dealt})
    first = ask(server, "/v1/legal-moves", {"state": dealt, "limit": 5})
    assert first["truncated"]
    rest = ask(server, "/v1/legal-moves", {"state": dealt, "cursor": first["cursor"]})
    assert first["moves"] + rest["moves"] == whole["moves"]


@pytest.mark.parametrize(
    ("path", "answer"), [("/livez", {"status": "alive"}), ("/readyz", {"status": "ready", "tables": "ready"})]
)
def test_probes(server: Running, path: str, answer: Json) -> None:
    assert server.http.get(path).json() == answer


@pytest.mark.parametrize("path", ["/v1/games", "/v1/games/whist", "/livez", "/readyz", "/openapi.json", "/docs"])
def test_head_is_get_without_the_body(server: Running, path: str) -> None:
    got, head = server.http.get(path), server.http.head(path)
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["content-length"] == got.headers["content-length"]


@pytest.mark.parametrize(("path", "allowed"), [("/v1/games", "GET, HEAD, OPTIONS"), ("/v1/play", "OPTIONS, POST")])
def test_options_names_the_methods(server: Running, path: str, allowed: str) -> None:
    answer = server.http.request("OPTIONS", path)
    assert (answer.status_code, answer.headers["allow"]) == (204, allowed)


def test_the_documentation_needs_nothing_but_this_server(server: Running) -> None:
    page = server.http.get("/docs")
    assert page.headers["content-type"].startswith("text/html")
    assert "default-src 'none'" in page.headers["content-security-policy"]
    for path, kind in {"/docs/docs.js": "text/javascript", "/docs/docs.css": "text/css"}.items():
        assert path in page.text
        part = server.http.get(path)
        assert (part.status_code, part.headers["content-type"].split(";")[0]) == (200, kind)
        assert "://" not in part.text.replace("curl -s ${location.origin}", "")
    assert "://" not in page.text


def test_a_game_tells_each_number_of_places(server: Running) -> None:
    told = {game["game"]: game["places"] for game in server.http.get("/v1/games").json()["games"]}
    assert told["wipe"] == [2, 3, 4, 6, 8]
    assert told["flip7"] == list(range(1, 19))
    for game, places in told.items():
        described = server.http.get(f"/v1/games/{game}").json()
        assert described["places"] == places
        assert (described["minPlaces"], described["maxPlaces"]) == (places[0], places[-1])
