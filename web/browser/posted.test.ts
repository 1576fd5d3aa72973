/** The events of all producers: newest first, of a kind, page by page, each with its JSON and its node. */

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { datasetEvent, runEvent, table } from "./events";
import { browser, open } from "./page";
import { emptyServer, type Server } from "./server";

const RUNS = 60;
let server: Server;
let chromium: Browser;

beforeAll(async () => {
  [server, chromium] = await Promise.all([emptyServer(), browser()]);
  const runs = Array.from({ length: RUNS }, (_, index) =>
    runEvent(`job_${index}`, [table("raw")], [table(`table_${index}`)]),
  );
  await server.postAll([datasetEvent(table("described")), ...runs]);
  await server.folded(RUNS);
});
afterAll(async () => {
  await chromium?.close();
  server?.stop();
});

test("all events page by page, and those of one kind", async () => {
  const { page, faults, close } = await open(chromium, `${server.url}/#/events`);
  const events = page.locator("details");
  await expect.poll(() => events.count()).toBe(50);
  await page.getByRole("button", { name: "Show older events" }).press("Enter");
  await expect.poll(() => events.count()).toBe(RUNS + 1);
  await page.getByRole("button", { name: "of datasets" }).click();
  await expect.poll(() => events.count()).toBe(1);
  expect(page.url()).toContain("kind=DatasetEvent");
  await expect.poll(() => events.innerText()).toContain("described");
  await page.goBack();
  await expect.poll(() => events.count()).toBe(50);
  expect(faults).toEqual([]);
  await close();
});

test("an event that is opened shows its JSON, and leads to its job and its run", async () => {
  const { page, faults, close } = await open(chromium, `${server.url}/#/events?kind=RunEvent`);
  const event = page.locator("details").first();
  await event.locator("summary").press("Enter");
  await expect.poll(() => event.locator("pre").innerText()).toContain('"runId"');
  const name = await event.locator("summary bdi").innerText();
  await event.getByRole("link", { name: "Its run" }).click();
  await page.getByRole("heading", { name }).first().waitFor();
  expect(page.url()).toContain("#/run?id=");
  expect(faults).toEqual([]);
  await close();
});
