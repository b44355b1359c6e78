/** The types of the public names: what narrows, what is inferred, and what is refused. */

import { expectTypeOf, test } from "vitest";
import * as client from "../src/node.js";
import type {
  AnswerTo,
  CallOptions,
  Capture,
  ChangeOptions,
  Choose,
  ClaimOptions,
  ClientSettings,
  CreateTableOptions,
  CreateTableRequestOf,
  DealOptions,
  DealRequestOf,
  DecideOptions,
  Event,
  EventTicket,
  Facts,
  FactsOf,
  Game,
  IterLegalMovesOptions,
  Json,
  JsonObject,
  LegalMove,
  LegalMovesOptions,
  Move,
  MoveInput,
  MoveObject,
  MoveOptions,
  OptionsChoices,
  OptionsOf,
  Params,
  Play,
  PlaySeatOptions,
  Question,
  Questions,
  RecordInput,
  RecordStep,
  ReissueOptions,
  ReplayRequestOf,
  Retry,
  SampleOptions,
  ScoreFactsOptions,
  ScoreFactsRequest,
  ScoreOptions,
  Settings,
  Sheet,
  ShuffleCheck,
  SimulateOptions,
  State,
  StateOf,
  TablePlayOptions,
  Told,
  VersionedOptions,
  Viewer,
  Violation,
  WatchOptions,
  WatchTableResponse,
  WhistState,
} from "../src/node.js";

declare const scheids: client.Scheids;
declare const state: State;
declare const event: Event;
declare const move: Move;
declare const table: client.Table;

test("unions narrow", () => {
  if (state.game === "whist") {
    expectTypeOf(state).toEqualTypeOf<WhistState>();
    expectTypeOf(state.tricks).toExtend<readonly client.Trick[]>();
  } else if (state.game === "flip7") {
    expectTypeOf(state.rows).toExtend<readonly client.Flip7Row[]>();
    // @ts-expect-error flip7 has no tricks
    void state.tricks;
  }
  // @ts-expect-error not every game has tricks
  void state.tricks;
  if (event.type === "trickWon") {
    expectTypeOf(event).toEqualTypeOf<client.TrickWon>();
  }
  if (move.type === "capture") {
    expectTypeOf(move).toEqualTypeOf<Capture>();
    expectTypeOf(move.builds).toEqualTypeOf<readonly number[]>();
  }
  expectTypeOf<StateOf<"whist">>().toEqualTypeOf<WhistState>();
  expectTypeOf<StateOf<Game>>().toEqualTypeOf<State>();
  expectTypeOf<State["toAct"]>().toEqualTypeOf<client.Turn | null>();
  // @ts-expect-error states are values
  state.dealer = 1;
});

test("moves in any form", () => {
  expectTypeOf<"play AS">().toExtend<MoveInput>();
  expectTypeOf<LegalMove>().toExtend<MoveInput>();
  expectTypeOf<Move>().toExtend<MoveObject>();
  expectTypeOf<{ type: "play"; card: "AS" }>().toExtend<Play>();
  expectTypeOf<{ type: "capture"; card: "7D"; take: readonly ["7S"] }>().toExtend<MoveObject>();
  expectTypeOf<{ type: "capture"; take: readonly ["7S"] }>().not.toExtend<MoveObject>();
  expectTypeOf<{ type: "sing" }>().not.toExtend<MoveInput>();
});

test("what is asked and answered differs by game", () => {
  expectTypeOf(scheids.deal("whist", { options: { preset: "long" } })).resolves.toEqualTypeOf<WhistState>();
  // @ts-expect-error an option of another game
  void scheids.deal("whist", { options: { packs: 2 } });
  // @ts-expect-error no such game
  void scheids.deal("chess");
  expectTypeOf<DealOptions<"wipe">["options"]>().toEqualTypeOf<client.WipeOptionsChoices | undefined>();
  expectTypeOf<DealRequestOf<"wipe">>().toEqualTypeOf<client.WipeDealRequest>();
  expectTypeOf<CreateTableOptions<"wipe">>().toHaveProperty("turnSeconds");
  expectTypeOf<CreateTableRequestOf<"wipe">>().toEqualTypeOf<client.WipeCreateTableRequest>();
  expectTypeOf<ReplayRequestOf<"wipe">>().toEqualTypeOf<client.WipeReplayRequest>();
  expectTypeOf<OptionsOf<"wipe">>().toEqualTypeOf<client.WipeOptionsChoices>();
  expectTypeOf<FactsOf<"flip7">>().toEqualTypeOf<client.Flip7Facts>();
  expectTypeOf<FactsOf<"flip7">>().toExtend<Facts>();
  expectTypeOf<OptionsOf<"flip7">>().toExtend<OptionsChoices>();
  expectTypeOf<client.WhistScoreFactsRequest>().toExtend<ScoreFactsRequest>();
  expectTypeOf(scheids.view({} as WhistState, 0)).resolves.toEqualTypeOf<WhistState>();
  expectTypeOf(scheids.view(state, "spectator")).resolves.toEqualTypeOf<State>();
  expectTypeOf(scheids.play({} as WhistState, "play AS")).resolves.toEqualTypeOf<client.PlayMoveResponse<WhistState>>();
  expectTypeOf(scheids.sample({} as WhistState, { seed: "s" })).resolves.toEqualTypeOf<readonly WhistState[]>();
  expectTypeOf(scheids.replay({ game: "whist", moves: ["draw"] })).resolves.toEqualTypeOf<
    client.ReplayResponse<WhistState>
  >();
  expectTypeOf(scheids.replay({} as client.ReplayRequest)).resolves.toEqualTypeOf<client.ReplayResponse<State>>();
  expectTypeOf<client.ReplayRequest>().toExtend<RecordInput>();
  expectTypeOf<client.RecordedMove | MoveInput>().toEqualTypeOf<RecordStep>();
  // @ts-expect-error facts of another game
  void scheids.scoreFacts("whist", { heaps: [] });
  expectTypeOf(scheids.scoreFacts<"whist">)
    .parameter(2)
    .toEqualTypeOf<ScoreFactsOptions<"whist"> | undefined>();
});

test("calls", () => {
  expectTypeOf(scheids.listGames).returns.resolves.toEqualTypeOf<readonly client.GameSummary[]>();
  expectTypeOf(scheids.getGame).returns.resolves.toEqualTypeOf<client.GetGameResponse>();
  expectTypeOf(scheids.validate).returns.resolves.toEqualTypeOf<client.ValidateMoveResponse>();
  expectTypeOf(scheids.validate).parameter(2).toEqualTypeOf<MoveOptions | undefined>();
  expectTypeOf(scheids.legalMoves).returns.resolves.toEqualTypeOf<client.ListLegalMovesResponse>();
  expectTypeOf(scheids.legalMoves).parameter(1).toEqualTypeOf<LegalMovesOptions | undefined>();
  expectTypeOf(scheids.iterLegalMoves).returns.toExtend<AsyncIterable<LegalMove>>();
  expectTypeOf(scheids.iterLegalMoves).parameter(1).toEqualTypeOf<IterLegalMovesOptions | undefined>();
  expectTypeOf(scheids.score).returns.resolves.toEqualTypeOf<Sheet>();
  expectTypeOf(scheids.score).parameter(1).toEqualTypeOf<ScoreOptions | undefined>();
  expectTypeOf(scheids.outcomes).parameter(1).toEqualTypeOf<Viewer | undefined>();
  expectTypeOf(scheids.simulate).parameter(1).toEqualTypeOf<SimulateOptions>();
  expectTypeOf<SimulateOptions>().toExtend<SampleOptions>();
  expectTypeOf<SampleOptions>().toExtend<CallOptions>();
  expectTypeOf(client.Scheids).toBeConstructibleWith("http://127.0.0.1:8080", {
    language: "nl",
    timeoutMs: 1,
    retry: { attempts: 1 },
  });
  expectTypeOf(client.Scheids).constructorParameters.toEqualTypeOf<[address?: string, settings?: ClientSettings]>();
  expectTypeOf<ClientSettings>().toExtend<Settings>();
  expectTypeOf<Settings["retry"]>().toEqualTypeOf<Retry | undefined>();
  expectTypeOf(scheids.withOptions).parameter(0).toEqualTypeOf<Settings>();
  expectTypeOf(client.stateFromJson).returns.toEqualTypeOf<State>();
});

test("many questions", () => {
  const questions = [
    { deal: { game: "whist" } },
    { legalMoves: { state } },
    { play: { state, move: "stay" } },
  ] as const;
  expectTypeOf(scheids.batch(questions)).resolves.toEqualTypeOf<
    readonly [
      client.Result<client.DealResponse>,
      client.Result<client.ListLegalMovesResponse>,
      client.Result<client.PlayMoveResponse>,
    ]
  >();
  expectTypeOf(scheids.batch({} as Question[])).resolves.toExtend<readonly client.Result<AnswerTo<Question>>[]>();
  expectTypeOf<AnswerTo<{ score: client.ScoreStateRequest }>>().toEqualTypeOf<client.ScoreResponse>();
  expectTypeOf<Questions["simulate"]["answer"]>().toEqualTypeOf<client.SimulateResponse>();
  // @ts-expect-error one question at a time
  void scheids.batch([{ deal: { game: "whist" }, legalMoves: { state } }]);
  expectTypeOf(scheids.decide([{ validate: { state, move: "stay" } }])).toExtend<
    AsyncIterable<client.Result<client.ValidateMoveResponse>>
  >();
  expectTypeOf<DecideOptions>().toHaveProperty("ahead");
  expectTypeOf<client.Result<string>["get"]>().returns.toEqualTypeOf<string>();
  expectTypeOf<client.Result["error"]>().toEqualTypeOf<client.ScheidsError | undefined>();
});

test("tables", () => {
  expectTypeOf(scheids.createTable("whist")).resolves.toEqualTypeOf<client.CreatedTable>();
  expectTypeOf<client.CreatedTable["host"]>().toEqualTypeOf<client.Table>();
  expectTypeOf(scheids.claim).returns.resolves.toEqualTypeOf<client.Table>();
  expectTypeOf(scheids.claim).parameter(2).toEqualTypeOf<ClaimOptions | undefined>();
  expectTypeOf(scheids.table).returns.toEqualTypeOf<client.Table>();
  expectTypeOf(table.get).returns.resolves.toEqualTypeOf<client.GetTableResponse>();
  expectTypeOf(table.legalMoves).returns.resolves.toEqualTypeOf<client.ListTableMovesResponse>();
  expectTypeOf(table.play).parameters.toEqualTypeOf<[MoveInput, TablePlayOptions?]>();
  expectTypeOf(table.play).returns.resolves.toEqualTypeOf<client.PlayTableMoveResponse>();
  expectTypeOf(table.record).returns.resolves.toEqualTypeOf<client.ReplayRequest>();
  expectTypeOf(table.start).parameter(0).toEqualTypeOf<ChangeOptions | undefined>();
  expectTypeOf(table.undo).parameter(0).toEqualTypeOf<VersionedOptions | undefined>();
  expectTypeOf(table.reissue).parameter(0).toEqualTypeOf<ReissueOptions | undefined>();
  expectTypeOf(table.eventTicket).returns.resolves.toEqualTypeOf<EventTicket>();
  expectTypeOf(table.watch).parameter(0).toEqualTypeOf<WatchOptions | undefined>();
  expectTypeOf(table.watch).returns.toEqualTypeOf<client.Watch>();
  expectTypeOf<client.Watch>().toExtend<AsyncIterable<WatchTableResponse>>();
  expectTypeOf(client.playSeat).parameters.toEqualTypeOf<[client.Table, Choose, PlaySeatOptions?]>();
  expectTypeOf<(view: State, moves: readonly LegalMove[]) => LegalMove | undefined>().toExtend<Choose>();
  expectTypeOf(client.randomEntropy).returns.toEqualTypeOf<string>();
});

test("fair deals", () => {
  expectTypeOf(client.verifyShuffle).parameters.toEqualTypeOf<[client.ReplayRequest, Told]>();
  expectTypeOf(client.verifyShuffle).returns.resolves.toEqualTypeOf<ShuffleCheck>();
  expectTypeOf(client.shuffledPack("x", 1)).resolves.toEqualTypeOf<readonly string[]>();
  expectTypeOf(client.shuffledPack("x", 1, ["a", "b"] as const)).resolves.toEqualTypeOf<readonly ("a" | "b")[]>();
  expectTypeOf(client.commitmentOf).returns.resolves.toEqualTypeOf<string>();
  expectTypeOf(client.mixedSeed).returns.resolves.toEqualTypeOf<string>();
  expectTypeOf(client.seedBytes).returns.resolves.toExtend<Uint8Array>();
  expectTypeOf(client.PACK).toEqualTypeOf<readonly client.Card[]>();
  expectTypeOf<client.FlipCard>().toExtend<client.AnyCard>();
});

test("errors", () => {
  expectTypeOf<client.IllegalMove["violation"]>().toEqualTypeOf<Violation>();
  expectTypeOf<Violation["params"]>().toEqualTypeOf<Params>();
  expectTypeOf<client.StaleVersion["version"]>().toEqualTypeOf<number>();
  expectTypeOf<client.ImpossibleState["reason"]>().toEqualTypeOf<string>();
  expectTypeOf<client.ScheidsError["params"]>().toEqualTypeOf<JsonObject>();
  expectTypeOf<JsonObject>().toExtend<Json>();
  expectTypeOf<client.InvalidToken | client.NoToken>().toExtend<client.Unauthenticated>();
  expectTypeOf<client.InvalidApiKey | client.NoApiKey>().toExtend<client.Unauthenticated>();
  expectTypeOf<client.RateLimited["retryAfterMs"]>().toEqualTypeOf<number>();
  expectTypeOf<client.BadJoinCode>().toExtend<client.Forbidden>();
  expectTypeOf<client.UnknownGame | client.UnknownTable>().toExtend<client.NotFound>();
  expectTypeOf<
    client.TableEnded | client.NotStarted | client.AlreadyStarted | client.NothingToUndo | client.EntropyClosed
  >().toExtend<client.WrongMoment>();
  expectTypeOf<
    | client.Malformed
    | client.UnsupportedRuleset
    | client.NoOdds
    | client.LimitExceeded
    | client.KeyReused
    | client.RateLimited
    | client.TablesOff
    | client.Overloaded
    | client.StoreAway
    | client.Unreachable
    | client.DeadlineExceeded
    | client.UnreadableAnswer
    | client.UnsupportedOverGrpc
    | client.ClientClosed
    | client.InternalError
  >().toExtend<client.ScheidsError>();
  expectTypeOf<client.ScheidsError>().toExtend<Error>();
});
