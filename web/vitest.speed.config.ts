import { defineConfig } from "vitest/config";

/** Measures the page in a real browser: `make bench-web`. */
export default defineConfig({
  test: { include: ["browser/**/*.speed.ts"], fileParallelism: false, testTimeout: 120_000, hookTimeout: 60_000 },
});
