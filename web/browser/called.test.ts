/** A table with a name in a catalogue is called by it in each view, with its path below. */

import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { facet, runEvent, table } from "./events";
import { browser, lineageLink, type Opened, open, settled } from "./page";
import { emptyServer, type Server } from "./server";

const RAW = "dataset:n:lake/raw/trips";
const MART = "dataset:n:lake/mart/stats";
const DAY_MS = 86_400_000;
const id = encodeURIComponent;
let server: Server;
let chromium: Browser;

/** A table at a path, which Glue knows by another name. */
function glued(
  path: string,
  called: string,
  columns: string[],
  origins: Record<string, [string, string]> = {},
): object {
  const { facets, ...named } = table(path, columns, origins) as { facets: object };
  const identifier = { namespace: "arn:aws:glue:eu-west-1:123456789012", name: `table/${called}`, type: "TABLE" };
  return { ...named, facets: { ...facets, symlinks: facet({ identifiers: [identifier] }) } };
}

beforeAll(async () => {
  [server, chromium] = await Promise.all([emptyServer(), browser()]);
  const days = [["fare"], ["fare", "tip"]].map((columns, day) => {
    const at = new Date(Date.now() - (2 - day) * DAY_MS);
    const trips = glued("lake/raw/trips", "raw/trips", columns);
    const stats = glued("lake/mart/stats", "mart/stats", ["fare"], { fare: ["lake/raw/trips", "fare"] });
    return [runEvent("load", [], [trips], at), runEvent("sum", [trips], [stats], new Date(at.getTime() + 1000))];
  });
  await server.postAll(days.flat());
  await server.folded(2);
});
afterAll(async () => {
  await chromium?.close();
  server?.stop();
});

const at = (link: string): Promise<Opened> => open(chromium, `${server.url}/${link}`);

/** The name of a table, with its path in the same element. */
const called = (page: Page, name: string, path: string) =>
  page.locator("main :is(.name, .texts, li)", { hasText: name }).filter({ hasText: path }).first();

test.each([
  ["the lineage", lineageLink(MART), "raw.trips"],
  ["the table of the graph", lineageLink(MART, "&as=table"), "raw.trips"],
  ["its edges", lineageLink(MART, `&as=table&table=${id(MART)}&column=fare`), "raw.trips"],
  ["the list of a namespace", "#/namespace?name=n", "raw.trips"],
  ["the page of a reader", `#/node?nodeId=${id(RAW)}`, "raw.trips"],
])("called by its name in the catalogue: %s", async (_, link, name) => {
  const { page, faults, close } = await at(link);
  await page.locator("main").getByText(name, { exact: true }).first().waitFor();
  await page.locator("main").getByText("lake/raw/trips").first().waitFor();
  expect(faults).toEqual([]);
  await close();
});

test("the title of the tab, the heading and the nodes that were looked at", async () => {
  const { page, faults, close } = await at(`#/node?nodeId=${id(MART)}`);
  await page.getByRole("heading", { level: 1, name: "mart.stats" }).waitFor();
  expect(await page.title()).toBe("mart.stats · Node · Headwater");
  await page.goto(`${server.url}/${lineageLink(MART)}`);
  await expect.poll(() => page.title()).toBe("mart.stats · Lineage · Headwater");
  await page.goto(`${server.url}/#/`);
  await expect.poll(() => page.title()).toBe("Headwater");
  await called(page, "mart.stats", "lake/mart/stats").waitFor();
  await page.keyboard.press("/");
  await page.getByRole("option", { name: "mart.stats lake/mart/stats · n" }).waitFor();
  expect(faults).toEqual([]);
  await close();
});

test("an impact, a root cause and columns, as far as the answer has the name", async () => {
  const { page, faults, close } = await at("#/health");
  const displayNames = { [RAW]: "raw.trips", [MART]: "mart.stats" };
  await page.route(/\/api\/v1\/(impact|rootcause|column-lineage)/, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...((await response.json()) as object), displayNames } });
  });
  await page.goto(`${server.url}/#/impact?nodeId=${id(RAW)}`);
  await page.getByRole("heading", { name: "What would break if raw.trips changed?" }).waitFor();
  await called(page, "mart.stats", "lake/mart/stats").waitFor();
  await page.getByText("raw.trips → sum → mart.stats").first().waitFor();
  await page.goto(`${server.url}/#/impact?nodeId=${id("datasetField:n:lake/raw/trips:fare")}`);
  await page.getByRole("heading", { name: "What would break if raw.trips.fare changed?" }).waitFor();
  await page.getByRole("link", { name: "mart.stats.fare" }).first().waitFor();
  await page.goto(`${server.url}/#/why?nodeId=${id(MART)}`);
  await page.getByRole("heading", { name: "Why is mart.stats wrong?" }).waitFor();
  await called(page, "raw.trips", "lake/raw/trips").waitFor();
  await page.goto(`${server.url}/#/node?nodeId=${id(MART)}&tab=columns`);
  await page.getByText("raw.trips.fare (identity)").waitFor();
  await settled(page);
  expect(faults).toEqual([]);
  await close();
});
