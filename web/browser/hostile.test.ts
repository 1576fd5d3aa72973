/** Names and texts of events are inert: no script runs, no layout breaks, nothing turns the direction of a line. */

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { browser, lineageLink, open, settled, tooWide } from "./page";
import { emptyServer, type Server } from "./server";

const HOSTILE = [
  '<img src=x onerror="window.struck=1">',
  "<script>window.struck=1</script>",
  "javascript:window.struck=1",
  "\u202eevil\u202c",
  "line\nbreak\ttab",
  "x".repeat(5000),
  "=HYPERLINK(1)",
  "表 таблица جدول",
];
let server: Server;
let chromium: Browser;

beforeAll(async () => {
  [server, chromium] = await Promise.all([emptyServer(), browser()]);
  const datasets = HOSTILE.map((name) => ({
    namespace: "hostile",
    name,
    facets: { schema: { _producer: "https://example.org", _schemaURL: "https://example.org", fields: HOSTILE.map((field) => ({ name: field, type: field })) } },
  }));
  await server.post({
    eventType: "COMPLETE",
    eventTime: new Date().toISOString(),
    producer: "https://example.org",
    schemaURL: "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
    run: { runId: "01a203a4-764e-7334-9f14-d6d70bfca421", facets: { errorMessage: { _producer: "https://example.org", _schemaURL: "https://example.org", message: HOSTILE[0], programmingLanguage: "x" } } },
    job: { namespace: "hostile", name: HOSTILE[1], facets: { documentation: { _producer: "https://example.org", _schemaURL: "https://example.org", description: HOSTILE[0] }, sourceCodeLocation: { _producer: "https://example.org", _schemaURL: "https://example.org", type: "git", url: HOSTILE[2] } } },
    inputs: datasets.slice(0, 4),
    outputs: datasets.slice(4),
  });
});
afterAll(async () => {
  await chromium?.close();
  server?.stop();
});

const NODE = `job:hostile:${HOSTILE[1]}`;
const LINKS = [
  lineageLink(NODE),
  lineageLink(NODE, "&as=table"),
  `#/node?nodeId=${encodeURIComponent(NODE)}`,
  `#/node?nodeId=${encodeURIComponent(NODE)}&tab=facets`,
  `#/node?nodeId=${encodeURIComponent(`dataset:hostile:${HOSTILE[0]}`)}&tab=columns`,
  `#/node?nodeId=${encodeURIComponent(`dataset:hostile:${HOSTILE[5]}`)}`,
  "#/run?id=01a203a4-764e-7334-9f14-d6d70bfca421",
  `#/node?nodeId=${encodeURIComponent(NODE)}&tab=events`,
  "#/namespace?name=hostile",
  "#/runs",
  "#/coverage?list=all&namespace=hostile",
];

test.each(LINKS)("%s", async (link) => {
  const { page, faults, close } = await open(chromium, `${server.url}/${link}`);
  await page.waitForFunction(() => document.querySelector(".react-flow__node, table, .card"));
  await settled(page);
  expect(await page.evaluate(() => (window as { struck?: number }).struck)).toBeUndefined();
  expect(await page.locator('a[href^="javascript:"], main img, main script').count()).toBe(0);
  expect(await page.evaluate(() => /[\u202a-\u202e]/.test(document.querySelector("main")?.textContent?.replace(/"[^"]*"/g, "") ?? ""))).toBe(false);
  expect(await tooWide(page)).toEqual([]);
  expect(faults).toEqual([]);
  await close();
});
