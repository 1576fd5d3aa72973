import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { constants, gzipSync } from "node:zlib";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

const BUILT = "../layers/headwater/headwater/web_files/built";

/** Leaves each file of the build gzipped, as headwater.web_files.files expects it. */
function gzipped(): Plugin {
  const pack = (folder: string): void => {
    for (const name of readdirSync(folder)) {
      const path = join(folder, name);
      if (statSync(path).isDirectory()) {
        pack(path);
      } else {
        writeFileSync(`${path}.gz`, gzipSync(readFileSync(path), { level: constants.Z_BEST_COMPRESSION }));
        rmSync(path);
      }
    }
  };
  return { name: "gzipped", apply: "build", closeBundle: () => pack(BUILT) };
}

export default defineConfig({
  base: "./",
  plugins: [react(), gzipped()],
  build: {
    outDir: BUILT,
    emptyOutDir: true,
    assetsInlineLimit: 0,
    target: "es2022",
    modulePreload: { polyfill: false },
  },
  server: { proxy: { "/api": process.env.HEADWATER_URL ?? "http://127.0.0.1:5000" } },
  test: { include: ["tests/**/*.test.{ts,tsx}"] },
} as Parameters<typeof defineConfig>[0]);
