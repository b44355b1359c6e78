/** Every worked case over each transport. */

import { afterAll, describe, expect, inject, test } from "vitest";
import { Scheids } from "../src/node.js";
import { played, type Case } from "./casing.js";

const CASES = JSON.parse(inject("cases")) as Case[];

describe.each(["http", "grpc"] as const)("over %s", (transport) => {
  const scheids = new Scheids(inject(transport));
  afterAll(() => scheids.close());

  test.each(CASES)("$name", async (each) => {
    expect(await played(scheids, each)).toBeUndefined();
  });
});
