/**
 * A client of Scheids, the referee for card games.
 *
 * `Scheids` has every call; values are plain objects, those of the service's JSON, and unions narrow by `game` and `type`.
 */

export { playSeat, type Choose, type PlaySeatOptions } from "./bots.js";
export type { CallOptions, Settings } from "./caller.js";
export { Scheids } from "./client.js";
export * from "./errors.js";
export {
  commitmentOf,
  mixedSeed,
  PACK,
  seedBytes,
  shuffledPack,
  verifyShuffle,
  type ShuffleCheck,
  type Told,
} from "./fair.js";
export type * from "./gen/models.js";
export { stateFromJson } from "./json.js";
export type * from "./options.js";
export { Result, type AnswerTo, type DecideOptions, type Question, type Questions } from "./questions.js";
export type { Retry } from "./retrying.js";
export { CreatedTable, randomEntropy, Table, type EventTicket } from "./table.js";
export { Watch } from "./watch.js";
