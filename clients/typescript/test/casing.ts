/** The worked cases of the service, as a user of the client asks them. */

import { DEFAULTS } from "../src/gen/meanings.js";
import type { Scheids } from "../src/index.js";

export type Body = { readonly [name: string]: unknown };

export interface Case {
  readonly name: string;
  readonly call: "deal" | "validate" | "legal_moves" | "play" | "score" | "view" | "replay" | "outcomes";
  readonly request: Body;
  readonly answer: Body | null;
  readonly problem: Body | null;
  readonly language: string;
}

/** Whether a value is one that the service's JSON leaves out, which is what a case that expects nothing means. */
function leftOut(found: unknown, path: string): boolean {
  const name = path.slice(path.lastIndexOf("."));
  const defaults = Object.entries(DEFAULTS).filter(([field]) => field.endsWith(name));
  return (
    [undefined, null, false, 0, ""].includes(found as null) ||
    (Array.isArray(found) && found.length === 0) ||
    defaults.some(([, value]) => JSON.stringify(value) === JSON.stringify(found))
  );
}

/** Where and how an answer is not what is expected; undefined where it is. */
export function differs(expected: unknown, found: unknown, path = "$"): string | undefined {
  if (typeof expected !== "object" || expected === null) {
    return (expected === null ? leftOut(found, path) : expected === found)
      ? undefined
      : `${path}: ${JSON.stringify(found)} instead of ${JSON.stringify(expected)}`;
  }
  if ("$among" in expected) {
    const left = Array.isArray(found) ? [...found] : [];
    const entries = expected.$among as unknown[];
    if (left.length !== entries.length) {
      return `${path}: ${JSON.stringify(found)} instead of ${JSON.stringify(entries)} in any order`;
    }
    for (const entry of entries) {
      const at = left.findIndex((each) => differs(entry, each) === undefined);
      if (at < 0) {
        return `${path}: nothing in ${JSON.stringify(found)} matches ${JSON.stringify(entry)}`;
      }
      left.splice(at, 1);
    }
    return undefined;
  }
  if (Array.isArray(expected)) {
    if (!Array.isArray(found) || found.length !== expected.length) {
      return `${path}: ${JSON.stringify(found)} instead of ${JSON.stringify(expected)}`;
    }
    return expected.map((each, index) => differs(each, found[index], `${path}[${index}]`)).find(Boolean);
  }
  if (typeof found !== "object" || found === null) {
    return `${path}: ${JSON.stringify(found)} is no object`;
  }
  return Object.entries(expected)
    .map(([name, value]) => differs(value, (found as Body)[name], `${path}.${name}`))
    .find(Boolean);
}

/** What a case's request is answered with, in the service's JSON. */
async function answered(scheids: Scheids, { call, request }: Case): Promise<unknown> {
  type Request = { state: never; move: never; game: never; facts: never; viewer: never };
  const { state, move, game, facts, viewer, ...others } = request as Request;
  switch (call) {
    case "deal":
      return { state: await scheids.deal(game, others) };
    case "validate":
      return await scheids.validate(state, move, others);
    case "legal_moves":
      return await scheids.legalMoves(state, others);
    case "play":
      return await scheids.play(state, move, others);
    case "score":
      return {
        sheet: await (state === undefined ? scheids.scoreFacts(game, facts, others) : scheids.score(state, others)),
      };
    case "view":
      return { view: await scheids.view(state, viewer) };
    case "replay":
      return await scheids.replay(request as never);
    case "outcomes":
      return await scheids.outcomes(state, viewer);
  }
}

/** What is wrong with what came of a case; undefined where nothing is. */
export async function played(scheids: Scheids, each: Case): Promise<string | undefined> {
  let answer: unknown;
  try {
    answer = await answered(scheids.withOptions({ language: each.language }), each);
  } catch (error) {
    const problem = (error as { problem?: unknown }).problem;
    if (problem === undefined) {
      throw error;
    }
    return each.problem === null ? `refused: ${JSON.stringify(problem)}` : differs(each.problem, problem);
  }
  return each.problem === null ? differs(each.answer, answer) : `answered: ${JSON.stringify(answer)}`;
}
