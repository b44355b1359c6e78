/**
 * Why a call failed: one class for each thing that a caller may want to handle, the same on every transport.
 *
 * `code` is stable and says what is wrong; messages are for people, in the language that was asked for.
 */

import type { JsonObject, Problem, Violation } from "./gen/models.js";

/** A call failed. */
export class ScheidsError extends Error {
  /** The problem, as REST tells it. */
  readonly problem: Problem;

  constructor(problem: Problem, options?: ErrorOptions) {
    super(`${problem.code}: ${problem.detail}${problem.path === undefined ? "" : ` (at ${problem.path})`}`, options);
    this.problem = problem;
    this.name = new.target.name;
  }

  /** The stable code, such as `MALFORMED`. */
  get code(): string {
    return this.problem.code;
  }

  /** What is wrong with this request. */
  get detail(): string {
    return this.problem.detail;
  }

  /** The JSON path of the fault in the request, from `$`. */
  get path(): string | undefined {
    return this.problem.path;
  }

  /** What the detail speaks of. */
  get params(): JsonObject {
    return this.problem.params ?? {};
  }

  /** The HTTP status that it has over REST; 0 where the service did not answer. */
  get status(): number {
    return this.problem.status;
  }

  /** Whether a change may have been carried out all the same: ask again, with the same key. */
  get maybeDone(): boolean {
    return false;
  }
}

/** The request cannot be what it claims to be. */
export class Malformed extends ScheidsError {}

/** The state or view cannot have come about. */
export class ImpossibleState extends ScheidsError {
  /** Why, such as `CARD_TWICE`. */
  get reason(): string {
    return String(this.params["reason"] ?? "");
  }
}

/** The service does not have this version of the game's rules. */
export class UnsupportedRuleset extends ScheidsError {}

/** The game has no odds to tell. */
export class NoOdds extends ScheidsError {}

/** More was asked for than one request may: `getGame` tells the limits. */
export class LimitExceeded extends ScheidsError {}

/** There is nothing of that name. */
export class NotFound extends ScheidsError {}

/** There is no such game. */
export class UnknownGame extends NotFound {}

/** There is no such table, or it is not this token's, or nobody may look on. */
export class UnknownTable extends NotFound {}

/** The call came without a good token, or without a good API key. */
export class Unauthenticated extends ScheidsError {}

/** The token is not good, or not any more. */
export class InvalidToken extends Unauthenticated {}

/** The call needs a token. */
export class NoToken extends Unauthenticated {}

/** The service knows its callers by API keys, and the call came without one. */
export class NoApiKey extends Unauthenticated {}

/** The API key is not good, or not any more. */
export class InvalidApiKey extends Unauthenticated {}

/** That is another's to do. */
export class Forbidden extends ScheidsError {}

/** The join code is none, or was used. */
export class BadJoinCode extends Forbidden {}

/** The move is one, but not now. */
export class IllegalMove extends ScheidsError {
  /** Why: a stable code, the clause it rests on, what it speaks of, and a message. */
  get violation(): Violation {
    return this.problem.violation as Violation;
  }
}

/** The table has moved on. */
export class StaleVersion extends ScheidsError {
  /** The version that the table is at. */
  get version(): number {
    return Number(this.params["version"]);
  }
}

/** The idempotency key came with another request before. */
export class KeyReused extends ScheidsError {}

/** The table is not in a state for this. */
export class WrongMoment extends ScheidsError {}

/** The table has ended. */
export class TableEnded extends WrongMoment {}

/** The cards have not been dealt. */
export class NotStarted extends WrongMoment {}

/** The cards have been dealt. */
export class AlreadyStarted extends WrongMoment {}

/** There is no move to take back. */
export class NothingToUndo extends WrongMoment {}

/** Nothing can be added to the shuffle (any more). */
export class EntropyClosed extends WrongMoment {}

/** More calls than the API key is good for, or tokens of the table are reissued. */
export class RateLimited extends ScheidsError {
  /** In how many milliseconds there is room again. */
  get retryAfterMs(): number {
    return 1_000 * Number(this.params["retryAfter"] ?? 1);
  }

  /** What there was too much of: `calls`, `tables` or `reissues`. */
  get limit(): string {
    return String(this.params["limit"] ?? "");
  }
}

/** This service hosts no tables. */
export class TablesOff extends ScheidsError {}

/** The service has more to do just now than it can; nothing was done. */
export class Overloaded extends ScheidsError {}

/** Tables cannot be reached just now. */
export class StoreAway extends ScheidsError {
  override get maybeDone(): boolean {
    return this.params["maybeDone"] === true;
  }
}

/** The service did not answer: the connection failed, or broke off. */
export class Unreachable extends ScheidsError {
  override get maybeDone(): boolean {
    return this.params["maybeDone"] !== false;
  }
}

/** The time for the call is over. */
export class DeadlineExceeded extends ScheidsError {
  override get maybeDone(): boolean {
    return true;
  }
}

/** What came is no answer that this client can read: of another server, or of a newer one. */
export class UnreadableAnswer extends ScheidsError {
  override get maybeDone(): boolean {
    return true;
  }
}

/** The service offers this over HTTP only. */
export class UnsupportedOverGrpc extends ScheidsError {}

/** The client was closed. */
export class ClientClosed extends ScheidsError {}

/** The service failed; the request was not at fault. */
export class InternalError extends ScheidsError {
  override get maybeDone(): boolean {
    return true;
  }
}

const CODES: { readonly [code: string]: typeof ScheidsError } = {
  MALFORMED: Malformed,
  TOO_DEEP: LimitExceeded,
  IMPOSSIBLE_STATE: ImpossibleState,
  UNSUPPORTED_RULESET: UnsupportedRuleset,
  NO_ODDS: NoOdds,
  LIST_TOO_LONG: LimitExceeded,
  UNKNOWN_GAME: UnknownGame,
  NOT_FOUND: NotFound,
  METHOD_NOT_ALLOWED: UnreadableAnswer,
  NO_API_KEY: NoApiKey,
  INVALID_API_KEY: InvalidApiKey,
  INVALID_TOKEN: InvalidToken,
  NO_TOKEN: NoToken,
  FORBIDDEN: Forbidden,
  BAD_JOIN_CODE: BadJoinCode,
  UNKNOWN_TABLE: UnknownTable,
  STALE_VERSION: StaleVersion,
  KEY_REUSED: KeyReused,
  TABLE_ENDED: TableEnded,
  NOT_STARTED: NotStarted,
  ALREADY_STARTED: AlreadyStarted,
  NOTHING_TO_UNDO: NothingToUndo,
  ENTROPY_CLOSED: EntropyClosed,
  TOO_LARGE: LimitExceeded,
  UNSUPPORTED_MEDIA_TYPE: UnreadableAnswer,
  ILLEGAL_MOVE: IllegalMove,
  OVERLOADED: Overloaded,
  TOO_MUCH_WORK: LimitExceeded,
  RATE_LIMITED: RateLimited,
  TABLES_OFF: TablesOff,
  STORE_AWAY: StoreAway,
  DEADLINE_EXCEEDED: DeadlineExceeded,
  INTERNAL: InternalError,
  // what the client finds out by itself
  UNREACHABLE: Unreachable,
  UNREADABLE_ANSWER: UnreadableAnswer,
  UNSUPPORTED_OVER_GRPC: UnsupportedOverGrpc,
  CLIENT_CLOSED: ClientClosed,
};

/** @internal The error for a problem. */
export function errorOf(problem: Problem, cause?: unknown): ScheidsError {
  const known = problem.code === "ILLEGAL_MOVE" && problem.violation === undefined ? undefined : CODES[problem.code];
  return new (known ?? ScheidsError)(problem, cause === undefined ? undefined : { cause });
}

/** @internal A failure that the client finds out by itself. */
export function ownError(
  code: string,
  detail: string,
  path?: string,
  params?: JsonObject,
  cause?: unknown,
): ScheidsError {
  const words = code.replaceAll("_", " ").toLowerCase();
  const title = words.charAt(0).toUpperCase() + words.slice(1);
  const problem: Problem = {
    type: "about:blank",
    title,
    status: 0,
    code,
    detail,
    ...(path === undefined ? {} : { path }),
    ...(params === undefined ? {} : { params }),
  };
  return errorOf(problem, cause);
}
