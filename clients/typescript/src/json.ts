/** Values as JSON, to be kept. They are plain objects, so `JSON.stringify` writes them. */

import { read, write } from "./codec.js";
import type * as models from "./gen/models.js";
import { StateSchema } from "./gen/scheids/v1/games_pb.js";

/** A state or view of any game from JSON, this client's or the service's. Malformed where it is none. */
export function stateFromJson(text: string): models.State {
  return read(StateSchema, write(StateSchema, JSON.parse(text))) as models.State;
}
