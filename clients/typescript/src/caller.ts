/** Makes calls: what a client and its tables share. */

import type { DescMethod, DescMethodServerStreaming, DescMethodUnary } from "@bufbuild/protobuf";
import { read, write } from "./codec.js";
import { ownError } from "./errors.js";
import { Deadline, retrying, type Retry } from "./retrying.js";
import { failure, type Way } from "./transport.js";

/** What every call may be told. */
export interface CallOptions {
  /** How many milliseconds the call may take, with all its attempts; by default the client's. */
  readonly timeoutMs?: number;
  /** Gives the call up where it is aborted. What it may have changed stays changed. */
  readonly signal?: AbortSignal;
}

/** Settings of a client. */
export interface Settings {
  /** Of messages: `en`, `nl`, `fr`, or what `Accept-Language` may say. */
  readonly language?: string;
  /** How many milliseconds a call may take, with all its attempts; 30,000 where it is not said. */
  readonly timeoutMs?: number;
  /** How often a call is tried that got no answer. */
  readonly retry?: Retry;
  /** Sent with every call, where the service knows its callers by API keys. */
  readonly apiKey?: string;
}

const TIMEOUT_MS = 30_000;

/** @internal A way to the service, and how calls are made over it. */
export class Caller {
  readonly #closed: AbortController;

  constructor(
    readonly way: Way,
    readonly settings: Settings,
    closed = new AbortController(),
  ) {
    this.#closed = closed;
  }

  with(settings: Settings): Caller {
    const told = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
    return new Caller(this.way, { ...this.settings, ...told }, this.#closed);
  }

  close(): void {
    this.#closed.abort(ownError("CLIENT_CLOSED", "the client was closed"));
    this.way.close();
  }

  /** A signal that is aborted where the client is closed, or the caller does not want to wait any more. */
  linked(given?: AbortSignal): { controller: AbortController; unlink: () => void } {
    const controller = new AbortController();
    const unlinks = [this.#closed.signal, given].map((each) => {
      const stop = (): void => controller.abort(each?.reason);
      if (each?.aborted) {
        stop();
      }
      each?.addEventListener("abort", stop, { once: true });
      return () => each?.removeEventListener("abort", stop);
    });
    return { controller, unlink: () => unlinks.forEach((each) => each()) };
  }

  headers(token?: string): Headers {
    const headers = new Headers();
    if (this.settings.apiKey !== undefined) {
      headers.set("x-api-key", this.settings.apiKey);
    }
    if (this.settings.language !== undefined) {
      headers.set("accept-language", this.settings.language);
    }
    if (token !== undefined) {
      headers.set("authorization", `Bearer ${token}`);
    }
    return headers;
  }

  deadline(timeoutMs?: number): Deadline {
    return new Deadline(timeoutMs ?? this.settings.timeoutMs ?? TIMEOUT_MS, this.settings.retry?.eachMs);
  }

  /** Makes a call, anew where it got no answer. */
  async patiently<T>(call: (timeoutMs: number, signal: AbortSignal) => Promise<T>, options: CallOptions): Promise<T> {
    const deadline = this.deadline(options.timeoutMs);
    return await this.until(deadline, call, options.signal);
  }

  async until<T>(
    deadline: Deadline,
    call: (timeoutMs: number, signal: AbortSignal) => Promise<T>,
    given?: AbortSignal,
  ): Promise<T> {
    const { controller, unlink } = this.linked(given);
    const { signal } = controller;
    const attempt = async (): Promise<T> => {
      signal.throwIfAborted();
      try {
        return await call(Math.ceil(deadline.attempt), signal);
      } catch (error) {
        signal.throwIfAborted();
        throw failure(error);
      }
    };
    try {
      return await retrying(attempt, deadline, this.settings.retry ?? {}, signal);
    } finally {
      unlink();
    }
  }

  /** Asks, and reads what is answered. */
  async ask(method: DescMethodUnary, request: unknown, options: CallOptions = {}, token?: string): Promise<unknown> {
    const message = write(method.input, request);
    return await this.patiently(async (timeoutMs, signal) => {
      const { transport } = this.way;
      const answer = await transport.unary(method, signal, timeoutMs, this.headers(token), message);
      return read(method.output, answer.message);
    }, options);
  }

  /** Opens a stream of answers. */
  async listen(
    method: DescMethodServerStreaming,
    request: unknown,
    signal: AbortSignal,
    token?: string,
  ): Promise<AsyncIterable<unknown>> {
    const message = write(method.input, request);
    const input = (async function* () {
      yield message;
    })();
    const answers = await this.way.transport.stream(method, signal, undefined, this.headers(token), input);
    return reading(method, answers.message);
  }
}

async function* reading(method: DescMethod, messages: AsyncIterable<unknown>): AsyncIterable<unknown> {
  for await (const message of messages) {
    yield read(method.output, message as never);
  }
}

/** @internal An idempotency key that nobody guesses. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(24));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_");
}
