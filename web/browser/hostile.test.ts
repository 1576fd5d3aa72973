/** Names and texts of events are inert: no script runs, no layout breaks, nothing turns the direction of a line. */

import { readFileSync } from "node:fs";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { facet, runEvent } from "./events";
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
/** Names that mean something in an address, in a path or in a language. */
const ODD = ["a/../b", "100%", "%2F", "a?b=c#d", "a&b+c d", "\u{1f986} duck", "__proto__", "a:b", "s3://x:80/y:z"];
let server: Server;
let chromium: Browser;

beforeAll(async () => {
  [server, chromium] = await Promise.all([emptyServer(), browser()]);
  const datasets = HOSTILE.map((name) => ({
    namespace: "hostile",
    name,
    facets: {
      schema: {
        _producer: "https://example.org",
        _schemaURL: "https://example.org",
        fields: HOSTILE.map((field) => ({ name: field, type: field })),
      },
    },
  }));
  await server.post({
    eventType: "COMPLETE",
    eventTime: new Date().toISOString(),
    producer: "https://example.org",
    schemaURL: "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
    run: {
      runId: "01a203a4-764e-7334-9f14-d6d70bfca421",
      facets: {
        errorMessage: {
          _producer: "https://example.org",
          _schemaURL: "https://example.org",
          message: HOSTILE[0],
          programmingLanguage: "x",
        },
      },
    },
    job: {
      namespace: "hostile",
      name: HOSTILE[1],
      facets: {
        documentation: { _producer: "https://example.org", _schemaURL: "https://example.org", description: HOSTILE[0] },
        sourceCodeLocation: {
          _producer: "https://example.org",
          _schemaURL: "https://example.org",
          type: "git",
          url: HOSTILE[2],
        },
      },
    },
    inputs: datasets.slice(0, 4),
    outputs: datasets.slice(4),
  });
  const later = (name: string): object => ({
    namespace: "hostile",
    name,
    facets: { schema: facet({ fields: HOSTILE.slice(1).map((field) => ({ name: field, type: "other" })) }) },
  });
  await server.post({
    ...runEvent("x", [], HOSTILE.slice(0, 6).map(later)),
    job: { namespace: HOSTILE[0], name: HOSTILE[5] },
  });
  await server.post({ ...runEvent("x", [], []), job: { namespace: HOSTILE[3], name: HOSTILE[4] } });
  for (const name of ODD)
    await server.post({
      ...runEvent(
        "x",
        [{ namespace: name, name, facets: { documentation: facet({ description: "two\nlines\u202e" }) } }],
        [],
      ),
      job: { namespace: name, name },
    });
  await server.folded(1, encodeURIComponent(ODD.at(-1)!));
  await server.folded(1, "hostile");
  await server.folded(1, encodeURIComponent(HOSTILE[3]!));
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
  "#/namespace?name=hostile",
  `#/namespace?name=${encodeURIComponent(HOSTILE[0]!)}`,
  "#/namespaces?by=environment",
  "#/alerts",
  "#/",
  lineageLink(`dataset:hostile:${HOSTILE[0]}`, "&since=2026-01-01T00:00:00Z"),
  `#/why?nodeId=${encodeURIComponent(`dataset:hostile:${HOSTILE[1]}`)}`,
  `#/impact?nodeId=${encodeURIComponent(`dataset:hostile:${HOSTILE[0]}`)}`,
  "#/runs",
  "#/coverage?list=all&namespace=hostile",
];

test.each([...LINKS, ...LINKS.map((link) => `${link} narrow`)])("%s", async (shown) => {
  const link = shown.replace(/ narrow$/, "");
  const { page, faults, close } = await open(chromium, `${server.url}/${link}`, {
    width: link === shown ? 1280 : 360,
    height: 800,
  });
  await page.waitForFunction(() => document.querySelector(".react-flow__node, table, .card"));
  await settled(page);
  expect(await page.evaluate(() => (window as { struck?: number }).struck)).toBeUndefined();
  await expect.poll(() => page.locator('a[href^="javascript:"], main img, main script').count()).toBe(0);
  expect(
    await page.evaluate(() =>
      /[\u202a-\u202e]/.test(document.querySelector("main")?.textContent?.replace(/"[^"]*"/g, "") ?? ""),
    ),
  ).toBe(false);
  expect(await tooWide(page)).toEqual([]);
  expect(faults).toEqual([]);
  await close();
});

test.each(ODD)("links to %s lead there", async (name) => {
  const { page, faults, close } = await open(chromium, `${server.url}/#/namespace?name=${encodeURIComponent(name)}`);
  for (const [kind, tab] of [
    ["Jobs", "Runs"],
    ["Datasets", "Versions"],
  ] as const) {
    await page.getByRole("table", { name: kind }).getByRole("link").first().click();
    await page.getByRole("navigation", { name: "Parts of this page" }).getByRole("link", { name: tab }).click();
    await settled(page);
    await expect.poll(() => page.getByRole("alert").count()).toBe(0);
    await page.locator("main").getByRole("link", { name: "Lineage", exact: true }).click();
    await page.locator(".react-flow__node").nth(1).waitFor();
    await settled(page);
    await expect.poll(() => page.getByRole("alert").count()).toBe(0);
    for (const _ of ["lineage", "tab", "node"]) await page.goBack();
    await page.getByRole("table", { name: kind }).waitFor();
  }
  expect(faults).toEqual([]);
  await close();
});

test("a description keeps its lines, and turns nothing around", async () => {
  const { page, close } = await open(
    chromium,
    `${server.url}/#/node?nodeId=${encodeURIComponent("dataset:100%:100%")}`,
  );
  await expect.poll(() => page.getByRole("definition").getByText("two").innerText()).toBe("two\nlines\ufffd");
  await close();
});

test("alerts about hostile names are shown inert, each on its page", async () => {
  const { alerts } = (await (await fetch(`${server.url}/api/v1/alerts`)).json()) as { alerts: { id: string }[] };
  expect(alerts.length).toBeGreaterThanOrEqual(6);
  const { page, faults, close } = await open(chromium, `${server.url}/#/alerts`);
  for (const { id } of alerts) {
    await page.evaluate((hash) => (window.location.hash = hash), `#/alerts?id=${id}`);
    await page.getByRole("heading", { name: "What happened" }).waitFor();
    await settled(page);
    await expect.poll(() => page.locator('a[href^="javascript:"], main img, main script').count()).toBe(0);
    expect(await tooWide(page)).toEqual([]);
  }
  expect(await page.evaluate(() => (window as { struck?: number }).struck)).toBeUndefined();
  expect(faults).toEqual([]);
  await close();
});

test("no export carries a name that is more than text", async () => {
  const { page, faults, close } = await open(chromium, `${server.url}/${lineageLink(NODE)}`);
  await page.locator(".react-flow__node").first().waitFor();
  await settled(page);
  await page.locator(".menu summary").click();
  const saved = async (label: string): Promise<string> => {
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: label, exact: true }).click(),
    ]);
    return readFileSync((await download.path())!, "utf8");
  };
  const mermaid = await saved("Mermaid");
  expect(mermaid).not.toMatch(/<|[\u202a-\u202e]|javascript:window\.struck=/);
  const statements = (text: string): string[] =>
    text
      .replace(/"(\\.|[^"\\])*"/g, '""')
      .trimEnd()
      .split("\n");
  expect(
    statements(mermaid)
      .slice(1)
      .every((line) => /^ {2}n\d+(\[""\]|\[\(""\)\]| --> n\d+)$/.test(line)),
  ).toBe(true);
  const dot = await saved("DOT");
  expect(
    statements(dot)
      .slice(2, -1)
      .every((line) => /^ {2}n\d+ (\[shape=\w+, label="", tooltip=""\]|-> n\d+)$/.test(line)),
  ).toBe(true);
  expect(dot).not.toMatch(/[\u202a-\u202e]/);
  const svg = await saved("SVG");
  expect(svg).not.toMatch(/<(script|img)/);
  expect(
    await page.evaluate(
      (text) => new DOMParser().parseFromString(text, "image/svg+xml").querySelector("parsererror"),
      svg,
    ),
  ).toBeNull();
  await page.locator(".menu summary").click();
  await page.getByRole("button", { name: "Table", exact: true }).click();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "CSV" }).click(),
  ]);
  const csv = readFileSync((await download.path())!, "utf8");
  expect(csv).toContain("'=HYPERLINK(1)");
  expect(csv.match(/^=/m)).toBeNull();
  expect(faults).toEqual([]);
  await close();
});

test.each(["__proto__", "constructor", "nowhere"])("there is no view %s, and the page says so", async (view) => {
  const { page, faults, close } = await open(chromium, `${server.url}/#/${view}`);
  await page.getByRole("heading", { name: "There is no such view" }).waitFor();
  expect(faults).toEqual([]);
  await close();
});
