/** Each choice in a view is in the address: back undoes it, forward does it again, and a reload keeps it. */

import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { browser, lineageLink, open, settled } from "./page";
import { demoServer, type Server } from "./server";

const REVENUE = "dataset:file:/data/lake/revenue_daily";
const id = encodeURIComponent;
const COLUMN = lineageLink(REVENUE, `&table=${id(REVENUE)}&column=total_revenue`);
let server: Server;
let chromium: Browser;

beforeAll(async () => {
  [server, chromium] = await Promise.all([demoServer(), browser()]);
});
afterAll(async () => {
  await chromium?.close();
  server?.stop();
});

type Choice = [link: string, what: string, choose: (page: Page) => Promise<unknown>];
const press = (name: string) => (page: Page) => page.getByRole("button", { name, exact: true }).first().click();
const select = (name: string, option: string) => (page: Page) =>
  page.getByRole("combobox", { name }).selectOption(option);
const enter = (name: string, text: string) => async (page: Page) => {
  await page.getByRole("searchbox", { name, exact: true }).fill(text);
  await page.keyboard.press("Enter");
};

const CHOICES: Choice[] = [
  [lineageLink(REVENUE), "groups", select("Group by", "namespace")],
  [lineageLink(REVENUE), "the table", press("Table")],
  [lineageLink(REVENUE), "fewer hops", press("Fewer hops upstream")],
  [lineageLink(REVENUE), "two times", press("Compare")],
  [lineageLink(REVENUE, "&kind=job"), "another kind", select("Kind", "dataset")],
  [COLUMN, "its path alone", (page) => page.getByLabel("only its path").check()],
  [COLUMN, "filters and joins", (page) => page.getByLabel("filters and joins").check()],
  [COLUMN, "the end of the way", press("Done")],
  [`#/node?nodeId=${id(REVENUE)}`, "a tab", (page) => page.getByRole("link", { name: /^Columns/ }).click()],
  [
    `#/node?nodeId=${id(REVENUE)}&tab=columns`,
    "another tab",
    (page) => page.getByRole("link", { name: "Versions" }).click(),
  ],
  ["#/runs", "a state", press("failed")],
  ["#/runs", "a time", select("Since", "All")],
  ["#/runs", "a namespace", enter("Namespace", "demo")],
  ["#/runs", "a producer", enter("Producer", "x")],
  ["#/alerts", "a severity", press("warning")],
  ["#/alerts", "an owner", enter("Owner", "finance")],
  ["#/namespaces", "the grouping of namespaces", press("owner")],
  ["#/coverage", "coverage by owner", press("by owner")],
  [
    "#/coverage?list=all&namespace=file",
    "another list",
    (page) => page.locator("main select").selectOption({ index: 1 }),
  ],
];

/** What a screen reader reads of a view, without the times, which go on, and the order of edges. */
async function read(page: Page): Promise<string[]> {
  await settled(page);
  const tree = await page.locator("main").ariaSnapshot();
  const isSteady = (line: string): boolean => !/slider|^ *- text: (\w+ )*(aggregation|transformation)/.test(line);
  return tree
    .replace(/\b\d+[smh] ago|just now|\d\d:\d\d:\d\dZ/g, "then")
    .split("\n")
    .filter(isSteady);
}

test.each(CHOICES)("%s: %s", async (link, _, choose) => {
  const { page, faults, close } = await open(chromium, `${server.url}/${link}`);
  const [before, hashBefore] = [await read(page), new URL(page.url()).hash];
  await choose(page);
  await expect.poll(() => new URL(page.url()).hash).not.toBe(hashBefore);
  const after = await read(page);
  expect(after).not.toEqual(before);
  await page.goBack();
  await expect.poll(() => read(page)).toEqual(before);
  await page.goForward();
  await expect.poll(() => read(page)).toEqual(after);
  await page.reload();
  await expect.poll(() => read(page)).toEqual(after);
  expect(faults).toEqual([]);
  await close();
});
