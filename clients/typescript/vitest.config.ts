import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/setup.ts"],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
    typecheck: { enabled: false }, // `npm run typecheck` compiles test/*.test-d.ts with all the rest
  },
});
