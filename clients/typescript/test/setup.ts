/** One service for all tests, and the worked cases. */

import type { TestProject } from "vitest/node";
import { printed, Service } from "./serving.js";

/** The origin of the page that the browser's test serves. */
export const PAGE_PORT = 23_917;

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const service = await Service.start({ SCHEIDS_CORS_ORIGINS: `http://localhost:${PAGE_PORT}` });
  project.provide("http", service.http);
  project.provide("grpc", service.grpc);
  project.provide("cases", printed("tests.clients.typescript.dump_cases"));
  return async () => await service.stop();
}

declare module "vitest" {
  export interface ProvidedContext {
    http: string;
    grpc: string;
    cases: string;
  }
}
