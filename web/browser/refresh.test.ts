/** Lists refresh themselves while someone sees them, and say when; what has not changed is not sent again. */

import type { Browser, Response } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runEvent, table } from "./events";
import { browser, open, settled } from "./page";
import { emptyServer, type Server } from "./server";

const REFRESHED = 16_000;
let server: Server;
let chromium: Browser;

beforeAll(async () => {
  [server, chromium] = await Promise.all([emptyServer(), browser()]);
  await server.post(runEvent("first", [], [table("t", ["x"])], new Date()));
  await server.folded(1);
});
afterAll(async () => {
  await chromium?.close();
  server?.stop();
});

test("the board shows a new run, says when, and rests in a hidden tab", async () => {
  const { page, faults, close } = await open(chromium, `${server.url}/`);
  await page.clock.install();
  await page.goto(`${server.url}/#/runs?hours=all`);
  await page.getByRole("link", { name: "first" }).waitFor();
  await page.getByText(/^updated \d\d:\d\d:\d\dZ$/).waitFor();
  await page.getByRole("searchbox", { name: "Filter Runs" }).fill("n");

  await server.post(runEvent("second", [], [table("u", ["x"])], new Date()));
  await server.folded(2);
  await page.clock.fastForward(REFRESHED);
  await page.getByRole("link", { name: "second" }).waitFor();
  await expect.poll(() => page.getByRole("searchbox", { name: "Filter Runs" }).inputValue()).toBe("n"); // the view is the same one

  const answer = page.waitForResponse((response: Response) => response.url().includes("/runs"));
  await page.clock.fastForward(REFRESHED);
  expect((await answer).status()).toBe(304);
  await page.getByRole("link", { name: "second" }).waitFor();

  await page.evaluate(() => Object.defineProperty(document, "hidden", { value: true, configurable: true }));
  let asked = 0;
  page.on("request", () => asked++);
  await page.clock.fastForward(10 * REFRESHED);
  await settled(page);
  expect(asked).toBe(0);
  expect(faults).toEqual([]);
  await close();
});

test("an event that was opened stays open below newer ones", async () => {
  const { page, close } = await open(chromium, `${server.url}/`);
  await page.clock.install();
  await page.goto(`${server.url}/#/events`);
  const events = page.locator("details.facet");
  await events.first().locator("summary").click();
  await page.locator("details[open]").getByText("schemaURL").waitFor(); // the text follows the click
  const opened = await page.locator("details[open]").innerText();
  await server.post(runEvent("third", [], [table("v", ["x"])], new Date(Date.now() + 1000)));
  await server.folded(3);

  await page.clock.fastForward(REFRESHED);
  await events.first().getByText("third").waitFor();
  await expect.poll(() => page.locator("details[open]").innerText()).toBe(opened);
  await close();
});
