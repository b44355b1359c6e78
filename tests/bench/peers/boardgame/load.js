// A bounded load of moves on a boardgame.io server: node load.js PORT SECONDS.
// Sixteen connections play hand after hand of whist, each its own match, one move after the other's answer.
// Prints the moves that were made and the seconds that they took, and the seconds of processor time that this process took.
const { io } = require("socket.io-client");
const { mayPlay } = require("./whist.js");

const CONNECTIONS = 16;
const port = process.argv[2];
const seconds = Number(process.argv[3]);
let until = 0;
let moves = 0;
let hands = 0;

function connected() {
    return new Promise((resolve, reject) => {
        const socket = io(`http://127.0.0.1:${port}/whist`, { transports: ["websocket"], reconnection: false });
        socket.on("connect", () => resolve(socket));
        socket.on("connect_error", reject);
    });
}

function playing(socket) {
    return new Promise((ended) => {
        let match = "";

        function begin() {
            match = `hand-${process.pid}-${(hands += 1)}`;
            socket.emit("sync", match, "0", undefined, 4);
        }

        function move({ G, ctx, _stateID }) {
            if (performance.now() >= until) {
                socket.close();
                ended();
                return;
            }
            if (ctx.gameover) {
                begin();
                return;
            }
            const seat = ctx.currentPlayer;
            const card = G.hands[seat].find((one) => mayPlay(G, G.hands[seat], one));
            const action = { type: "MAKE_MOVE", payload: { type: "play", args: [card], playerID: seat } };
            socket.emit("update", action, _stateID, match, seat);
        }

        socket.on("sync", (id, { state }) => move(state));
        socket.on("update", (id, state) => {
            moves += 1;
            move(state);
        });
        begin();
    });
}

async function main() {
    const sockets = await Promise.all(Array.from({ length: CONNECTIONS }, connected));
    const used = process.cpuUsage();
    const began = performance.now();
    until = began + 1000 * seconds;
    await Promise.all(sockets.map(playing));
    const { user, system } = process.cpuUsage(used);
    console.log(moves, (performance.now() - began) / 1000, (user + system) / 1e6);
    process.exit(0);
}

main().catch((fault) => {
    console.error(fault);
    process.exit(1);
});
