/** What a transport does, and what its failures mean. */

import { fromBinary, type DescMessage } from "@bufbuild/protobuf";
import { Code, ConnectError, type Transport } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-web";
import { read } from "./codec.js";
import { errorOf, ownError, ScheidsError } from "./errors.js";
import { ProblemSchema } from "./gen/scheids/v1/common_pb.js";
import type { Problem } from "./gen/models.js";

/** @internal One way to the service. */
export interface Way {
  readonly transport: Transport;
  /** Whether messages can be sent on and on; otherwise questions go in batches. */
  readonly streams: boolean;
  /** What speaks HTTP to the address of REST, if this way does. */
  readonly rest: { readonly url: string; readonly fetch: typeof fetch } | undefined;
  close(): void;
}

/** @internal The service at a URL: Connect, binary. */
export function overHttp(url: string, given?: typeof fetch): Way {
  const base = url.replace(/\/+$/, "");
  const asked: typeof fetch = given ?? ((input, init) => globalThis.fetch(input, init));
  const transport = createConnectTransport({ baseUrl: base, useBinaryFormat: true, fetch: asked });
  return { transport, streams: false, rest: { url: base, fetch: asked }, close: () => undefined };
}

const OWN: { readonly [code: number]: string } = {
  [Code.Unavailable]: "UNREACHABLE",
  [Code.Canceled]: "UNREACHABLE", // by the service, which stops
  [Code.Aborted]: "UNREACHABLE", // a connection that was reset
  [Code.DeadlineExceeded]: "DEADLINE_EXCEEDED",
  [Code.ResourceExhausted]: "TOO_LARGE",
  [Code.Unimplemented]: "NOT_FOUND",
};

/** @internal The error for a call that failed. */
export function failure(reason: unknown): ScheidsError {
  if (reason instanceof ScheidsError) {
    return reason;
  }
  const error = ConnectError.from(reason);
  for (const detail of error.details) {
    if ("type" in detail && detail.type === ProblemSchema.typeName) {
      return errorOf(problemIn(ProblemSchema, detail.value), error);
    }
  }
  const code = OWN[error.code] ?? (brokeOff(error) ? "UNREACHABLE" : "UNREADABLE_ANSWER");
  return ownError(code, error.message, undefined, undefined, error);
}

function problemIn(desc: DescMessage, data: Uint8Array): Problem {
  return read(desc, fromBinary(desc, data)) as Problem;
}

/** Whether it was the connection that failed, and not what came over it. */
function brokeOff(error: ConnectError): boolean {
  const { cause } = error;
  const isOfNetwork =
    cause instanceof TypeError || // what fetch throws
    cause === "missing EndStreamResponse" ||
    (cause instanceof Error && "code" in cause && typeof cause.code === "string"); // what Node throws
  return isOfNetwork || error.rawMessage.startsWith("http/2 ") || error.rawMessage.includes("missing status");
}
