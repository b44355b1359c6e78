/** A hosted table, as one holder of a token has it. */

import type { DescMethodUnary } from "@bufbuild/protobuf";
import { newKey, type Caller, type CallOptions, type Settings } from "./caller.js";
import { errorOf, ownError } from "./errors.js";
import type * as models from "./gen/models.js";
import { Tables } from "./gen/scheids/v1/tables_pb.js";
import {
  parted,
  type ChangeOptions,
  type IterLegalMovesOptions,
  type LegalMovesOptions,
  type ReissueOptions,
  type TablePlayOptions,
  type VersionedOptions,
  type WatchOptions,
} from "./options.js";
import { failure } from "./transport.js";
import { Watch } from "./watch.js";

/** A ticket with which a browser's EventSource can watch. */
export interface EventTicket {
  /** It goes behind `?ticket=`. */
  readonly ticket: string;
  /** How many seconds it is good for. */
  readonly seconds: number;
}

/**
 * A table, and the token with which it is looked at and played; without one, as a spectator looks on.
 *
 * Every change goes with an idempotency key, so that it is made once however often it has to be sent: one is made where
 * none is given. A move, and taking one back, go with the version that was last seen here, too: StaleVersion where the
 * table has moved on since.
 */
export class Table {
  /** @internal */
  constructor(
    /** @internal */
    readonly caller: Caller,
    readonly id: string,
    /** The token of a place, or of the host. Keep it. */
    public token?: string,
    /** The place that the token is of, as far as it is known. */
    public place?: number,
    /** The version that was last seen. */
    public version?: number,
  ) {}

  /** The same table with other settings of its client, where they are named. */
  withOptions(settings: Settings): Table {
    return new Table(this.caller.with(settings), this.id, this.token, this.place, this.version);
  }

  async #ask(method: DescMethodUnary, request: object, options: CallOptions): Promise<unknown> {
    return await this.caller.ask(method, { table: this.id, ...request }, options, this.token);
  }

  async #change(method: DescMethodUnary, { timeoutMs, signal, ...asked }: ChangeOptions & object): Promise<number> {
    const [how] = parted({ timeoutMs, signal } as CallOptions);
    const answer = (await this.#ask(method, { idempotencyKey: newKey(), ...asked }, how)) as {
      readonly version: number;
    };
    this.version = answer.version;
    return answer.version;
  }

  /** What a change goes with that is meant for what was seen. */
  #meant<T extends VersionedOptions>({ anyVersion, ...options }: T): Omit<T, "anyVersion"> {
    const expectedVersion = options.expectedVersion ?? this.version;
    const { expectedVersion: _, ...others } = options;
    return { ...others, ...(anyVersion || expectedVersion === undefined ? {} : { expectedVersion }) } as never;
  }

  // --- looking

  /** The table, and of its cards what the token's holder sees. */
  async get(options: CallOptions = {}): Promise<models.GetTableResponse> {
    const seen = (await this.#ask(Tables.method.getTable, {}, options)) as models.GetTableResponse;
    this.version = seen.version;
    if (seen.place !== undefined) {
      this.place = seen.place;
    }
    return seen;
  }

  /** A page of the legal moves of the place; none where it is not its turn. `iterLegalMoves` goes through all pages. */
  async legalMoves(options: LegalMovesOptions = {}): Promise<models.ListTableMovesResponse> {
    const [how, asked] = parted(options);
    const answer = (await this.#ask(Tables.method.listTableMoves, asked, how)) as models.ListTableMovesResponse;
    this.version = answer.version;
    return answer;
  }

  /** All legal moves of the place, page by page. StaleVersion where the table moves on between two pages. */
  async *iterLegalMoves(options: IterLegalMovesOptions = {}): AsyncGenerator<models.LegalMove, void, undefined> {
    let cursor: string | undefined;
    let version: number | undefined;
    do {
      const page = await this.legalMoves({ ...options, ...(cursor === undefined ? {} : { cursor }) });
      if (version !== undefined && version !== page.version) {
        throw ownError("STALE_VERSION", `the table is at version ${page.version}`, "$.cursor", {
          version: page.version,
        });
      }
      version = page.version;
      yield* page.legal.moves;
      cursor = page.legal.cursor;
    } while (cursor !== undefined);
  }

  /** The match as one document, as far as the holder may see it; once it is complete `replay` accepts it. */
  async record(options: CallOptions = {}): Promise<models.ReplayRequest> {
    const answer = (await this.#ask(Tables.method.getTableRecord, {}, options)) as models.GetTableRecordResponse;
    return answer.record;
  }

  /**
   * What happens at the table, a frame for each version, until it ends: `for await (const frame of table.watch())`.
   *
   * The first frame has all of the table, or with `afterVersion` they go on from behind that one. Where the connection
   * breaks off, or the service stops, it resumes by itself, and no frame comes twice. InvalidToken where the token is
   * reissued, UnknownTable where the table is no more.
   */
  watch(options: WatchOptions = {}): Watch {
    return new Watch(this, options);
  }

  /** A ticket with which a browser's EventSource can watch, for a short time. Over HTTP only. */
  async eventTicket(options: CallOptions = {}): Promise<EventTicket> {
    const { rest } = this.caller.way;
    if (rest === undefined) {
      throw ownError("UNSUPPORTED_OVER_GRPC", "tickets are for browsers: ask for one over HTTP");
    }
    return await this.caller.patiently(async (timeoutMs, signal) => {
      const headers = this.caller.headers(this.token);
      headers.set("content-type", "application/json");
      const url = `${rest.url}/v1/tables/${encodeURIComponent(this.id)}/event-tickets`;
      const late = AbortSignal.timeout(timeoutMs);
      const linked = AbortSignal.any([signal, late]);
      try {
        const response = await rest.fetch(url, { method: "POST", headers, body: "{}", signal: linked });
        const told = (await response.json()) as EventTicket | models.Problem;
        if ("code" in told) {
          throw errorOf(told);
        }
        return told as EventTicket;
      } catch (error) {
        throw late.aborted ? ownError("DEADLINE_EXCEEDED", "no ticket came in time") : failure(error);
      }
    }, options);
  }

  // --- changing

  /**
   * Plays a move of the place, or of the host. IllegalMove where it is refused.
   *
   * It is meant for `expectedVersion`, by default the version that was last seen here; with `anyVersion` for whatever
   * the table has come to.
   */
  async play(move: models.MoveInput, options: TablePlayOptions = {}): Promise<models.PlayTableMoveResponse> {
    const [how, asked] = parted(this.#meant(options));
    const request = { move, idempotencyKey: newKey(), ...asked };
    const answer = (await this.#ask(Tables.method.playTableMove, request, how)) as models.PlayTableMoveResponse;
    this.version = answer.version;
    return answer;
  }

  /** Has the cards dealt without waiting for anybody: the host's. The version that has them. */
  async start(options: ChangeOptions = {}): Promise<number> {
    return await this.#change(Tables.method.startTable, options);
  }

  /** Adds to what the cards are shuffled from, once: 1 to 32 bytes in hexadecimal digits, by default random. */
  async addEntropy(entropy?: string, options: ChangeOptions = {}): Promise<number> {
    return await this.#change(Tables.method.addEntropy, {
      ...options,
      entropy: entropy ?? randomEntropy(),
    } as ChangeOptions);
  }

  /** Gives the match up for the place. */
  async resign(options: ChangeOptions = {}): Promise<number> {
    return await this.#change(Tables.method.resignTable, options);
  }

  /** Takes back the last move that somebody made: the host's. It is meant for a version as in `play`. */
  async undo(options: VersionedOptions = {}): Promise<number> {
    return await this.#change(Tables.method.undoTable, this.#meant(options));
  }

  /** Makes a token worthless: the own one, in place of which `token` is the new one, or for the host a place's. */
  async reissue(options: ReissueOptions = {}): Promise<models.ReissueTokenResponse> {
    const [how, asked] = parted(options);
    const request = { idempotencyKey: newKey(), ...asked };
    const answer = (await this.#ask(Tables.method.reissueToken, request, how)) as models.ReissueTokenResponse;
    this.version = answer.version;
    if (answer.token !== undefined) {
      this.token = answer.token;
    }
    return answer;
  }

  /** Ends the table: the host's. It can be looked at until it expires. */
  async end(options: ChangeOptions = {}): Promise<number> {
    return await this.#change(Tables.method.endTable, options);
  }
}

/** Random entropy for `addEntropy`, in hexadecimal digits. Keep it to verify the shuffle with. */
export function randomEntropy(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(32)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** A new table: `host` is the table as the host has it; each code is good for one claim of its place. */
export class CreatedTable {
  readonly id: string;
  readonly version: number;
  readonly host: Table;
  readonly joinCodes: readonly string[];
  /** What the service has committed itself to, where it draws the seed. */
  readonly commitment: string | undefined;

  /** @internal */
  constructor(caller: Caller, made: models.CreateTableResponse) {
    this.id = made.id;
    this.version = made.version;
    this.host = new Table(caller, made.id, made.hostToken, undefined, made.version);
    this.joinCodes = made.joinCodes;
    this.commitment = made.commitment;
  }
}
