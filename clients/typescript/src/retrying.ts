/** How often, and for how long, a call is tried. */

import { DeadlineExceeded, Overloaded, RateLimited, StoreAway, Unreachable } from "./errors.js";

/**
 * A call that failed for want of an answer is tried again, after a random pause that doubles.
 *
 * Every call may be: one that changes nothing, and one that changes a table by its idempotency key. One that there is no
 * room for is tried again once there is, unless its time would be over by then.
 */
export interface Retry {
  /** How often it is tried in all, 8 where it is not said; 1: once. The time-out bounds for how long. */
  readonly attempts?: number;
  /** The pause is between nothing and so many milliseconds at first, 100 where it is not said. */
  readonly firstMs?: number;
  /** And never more than so many, 2,000 where it is not said. */
  readonly mostMs?: number;
  /** How many milliseconds one attempt may take; as long as the call where it is not said. */
  readonly eachMs?: number;
}

/** @internal When a call is over. */
export class Deadline {
  readonly #end: number;
  readonly #eachMs: number;

  constructor(ms: number, eachMs = Infinity) {
    this.#end = performance.now() + ms;
    this.#eachMs = eachMs;
  }

  /** How many milliseconds are left; never less than one, in which a call can fail in order. */
  get left(): number {
    return Math.max(1, this.#end - performance.now());
  }

  /** How long the next attempt may take. */
  get attempt(): number {
    return Math.min(this.left, this.#eachMs);
  }
}

const PASSING = [Unreachable, StoreAway, DeadlineExceeded, Overloaded, RateLimited];

function passes(error: unknown): boolean {
  return PASSING.some((kind) => error instanceof kind);
}

/** @internal Makes a call until it has an answer, or an error that trying again does not help against. */
export async function retrying<T>(
  call: () => Promise<T>,
  deadline: Deadline,
  { attempts = 8, firstMs = 100, mostMs = 2_000 }: Retry,
  signal: AbortSignal,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      const full = error instanceof RateLimited ? error.retryAfterMs : 0;
      const pause = full + Math.random() * Math.min(mostMs, firstMs * 2 ** (attempt - 1));
      if (!passes(error) || attempt >= attempts || pause >= deadline.left) {
        throw error;
      }
      await pausing(pause, signal);
    }
  }
}

function pausing(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal.addEventListener("abort", stop, { once: true });
  });
}
