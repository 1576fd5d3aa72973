/** Keys: asked for once, kept in the tab, never in an address; a wrong or weak key says what to do. */

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { browser, open } from "./page";
import { emptyServer } from "./server";

let server: Awaited<ReturnType<typeof emptyServer>>;
let chromium: Browser;

beforeAll(async () => {
  [server, chromium] = await Promise.all([emptyServer([[]]), browser()]);
});
afterAll(async () => {
  await chromium?.close();
  server?.stop();
});

test("a wrong key is told, a good one opens the page, and it is asked once", async () => {
  const { page, close } = await open(chromium, `${server.url}/`);
  const addresses: string[] = [];
  page.on("request", (request) => addresses.push(request.url()));
  await page.getByRole("dialog", { name: "Enter your key" }).waitFor();
  await page.getByLabel("Key", { exact: true }).fill("wrong");
  await page.keyboard.press("Enter");
  await page.getByText("Headwater does not know this key").waitFor();
  await page.getByLabel("Key", { exact: true }).fill(server.keys[0]!);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Send the first event" }).waitFor();
  await page.reload();
  await page.getByRole("heading", { name: "Send the first event" }).waitFor();
  expect(await page.getByRole("dialog").count()).toBe(0);
  expect([...addresses, page.url()].filter((address) => address.includes(server.keys[0]!))).toEqual([]);
  await close();
});

test("another tab knows nothing of the key", async () => {
  const { page, close } = await open(chromium, `${server.url}/#/namespaces`);
  await page.getByRole("dialog", { name: "Enter your key" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("heading", { name: "A key is needed" }).waitFor();
  expect(await page.evaluate(() => Object.keys(localStorage))).toEqual([]);
  await close();
});
