/** What a page does with the client: the test calls these in a browser. */

import * as client from "@scheids/client";
import type { Table } from "@scheids/client";
import { played, type Case } from "../casing.js";

declare const cut: () => Promise<void>;

/** What is wrong with the cases that went wrong, by name. */
async function cases(address: string, all: readonly Case[]): Promise<Record<string, string>> {
  const scheids = new client.Scheids(address);
  const wrong: Record<string, string> = {};
  for (const each of all) {
    const fault = await played(scheids as never, each);
    if (fault !== undefined) {
      wrong[each.name] = fault;
    }
  }
  return wrong;
}

/** A hosted match, watched through something that breaks off: the versions that were heard, and the last one. */
async function match(address: string, through: string): Promise<{ heard: number[]; last: number; fair: boolean }> {
  const scheids = new client.Scheids(address, { language: "fr" });
  const made = await scheids.createTable("whist", { options: { match: "deal" }, spectators: true });
  const places: Table[] = [];
  for (const code of made.joinCodes) {
    places.push(await scheids.claim(made.id, code));
  }
  const heard: number[] = [];
  const hearing = (async () => {
    for await (const frame of new client.Scheids(through).table(made.id).watch()) {
      heard.push(frame.version);
      if (heard.length % 10 === 5) {
        await cut();
      }
    }
  })();
  const entropy = client.randomEntropy();
  await places[0]?.addEntropy(entropy);
  await made.host.start();
  const ends = await Promise.all(places.map((place) => client.playSeat(place, (_, moves) => moves[0])));
  await hearing;
  const told = { commitment: made.commitment ?? "", entropies: { 0: entropy } };
  const { fair } = await client.verifyShuffle(await made.host.record(), told);
  return { heard, last: ends[0]?.version ?? 0, fair };
}

/** The class and the code of what a page is told that may not call, or calls in the wrong way. */
async function refused(address: string): Promise<string[]> {
  const scheids = new client.Scheids(address, { retry: { attempts: 1 } });
  const faults: unknown[] = [];
  await scheids.getGame("chess").catch((error: unknown) => faults.push(error));
  await scheids
    .table("nonsense", "nonsense")
    .get()
    .catch((error: unknown) => faults.push(error));
  await scheids
    .table("nonsense")
    .watch({ patienceMs: 500 })
    .next()
    .catch((error: unknown) => faults.push(error));
  return faults.map((error) => (error as client.ScheidsError).code);
}

/** Results of a stream of questions, which in a browser goes in batches; and a ticket for an EventSource. */
async function more(address: string): Promise<{ totals: string[]; first: number }> {
  const scheids = new client.Scheids(address);
  const state = await scheids.deal("whist");
  const totals: string[] = [];
  for await (const result of scheids.decide(Array(10).fill({ legalMoves: { state } } as const), { ahead: 3 })) {
    totals.push((result.get() as client.ListLegalMovesResponse).total);
  }
  const { host } = await scheids.createTable("flip7");
  const { ticket } = await host.eventTicket();
  const events = new EventSource(`${address}/v1/tables/${host.id}/events?ticket=${ticket}`);
  const first = await new Promise<number>((resolve) => {
    for (const kind of ["message", "table", "frame", "reset"]) {
      events.addEventListener(kind, (event) => resolve(Number((event as MessageEvent).lastEventId)));
    }
  });
  events.close();
  return { totals, first };
}

Object.assign(globalThis, { page: { cases, match, more, refused } });
export type Page = { cases: typeof cases; match: typeof match; more: typeof more; refused: typeof refused };
