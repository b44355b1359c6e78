// boardgame.io's server with its storage in memory, on a free port of this machine, which it prints when it is ready.
const { Server, Origins } = require("boardgame.io/server");
const { Whist } = require("./whist.js");

const server = Server({ games: [Whist], origins: [Origins.LOCALHOST] });
server.run({ port: 0 }).then(({ appServer }) => console.log(appServer.address().port));
