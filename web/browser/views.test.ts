/** Each view: without a violation of accessibility, without an error, at a desk and on a phone. */

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { violations } from "./axe";
import { browser, lineageLink, open, settled, tooSmall, tooWide } from "./page";
import { demoServer, type Server } from "./server";

const REVENUE = "dataset:file:/data/lake/revenue_daily";
const JOB = "job:demo:revenue_daily";
const id = encodeURIComponent;
const VIEWS: Record<string, [string, string | RegExp]> = {
  start: ["", "Which number is wrong?"],
  lineage: [lineageLink(REVENUE), "orders_clean"],
  "lineage of a column": [lineageLink(REVENUE, `&table=${id(REVENUE)}&column=total_revenue`), "The lineage path of"],
  "lineage as a table": [lineageLink(REVENUE, "&as=table"), "Condition"],
  dataset: [`#/node?nodeId=${id(REVENUE)}`, "About"],
  columns: [`#/node?nodeId=${id(REVENUE)}&tab=columns`, "total_revenue"],
  versions: [`#/node?nodeId=${id(REVENUE)}&tab=versions`, "lineage at that time"],
  quality: [`#/node?nodeId=${id(REVENUE)}&tab=quality`, "No event reported a quality result"],
  names: [`#/node?nodeId=${id(REVENUE)}&tab=aliases`, "All producers use one name"],
  facets: [`#/node?nodeId=${id(REVENUE)}&tab=facets`, "columnLineage"],
  "what is expected": [`#/node?nodeId=${id(REVENUE)}&tab=expected`, "nothing is claimed"],
  "runs of a job": [`#/node?nodeId=${id(JOB)}&tab=runs`, "Duration"],
  impact: [`#/impact?nodeId=${id("datasetField:file:/data/lake/raw/orders:unit_price")}`, "It breaks"],
  "root cause": [`#/why?nodeId=${id(REVENUE)}`, "schema changed"],
  alerts: ["#/alerts", "unit_price"],
  runs: ["#/runs", "completed"],
  events: ["#/events", "COMPLETE"],
  namespaces: ["#/namespaces", "demo"],
  namespace: ["#/namespace?name=demo", "revenue_daily"],
  health: ["#/health", "Events of the last 24 hours"],
  coverage: ["#/coverage", "With column lineage"],
  "list of the coverage": ["#/coverage?list=all&namespace=file", "Last write"],
  "no such view": ["#/nothing", "There is no such view"],
};
let server: Server;
let chromium: Browser;

beforeAll(async () => {
  [server, chromium] = await Promise.all([demoServer(), browser()]);
});
afterAll(async () => {
  await chromium?.close();
  server?.stop();
});

describe.each(Object.entries(VIEWS))("%s", (_, [link, text]) => {
  test("has no violation, no error, and stays with its origin", async () => {
    const { page, faults, close } = await open(chromium, `${server.url}/${link}`);
    await page.getByText(text).first().waitFor();
    await settled(page);
    expect(await violations(page)).toEqual([]);
    expect(faults).toEqual([]);
    await close();
  });

  test("has no violation in the dark", async () => {
    const { page, close } = await open(chromium, `${server.url}/${link}`);
    await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
    await page.getByText(text).first().waitFor();
    await settled(page);
    expect(await violations(page)).toEqual([]);
    await close();
  });

  test("fits a phone", async () => {
    const { page, close } = await open(chromium, `${server.url}/${link}`, { width: 360, height: 740 });
    await page.getByText(text).first().waitFor({ state: "attached" });
    await settled(page);
    expect(await tooWide(page)).toEqual([]);
    expect(await tooSmall(page)).toEqual([]);
    expect(
      await page
        .locator("nav [aria-current]")
        .evaluateAll((links) => links.filter((link) => link.getBoundingClientRect().right > innerWidth).length),
    ).toBe(0);
    await close();
  });
});

test("a phone opens the lineage as a list of its nodes, and shows the picture when asked to", async () => {
  const { page, faults, close } = await open(chromium, `${server.url}/${lineageLink(REVENUE)}`, {
    width: 360,
    height: 740,
  });
  await page.getByRole("row").filter({ hasText: "orders_clean" }).first().waitFor();
  await page.getByRole("button", { name: "Graph" }).click();
  await page.locator(".react-flow__node").first().waitFor();
  expect(faults).toEqual([]);
  await close();
});

test("the page of a table tells who writes it and when, and its rows as a plot and in words", async () => {
  const { page, close } = await open(chromium, `${server.url}/#/node?nodeId=${id(REVENUE)}`);
  await page.getByRole("img", { name: /Rows written of 2 runs/ }).waitFor();
  const rows = page.getByRole("table", { name: "Rows written, newest first" }).getByRole("cell");
  await expect.poll(() => rows.allInnerTexts()).toEqual(["0", "70"]);
  await page.getByText("by lake_revenue_daily").waitFor();
  await page.getByText("none in 2 versions").waitFor();
  await close();
});
