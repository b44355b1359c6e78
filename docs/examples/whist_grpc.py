"""Plays a whole hand of whist over gRPC and prints its sheet.

.venv/bin/python -m docs.examples.whist_grpc [host:port]

The stubs are the service's own, so run it from the project's folder with the service's environment.
"""

import sys

import grpc

from service.wire.gen.scheids.v1 import referee_pb2, whist_pb2
from service.wire.gen.scheids.v1.referee_pb2_grpc import RefereeStub

channel = grpc.insecure_channel(sys.argv[1] if len(sys.argv) > 1 else "127.0.0.1:8081")
referee = RefereeStub(channel)

options = whist_pb2.WhistOptionsChoices(match=whist_pb2.WHIST_MATCH_DEAL)
whist = whist_pb2.WhistDealRequest(seed="an example", options=options)
state = referee.Deal(referee_pb2.DealRequest(whist=whist)).state
print("trumps", state.whist.trump, "turned up", state.whist.trump_card)
while state.whist.HasField("to_act"):
    listed = referee.ListLegalMoves(referee_pb2.ListLegalMovesRequest(state=state, limit=1))
    first = listed.moves[0]
    answer = referee.PlayMove(referee_pb2.PlayMoveRequest(state=state, move={"text": first.text}))
    state = answer.state
    won = [event.trick_won.winner for event in answer.events if event.HasField("trick_won")]
    print(first.text, *(f"- seat {winner} takes the trick" for winner in won))

scored = referee.Score(referee_pb2.ScoreRequest(state={"state": state, "scope": "SCOPE_DEAL"}))
for item in scored.sheet.items:
    print(f"side {item.side}: {item.rule} {item.points:+}")
