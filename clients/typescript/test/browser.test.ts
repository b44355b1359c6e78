/** The packed client in a real browser, on a page of another origin than the service's. */

import { existsSync } from "node:fs";
import { chromium, type Browser, type Page as Tab } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import type { Page } from "./browser/page.js";
import { Proxy } from "./serving.js";

declare const page: Page;

const NAMED = process.env["SCHEIDS_CHROMIUM"];
const USUAL = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const executablePath = (NAMED === undefined ? USUAL : [NAMED]).find(existsSync);

if (executablePath === undefined) {
  console.warn(
    "******** SKIPPED: the browser's tests. There is no Chromium: apt-get install chromium, or SCHEIDS_CHROMIUM ********",
  );
}

test("nothing of Node is in the bundle", () => {
  expect(inject("bundled").filter((file) => file.includes("connect-node") || file.endsWith("grpc.js"))).toEqual([]);
});

describe.skipIf(executablePath === undefined)("in Chromium", () => {
  const http = inject("http");
  let browser: Browser;
  let tab: Tab;
  let proxy: Proxy;

  async function opened(host: string): Promise<Tab> {
    const other = await browser.newPage();
    other.on("pageerror", (error) => console.error(error));
    await other.exposeFunction("cut", () => proxy.cut());
    await other.goto(`http://${host}:${inject("port")}/`);
    await other.waitForFunction(() => "page" in globalThis);
    return other;
  }

  beforeAll(async () => {
    proxy = await Proxy.of(http);
    browser = await chromium.launch({ executablePath: executablePath ?? "", args: ["--no-sandbox"] });
    tab = await opened("localhost");
    expect(await tab.evaluate(() => location.origin)).not.toBe(http);
  });

  afterAll(async () => {
    await browser.close();
    proxy.close();
  });

  test("every worked case", async () => {
    const wrong = await tab.evaluate(([address, all]) => page.cases(address, JSON.parse(all)), [
      http,
      inject("cases"),
    ] as const);
    expect(wrong).toEqual({});
  });

  test("a match, watched over a connection that breaks off, and verified", async () => {
    const addresses = [http, proxy.address(http)] as const;
    const { heard, last, fair } = await tab.evaluate(([address, through]) => page.match(address, through), addresses);
    expect(heard.length).toBeGreaterThan(50);
    expect(heard).toEqual(Array.from({ length: heard.length }, (_, n) => (heard[0] ?? 0) + n));
    expect(heard.at(-1)).toBe(last);
    expect(proxy.connections).toBeGreaterThan(3);
    expect(fair).toBe(true);
  });

  test("questions by batches, and a ticket", async () => {
    const { totals, first } = await tab.evaluate((address) => page.more(address), http);
    expect(totals).toEqual(Array(10).fill("13"));
    expect(first).toBe(1);
  });

  test("refusals; and a page of an origin that is not named gets no answer", async () => {
    expect(await tab.evaluate((address) => page.refused(address), http)).toEqual([
      "UNKNOWN_GAME",
      "INVALID_TOKEN",
      "UNKNOWN_TABLE",
    ]);
    const stranger = await opened("127.0.0.1");
    const told = stranger.evaluate((address) => page.refused(address), http);
    expect((await told).slice(0, 2)).toEqual(["UNREACHABLE", "UNREACHABLE"]);
  }, 180_000);
});
