/** What all tests share: one service, the worked cases, the packed client, and a page of another origin. */

import { rmSync } from "node:fs";
import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { build } from "esbuild";
import type { TestProject } from "vitest/node";
import { installed, PACKAGE } from "./installed.js";
import { printed, Service } from "./serving.js";

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = installed();
  const bundle = await build({
    entryPoints: [join(PACKAGE, "test/browser/page.ts")],
    bundle: true,
    write: false,
    format: "esm",
    platform: "browser",
    metafile: true,
    nodePaths: [join(folder, "node_modules")],
  });
  const script = bundle.outputFiles[0]?.text ?? "";
  const page = createServer((request, response) => {
    const isScript = request.url === "/page.js";
    response.setHeader("content-type", isScript ? "text/javascript" : "text/html");
    response.end(
      isScript ? script : '<!doctype html><title>page</title><script type="module" src="/page.js"></script>',
    );
  });
  page.listen(0);
  await once(page, "listening");
  const { port } = page.address() as AddressInfo;
  const service = await Service.start({ SCHEIDS_CORS_ORIGINS: `http://localhost:${port}` });
  project.provide("http", service.http);
  project.provide("grpc", service.grpc);
  project.provide("cases", printed("tests.clients.typescript.dump_cases"));
  project.provide("project", folder);
  project.provide("port", port);
  project.provide("bundled", Object.keys(bundle.metafile.inputs));
  return async () => {
    page.close();
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  };
}

declare module "vitest" {
  export interface ProvidedContext {
    /** The service's addresses. */
    http: string;
    grpc: string;
    /** The worked cases, as JSON. */
    cases: string;
    /** An npm project with nothing but the packed client. */
    project: string;
    /** Where `localhost` serves a page, with the client bundled for browsers. */
    port: number;
    /** The files in that bundle. */
    bundled: string[];
  }
}
