"""A hand at a real table, seen from one seat: the caller holds the cards and tells what it sees.

python3 docs/examples/real_table.py [http://host:port]
"""

import json
import sys
import urllib.error
import urllib.request

SERVER = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8080"


def ask(operation: str, **body: object) -> dict:
    request = urllib.request.Request(
        f"{SERVER}/v1/{operation}", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    try:
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as refused:
        return json.load(refused)


before = ask("deal", game="whist", chance="caller", dealer=3)["state"]
print("asked for:", ask("legal-moves", state=before)["needsChance"])

mine = ["AS", "KS", "QS", "2H", "3H", "4H", "2D", "3D", "4D", "2C", "3C", "4C", "5C"]
unseen = {"cards": [], "hidden": 13}
dealt = {"type": "deal", "hands": [unseen, {"cards": mine, "hidden": 0}, unseen, unseen], "turned": "9D"}
view = ask("play", state=before, move=dealt)["state"]
print("a view of seat", view["viewer"], "- trumps", view["trump"])

view = ask("play", state=view, move="play JS")["state"]  # seat 0 leads
print("I may play:", *(entry["text"] for entry in ask("legal-moves", state=view)["moves"]))
for told in ("play KS", "play 3S", "play 5S", "play AS"):  # my king, two cards I see, my lead
    view = ask("play", state=view, move=told)["state"]
print("seat", view["toAct"]["seat"], "to act; the dealer's hand:", view["hands"][3])

refused = ask("play", state=view, move="play JS")
print("refused:", refused["detail"])
