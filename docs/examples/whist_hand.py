"""Plays a whole hand of whist over REST and prints its sheet.

python3 docs/examples/whist_hand.py [http://host:port]
"""

import json
import sys
import urllib.request

SERVER = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8080"


def ask(operation: str, **body: object) -> dict:
    request = urllib.request.Request(
        f"{SERVER}/v1/{operation}", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


state = ask("deal", game="whist", seed="an example", options={"match": "deal"})["state"]
print("trumps", state["trump"], "turned up", state["trumpCard"])
while state["toAct"]:
    first = ask("legal-moves", state=state)["moves"][0]
    answer = ask("play", state=state, move=first)
    state = answer["state"]
    won = [event["winner"] for event in answer["events"] if event["type"] == "trickWon"]
    print(first["text"], *(f"- seat {winner} takes the trick" for winner in won))

sheet = ask("score", state=state, scope="deal")["sheet"]
for item in sheet["items"]:
    print(f"side {item['side']}: {item['rule']} {item['points']:+}")
