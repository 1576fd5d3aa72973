/** One incident, one story: what the page shows of an alert, of "Why?" and of what changed, in the same words and with
 * the same times. The answers are those of the API (tests/lookup/test_one_story.py). */

import { readFileSync } from "node:fs";
import type { ReactNode } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import type { Alert } from "../src/api/alerts";
import type { RootCause } from "../src/api/types";
import type { Difference } from "../src/graph/difference";
import { AlertPage } from "../src/views/alerts/AlertPage";
import { DifferenceCards } from "../src/views/lineage/DifferenceCards";
import { Found } from "../src/views/why/RootCauseView";

interface Story {
  alert: Alert;
  why: RootCause;
  diff: Difference;
}

const STORIES: Story[] = JSON.parse(readFileSync("../tests/fixtures/one_story.json", "utf8"));
const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#x27": "'" };
const again = (): void => {};

function htmlOf(node: ReactNode): string {
  return renderToStaticMarkup(node).replace(/&([a-z0-9#]+);/g, (whole, name) => ENTITIES[name] ?? whole);
}

const textOf = (node: ReactNode): string => htmlOf(node).replace(/<[^>]*>/g, "");

test.each(STORIES)("the pages of $alert.title", ({ alert, why, diff }) => {
  const said = alert.title.slice(alert.title.indexOf(":") + 1).trim();
  const { details = {} } = alert;
  const runId = details.run?.runId ?? details.runId;
  const told = htmlOf(<AlertPage alert={alert} again={again} />);
  const found = htmlOf(<Found found={why} again={again} />);
  for (const html of [told, found]) {
    expect(html).toContain(said);
    if (runId && details.seenAs !== "input") expect(html).toContain(`#/run?id=${runId}`);
  }
  const finding = why.findings.find(({ summary }) => summary.includes(said));
  expect(finding?.at).toBe(alert.time);
  expect(found).toContain(`dateTime="${alert.time}"`);

  const differs = textOf(<DifferenceCards difference={diff} />);
  for (const { field } of details.removed ?? []) expect(differs).toContain(`${field} removed, `);
  for (const { field, before, after, change } of finding?.retyped ?? [])
    expect(differs).toContain(`${field} ${before} → ${after}, ${change}`);
  if (details.change === "DROPPED") expect(differs).toMatch(/Removed.*tmp/);
});
