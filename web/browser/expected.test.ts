/** What is due and what was odd, on the board, the page of a table, the cards of the lineage and in "Why?". */

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { violations } from "./axe";
import { writingRun } from "./events";
import { browser, lineageLink, open, settled, tooSmall, tooWide } from "./page";
import { emptyServer, type Server } from "./server";

const MINUTE_MS = 60_000;
const HOURS = 100; // a job is known after three days, and of the oldest day only the last run is kept
const NOW = Date.now();
let server: Server;
let chromium: Browser;

const ago = (minutes: number): Date => new Date(NOW - minutes * MINUTE_MS);

beforeAll(async () => {
  [server, chromium] = await Promise.all([emptyServer(), browser()]);
  const hours = [...Array(HOURS).keys()].map((number) => HOURS - 1 - number);
  await server.postAll([
    ...hours.flatMap((hour) => writingRun("load", "raw", "orders", ago(60 * hour + 30), hour ? 1000 + (hour % 7) : 12)),
    ...hours.slice(0, -3).flatMap((hour) => writingRun("report", "orders", "daily", ago(60 * hour + 20), 1000)),
  ]);
  await server.folded(2);
});
afterAll(async () => {
  await chromium?.close();
  server?.stop();
});

test("the board lists the late job before the one that is due", async () => {
  const { page, faults, close } = await open(chromium, `${server.url}/#/runs`);
  const due = page.getByRole("region", { name: "Due" });
  await due.getByRole("row", { name: /late report/ }).waitFor();
  await due.getByRole("row", { name: /on time load/ }).waitFor();
  await page.getByText("1 late of 2 jobs").waitFor();
  expect((await due.getByRole("row").allInnerTexts())[1]).toContain("report");
  expect(faults).toEqual([]);
  await close();
});

test("what people said stands above what is due, and on the page of its table", async () => {
  const rules =
    "expectations: [{dataset: daily, namespace: n, max_age: 1h}, {dataset: orders, namespace: n, max_age: 2h}]";
  const answer = await fetch(`${server.url}/api/v1/settings`, { method: "PUT", body: rules });
  expect(answer.status).toBe(200);
  const board = await open(chromium, `${server.url}/#/runs`);
  const said = board.page.getByRole("region", { name: "Said by people" });
  await said.getByRole("row", { name: /stale daily at most 1 h .* or later report was due/ }).waitFor();
  await said.getByRole("row", { name: /orders at most 2 h/ }).waitFor();
  expect((await said.getByRole("row").allInnerTexts())[1]).toContain("daily");
  await settled(board.page);
  expect(await violations(board.page)).toEqual([]);
  expect(board.faults).toEqual([]);
  await board.close();
  const table = await open(chromium, `${server.url}/#/node?nodeId=dataset:n:daily&tab=expected`);
  await table.page.getByRole("row", { name: /stale daily at most 1 h/ }).waitFor();
  expect(table.faults).toEqual([]);
  await table.close();
});

test("a table's page has its runs beside what was usual, and names the odd one", async () => {
  const link = `${server.url}/#/node?nodeId=dataset:n:orders&tab=expected`;
  for (const width of [1280, 390]) {
    const { page, faults, close } = await open(chromium, link, { width, height: 800 });
    for (const title of ["Lateness", "Duration", "Rows written", "Bytes written"]) {
      await page.getByRole("img", { name: new RegExp(`^${title} of \\d+ runs`) }).waitFor();
    }
    await page.getByText("every hour").waitFor();
    await expect.poll(() => page.locator(".bar-unusual").count()).toBe(2);
    await page.getByText(/^12, usually 1,00\d$/).waitFor();
    await settled(page);
    expect(await violations(page)).toEqual([]);
    expect(await tooWide(page)).toEqual([]);
    const small = width < 760 ? await tooSmall(page) : []; // for a finger
    expect(small.filter((each) => !each.startsWith("A n:"))).toEqual([]); // the namespace has one letter
    expect(faults).toEqual([]);
    await close();
  }
});

test("a card tells what is due, and the picture is filtered by what is late", async () => {
  const { page, faults, close } = await open(
    chromium,
    `${server.url}/${lineageLink("dataset:n:daily", "&fresh=late")}`,
  );
  await page.getByText(/^late, due .* · written /).waitFor();
  await page.getByText(/^completed · .* · due in /).waitFor();
  await settled(page);
  await expect
    .poll(() => page.locator(".card-node.faded .title").allInnerTexts())
    .toEqual(expect.arrayContaining(["raw", "load", "orders"]));
  await expect.poll(() => page.locator(".card-node:not(.faded) .title").allInnerTexts()).toHaveLength(2);
  expect(faults).toEqual([]);
  await close();
});

test("Why? names the odd amount, with what is usual", async () => {
  const { page, faults, close } = await open(chromium, `${server.url}/#/why?nodeId=dataset:n:orders`);
  await page
    .getByText(/load wrote 12 rows, usually 1,00\d/)
    .first()
    .waitFor();
  await page.getByText("odd amount").first().waitFor();
  expect(faults).toEqual([]);
  await close();
});
