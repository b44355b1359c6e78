/** What calls may be told. */

import type { Transport } from "@connectrpc/connect";
import type { CallOptions, Settings } from "./caller.js";
import type * as models from "./gen/models.js";

/** Settings of a client, and of how it reaches the service. */
export interface ClientSettings extends Settings {
  /** Over HTTP: what to call instead of `fetch`. */
  readonly fetch?: typeof fetch;
  /** Over gRPC: options of Node's `http2.connect`, such as certificates. */
  readonly http2?: object;
  /** A transport of Connect to use instead of one for the address. */
  readonly transport?: Transport;
}

/** What dealing takes beside the game. */
export type DealOptions<G extends models.Game = models.Game> = Omit<models.DealRequestOf<G>, "game"> & CallOptions;

/** What opening a table takes beside the game. */
export type CreateTableOptions<G extends models.Game = models.Game> = Omit<models.CreateTableRequestOf<G>, "game"> &
  CallOptions;

/** A step of a record: a move, or a move with its seat. */
export type RecordStep = models.MoveInput | models.RecordedMove;

/** A record: one that a table gave, or a game with what its cards came from and its moves. */
export type RecordInput<G extends models.Game = models.Game> = {
  [K in G]: Omit<models.ReplayRequestOf<K>, "moves"> & { readonly moves?: readonly RecordStep[] };
}[G];

/** Whose moves to go through, and how many a page has; `timeoutMs` is for each page. */
export interface IterLegalMovesOptions extends CallOptions {
  /** Whose moves, by default those of the seat to act. */
  readonly seat?: number;
  /** Only moves with this card. */
  readonly card?: models.AnyCard;
  /** At most how many at once. */
  readonly limit?: number;
}

/** Of whom, of which card, and how much legal moves are told. */
export interface LegalMovesOptions extends IterLegalMovesOptions {
  /** How finely they are told apart. */
  readonly tier?: models.Tier;
  /** Where an earlier page said to go on. */
  readonly cursor?: string;
  /** Whether to tell of each card that may not be played, and why. */
  readonly explain?: boolean;
}

/** Who makes a move. */
export interface MoveOptions extends CallOptions {
  /** By default who is to act. */
  readonly seat?: number;
}

/** What is scored. */
export interface ScoreOptions extends CallOptions {
  /** By default the match once it is over, the deal before. */
  readonly scope?: models.Scope;
}

/** Under which options bare facts are scored. */
export interface ScoreFactsOptions<G extends models.Game = models.Game> extends CallOptions {
  readonly options?: models.OptionsOf<G>;
}

/** How many states, and what they are drawn under. */
export interface SampleOptions extends CallOptions {
  /** How many; by default one state, or a hundred playouts. */
  readonly n?: number;
  /** The same seed gives the same answer. */
  readonly seed: string;
}

/** How many playouts, what they are played under, and how far they go. */
export interface SimulateOptions extends SampleOptions {
  /** By default to the end of the match. */
  readonly until?: models.SimulateUntil;
}

/** How a place is claimed. */
export interface ClaimOptions extends CallOptions {
  /** A name, instead of the one the place was created with. */
  readonly name?: string;
  /** A key that nobody guesses, by default a random one. */
  readonly idempotencyKey?: string;
}

/** How a table is changed. */
export interface ChangeOptions extends CallOptions {
  /** Refused where the table is at another version. */
  readonly expectedVersion?: number;
  /** A key of the caller's choice, by default a random one: a change that comes twice with it is made once. */
  readonly idempotencyKey?: string;
}

/** How a change is made that is meant for what was seen. */
export interface VersionedOptions extends ChangeOptions {
  /** Whether it is meant for whatever the table has come to, and not for the version that was last seen here. */
  readonly anyVersion?: boolean;
}

/** How a move is made at a table. */
export interface TablePlayOptions extends VersionedOptions {
  /** The seat that makes it, where the place has several. */
  readonly seat?: number;
}

/** Whose token is made worthless. */
export interface ReissueOptions extends ChangeOptions {
  /** A place, which the host may name: it gets a new join code. By default the own one. */
  readonly place?: number;
}

/** How a table is watched. */
export interface WatchOptions {
  /** The last version that was seen: frames come from the one after it on. Without it the first has all of the table. */
  readonly afterVersion?: number;
  /** How many milliseconds the service may be away; 120,000 where it is not said. */
  readonly patienceMs?: number;
  /** Ends the watch, with the signal's reason, where it is aborted. */
  readonly signal?: AbortSignal;
}

/** @internal How a call is made, apart from what it asks. */
export function parted<T extends CallOptions>(options: T): [CallOptions, Omit<T, keyof CallOptions>] {
  const { timeoutMs, signal, ...asked } = options;
  return [{ ...(timeoutMs === undefined ? {} : { timeoutMs }), ...(signal === undefined ? {} : { signal }) }, asked];
}
