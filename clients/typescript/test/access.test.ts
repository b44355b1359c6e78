/** API keys and their limits, over each transport. */

import { createHash, randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as client from "../src/node.js";
import { Scheids } from "../src/node.js";
import { Service } from "./serving.js";

const TRANSPORTS = ["http", "grpc"] as const;

function made(name: string, limits: Record<string, number>): { key: string; entry: object } {
  const key = `scheids_${randomBytes(32).toString("base64url")}`;
  return { key, entry: { name, sha256: createHash("sha256").update(key).digest("hex"), ...limits } };
}

const ours = made("ours", { rate: 1_000, burst: 1_000 });
const tight = TRANSPORTS.map((name) => made(`tight-${name}`, { rate: 2, burst: 1 }));
const spent = TRANSPORTS.map((name) => made(`spent-${name}`, { rate: 0.01, burst: 1 }));
const streamed = TRANSPORTS.map((name) => made(`streamed-${name}`, { rate: 4, burst: 2 }));
const keys = [ours, ...tight, ...spent, ...streamed].map(({ entry }) => entry);

describe.each(TRANSPORTS.map((transport, at) => [transport, at] as const))("over %s", (transport, at) => {
  let service: Service;

  beforeAll(async () => {
    service = await Service.start({ SCHEIDS_API_KEYS: JSON.stringify(keys) });
  });
  afterAll(() => service.stop());

  async function using(settings: client.ClientSettings, use: (scheids: Scheids) => Promise<void>): Promise<void> {
    const scheids = new Scheids(service[transport], settings);
    try {
      await use(scheids);
    } finally {
      scheids.close();
    }
  }

  test("a key goes with every call", async () => {
    await using({ apiKey: ours.key }, async (scheids) => {
      const state = await scheids.deal("whist");
      const asked = [scheids.legalMoves(state), scheids.listGames()];
      expect(await Promise.all(asked)).toHaveLength(2);
      const table = await scheids.createTable("whist");
      for await (const frame of table.host.watch()) {
        expect(frame.table).toBeDefined();
        break;
      }
      if (transport === "http") {
        expect((await table.host.eventTicket()).ticket).toBeTypeOf("string");
      }
    });
  });

  test("without a good key calls are refused", async () => {
    await using({}, async (scheids) => {
      await expect(scheids.deal("whist")).rejects.toThrow(client.NoApiKey);
      const other = scheids.withOptions({ apiKey: made("other", {}).key });
      await expect(other.deal("whist")).rejects.toThrow(client.InvalidApiKey);
      const good = scheids.withOptions({ apiKey: ours.key });
      expect((await good.deal("whist")).game).toBe("whist");
    });
  });

  test("a client waits until there is room", async () => {
    await using({ apiKey: tight[at]?.key as string }, async (scheids) => {
      const began = performance.now();
      for (let call = 0; call < 3; call++) {
        await scheids.deal("whist");
      }
      expect(performance.now() - began).toBeGreaterThanOrEqual(990);
    });
  });

  test("one that has no time for it is told when there is", async () => {
    await using({ apiKey: spent[at]?.key as string, timeoutMs: 10_000 }, async (scheids) => {
      await scheids.deal("whist");
      const limited = await scheids.deal("whist").catch((error: unknown) => error);
      expect(limited).toBeInstanceOf(client.RateLimited);
      const { retryAfterMs, limit } = limited as client.RateLimited;
      expect(retryAfterMs).toBeGreaterThan(90_000);
      expect(limit).toBe("calls");
    });
  });

  test("a stream waits until there is room", async () => {
    await using({ apiKey: streamed[at]?.key as string }, async (scheids) => {
      const state = await scheids.withOptions({ apiKey: ours.key }).deal("whist");
      const asked = Array.from({ length: 4 }, () => ({ legalMoves: { state } }) as const);
      let results = 0;
      for await (const result of scheids.decide(asked)) {
        expect(result.get()).toBeDefined();
        results += 1;
      }
      expect(results).toBe(4);
    });
  });
});
