// Bots play a match of each game at hosted tables: node bot_games.mjs http://127.0.0.1:8080 (or grpc://127.0.0.1:8081).
import { playSeat, Scheids } from "@scheids/client";

const scheids = new Scheids(process.argv[2]);
const choose = (_view, moves) => moves[Math.floor(Math.random() * moves.length)];

for (const { game } of await scheids.listGames()) {
  const table = await scheids.createTable(game, { spectators: true });
  const places = await Promise.all(table.joinCodes.map((code) => scheids.claim(table.id, code)));
  await table.host.start();
  const [end] = await Promise.all(places.map((place) => playSeat(place, choose)));
  console.log(game, "won by", ...end.ended.winners);
}
scheids.close();
