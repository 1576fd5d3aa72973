/**
 * What the formatter and the linter leave open. A component fits in the eye: Biome's rule counts no lines of JSX, so that
 * it would not see most of a component. And comments are as wide as code.
 */

import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const MOST = 100;
const WIDTH = 120;
const SOURCES = readdirSync("src", { recursive: true, encoding: "utf8" })
  .filter((path) => /\.tsx?$/.test(path))
  .map((path) => `src/${path}`);

/** The declarations at the left margin, where the formatter begins and ends them: where they begin, and their lines. */
function lengthsIn(path: string): [string, number][] {
  const lines = readFileSync(path, "utf8").split("\n");
  const begins = lines.flatMap((line, index) =>
    /^(export |default |async )*(function|const)\b/.test(line) ? [index] : [],
  );
  return begins.map((begin) => {
    const end = lines.findIndex((line, index) => index >= begin && /^\S.*;$|^\}$/.test(line));
    return [`${path}:${begin + 1}`, end - begin + 1];
  });
}

test("no component and no function is longer than a hundred lines", () => {
  const lengths = SOURCES.flatMap(lengthsIn);
  expect(lengths.length).toBeGreaterThan(300);
  expect(lengths.filter(([, length]) => length > MOST || length < 1)).toEqual([]);
});

test("no comment is wider than the code", () => {
  const lines = SOURCES.flatMap((path) => readFileSync(path, "utf8").split("\n"));
  expect(lines.filter((line) => line.length > WIDTH && /^\s*(\/?\*|\/\/)/.test(line))).toEqual([]);
});
