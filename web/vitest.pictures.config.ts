import { defineConfig } from "vitest/config";

/** Takes the pictures of the documentation: `make pictures`. */
export default defineConfig({
  test: { include: ["browser/**/*.pictures.ts"], fileParallelism: false, testTimeout: 60_000, hookTimeout: 60_000 },
});
