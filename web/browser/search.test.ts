/** The search: grouped, forgiving of typos, by keyboard alone. */

import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { violations } from "./axe";
import { runEvent, table } from "./events";
import { browser, type Opened, open } from "./page";
import { demoServer, emptyServer, type Server } from "./server";

let server: Server;
let chromium: Browser;
let opened: Opened;

beforeAll(async () => {
  [server, chromium] = await Promise.all([demoServer(), browser()]);
});
afterAll(async () => {
  await chromium?.close();
  server?.stop();
});

async function searching(text: string, url = server.url): Promise<Page> {
  opened = await open(chromium, `${url}/`);
  const { page } = opened;
  await page.getByRole("heading", { name: "Which number is wrong?" }).waitFor();
  await page.keyboard.press("Control+k");
  await page.keyboard.type(text);
  await page.getByRole("option").first().waitFor();
  return page;
}

const groups = (page: Page): Promise<string[]> => page.locator("#found .eyebrow").allInnerTexts();

async function ended(): Promise<void> {
  expect(opened.faults).toEqual([]);
  await opened.close();
}

test("a column by its name alone leads to its way", async () => {
  const page = await searching("total_rev");
  await expect.poll(async () => (await groups(page)).map((group) => group.toLowerCase())).toContain("columns");
  await page.locator('[role="option"][aria-selected="true"]', { hasText: "total_revenue" }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByText("The lineage path of total_revenue", { exact: false }).waitFor();
  await ended();
});

test("a mistyped word is understood, and the dialog says as what", async () => {
  const page = await searching("reveneu_daily");
  await page.getByRole("status").getByText("As “revenue daily”", { exact: false }).waitFor();
  await page
    .getByRole("option", { name: /revenue_daily.*data\/lake/ })
    .first()
    .waitFor();
  expect(await violations(page)).toEqual([]);
  await ended();
});

test("an owner leads to what is owned", async () => {
  const page = await searching("finance");
  await page
    .getByRole("option", { name: /finance/ })
    .first()
    .click();
  await page.getByRole("heading", { name: "finance" }).waitFor();
  await page
    .getByRole("link", { name: /revenue_daily/ })
    .first()
    .waitFor();
  expect(await violations(page)).toEqual([]);
  await ended();
});

test("the last line shows more, by keyboard", async () => {
  const many = await emptyServer();
  const tables = Array.from({ length: 60 }, (_, number) => table(`orders_${number}`));
  await many.post(runEvent("load", [], tables));
  await many.folded(1);
  const page = await searching("orders", many.url);
  await page.getByRole("status").getByText("12 results, and more at the end").waitFor();
  await page.keyboard.press("ArrowUp");
  await page.locator('[aria-selected="true"]', { hasText: "Show more results" }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("status").getByText("60 results:").waitFor();
  expect(await violations(page)).toEqual([]);
  await ended();
  many.stop();
});
