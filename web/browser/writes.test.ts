/** When a table was last written, wherever the page shows it, and that no write of it succeeded. */

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runEvent, table } from "./events";
import { browser, lineageLink, open, settled } from "./page";
import { emptyServer, type Server } from "./server";

const HOUR_MS = 3_600_000;
const CAUTION = "no write succeeded; may hold partial data";
const ago = (hours: number): Date => new Date(Date.now() - hours * HOUR_MS);
let server: Server;
let chromium: Browser;

beforeAll(async () => {
  [server, chromium] = await Promise.all([emptyServer(), browser()]);
  await server.postAll([
    runEvent("load", [table("raw")], [table("unread", ["a"])], ago(72)),
    { ...runEvent("load", [table("raw")], [table("unread", ["a"])], ago(1)), eventType: "FAIL" },
    runEvent("copy", [table("raw")], [table("read", ["a"])], ago(72)),
    runEvent("report", [table("read")], [table("out", ["a"])], ago(2)),
    { ...runEvent("broken", [table("read")], [table("partial", ["a"])], ago(3)), eventType: "FAIL" },
  ]);
  await server.folded(4);
});
afterAll(async () => {
  await chromium?.close();
  server?.stop();
});

test("a card has the last write, whoever read the table since and whatever failed", async () => {
  for (const name of ["unread", "read"]) {
    const { page, faults, close } = await open(chromium, `${server.url}/${lineageLink(`dataset:n:${name}`)}`);
    const card = page.getByText("1 column · written 3d ago").first();
    await card.click();
    await page.getByText("Last write").waitFor();
    await settled(page);
    expect(faults).toEqual([]);
    await close();
  }
});

test("a table of which no write succeeded says so in graph, list, impact, root cause and on its page", async () => {
  const { page, faults, close } = await open(chromium, `${server.url}/${lineageLink("dataset:n:partial")}`);
  await page.getByText(`1 column · ${CAUTION}`).waitFor();
  for (const link of [
    "#/why?nodeId=dataset:n:partial",
    "#/impact?nodeId=dataset:n:read",
    "#/impact?nodeId=dataset:n:partial",
  ]) {
    await page.goto(`${server.url}/${link}`);
    await page.locator(".chip.bad", { hasText: CAUTION }).first().waitFor();
  }
  await page.goto(`${server.url}/#/namespace?name=n`);
  const row = page.getByRole("row", { name: /partial/ });
  await row.getByText(CAUTION).waitFor();
  await page.getByRole("columnheader", { name: "Last write" }).waitFor();
  await page.getByRole("row", { name: /^raw/ }).getByText("none known").waitFor();
  await page.goto(`${server.url}/#/node?nodeId=dataset:n:partial`);
  await page.getByText("none known").first().waitFor();
  expect(faults).toEqual([]);
  await close();
});
