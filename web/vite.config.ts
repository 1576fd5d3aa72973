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

interface Package {
  version: string;
  license: string;
  dev?: boolean;
  devOptional?: boolean;
}

/** Leaves the licences of all packages that the page may be made of beside it: NOTICES.txt. */
function notices(): Plugin {
  const notice = ([folder, { version, license }]: [string, Package]): string => {
    const { repository, homepage } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const source = String(repository?.url ?? repository ?? homepage).replace(/^git\+/, "");
    const texts = readdirSync(folder).filter((name) => /^(licen[cs]e|copying|notice)/i.test(name));
    const title = `${folder.replace(/^.*node_modules\//, "")} ${version}, ${license}\nSource code: ${source}`;
    return [title, ...texts.map((name) => readFileSync(join(folder, name), "utf8").trim())].join("\n\n");
  };
  const write = (): void => {
    const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8")) as { packages: Record<string, Package> };
    const shipped = Object.entries(packages).filter(
      ([folder, { dev, devOptional }]) => folder && !dev && !devOptional && !folder.includes("@types/"),
    );
    const rule = `\n\n${"-".repeat(100)}\n\n`;
    const head = "The web page of Headwater is made of these packages.";
    writeFileSync(join(BUILT, "NOTICES.txt"), `${[head, ...shipped.map(notice)].join(rule)}\n`);
  };
  return { name: "notices", apply: "build", closeBundle: write };
}

export default defineConfig({
  base: "./",
  plugins: [react(), gzipped(), notices()],
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
