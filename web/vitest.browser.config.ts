import { defineConfig } from "vitest/config";

/** Tests in a real browser, one after the other: each file starts a server of its own. */
export default defineConfig({
  test: {
    include: ["browser/**/*.test.ts"],
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 25_000 } },
  },
});
