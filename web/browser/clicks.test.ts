/**
 * "A number is wrong": the run, the column and the owner, counted in clicks, by someone who knows the table's name
 * alone.
 */

import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { browser, open } from "./page";
import { demoServer, type Server } from "./server";

let server: Server;
let chromium: Browser;

beforeAll(async () => {
  [server, chromium] = await Promise.all([demoServer(), browser()]);
});
afterAll(async () => {
  await chromium?.close();
  server?.stop();
});

/** Opens the start page and counts the clicks and Enters of what follows. */
async function counted(flow: (page: Page) => Promise<void>): Promise<number> {
  const { page, faults, close } = await open(chromium, `${server.url}/`);
  await page.getByRole("heading", { name: "Which number is wrong?" }).waitFor();
  await page.evaluate(() => {
    const counter = window as unknown as { clicks: number };
    counter.clicks = 0;
    window.addEventListener("click", (event) => (counter.clicks += event.isTrusted && event.detail ? 1 : 0), true);
    window.addEventListener("keydown", (event) => (counter.clicks += event.key === "Enter" ? 1 : 0), true);
  });
  await flow(page);
  const clicks = await page.evaluate(() => (window as unknown as { clicks: number }).clicks);
  expect(faults).toEqual([]);
  await close();
  return clicks;
}

test("from the start page, the newest alert has the run, the columns and the owners", async () => {
  const clicks = await counted(async (page) => {
    await page
      .getByRole("link", { name: /status was removed|unit_price/ })
      .first()
      .click();
    await page.getByRole("heading", { name: "Who did it" }).waitFor();
    await page.getByRole("heading", { name: /It breaks 8 columns/ }).waitFor();
    await page.getByText("finance").first().waitFor();
  });
  expect(clicks).toBeLessThanOrEqual(1);
});

test("from the name of the table, the search and Why? lead to the cause", async () => {
  const clicks = await counted(async (page) => {
    await page.keyboard.press("/");
    await page.keyboard.type("revenue_daily");
    await page
      .getByRole("option", { name: /revenue_daily.*data\/lake/ })
      .first()
      .click();
    await page.getByRole("link", { name: "Why?" }).click();
    await page.getByText("schema changed").first().waitFor();
    await page.getByText("unit_price", { exact: false }).first().waitFor();
  });
  expect(clicks).toBeLessThanOrEqual(2);
});

test("an owner is set, and shown", async () => {
  const { page, faults, close } = await open(
    chromium,
    `${server.url}/#/node?nodeId=${encodeURIComponent("dataset:file:/data/lake/raw/orders")}`,
  );
  await page.getByRole("button", { name: "Edit" }).click();
  await page.getByLabel("Owners, separated by commas").fill("orders desk, finance");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("orders desk, finance").first().waitFor();
  expect(faults).toEqual([]);
  await close();
});

test("a sentence finds what its longest word finds", async () => {
  const { page, faults, close } = await open(chromium, `${server.url}/`);
  await page.getByRole("heading", { name: "Which number is wrong?" }).waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("revenue is 30% off");
  await page.getByText("As “revenue”.").waitFor();
  await page.getByRole("option", { name: /revenue_daily.*data\/lake/ }).waitFor();
  expect(faults).toEqual([]);
  await close();
});
