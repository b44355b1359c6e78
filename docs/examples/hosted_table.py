"""Four people play a hand of whist at a hosted table; one of them listens, and checks in the end that all was fair.

python3 docs/examples/hosted_table.py http://127.0.0.1:8080
"""

import hashlib
import hmac
import json
import sys
import threading
import urllib.error
import urllib.request
from typing import Any

SERVICE = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8080"
Json = dict[str, Any]


def call(method: str, path: str, body: Json | None = None, token: str | None = None) -> Json:
    """An answer of the service, or the problem it tells."""
    headers = {"Content-Type": "application/json"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    data = json.dumps(body or {}).encode() if method == "POST" else None
    request = urllib.request.Request(SERVICE + path, data, headers, method=method)
    try:
        with urllib.request.urlopen(request) as answer:
            decoded: Json = json.load(answer)
    except urllib.error.HTTPError as refused:
        decoded = json.load(refused)
    return decoded


def watch(table: str, token: str) -> Any:
    """The stream of a table's events, as whoever holds the token hears them; it ends with the table."""
    headers = {"Authorization": f"Bearer {token}"}
    return urllib.request.urlopen(urllib.request.Request(f"{SERVICE}{table}/events", headers=headers))


def read(stream: Any, heard: list[Json]) -> None:
    """Collects the frames of a stream."""
    lines = (line.removeprefix(b"data: ") for line in stream if line.startswith(b"data: "))
    heard += (frame for frame in map(json.loads, lines) if "version" in frame)


created = call("POST", "/v1/tables", {"game": "whist", "options": {"match": "deal"}, "names": ["An", "Bo", "Cy", "Di"]})
table = f"/v1/tables/{created['id']}"
tokens = [call("POST", f"{table}/claim", {"joinCode": code})["token"] for code in created["joinCodes"]]
heard: list[Json] = []
listener = threading.Thread(target=read, args=[watch(table, tokens[0]), heard])
listener.start()
for number, token in enumerate(tokens):
    call("POST", f"{table}/entropy", {"entropy": f"{number:02x}"}, token)

refusal = call("POST", f"{table}/moves", {"move": "play 2C", "expectedVersion": 1}, tokens[0])
print("stale:", refusal["detail"])

seen = call("GET", table, token=tokens[0])
print("An sees", [len(hand["cards"]) for hand in seen["view"]["hands"]], "cards")
while seen["status"] == "playing":
    token = tokens[seen["view"]["toAct"]["seat"]]
    legal = call("GET", f"{table}/legal-moves", token=token)
    move = {"move": legal["legal"]["moves"][0]["text"], "expectedVersion": legal["version"]}
    call("POST", f"{table}/moves", move | {"idempotencyKey": str(legal["version"])}, token)
    seen = call("GET", table, token=tokens[0])
listener.join()
print("An heard versions", heard[0]["version"], "to", heard[-1]["version"])

record = call("GET", f"{table}/record", token=tokens[0])
seed = bytes.fromhex(record["table"]["secret"])
committed = hashlib.sha256(b"scheids/1\0commitment\0" + seed).hexdigest()
print("the seed is the one committed to:", committed == created["commitment"])
added = b"".join((1).to_bytes(4, "big") + bytes([number]) for number in range(4))
mixed = hmac.new(seed, b"scheids/1\0entropy\0" + added, "sha256").hexdigest()
print("and ours are mixed into it:", mixed == record["seed"])
replayed = call("POST", "/v1/replay", record)
print("the record replays to the same score:", replayed["sheet"] == record["result"])
