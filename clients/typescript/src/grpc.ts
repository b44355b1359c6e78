/** gRPC, in Node. */

import { createGrpcTransport, Http2SessionManager } from "@connectrpc/connect-node";
import type { Way } from "./transport.js";

const PING_MS = 20_000;
const PONG_MS = 10_000;

/** @internal The service at a URL of gRPC. */
export function overGrpc(address: string, node?: object): Way {
  const url = address.replace(/^grpc/, "http").replace(/\/+$/, "");
  const pings = { pingIntervalMs: PING_MS, pingTimeoutMs: PONG_MS };
  const sessionManager = new Http2SessionManager(url, pings, node);
  const transport = createGrpcTransport({ baseUrl: url, sessionManager });
  return { transport, streams: true, rest: undefined, close: () => sessionManager.abort() };
}
