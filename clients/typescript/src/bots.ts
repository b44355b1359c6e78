/** A function that plays a seat. */

import { newKey } from "./caller.js";
import { StaleVersion, TableEnded } from "./errors.js";
import type * as models from "./gen/models.js";
import type { Table } from "./table.js";

type Choice = models.MoveInput | undefined | null;

/** Chooses from a view and its legal moves; nothing: not now, where nobody has to act. */
export type Choose = (view: models.State, moves: readonly models.LegalMove[]) => Choice | Promise<Choice>;

/** How a seat is played. */
export interface PlaySeatOptions {
  /** How many moves the function is told at most, 1,000 where it is not said. */
  readonly mostMoves?: number;
  /** How many milliseconds the service may be away, 120,000 where it is not said. */
  readonly patienceMs?: number;
}

const ATTEMPT_MS = 15_000;
const PATIENCE_MS = 120_000;
const MOST_MOVES = 1_000;

/**
 * Plays a place's turns until the table ends; the table as it then is.
 *
 * Each move is meant for the version that it was chosen for, and goes with a key of its own: where the service is
 * restarted, or the connection breaks off, no move is lost and none is made twice. What `choose` throws, and an illegal
 * move that it made up, end it.
 */
export async function playSeat(
  table: Table,
  choose: Choose,
  options: PlaySeatOptions = {},
): Promise<models.GetTableResponse> {
  const { mostMoves = MOST_MOVES, patienceMs = PATIENCE_MS } = options;
  const retry = { attempts: Infinity, firstMs: 50, mostMs: 1_000, eachMs: ATTEMPT_MS };
  const bot = new Bot(table.withOptions({ timeoutMs: patienceMs, retry }), choose, mostMoves);
  for await (const frame of bot.table.watch({ patienceMs })) {
    if (frame.ended !== undefined) {
      break;
    }
    if (bot.concerned(frame)) {
      await bot.act();
    }
  }
  return await bot.table.get();
}

/** A place that is played by a function. */
class Bot {
  #seats: readonly number[] | undefined;
  #acted = 0;

  constructor(
    readonly table: Table,
    readonly choose: Choose,
    readonly mostMoves: number,
  ) {}

  /** Whether it may be for this place to act after a frame. */
  concerned(frame: models.WatchTableResponse): boolean {
    if (frame.version < this.#acted) {
      return false;
    }
    if (frame.table !== undefined || frame.view !== undefined) {
      return true;
    }
    if (frame.events.some((event) => event.type === "seated")) {
      this.#seats = undefined;
    }
    return this.#seats === undefined || frame.toAct === undefined || this.#seats.includes(frame.toAct.seat);
  }

  /** Makes a move where it is for this place to. */
  async act(): Promise<void> {
    for (;;) {
      try {
        const played = await this.#once();
        if (played !== "again") {
          return;
        }
      } catch (error) {
        if (error instanceof TableEnded) {
          return;
        }
        if (!(error instanceof StaleVersion)) {
          throw error;
        }
      }
    }
  }

  async #once(): Promise<"done" | "again"> {
    const seen = await this.table.get();
    this.#acted = seen.version;
    if (seen.status !== "playing" || seen.view === undefined || seen.place === undefined) {
      return "done";
    }
    const seat = this.#seatOf(seen.view, seen.place);
    if (seat === undefined) {
      return "done";
    }
    const moves: models.LegalMove[] = [];
    for await (const move of this.table.iterLegalMoves({ seat })) {
      moves.push(move);
      if (moves.length >= this.mostMoves) {
        break;
      }
    }
    if (this.table.version !== seen.version) {
      return "again";
    }
    const chosen = moves.length > 0 ? await this.choose(seen.view, moves) : undefined;
    if (chosen === undefined || chosen === null) {
      return "done";
    }
    const options = { seat, expectedVersion: seen.version, idempotencyKey: newKey() };
    this.#acted = (await this.table.play(chosen, options)).version;
    return "done";
  }

  /** The seat of the place that is to act; where nobody is, one that may. */
  #seatOf(view: models.State, place: number): number | undefined {
    const seats = view.seating[place] ?? [];
    this.#seats = seats;
    if (view.toAct !== null) {
      return seats.includes(view.toAct.seat) ? view.toAct.seat : undefined;
    }
    return view.mayAlso.find((free) => seats.includes(free.seat))?.seat;
  }
}
