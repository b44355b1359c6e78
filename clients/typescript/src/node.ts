/** The client in Node: over gRPC, too. */

import { Scheids as Client } from "./client.js";
import { overGrpc } from "./grpc.js";
import type { ClientSettings } from "./options.js";
import type { Way } from "./transport.js";

export * from "./index.js";

/** The client, which in Node knows gRPC. */
export class Scheids extends Client {
  /** @internal */
  protected override way(address: string, settings: ClientSettings): Way {
    const isGrpc = settings.transport === undefined && /^grpcs?:\/\//.test(address);
    return isGrpc ? overGrpc(address, settings.http2) : super.way(address, settings);
  }
}
