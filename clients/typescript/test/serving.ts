/** A service on free ports of this machine, for as long as a test needs it; and what breaks connections to it off. */

import { spawn, execFileSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
export const PYTHON = process.env["SCHEIDS_PYTHON"] ?? join(ROOT, ".venv/bin/python");
const READY = /^Scheids is ready: REST on (http:\/\/127\.0\.0\.1:\d+), gRPC on (127\.0\.0\.1:\d+)$/;

/** A process of `scheids serve`; killing it keeps its folder, so that it can be started again. */
export class Service {
  private constructor(
    private readonly process: ChildProcess,
    private readonly folder: string,
    readonly http: string,
    readonly grpc: string,
  ) {}

  /** Starts a service; `again` is one that was killed, whose ports and data it takes over. */
  static async start(settings: Record<string, string> = {}, again?: Service): Promise<Service> {
    const folder = again?.folder ?? mkdtempSync(join(tmpdir(), "scheids-"));
    const kept = Object.entries(process.env).filter(([name]) => !name.startsWith("SCHEIDS_"));
    const env = {
      ...Object.fromEntries(kept),
      SCHEIDS_DATA_DIR: folder,
      SCHEIDS_HTTP_ADDRESS: again?.http.replace("http://", "") ?? "127.0.0.1:0",
      SCHEIDS_GRPC_ADDRESS: again?.grpc.replace("grpc://", "") ?? "127.0.0.1:0",
      SCHEIDS_LOG_LEVEL: "error",
      GRPC_VERBOSITY: "ERROR",
      ...settings,
    };
    const child = spawn(PYTHON, ["-m", "service.cli", "serve"], {
      cwd: ROOT,
      env,
      stdio: ["ignore", "pipe", "inherit"],
    });
    for await (const line of createInterface({ input: child.stdout })) {
      const [, http, grpc] = READY.exec(line) ?? [];
      if (http !== undefined && grpc !== undefined) {
        child.stdout.resume();
        return new Service(child, folder, http, `grpc://${grpc}`);
      }
    }
    throw new Error("the service did not start");
  }

  async kill(): Promise<void> {
    const gone = once(this.process, "exit");
    this.process.kill("SIGKILL");
    await gone;
  }

  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** What a module of the repository's tests prints. */
export function printed(module: string): string {
  return execFileSync(PYTHON, ["-m", module], { cwd: ROOT, encoding: "utf8", maxBuffer: 2 ** 28 });
}

/** Forwards bytes; `cut` breaks all connections off, the next answers too where `cutAtAnswer` says so. */
export class Proxy {
  cutAtAnswer = 0;
  connections = 0;
  private readonly open = new Set<Socket>();

  private constructor(private readonly server: Server) {}

  static async of(address: string): Promise<Proxy> {
    const { hostname, port } = new URL(address.replace("grpc:", "http:"));
    const server = createServer();
    const proxy = new Proxy(server);
    server.on("connection", (ours) => proxy.accept(ours, connect(Number(port), hostname)));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return proxy;
  }

  address(like: string): string {
    return `${like.startsWith("grpc") ? "grpc" : "http"}://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  private accept(ours: Socket, theirs: Socket): void {
    this.connections += 1;
    for (const [from, to] of [
      [ours, theirs],
      [theirs, ours],
    ] as const) {
      this.open.add(from);
      from.on("data", (data) => {
        if (from === theirs && this.cutAtAnswer > 0) {
          this.cutAtAnswer -= 1;
          ours.destroy();
          theirs.destroy();
        } else {
          to.write(data);
        }
      });
      from.on("error", () => undefined);
      from.on("close", () => {
        this.open.delete(from);
        to.destroy();
      });
    }
  }

  cut(): void {
    this.open.forEach((each) => each.destroy());
  }

  close(): void {
    this.server.close();
    this.cut();
  }
}
