/** The calls that keep nothing, the same over each transport. */

import { createServer } from "node:net";
import { createServer as createHttpServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { afterAll, describe, expect, inject, test } from "vitest";
import * as client from "../src/node.js";
import { Result, Scheids, stateFromJson, type Question, type State } from "../src/node.js";
import { Proxy } from "./serving.js";

const GAMES = ["whist", "peewee7", "wippen", "wipe", "flip7"] as const;

async function collected<T>(values: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const value of values) {
    all.push(value);
  }
  return all;
}

describe.each(["http", "grpc"] as const)("over %s", (transport) => {
  const address = inject(transport);
  const scheids = new Scheids(address);
  afterAll(() => scheids.close());

  test("games", async () => {
    expect((await scheids.listGames()).map((each) => each.game)).toEqual(GAMES);
    const whist = await scheids.getGame("whist");
    expect(whist.optionsSchema).toHaveProperty("properties");
    expect(whist.limits.batchCalls).toBeGreaterThan(1);
    await expect(scheids.getGame("chess")).rejects.toThrow(client.UnknownGame);
  });

  test.each(GAMES)("%s is dealt, asked about and played", async (game) => {
    const state: State = await scheids.deal(game, { seed: "x" });
    expect(state.game).toBe(game);
    expect(stateFromJson(JSON.stringify(state))).toEqual(state);
    const seat = state.toAct?.seat ?? 0;
    const view = await scheids.view(state, seat);
    const [move] = (await scheids.legalMoves(view, { seat })).moves;
    expect(await scheids.validate(state, move ?? "", { seat })).toEqual({ legal: true });
    for (const form of [move?.text, move?.move, move]) {
      const after = await scheids.play(state, form ?? "", { seat });
      expect(after.events.length).toBeGreaterThan(0);
      expect(after.state.game).toBe(game);
    }
    expect(await scheids.sample(view, { n: 2, seed: "s" })).toHaveLength(2);
    expect((await scheids.simulate(view, { n: 3, seed: "s", until: "deal" })).playouts).toBe(3);
    expect((await scheids.score(state)).scope).toBeTypeOf("string");
  });

  test("odds", async () => {
    const flip7 = await scheids.deal("flip7", { seed: "x", places: 3 });
    const odds = await scheids.outcomes(flip7, 0);
    expect(odds.next.length).toBeGreaterThan(0);
    await expect(scheids.outcomes(await scheids.deal("whist"))).rejects.toThrow(client.NoOdds);
  });

  test("all pages of legal moves", async () => {
    const state = await scheids.deal("whist", { seed: "x" });
    const all = await collected(scheids.iterLegalMoves(state, { limit: 4 }));
    expect(all).toEqual((await scheids.legalMoves(state)).moves);
    expect(all).toHaveLength(13);
  });

  test("a record is replayed, its steps in any form", async () => {
    const state = await scheids.deal("whist", { seed: "x" });
    const [move] = (await scheids.legalMoves(state)).moves;
    const played = await scheids.replay({
      game: "whist",
      seed: "x",
      moves: [move ?? "", { move: "play 2C", seat: 0 }],
    });
    expect(played.index).toBe(1);
    expect(played.violation?.clause).toMatch(/^whist\//);
    expect(played.state.game).toBe("whist");
  });

  test("facts are scored", async () => {
    const sheet = await scheids.scoreFacts(
      "whist",
      { tricks: [9, 4], honours: [2, 0, 1, 1] },
      { options: { preset: "short" } },
    );
    expect(sheet.totals.length).toBeGreaterThan(0);
  });

  test("a refusal says why, in the language that was asked for", async () => {
    const state = await scheids.deal("whist", { seed: "x" });
    const refused = await scheids.play(state, "play 2C").catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(client.IllegalMove);
    const { violation, code, status, path, message, name } = refused as client.IllegalMove;
    expect([code, status, path, name]).toEqual(["ILLEGAL_MOVE", 422, "$.move", "IllegalMove"]);
    expect(violation).toMatchObject({ code: "NOT_IN_HAND", clause: "whist/W-7", params: { card: "2C" } });
    expect(message).toContain(violation.message);
    const dutch = await scheids
      .withOptions({ language: "nl" })
      .play(state, "play 2C")
      .catch((error: unknown) => error);
    expect((dutch as client.IllegalMove).violation.message).not.toBe(violation.message);
    expect((dutch as client.IllegalMove).violation.code).toBe(violation.code);
  });

  test("what cannot be is refused, where it is", async () => {
    const state = await scheids.deal("whist", { seed: "x" });
    const [hand, ...hands] = state.hands;
    const wrong = { ...state, hands: [{ ...hand, cards: ["AS", "AS"], hidden: 11 }, ...hands] } as State;
    const impossible = await scheids.legalMoves(wrong).catch((error: unknown) => error);
    expect(impossible).toBeInstanceOf(client.ImpossibleState);
    expect((impossible as client.ImpossibleState).reason).toMatch(/^[A-Z_]+$/);
    await expect(scheids.deal("whist", { ruleset: 99 })).rejects.toThrow(client.UnsupportedRuleset);
    await expect(scheids.play(state, "sing")).rejects.toThrow(client.Malformed);
    const faults: [unknown, string][] = [
      [{ ...state, dealer: "3" }, "$.state.dealer"],
      [{ ...state, dealer: 1.5 }, "$.state.dealer"],
      [{ ...state, phase: "sleep" }, "$.state.phase"],
      [{ ...state, colour: "red" }, "$.state.colour"],
      [{ ...state, hands: {} }, "$.state.hands"],
      [{ ...state, game: "chess" }, "$.state.game"],
      [{ ...state, ruleset: undefined }, "$.state.ruleset"],
      [{ ...state, options: { ...state.options, turnUp: 1 } }, "$.state.options.turnUp"],
      [{ ...state, viewer: "host" }, "$.state.viewer"],
      [[state], "$.state"],
    ];
    for (const [given, path] of faults) {
      const error = await scheids.legalMoves(given as State).catch((fault: unknown) => fault);
      expect(error, path).toBeInstanceOf(client.Malformed);
      expect((error as client.Malformed).path).toBe(path);
    }
  });

  test("a batch of any length, cut to the limits", async () => {
    const state = await scheids.deal("whist", { seed: "x" });
    const { batchCalls } = (await scheids.getGame("whist")).limits;
    const many: Question[] = Array.from({ length: batchCalls + 7 }, () => ({ legalMoves: { state } }));
    const results = await scheids.batch(many);
    expect(results).toHaveLength(batchCalls + 7);
    for (const result of results) {
      expect(result.get()).toHaveProperty("total", "13");
    }
    expect(await scheids.batch([])).toEqual([]);
    const [dealt, refused, malformed, sampled] = await scheids.batch([
      { deal: { game: "flip7", seed: "q" } },
      { play: { state, move: "play 2C" } },
      { play: { state, move: 7 as unknown as string } },
      { sample: { view: await scheids.view(state, 0), seed: "s" } },
    ]);
    expect(dealt.get().state.game).toBe("flip7");
    expect(refused.error).toBeInstanceOf(client.IllegalMove);
    expect(() => refused.get()).toThrow(client.IllegalMove);
    expect(malformed.error?.path).toBe("$.move");
    expect(sampled.get().uniform).toBeTypeOf("boolean");
    expect((await scheids.batch([{ play: { state, move: "play 2C" } }]))[0].error?.code).toBe("ILLEGAL_MOVE");
  });

  test.each([1, 5])("a stream of questions, %i ahead", async (ahead) => {
    const state = await scheids.deal("whist", { seed: "x" });
    async function* questions(): AsyncGenerator<Question> {
      for (let number = 0; number < 20; number++) {
        yield number % 3 === 2
          ? { play: { state, move: number % 2 === 0 ? (7 as never) : "play 2C" } }
          : { legalMoves: { state } };
      }
    }
    const results = await collected(scheids.decide(questions(), { ahead }));
    expect(results.map((each) => each.error?.code ?? "ok").join(" ")).toBe(
      Array.from({ length: 20 }, (_, n) => (n % 3 !== 2 ? "ok" : n % 2 === 0 ? "MALFORMED" : "ILLEGAL_MOVE")).join(" "),
    );
    expect(results[0]).toBeInstanceOf(Result);
    for await (const result of scheids.decide(questions(), { ahead })) {
      expect(result.error).toBeUndefined();
      break; // leaving early ends the stream
    }
  });

  test("a stream that breaks off goes on with what was not answered", async () => {
    const proxy = await Proxy.of(address);
    const through = new Scheids(proxy.address(address), { retry: { firstMs: 20 } });
    const state = await scheids.deal("whist", { seed: "x" });
    let number = 0;
    const questions = Array.from({ length: 30 }, () => ({ legalMoves: { state } }) as const);
    for await (const result of through.decide(questions, { ahead: 4 })) {
      expect(result.get().total).toBe("13");
      if (number++ % 10 === 5) {
        proxy.cut();
      }
    }
    expect(number).toBe(30);
    through.close();
    proxy.close();
  });

  test("an answer that broke off is asked for again", async () => {
    const proxy = await Proxy.of(address);
    const through = new Scheids(proxy.address(address), { retry: { firstMs: 20 } });
    await through.listGames();
    proxy.cut();
    expect(await through.listGames()).toHaveLength(5);
    proxy.cutAtAnswer = 2;
    expect(await through.listGames()).toHaveLength(5);
    through.close();
    proxy.close();
  });

  test("nobody there", async () => {
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    server.close();
    const nobody = new Scheids(`${transport}://127.0.0.1:${port}`, { retry: { attempts: 2, firstMs: 10 } });
    await expect(nobody.listGames()).rejects.toThrow(client.Unreachable);
    await expect(nobody.table("t").watch({ patienceMs: 200 }).next()).rejects.toThrow(client.Unreachable);
    nobody.close();
  });

  test("time-outs, signals, and a client that was closed", async () => {
    const silent = createServer(() => undefined); // takes calls, and never answers
    silent.listen(0, "127.0.0.1");
    await once(silent, "listening");
    const { port } = silent.address() as AddressInfo;
    const waiting = new Scheids(`${transport}://127.0.0.1:${port}`, { timeoutMs: 10_000 });
    const begun = performance.now();
    await expect(waiting.listGames({ timeoutMs: 150 })).rejects.toThrow(client.DeadlineExceeded);
    expect(performance.now() - begun).toBeLessThan(2_000);
    const reason = new Error("changed my mind");
    const controller = new AbortController();
    setTimeout(() => controller.abort(reason), 50);
    await expect(waiting.listGames({ signal: controller.signal })).rejects.toBe(reason);
    await expect(waiting.listGames({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    await expect(
      waiting
        .table("t")
        .watch({ signal: AbortSignal.timeout(50) })
        .next(),
    ).rejects.toThrow();
    const listening = waiting.table("t").watch();
    setTimeout(() => waiting.close(), 50);
    await expect(waiting.listGames()).rejects.toThrow(client.ClientClosed);
    await expect(listening.next()).rejects.toThrow(client.ClientClosed);
    await expect(waiting.listGames()).rejects.toThrow(client.ClientClosed);
    silent.close();
  });
});

test("something else answers", async () => {
  const other = createHttpServer((_, response) => response.setHeader("content-type", "text/html").end("<p>hello</p>"));
  other.listen(0, "127.0.0.1");
  await once(other, "listening");
  const scheids = new Scheids(`http://127.0.0.1:${(other.address() as AddressInfo).port}`);
  await expect(scheids.listGames()).rejects.toThrow(client.UnreadableAnswer);
  await expect(scheids.table("t").watch().next()).rejects.toThrow(client.UnreadableAnswer);
  other.close();
});

test("addresses and settings", async () => {
  expect(() => new Scheids("ftp://127.0.0.1")).toThrow(TypeError);
  const asked: string[] = [];
  const fetching: typeof fetch = async (input, init) => {
    asked.push(String(input));
    return await fetch(input, init);
  };
  const scheids = new Scheids(`${inject("http")}/`, { fetch: fetching });
  await scheids.listGames();
  expect(asked).toEqual([`${inject("http")}/scheids.v1.Referee/ListGames`]);
});
