/** Many questions at once: batches, and streams. */

import { toBinary } from "@bufbuild/protobuf";
import { read, write } from "./codec.js";
import type { Caller, CallOptions } from "./caller.js";
import { errorOf, ownError, RateLimited, ScheidsError } from "./errors.js";
import type * as models from "./gen/models.js";
import {
  BatchCallSchema,
  BatchResultSchema,
  Referee,
  type BatchCall,
  type BatchResult,
  type DecideRequest,
  type DecideResponse,
} from "./gen/scheids/v1/referee_pb.js";
import type { Deadline } from "./retrying.js";

/** What each kind of question is, and what it is answered with. */
export interface Questions {
  readonly deal: { readonly request: models.DealRequest; readonly answer: models.DealResponse };
  readonly validate: { readonly request: models.ValidateMoveRequest; readonly answer: models.ValidateMoveResponse };
  readonly legalMoves: {
    readonly request: models.ListLegalMovesRequest;
    readonly answer: models.ListLegalMovesResponse;
  };
  readonly play: { readonly request: models.PlayMoveRequest; readonly answer: models.PlayMoveResponse };
  readonly score: { readonly request: models.ScoreRequest; readonly answer: models.ScoreResponse };
  readonly view: { readonly request: models.ViewStateRequest; readonly answer: models.ViewStateResponse };
  readonly replay: { readonly request: models.ReplayRequest; readonly answer: models.ReplayResponse };
  readonly outcomes: { readonly request: models.ListOutcomesRequest; readonly answer: models.ListOutcomesResponse };
  readonly sample: { readonly request: models.SampleStatesRequest; readonly answer: models.SampleStatesResponse };
  readonly simulate: { readonly request: models.SimulateRequest; readonly answer: models.SimulateResponse };
}

type Only<K extends keyof Questions> = { readonly [P in K]: Questions[P]["request"] } & {
  readonly [P in Exclude<keyof Questions, K>]?: never;
};

/** What can be asked in a batch or a stream: `{ legalMoves: { state } }`, `{ play: { state, move } }`, ... */
export type Question = { [K in keyof Questions]: Only<K> }[keyof Questions];

/** What a question is answered with. */
export type AnswerTo<Q> = {
  [K in keyof Questions]: Q extends { readonly [P in K]: Questions[K]["request"] } ? Questions[K]["answer"] : never;
}[keyof Questions];

/** What came of one question of many: an answer, or why there is none. */
export class Result<A = AnswerTo<Question>> {
  constructor(
    readonly answer: A | undefined,
    readonly error: ScheidsError | undefined = undefined,
  ) {}

  /** The answer; the error is thrown where there is none. */
  get(): A {
    if (this.error !== undefined) {
      throw this.error;
    }
    return this.answer as A;
  }
}

/** A question ready to be sent. */
interface Packed {
  readonly call: BatchCall;
  readonly bytes: number;
  readonly work: number;
}

const ODDS_WORK = 100;
const SAMPLE_WORK = 10;
const PLAYOUT_WORK = 100;
const MARGIN = 1_024;
const FRAMING = 8;

/** What the service counts a question as, towards `Limits.work`. */
function workOf(question: Question): number {
  if (question.outcomes !== undefined) {
    return 1 + ODDS_WORK * question.outcomes.state.hands.length;
  }
  if (question.sample !== undefined) {
    return 1 + SAMPLE_WORK * (question.sample.n ?? 1);
  }
  if (question.simulate !== undefined) {
    return 1 + PLAYOUT_WORK * (question.simulate.n ?? 100);
  }
  return 1 + (question.replay?.moves?.length ?? 0);
}

function pack(id: string, question: Question): Packed {
  const [name, ...others] = Object.keys(question);
  if (name === undefined || others.length > 0 || name === "id") {
    throw ownError("MALFORMED", "a question has one property, which names its kind", "$");
  }
  try {
    const call = write(BatchCallSchema, { id, ...question }) as BatchCall;
    return { call, bytes: toBinary(BatchCallSchema, call).length, work: workOf(question) };
  } catch (error) {
    if (error instanceof ScheidsError && error.path?.startsWith(`$.${name}`)) {
      throw ownError(error.code, error.detail, `$${error.path.slice(name.length + 2)}`); // as when it is asked alone
    }
    throw error;
  }
}

/** What a result says. */
function resultOf(message: BatchResult): Result<never> {
  const { id: _, error, ...answers } = read(BatchResultSchema, message) as models.BatchResult;
  if (error !== undefined) {
    return new Result<never>(undefined, errorOf(error));
  }
  const [answer] = Object.values(answers);
  if (answer === undefined) {
    return new Result<never>(
      undefined,
      ownError("UNREADABLE_ANSWER", "a result without an answer that this client can read"),
    );
  }
  return new Result<never>(answer as never);
}

/** Batches that keep within the limits, each as large as they allow; what is too large by itself stands alone. */
function cut(packed: readonly Packed[], limits: models.Limits): Packed[][] {
  const batches: Packed[][] = [];
  let [batch, bytes, work]: [Packed[], number, number] = [[], 0, 0];
  for (const each of packed) {
    const full =
      batch.length >= limits.batchCalls ||
      bytes + each.bytes > limits.bodyBytes - MARGIN ||
      work + each.work > limits.work;
    if (full && batch.length > 0) {
      batches.push(batch);
      [batch, bytes, work] = [[], 0, 0];
    }
    batch.push(each);
    bytes += each.bytes + FRAMING;
    work += each.work;
  }
  return batch.length > 0 ? [...batches, batch] : batches;
}

async function batched(
  caller: Caller,
  batch: readonly Packed[],
  deadline: Deadline,
  signal?: AbortSignal,
): Promise<Result<never>[]> {
  const request = { calls: batch.map(({ call }) => call) };
  try {
    return await caller.until(
      deadline,
      async (timeoutMs, until) => {
        const { transport } = caller.way;
        const answer = await transport.unary(
          Referee.method.batch,
          until,
          timeoutMs,
          caller.headers(),
          request as never,
        );
        return answer.message.results.map(resultOf);
      },
      signal,
    );
  } catch (error) {
    if (batch.length === 1 && error instanceof ScheidsError && error.status > 0) {
      return [new Result<never>(undefined, error)]; // the one call is refused as the batch that it is all of
    }
    throw error;
  }
}

/** @internal Asks many questions, in as many batches as the limits make of them. */
export async function askAll(
  caller: Caller,
  questions: readonly Question[],
  limits: (timeoutMs: number) => Promise<models.Limits>,
  options: CallOptions,
): Promise<Result<never>[]> {
  const deadline = caller.deadline(options.timeoutMs);
  const results: Result<never>[] = [];
  const sent: { readonly index: number; readonly packed: Packed }[] = [];
  questions.forEach((question, index) => {
    try {
      sent.push({ index, packed: pack(String(index), question) });
    } catch (error) {
      results[index] = refused(error);
    }
  });
  const packed = sent.map((each) => each.packed);
  const batches = packed.length > 1 ? cut(packed, await limits(deadline.left)) : packed.length === 1 ? [packed] : [];
  let at = 0;
  for (const batch of batches) {
    const came = await batched(caller, batch, deadline, options.signal);
    if (came.length !== batch.length) {
      throw ownError("UNREADABLE_ANSWER", `${came.length} results of ${batch.length} calls`);
    }
    for (const result of came) {
      results[(sent[at++] as { index: number }).index] = result;
    }
  }
  return results;
}

function refused(error: unknown): Result<never> {
  if (error instanceof ScheidsError) {
    return new Result<never>(undefined, error);
  }
  throw error;
}

/** Questions out, and the results in their order. */
interface Decider {
  send(call: BatchCall): void;
  receive(timeoutMs: number, signal: AbortSignal): Promise<Result<never>>;
  close(): void;
}

/** What has been sent goes as a batch once its first result is waited for. */
function byBatches(caller: Caller): Decider {
  let waiting: BatchCall[] = [];
  let results: BatchResult[] = [];
  return {
    send: (call) => void waiting.push(call),
    receive: async (timeoutMs, signal) => {
      if (results.length === 0) {
        const request = { calls: waiting };
        const { transport } = caller.way;
        const answer = await transport.unary(Referee.method.batch, signal, timeoutMs, caller.headers(), request);
        results = [...answer.message.results];
        waiting = [];
      }
      return resultOf(results.shift() as BatchResult);
    },
    close: () => undefined,
  };
}

/** A stream of its own. */
function byStream(caller: Caller): Decider {
  const { controller, unlink } = caller.linked();
  const waiting: BatchCall[] = [];
  let wake = (): void => undefined;
  let closed = false;
  async function* requests(): AsyncGenerator<DecideRequest> {
    while (!closed) {
      const call = waiting.shift();
      if (call === undefined) {
        await new Promise<void>((resolve) => (wake = resolve));
      } else {
        yield { call } as DecideRequest;
      }
    }
  }
  let answers: Promise<AsyncIterator<DecideResponse>> | undefined;
  const opened = async (): Promise<AsyncIterator<DecideResponse>> => {
    const { transport } = caller.way;
    const response = await transport.stream(
      Referee.method.decide,
      controller.signal,
      undefined,
      caller.headers(),
      requests(),
    );
    return response.message[Symbol.asyncIterator]();
  };
  return {
    send: (call) => {
      waiting.push(call);
      wake();
    },
    receive: async (timeoutMs, signal) => {
      answers ??= opened();
      const stop = (): void => controller.abort(signal.reason);
      signal.addEventListener("abort", stop, { once: true });
      const late = ownError("DEADLINE_EXCEEDED", "no result came in time");
      const timer = setTimeout(() => controller.abort(late), timeoutMs);
      try {
        const next = await (await answers).next();
        if (next.done || next.value.result === undefined) {
          throw ownError("UNREACHABLE", "the stream broke off");
        }
        return resultOf(next.value.result);
      } catch (error) {
        throw controller.signal.reason === late ? late : error;
      } finally {
        clearTimeout(timer);
        signal.removeEventListener("abort", stop);
      }
    },
    close: () => {
      closed = true;
      wake();
      unlink();
      controller.abort();
      answers?.catch(() => undefined);
    },
  };
}

/** A stream of questions that is opened anew where it broke off, with what was not answered. */
class Deciding {
  readonly #open: BatchCall[] = [];
  #decider: Decider | undefined;

  constructor(readonly caller: Caller) {}

  send(call: BatchCall): void {
    this.#open.push(call);
    this.#decider?.send(call);
  }

  async receive(options: CallOptions): Promise<Result<never>> {
    const result = await this.caller.patiently(async (timeoutMs, signal) => {
      if (this.#decider === undefined) {
        this.#decider = this.caller.way.streams ? byStream(this.caller) : byBatches(this.caller);
        this.#open.forEach((call) => this.#decider?.send(call));
      }
      try {
        const result = await this.#decider.receive(timeoutMs, signal);
        if (result.error instanceof RateLimited) {
          throw result.error; // it is asked again, with all behind it, once there is room
        }
        return result;
      } catch (error) {
        this.close();
        throw error;
      }
    }, options);
    this.#open.shift();
    return result;
  }

  close(): void {
    this.#decider?.close();
    this.#decider = undefined;
  }
}

/** What a stream of questions may be told; `timeoutMs` is for each result. */
export interface DecideOptions extends CallOptions {
  /** How many questions are taken before the first of them has its result, 1 where it is not said. */
  readonly ahead?: number;
}

/** @internal Asks questions as they come. */
export async function* decideAll(
  caller: Caller,
  questions: AsyncIterable<Question> | Iterable<Question>,
  { ahead = 1, ...options }: DecideOptions,
): AsyncGenerator<Result<never>, void, undefined> {
  const deciding = new Deciding(caller);
  const waiting: (Result<never> | undefined)[] = [];
  const source = eachOf(questions);
  let more = true;
  let number = 0;
  try {
    while (true) {
      while (more && waiting.length < Math.max(ahead, 1)) {
        const next = await source.next();
        more = next.done !== true;
        if (next.done !== true) {
          try {
            deciding.send(pack(String(number), next.value).call);
            waiting.push(undefined);
          } catch (error) {
            waiting.push(refused(error));
          }
          number += 1;
        }
      }
      if (waiting.length === 0) {
        return;
      }
      yield waiting.shift() ?? (await deciding.receive(options));
    }
  } finally {
    deciding.close();
    await source.return(undefined);
  }
}

async function* eachOf<T>(values: AsyncIterable<T> | Iterable<T>): AsyncGenerator<T, void, undefined> {
  yield* values;
}
