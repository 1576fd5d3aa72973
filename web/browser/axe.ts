/** axe-core in a page: its rules of WCAG 2.2 AA and of good practice. */

import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

interface Violation {
  id: string;
  help: string;
  nodes: { html: string; failureSummary?: string }[];
}

const SOURCE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/**
 * What axe finds wrong with a page, one line each. The policy of the page forbids a script tag with code in it; what
 * the debugger evaluates is no such tag.
 */
export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(await readFile(SOURCE, "utf8"));
  const found = (await page.evaluate("axe.run(document)")) as { violations: Violation[] };
  return found.violations.map(
    ({ id, help, nodes }) =>
      `${id}: ${help}: ${nodes
        .slice(0, 3)
        .map(({ html }) => html.slice(0, 160))
        .join(" | ")}`,
  );
}
