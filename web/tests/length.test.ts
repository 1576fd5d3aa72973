/** A component fits in the eye. Biome's rule counts no lines of JSX, so that it would not see most of a component. */

import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const MOST = 100;

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
  const lengths = readdirSync("src", { recursive: true, encoding: "utf8" })
    .filter((path) => /\.tsx?$/.test(path))
    .flatMap((path) => lengthsIn(`src/${path}`));
  expect(lengths.length).toBeGreaterThan(300);
  expect(lengths.filter(([, length]) => length > MOST || length < 1)).toEqual([]);
});
