import { defineConfig } from "vitest/config";

/** Tests in a real browser, one after the other: each file starts a server of its own. */
export default defineConfig({
  test: { include: ["browser/**/*.test.ts"], fileParallelism: false, testTimeout: 40_000, hookTimeout: 60_000 },
});
