/** The client. */

import { Caller, newKey, type CallOptions, type Settings } from "./caller.js";
import type * as models from "./gen/models.js";
import { Referee } from "./gen/scheids/v1/referee_pb.js";
import { Tables } from "./gen/scheids/v1/tables_pb.js";
import {
  parted,
  type ClaimOptions,
  type ClientSettings,
  type CreateTableOptions,
  type DealOptions,
  type IterLegalMovesOptions,
  type LegalMovesOptions,
  type MoveOptions,
  type RecordInput,
  type RecordStep,
  type SampleOptions,
  type ScoreFactsOptions,
  type ScoreOptions,
  type SimulateOptions,
} from "./options.js";
import { askAll, decideAll, type AnswerTo, type DecideOptions, type Question, type Result } from "./questions.js";
import { CreatedTable, Table } from "./table.js";
import { overHttp, type Way } from "./transport.js";

/** The limits of the service at the end of each way. */
const limits = new WeakMap<Way, models.Limits>();

/**
 * A client of the service at an address: `http://` or `https://`, and in Node `grpc://` or `grpcs://` (with TLS) too.
 *
 * Both ways have the same calls and give the same answers; over HTTP they are Connect's, in the port of REST.
 */
export class Scheids {
  /** @internal */
  readonly caller: Caller;

  /** A client. Nothing is sent before the first call. */
  constructor(address = "http://127.0.0.1:8080", settings: ClientSettings = {}) {
    const { language, timeoutMs, retry, apiKey } = settings;
    this.caller = new Caller(this.way(address, settings), {}).with({ language, timeoutMs, retry, apiKey } as Settings);
  }

  /** @internal How the address is reached. */
  protected way(address: string, { fetch, transport }: ClientSettings): Way {
    if (transport !== undefined) {
      return { transport, streams: false, rest: undefined, close: () => undefined };
    }
    if (/^https?:\/\//.test(address)) {
      return overHttp(address, fetch);
    }
    const schemes = "http:// or https:// (in Node grpc:// or grpcs:// too)";
    throw new TypeError(`an address begins with ${schemes}, not ${JSON.stringify(address)}`);
  }

  /** The same client, over the same connections, with other settings where they are named. */
  withOptions(settings: Settings): this {
    const other = Object.create(Object.getPrototypeOf(this) as object) as this;
    return Object.assign(other, this, { caller: this.caller.with(settings) });
  }

  /** Closes the connections; calls that are waited for fail with ClientClosed. */
  close(): void {
    this.caller.close();
  }

  // --- the games

  /** The games there are. */
  async listGames(options: CallOptions = {}): Promise<readonly models.GameSummary[]> {
    const answer = (await this.caller.ask(Referee.method.listGames, {}, options)) as models.ListGamesResponse;
    return answer.games;
  }

  /** What a game is: its options as a JSON Schema, its rulesets and clauses, what one request may ask for. */
  async getGame(game: models.Game | (string & {}), options: CallOptions = {}): Promise<models.GetGameResponse> {
    return (await this.caller.ask(Referee.method.getGame, { game }, options)) as models.GetGameResponse;
  }

  // --- stateless calls

  /**
   * Begins a match, and deals where the service holds the cards. Of `seed`, `deck` and `chance` one is named; without
   * any the service draws a seed. The state is all there is: keep it, and send it with the next question.
   */
  async deal<G extends models.Game>(
    game: G,
    options: DealOptions<G> = {} as DealOptions<G>,
  ): Promise<models.StateOf<G>> {
    const [how, asked] = parted(options);
    const answer = (await this.caller.ask(Referee.method.deal, { game, ...asked }, how)) as models.DealResponse;
    return answer.state as models.StateOf<G>;
  }

  /** Whether a move is legal, and if not, why. */
  async validate(
    state: models.State,
    move: models.MoveInput,
    options: MoveOptions = {},
  ): Promise<models.ValidateMoveResponse> {
    const [how, asked] = parted(options);
    return (await this.caller.ask(
      Referee.method.validateMove,
      { state, move, ...asked },
      how,
    )) as models.ValidateMoveResponse;
  }

  /** A page of the legal moves of a seat, by default the one to act; `iterLegalMoves` goes through all pages. */
  async legalMoves(state: models.State, options: LegalMovesOptions = {}): Promise<models.ListLegalMovesResponse> {
    const [how, asked] = parted(options);
    return (await this.caller.ask(
      Referee.method.listLegalMoves,
      { state, ...asked },
      how,
    )) as models.ListLegalMovesResponse;
  }

  /** All legal moves of a seat, page by page. */
  async *iterLegalMoves(
    state: models.State,
    options: IterLegalMovesOptions = {},
  ): AsyncGenerator<models.LegalMove, void, undefined> {
    let cursor: string | undefined;
    do {
      const page = await this.legalMoves(state, { ...options, ...(cursor === undefined ? {} : { cursor }) });
      yield* page.moves;
      cursor = page.cursor;
    } while (cursor !== undefined);
  }

  /** Judges a move and plays it: the new state, and what happened. IllegalMove where it is refused. */
  async play<S extends models.State>(
    state: S,
    move: models.MoveInput,
    options: MoveOptions = {},
  ): Promise<models.PlayMoveResponse<S>> {
    const [how, asked] = parted(options);
    return (await this.caller.ask(
      Referee.method.playMove,
      { state, move, ...asked },
      how,
    )) as models.PlayMoveResponse<S>;
  }

  /** The score of a state. */
  async score(state: models.State, options: ScoreOptions = {}): Promise<models.Sheet> {
    const [how, asked] = parted(options);
    const answer = (await this.caller.ask(Referee.method.score, { state, ...asked }, how)) as models.ScoreResponse;
    return answer.sheet;
  }

  /** The score of bare facts, for those who keep only the score here. */
  async scoreFacts<G extends models.Game>(
    game: G,
    facts: models.FactsOf<G>,
    options: ScoreFactsOptions<G> = {},
  ): Promise<models.Sheet> {
    const [how, asked] = parted(options);
    const answer = (await this.caller.ask(
      Referee.method.score,
      { game, facts, ...asked },
      how,
    )) as models.ScoreResponse;
    return answer.sheet;
  }

  /** What one seat, or the spectator, may see of a state; it can be sent wherever a state can. */
  async view<S extends models.State>(state: S, viewer: models.Viewer, options: CallOptions = {}): Promise<S> {
    const answer = (await this.caller.ask(
      Referee.method.viewState,
      { state, viewer },
      options,
    )) as models.ViewStateResponse;
    return answer.view as S;
  }

  /**
   * Plays a record through, as far as its moves are legal. Where a move is illegal the answer has its violation and
   * index, and the state just before it.
   */
  async replay<G extends models.Game>(
    record: { readonly game: G } & RecordInput<G>,
    options: CallOptions = {},
  ): Promise<models.ReplayResponse<models.StateOf<G>>> {
    const moves = (record as RecordInput).moves?.map(recorded) ?? [];
    const answer = await this.caller.ask(Referee.method.replay, { ...record, moves }, options);
    return answer as models.ReplayResponse<models.StateOf<G>>;
  }

  /** What may come next and the game's own figures, in exact fractions, as far as `viewer` can tell. */
  async outcomes(
    state: models.State,
    viewer?: models.Viewer,
    options: CallOptions = {},
  ): Promise<models.ListOutcomesResponse> {
    return (await this.caller.ask(
      Referee.method.listOutcomes,
      { state, viewer },
      options,
    )) as models.ListOutcomesResponse;
  }

  /**
   * Full states that the view can be of, drawn at random. Whether they are exactly, or very nearly, as likely as each
   * other is in the answer to a question `{ sample: ... }`.
   */
  async sample<S extends models.State>(view: S, options: SampleOptions): Promise<readonly S[]> {
    const [how, asked] = parted(options);
    const answer = (await this.caller.ask(
      Referee.method.sampleStates,
      { view, ...asked },
      how,
    )) as models.SampleStatesResponse;
    return answer.states as readonly S[];
  }

  /** What random play from a state comes to, many times over; of a view, from states that it can be of. */
  async simulate(state: models.State, options: SimulateOptions): Promise<models.SimulateResponse> {
    const [how, asked] = parted(options);
    return (await this.caller.ask(Referee.method.simulate, { state, ...asked }, how)) as models.SimulateResponse;
  }

  // --- many questions

  /**
   * Asks many questions at once; results come in their order, each with its own answer or its own error.
   *
   * However many there are: they are asked in as many batches as the service's limits make of them.
   */
  async batch<const Q extends readonly Question[]>(
    questions: Q,
    options: CallOptions = {},
  ): Promise<{ [K in keyof Q]: Result<AnswerTo<Q[K]>> }> {
    const results = await askAll(
      this.caller,
      questions,
      (timeoutMs) => this.#limits({ ...options, timeoutMs }),
      options,
    );
    return results as unknown as { [K in keyof Q]: Result<AnswerTo<Q[K]>> };
  }

  /**
   * Asks questions as they come, without end; results come in their order. Over gRPC it is one stream; over HTTP what
   * is asked ahead goes in batches.
   *
   * Where more are taken ahead it is faster, but then none may depend on what an earlier one brings. Where the service
   * goes away what has not been answered is asked again.
   */
  decide<Q extends Question>(
    questions: AsyncIterable<Q> | Iterable<Q>,
    options: DecideOptions = {},
  ): AsyncGenerator<Result<AnswerTo<Q>>, void, undefined> {
    return decideAll(this.caller, questions, options);
  }

  async #limits(options: CallOptions): Promise<models.Limits> {
    let found = limits.get(this.caller.way);
    if (found === undefined) {
      found = (await this.getGame("whist", options)).limits;
      limits.set(this.caller.way, found);
    }
    return found;
  }

  // --- tables

  /** Opens a table; the answer has the host's `Table`, and a join code for each place. */
  async createTable<G extends models.Game>(
    game: G,
    options: CreateTableOptions<G> = {} as CreateTableOptions<G>,
  ): Promise<CreatedTable> {
    const [how, asked] = parted(options);
    const request = { game, idempotencyKey: newKey(), ...asked };
    const made = (await this.caller.ask(Tables.method.createTable, request, how)) as models.CreateTableResponse;
    return new CreatedTable(this.caller, made);
  }

  /** Swaps a join code for a place: the table as whoever sits there has it. Keep its `token`. */
  async claim(table: string, joinCode: string, options: ClaimOptions = {}): Promise<Table> {
    const [how, asked] = parted(options);
    const request = { table, joinCode, idempotencyKey: newKey(), ...asked };
    const claimed = (await this.caller.ask(Tables.method.claimPlace, request, how)) as models.ClaimPlaceResponse;
    return new Table(this.caller, table, claimed.token, claimed.place, claimed.version);
  }

  /** A table by its id, as the token's holder has it, or without one as a spectator. Nothing is asked. */
  table(table: string, token?: string): Table {
    return new Table(this.caller, table, token);
  }
}

function recorded(step: RecordStep): models.RecordedMove {
  return typeof step === "string" || "type" in step || "text" in step ? { move: step } : step;
}
