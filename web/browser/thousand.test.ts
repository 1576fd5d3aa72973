/** A table with 1,000 readers whose schema changed: no view draws them all at once, and each shows the others on demand. */

import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runEvent, table } from "./events";
import { browser, lineageLink, type Opened, open, settled, tooWide } from "./page";
import { emptyServer, type Server } from "./server";

const READERS = 1_000;
const HUB = "dataset:n:hub";
const DAY_MS = 86_400_000;
/** Elements that a view has in the document, at most. */
const MOST_ELEMENTS = 6_000;
let server: Server;
let chromium: Browser;

beforeAll(async () => {
  [server, chromium] = await Promise.all([emptyServer(), browser()]);
  const now = Date.now();
  const runs = (at: number, columns: string[]): object[] =>
    Array.from({ length: READERS }, (_, index) =>
      runEvent(
        `read_${index}`,
        [table("hub", ["x", "y"])],
        [table(`r_${index}`, columns, { x: ["hub", "x"] })],
        new Date(at + index),
      ),
    );
  await server.postAll([...runs(now - 3 * DAY_MS, ["x"]), ...runs(now - 60_000, ["x", "z"])]);
  await server.folded(READERS);
}, 240_000);
afterAll(async () => {
  await chromium?.close();
  server?.stop();
});

/** A view that has settled, with the paths that it asked the API for. */
async function at(link: string): Promise<Opened & { asked: string[] }> {
  const opened = await open(chromium, `${server.url}/#/health`, { width: 1280, height: 800 }, 60_000);
  const asked: string[] = [];
  opened.page.on("request", (request) => {
    const [, path] = new URL(request.url()).pathname.split("/api/v1/");
    if (path) asked.push(path);
  });
  await settled(opened.page);
  asked.length = 0;
  await opened.page.goto(`${server.url}/${link}`);
  return { ...opened, asked };
}

async function isSmall(page: Page): Promise<void> {
  await settled(page);
  await expect.poll(() => page.locator("*").count()).toBeLessThan(MOST_ELEMENTS);
  expect(await tooWide(page)).toEqual([]);
}

test("the lineage draws the first readers, and a picked column as many tables; the table has all", async () => {
  const { page, asked, faults, close } = await at(lineageLink(HUB));
  await page.getByText("960 behind handles", { exact: false }).waitFor();
  await isSmall(page);
  expect(asked.toSorted()).toEqual(["expectations", "lineage", "lineage", "rootcause"]);
  await page.goto(`${server.url}/${lineageLink(HUB, `&table=${HUB}&column=x`)}`);
  await page.getByText("1,001 tables, 41 of them drawn", { exact: false }).waitFor();
  await page.locator(".edge-label", { hasText: "identity ×40" }).waitFor();
  await isSmall(page);
  await page.getByRole("button", { name: "Show 960 more downstream of hub" }).click();
  await page.getByText("1,001 tables, 81 of them drawn", { exact: false }).waitFor();
  await page.getByRole("button", { name: "Table", exact: true }).click();
  await page.getByText("1,000 rows").waitFor();
  await isSmall(page);
  expect(faults).toEqual([]);
  await close();
});

test("an impact lists the nodes in pages: the jobs come with the second", async () => {
  const { page, asked, faults, close } = await at(`#/impact?nodeId=${HUB}`);
  await page.getByText("By table lineage, it may break 1,000 datasets, 1,000 jobs.").waitFor();
  await page.getByText("The first 1,000 of 2,000 are listed", { exact: false }).waitFor();
  await isSmall(page);
  await page.getByRole("button", { name: "Show the next 1,000" }).click();
  await page.getByText("are listed", { exact: false }).waitFor({ state: "detached" });
  await page.getByRole("combobox", { name: "type" }).selectOption("job");
  await page.getByText("1,000 of 2,000 nodes").waitFor();
  await isSmall(page);
  expect(asked).toEqual(["impact", "impact"]);
  expect(faults).toEqual([]);
  await close();
});

test("the board of runs shows older runs on demand", async () => {
  const { page, asked, faults, close } = await at("#/runs");
  await page.getByText("200 rows").waitFor();
  await isSmall(page);
  await page.getByRole("button", { name: "Show older runs" }).click();
  await page.getByText("400 rows").waitFor();
  await expect.poll(() => page.getByRole("table").getByRole("row").count()).toBe(401);
  expect(asked.toSorted()).toEqual(["expectations", "runs", "runs"]);
  expect(faults).toEqual([]);
  await close();
});

test.each([
  [
    "compared around the table",
    lineageLink(HUB, `&since=${encodeURIComponent(new Date(Date.now() - DAY_MS).toISOString())}`),
  ],
  ["in all namespaces", `#/namespaces?since=${encodeURIComponent(new Date(Date.now() - DAY_MS).toISOString())}`],
])("what changed, %s, is a list of the first", async (_, link) => {
  const { page, faults, close } = await at(link);
  await page.getByText(/\d+ datasets changed/).click();
  await page
    .getByRole("button", { name: /^Show 40 more of/ })
    .first()
    .click();
  expect(
    await page
      .locator(".card", { has: page.getByRole("heading", { name: "Changed", exact: true }) })
      .locator("li .diff")
      .count(),
  ).toBe(80);
  await isSmall(page);
  expect(faults).toEqual([]);
  await close();
});

test("the page of the table says how many read it, without fetching them", async () => {
  const { page, faults, close } = await at(`#/node?nodeId=${HUB}`);
  const answer = page.waitForResponse((response) => response.url().includes("/lineage?"));
  await page.getByRole("link", { name: "and about 992 more" }).waitFor();
  expect(((await (await answer).json()) as { graph: unknown[] }).graph.length).toBeLessThanOrEqual(100);
  await isSmall(page);
  expect(faults).toEqual([]);
  await close();
});

test("a namespace with 1,000 jobs lists those that ran last", async () => {
  const { page, faults, close } = await at("#/namespace?name=n");
  await page.getByRole("heading", { name: "Jobs 1,000" }).waitFor();
  await page.getByRole("heading", { name: "Datasets 1,001" }).waitFor();
  await isSmall(page);
  expect(faults).toEqual([]);
  await close();
});
