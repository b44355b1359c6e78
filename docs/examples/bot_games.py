"""Bots play a match of each game at hosted tables: bot_games.py http://127.0.0.1:8080, or grpc://127.0.0.1:8081."""

import random
import sys
from concurrent.futures import ThreadPoolExecutor

from scheids_client import Scheids
from scheids_client.bots import play_seat

with Scheids(sys.argv[1]) as scheids, ThreadPoolExecutor(18) as people:
    for game in scheids.list_games():
        table = scheids.create_table(game.game)
        places = [scheids.claim(table.id, code) for code in table.join_codes]
        table.host.start()
        ends = list(people.map(lambda place: play_seat(place, lambda _view, moves: random.choice(moves)), places))
        print(game.game, "won by", ends[0].ended.winners)
