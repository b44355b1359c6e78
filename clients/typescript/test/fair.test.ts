/** The shuffle's verification, against the vectors of the page. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, inject, test } from "vitest";
import {
  commitmentOf,
  mixedSeed,
  PACK,
  Scheids,
  seedBytes,
  shuffledPack,
  verifyShuffle,
  type ReplayRequest,
} from "../src/node.js";
import { ROOT } from "./serving.js";

const page = readFileSync(join(ROOT, "docs/fair-deals.md"), "utf8");
const [table, vectors] = [...page.matchAll(/```json\n(.*?)```/gs)].map((found) => JSON.parse(found[1] ?? "")) as [
  { secret: string; commitment: string; entropies: string[]; seed: string },
  { seed: string; deal: number; pack: string }[],
];

test("the pack", () => {
  expect(PACK).toHaveLength(52);
  expect(PACK[0]).toBe("2S");
  expect(PACK[51]).toBe("AC");
});

test.each(vectors)("deal $deal under $seed", async ({ seed, deal, pack }) => {
  expect((await shuffledPack(seed, deal)).join(" ")).toBe(pack);
});

test("seeds", async () => {
  expect(await seedBytes("00".repeat(32))).toEqual(new Uint8Array(32));
  expect(await seedBytes("scheids")).toHaveLength(32);
});

test("the commitment, and what is mixed", async () => {
  expect(await commitmentOf(table.secret)).toBe(table.commitment);
  expect(await mixedSeed(table.secret, table.entropies)).toBe(table.seed);
  expect(await mixedSeed(table.secret, ["", ""])).toBe(table.secret);
  await expect(mixedSeed(table.secret, ["xyz"])).rejects.toThrow(TypeError);
});

test("a record that is right, and records that are not", async () => {
  const record = {
    game: "whist",
    seed: table.seed,
    moves: [],
    table: { secret: table.secret, entropies: table.entropies },
  };
  const told = { commitment: table.commitment, entropies: { 0: "00FF", 2: "a1" } };
  const check = async (changed: object, known: object = {}): Promise<unknown> =>
    await verifyShuffle({ ...record, ...changed } as unknown as ReplayRequest, { ...told, ...known });
  expect(await check({})).toEqual({ fair: true, commitment: true, entropies: true, seed: true });
  expect(await check({}, { commitment: "00" })).toMatchObject({ fair: false, commitment: false });
  expect(await check({}, { entropies: { 1: "00" } })).toMatchObject({ fair: false, entropies: false });
  expect(await check({ seed: "00" })).toMatchObject({ fair: false, seed: false });
  await expect(check({ table: {} })).rejects.toThrow(TypeError);
});

test("the cards of a match are those of its seed", async () => {
  const scheids = new Scheids(inject("http"));
  const state = await scheids.deal("whist", { seed: table.seed });
  const pack = await shuffledPack(table.seed, 1);
  const first = (state.dealer + 1) % 4;
  for (let seat = 0; seat < 4; seat++) {
    const dealt = pack.filter((_, index) => (first + index) % 4 === seat);
    expect([...(state.hands[seat]?.cards ?? [])].sort()).toEqual(dealt.sort());
  }
});
