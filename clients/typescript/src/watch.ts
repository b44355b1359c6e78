/** What happens at a table, as it happens. */

import type { Caller } from "./caller.js";
import { ownError } from "./errors.js";
import type * as models from "./gen/models.js";
import { Tables } from "./gen/scheids/v1/tables_pb.js";
import type { WatchOptions } from "./options.js";
import type { Table } from "./table.js";
import { failure } from "./transport.js";
import { Deadline, retrying } from "./retrying.js";

type Frame = models.WatchTableResponse;

const PATIENCE_MS = 120_000;
const SILENCE_MS = 60_000;
const FOREVER = { attempts: Infinity, firstMs: 50, mostMs: 1_000 };

/** The frames of a table, each version once. Close it where it is left before the table ends; leaving a loop does. */
export class Watch implements AsyncIterableIterator<Frame, undefined, undefined> {
  readonly #table: Table;
  readonly #caller: Caller;
  readonly #options: WatchOptions;
  readonly #stop: AbortController;
  readonly #unlink: () => void;
  #version: number | undefined;
  #frames: AsyncIterator<unknown> | undefined;
  #connection: AbortController | undefined;
  #over = false;

  /** @internal */
  constructor(table: Table, options: WatchOptions) {
    this.#table = table;
    this.#caller = table.caller;
    this.#options = options;
    this.#version = options.afterVersion;
    const { controller, unlink } = this.#caller.linked(options.signal);
    this.#stop = controller;
    this.#unlink = unlink;
  }

  /** The last version that came. */
  get version(): number | undefined {
    return this.#version;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Frame, undefined>> {
    while (!this.#over) {
      let frame: Frame | undefined;
      try {
        frame = await this.#patiently();
      } catch (error) {
        const wasOver = this.#over;
        this.close();
        if (wasOver) {
          break; // closed from elsewhere
        }
        throw error;
      }
      if (frame === undefined) {
        break;
      }
      if (frame.act === undefined && frame.table === undefined && frame.ended === undefined) {
        continue; // a heartbeat
      }
      if (frame.table === undefined && this.#version !== undefined && frame.version <= this.#version) {
        continue;
      }
      this.#version = this.#table.version = frame.version;
      if (frame.ended !== undefined) {
        this.close();
      }
      return { done: false, value: frame };
    }
    this.close();
    return { done: true, value: undefined };
  }

  /** Ends the watch. */
  close(): void {
    this.#over = true;
    this.#leave();
    this.#unlink();
    this.#stop.abort();
  }

  async return(): Promise<IteratorResult<Frame, undefined>> {
    this.close();
    return { done: true, value: undefined };
  }

  async #patiently(): Promise<Frame | undefined> {
    const deadline = new Deadline(this.#options.patienceMs ?? PATIENCE_MS);
    return await retrying(() => this.#step(), deadline, FOREVER, this.#stop.signal);
  }

  /** The next frame; undefined where there are no more. */
  async #step(): Promise<Frame | undefined> {
    this.#stop.signal.throwIfAborted();
    let frame: Frame | undefined;
    try {
      frame = await this.#nextFrame();
    } catch (error) {
      this.#leave();
      this.#stop.signal.throwIfAborted();
      throw failure(error);
    }
    if (frame?.gone === undefined) {
      return frame;
    }
    this.#leave();
    switch (frame.gone) {
      case "revoked":
        throw ownError("INVALID_TOKEN", "the token was reissued");
      case "expired":
        throw ownError("UNKNOWN_TABLE", "there is no such table (any more)");
      default:
        throw ownError("UNREACHABLE", `the watch ended: ${frame.gone}`);
    }
  }

  async #nextFrame(): Promise<Frame | undefined> {
    const connection = (this.#connection ??= new AbortController());
    const silent = ownError("UNREACHABLE", "nothing was heard of the service, not even a heartbeat");
    const timer = setTimeout(() => connection.abort(silent), SILENCE_MS);
    const stop = (): void => connection.abort();
    this.#stop.signal.addEventListener("abort", stop, { once: true });
    try {
      if (this.#frames === undefined) {
        const request = { table: this.#table.id, afterVersion: this.#version };
        const frames = await this.#caller.listen(
          Tables.method.watchTable,
          request,
          connection.signal,
          this.#table.token,
        );
        this.#frames = frames[Symbol.asyncIterator]();
      }
      const next = await this.#frames.next();
      return next.done === true ? undefined : (next.value as Frame);
    } catch (error) {
      throw connection.signal.reason === silent ? silent : error;
    } finally {
      clearTimeout(timer);
      this.#stop.signal.removeEventListener("abort", stop);
    }
  }

  #leave(): void {
    this.#connection?.abort();
    this.#connection = undefined;
    this.#frames = undefined;
  }
}
