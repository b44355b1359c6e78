/** Hosted tables as a user of the client has them, the same over each transport. */

import { afterAll, describe, expect, inject, test } from "vitest";
import * as client from "../src/node.js";
import {
  playSeat,
  Scheids,
  type CreateTableOptions,
  type Game,
  type Table,
  type WatchTableResponse,
} from "../src/node.js";
import { Proxy, Service } from "./serving.js";

async function seated<G extends Game>(
  scheids: Scheids,
  game: G,
  options: CreateTableOptions<G>,
): Promise<[Table, Table[]]> {
  const made = await scheids.createTable(game, options);
  const places: Table[] = [];
  for (const code of made.joinCodes) {
    places.push(await scheids.claim(made.id, code));
  }
  return [made.host, places];
}

async function acting(places: readonly Table[]): Promise<Table> {
  const { view } = await (places[0] as Table).get();
  return places[view?.toAct?.seat ?? -1] as Table;
}

async function firstMove(table: Table): Promise<client.LegalMove> {
  return (await table.legalMoves()).legal.moves[0] as client.LegalMove;
}

async function playOn(places: readonly Table[], moves: number): Promise<void> {
  for (let count = 0; count < moves; count++) {
    const mover = await acting(places);
    await mover.play(await firstMove(mover));
  }
}

async function frames(table: Table, options: client.WatchOptions = {}): Promise<WatchTableResponse[]> {
  const heard: WatchTableResponse[] = [];
  for await (const frame of table.watch(options)) {
    heard.push(frame);
  }
  return heard;
}

const random = (_: unknown, moves: readonly client.LegalMove[]): client.LegalMove | undefined =>
  moves[Math.floor(Math.random() * moves.length)];

describe.each(["http", "grpc"] as const)("over %s", (transport) => {
  const address = inject(transport);
  const scheids = new Scheids(address);
  afterAll(() => scheids.close());

  test("from its opening to its end", async () => {
    const made = await scheids.createTable("flip7", {
      places: 2,
      names: ["An", "Bo"],
      meta: [{ x: [1, null, { y: 0.5 }] }, {}],
    });
    expect([made.version, made.joinCodes.length, made.host.version]).toEqual([1, 2, 1]);
    expect(made.commitment).toMatch(/^[0-9a-f]{64}$/);
    const an = await scheids.claim(made.id, made.joinCodes[0] ?? "", { name: "Ann" });
    const bo = await scheids.claim(made.id, made.joinCodes[1] ?? "");
    expect([an.place, bo.place]).toEqual([0, 1]);
    await expect(an.legalMoves()).rejects.toThrow(client.NotStarted);
    expect(await an.addEntropy("00ff")).toBe(4);
    const added = client.randomEntropy();
    expect(await bo.addEntropy(added)).toBe(5);
    await expect(bo.addEntropy()).rejects.toThrow(client.EntropyClosed);
    await expect(made.host.start()).rejects.toThrow(client.AlreadyStarted);
    const seen = await an.get();
    expect([seen.status, seen.place, seen.places[0]?.name, seen.cardsFrom]).toEqual(["playing", 0, "Ann", "service"]);
    expect(seen.places[0]?.meta).toEqual({ x: [1, null, { y: 0.5 }] });
    expect(seen.view?.game).toBe("flip7");
    expect(await scheids.table(an.id, an.token).get()).toEqual(seen);
    const mover = await acting([an, bo]);
    const played = await mover.play(await firstMove(mover));
    expect([played.version, mover.version]).toEqual([seen.version + 1, seen.version + 1]);
    await made.host.get();
    expect(await made.host.undo()).toBe(played.version + 1);
    await expect(made.host.undo()).rejects.toThrow(client.NothingToUndo);
    expect(await bo.resign()).toBe(played.version + 2);
    const over = await an.get();
    expect(over).toMatchObject({ status: "ended", ended: { reason: "resigned", place: 1 } });
    const record = await an.record();
    expect(record.table?.complete).toBe(true);
    const replayed = await scheids.replay(record);
    expect(replayed.sheet).toEqual(record.result);
    const told = { commitment: made.commitment ?? "", entropies: { 0: "00ff", 1: added } };
    expect(await client.verifyShuffle(record, told)).toEqual({
      fair: true,
      commitment: true,
      entropies: true,
      seed: true,
    });
    await expect(made.host.end()).rejects.toThrow(client.TableEnded);
  });

  test("a move is meant for the version that was seen", async () => {
    const [host, places] = await seated(scheids, "whist", { seed: "x" });
    const mover = await acting(places);
    const other = scheids.table(mover.id, mover.token);
    const move = await firstMove(mover);
    await other.get();
    await mover.play(move, { idempotencyKey: "once" });
    const stale = await other.play(move).catch((error: unknown) => error);
    expect(stale).toBeInstanceOf(client.StaleVersion);
    expect((stale as client.StaleVersion).version).toBe(mover.version);
    const again = await other.play(move, { expectedVersion: (mover.version ?? 0) - 1, idempotencyKey: "once" });
    expect(again.version).toBe(mover.version);
    await expect(other.play("play 2C", { idempotencyKey: "once" })).rejects.toThrow(client.KeyReused);
    await expect(mover.play(move)).rejects.toThrow(client.IllegalMove);
    const follower = await acting(places);
    const next = await firstMove(scheids.table(follower.id, follower.token));
    follower.version = 1;
    await follower.play(next, { anyVersion: true });
    await expect(host.undo({ expectedVersion: 1 })).rejects.toThrow(client.StaleVersion);
    await host.end();
    await expect(mover.play(move)).rejects.toThrow(client.WrongMoment);
  });

  test("tokens", async () => {
    const [host, [an]] = (await seated(scheids, "whist", { seed: "x" })) as [Table, [Table]];
    await expect(scheids.table(an.id, "nonsense").get()).rejects.toThrow(client.InvalidToken);
    await expect(scheids.table(an.id).legalMoves()).rejects.toThrow(client.NoToken);
    await expect(scheids.table(an.id).get()).rejects.toThrow(client.UnknownTable);
    await expect(an.end()).rejects.toThrow(client.Forbidden);
    await expect(scheids.claim(an.id, "nonsense")).rejects.toThrow(client.BadJoinCode);
    for (const nothing of ["", "a/b?c"]) {
      await expect(scheids.table(nothing, an.token).get()).rejects.toThrow(client.UnknownTable);
    }
    const old = scheids.table(an.id, an.token);
    const reissued = await an.reissue();
    expect([an.token, reissued.joinCode]).toEqual([reissued.token, undefined]);
    await expect(old.get()).rejects.toThrow(client.Unauthenticated);
    const { joinCode = "" } = await host.reissue({ place: 0 });
    await expect(an.get()).rejects.toThrow(client.InvalidToken);
    expect((await (await scheids.claim(an.id, joinCode)).get()).place).toBe(0);
  });

  test("a key makes one table", async () => {
    const idempotencyKey = client.randomEntropy();
    const one = await scheids.createTable("whist", { idempotencyKey });
    const two = await scheids.createTable("whist", { idempotencyKey });
    expect([one.id, one.host.token, one.joinCodes]).toEqual([two.id, two.host.token, two.joinCodes]);
    expect((await scheids.createTable("whist")).id).not.toBe(one.id);
  });

  test("all pages of a place's moves", async () => {
    const [, places] = await seated(scheids, "whist", { seed: "x" });
    const mover = await acting(places);
    const all: string[] = [];
    for await (const move of mover.iterLegalMoves({ limit: 4 })) {
      all.push(move.text);
    }
    expect(all).toHaveLength(13);
    const pages = mover.iterLegalMoves({ limit: 4 });
    const first = await pages.next();
    await mover.play(first.value as client.LegalMove);
    await expect(
      (async () => {
        for await (const _ of pages);
      })(),
    ).rejects.toThrow(client.StaleVersion);
  });

  test("tickets are for browsers", async () => {
    const [, [an]] = (await seated(scheids, "whist", { seed: "x" })) as [Table, [Table]];
    if (transport === "grpc") {
      await expect(an.eventTicket()).rejects.toThrow(client.UnsupportedOverGrpc);
      return;
    }
    const ticket = await an.eventTicket();
    expect(ticket.seconds).toBe(60);
    const stop = new AbortController();
    const events = await fetch(`${address}/v1/tables/${an.id}/events?ticket=${ticket.ticket}`, { signal: stop.signal });
    expect(events.status).toBe(200);
    stop.abort();
    await expect(scheids.table(an.id, "nonsense").eventTicket()).rejects.toThrow(client.InvalidToken);
  });

  test("a change that broke off is made once", async () => {
    const proxy = await Proxy.of(address);
    const through = new Scheids(proxy.address(address), { retry: { firstMs: 10 } });
    const [, places] = await seated(scheids, "whist", { seed: "x" });
    const same = places.map((each) => through.table(each.id, each.token));
    for (let number = 0; number < 6; number++) {
      const mover = await acting(same);
      const move = await firstMove(mover);
      const before = mover.version ?? 0;
      proxy.cutAtAnswer = 1;
      expect((await mover.play(move)).version).toBe(before + 1);
      proxy.cutAtAnswer = 0;
    }
    expect((await places[0]?.record())?.moves).toHaveLength(6);
    through.close();
    proxy.close();
  });

  test("every version once, whatever breaks off", async () => {
    const proxy = await Proxy.of(address);
    const through = new Scheids(proxy.address(address));
    const [host, places] = await seated(scheids, "whist", { seed: "x", spectators: true });
    const begun = (await host.get()).version;
    const hearing = frames(through.table(host.id));
    for (let number = 0; number < 5; number++) {
      await playOn(places, 2);
      proxy.cut();
    }
    const last = await host.end();
    const [first, ...rest] = await hearing;
    expect(first?.table).toBeDefined();
    expect(first?.version).toBeGreaterThanOrEqual(begun);
    const from = (first?.version ?? 0) + 1;
    expect(rest.map((frame) => frame.version)).toEqual(Array.from({ length: last - from + 1 }, (_, n) => from + n));
    expect(rest.at(-1)?.ended?.reason).toBe("endedByHost");
    expect(await frames(through.table(host.id), { afterVersion: last })).toEqual([]);
    expect((await frames(through.table(host.id), { afterVersion: begun })).length).toBe(last - begun);
    expect((await frames(through.table(host.id)))[0]?.ended).toBeDefined();
    through.close();
    proxy.close();
  });

  test("a watch ends with its token, and where it is closed", async () => {
    const [host, [an, bo]] = (await seated(scheids, "whist", { seed: "x" })) as [Table, [Table, Table]];
    const watch = an.watch();
    expect((await watch.next()).value?.table?.place).toBe(0);
    await host.reissue({ place: 0 });
    expect((await watch.next()).value?.act).toBe("reissued");
    await expect(watch.next()).rejects.toThrow(client.InvalidToken);
    await expect(scheids.table(an.id).watch().next()).rejects.toThrow(client.UnknownTable);
    const closed = bo.watch();
    expect((await closed.next()).value?.version).toBe(closed.version);
    const waiting = closed.next();
    setTimeout(() => closed.close(), 50);
    expect(await waiting).toEqual({ done: true, value: undefined });
    expect(await closed.next()).toEqual({ done: true, value: undefined });
  });

  test.each([
    ["whist", {}],
    ["flip7", { places: 3 }],
  ] as const)("bots play %s", async (game, options) => {
    const [host, places] = await seated(scheids, game, {
      ...(game === "whist" ? { options: { match: "deal" } } : {}),
      ...options,
    } as never);
    await host.start();
    const ends = await Promise.all(places.map((place) => playSeat(place, random)));
    expect(ends.map((end) => end.status)).toEqual(places.map(() => "ended"));
    expect(ends[0]?.sheet?.winners.length).toBeGreaterThan(0);
    const illegal = await seated(scheids, "whist", { seed: "x" });
    await expect(playSeat(await acting(illegal[1]), () => "play 2C")).rejects.toThrow(client.IllegalMove);
  });
});

test.each(["http", "grpc"] as const)(
  "a service that is killed and started again, over %s: no move is lost, none made twice",
  async (transport) => {
    let service = await Service.start();
    const scheids = new Scheids(service[transport]);
    const [host, places] = await seated(scheids, "whist", { options: { match: "deal" }, spectators: true });
    const hearing = frames(scheids.table(host.id));
    await host.start();
    const slowly = async (view: unknown, moves: readonly client.LegalMove[]): Promise<client.LegalMove | undefined> => {
      await new Promise((resolve) => setTimeout(resolve, 40));
      return random(view, moves);
    };
    const bots = Promise.all(places.map((place) => playSeat(place, slowly)));
    for (let kills = 0; kills < 2; kills++) {
      await new Promise((resolve) => setTimeout(resolve, 700));
      await service.kill();
      service = await Service.start({}, service);
    }
    const [end] = await bots;
    const heard = (await hearing).map((frame) => frame.version);
    expect(heard).toEqual(Array.from({ length: heard.length }, (_, n) => (heard[0] ?? 0) + n));
    expect(heard.at(-1)).toBe(end?.version);
    const { moves } = await host.record();
    expect(moves.length).toBe(52);
    scheids.close();
    await service.stop();
  },
);

test("an owner without tables", async () => {
  const service = await Service.start({ SCHEIDS_TABLES: "off" });
  for (const address of [service.http, service.grpc]) {
    const scheids = new Scheids(address);
    await expect(scheids.createTable("whist")).rejects.toThrow(client.TablesOff);
    scheids.close();
  }
  await service.stop();
});
