// A hand of whist for boardgame.io: four players, the suit that is led is followed, the trick's winner leads on.
const { INVALID_MOVE } = require("boardgame.io/core");

const RANKS = "23456789TJQKA";

function suitOf(card) {
    return card[1];
}

function beats(card, best, trump) {
    if (suitOf(card) === suitOf(best)) return RANKS.indexOf(card[0]) > RANKS.indexOf(best[0]);
    return suitOf(card) === trump;
}

function mayPlay(G, hand, card) {
    if (!hand.includes(card)) return false;
    if (G.trick.length === 0) return true;
    const led = suitOf(G.trick[0].card);
    return suitOf(card) === led || !hand.some((other) => suitOf(other) === led);
}

function play({ G, playerID, events }, card) {
    const hand = G.hands[playerID];
    if (!mayPlay(G, hand, card)) return INVALID_MOVE;
    hand.splice(hand.indexOf(card), 1);
    G.trick.push({ seat: playerID, card });
    if (G.trick.length < 4) {
        events.endTurn();
        return undefined;
    }
    const won = G.trick.reduce((best, one) => (beats(one.card, best.card, G.trump) ? one : best));
    G.taken[Number(won.seat) % 2] += 1;
    G.tricks.push({ winner: won.seat, cards: G.trick.map((one) => one.card) });
    G.trick = [];
    events.endTurn({ next: won.seat });
    return undefined;
}

module.exports = {
    mayPlay,
    Whist: {
        name: "whist",
        minPlayers: 4,
        maxPlayers: 4,
        setup: ({ random }) => {
            const pack = random.Shuffle([..."SHDC"].flatMap((suit) => [...RANKS].map((rank) => rank + suit)));
            const hands = Object.fromEntries([0, 1, 2, 3].map((seat) => [seat, pack.slice(13 * seat, 13 * seat + 13)]));
            return { hands, trump: suitOf(pack[51]), trick: [], tricks: [], taken: [0, 0] };
        },
        turn: { minMoves: 1 },
        moves: { play },
        endIf: ({ G }) => (G.tricks.length === 13 ? { taken: G.taken } : undefined),
    },
};
