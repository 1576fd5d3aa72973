/** The main views against the embedded stack, filled with the recorded events of a real Spark pipeline. */

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { violations } from "./axe";
import { browser, lineageLink, open, settled } from "./page";
import { type Server, stackServer } from "./server";

const ORDERS = "tests/fixtures/spark-3.5/orders.jsonl";
const REVENUE = "dataset:file:/data/revenue_daily";
const FOLDED_MS = 60_000;
/** The emulator answers one request at a time, and each function starts with its first request. */
const SLOW_MS = 60_000;
const SIZE = { width: 1280, height: 800 };
let server: Server;
let chromium: Browser;

beforeAll(async () => {
  [server, chromium] = await Promise.all([stackServer(), browser()]);
  server.load(ORDERS);
  await known(`lineage?nodeId=${encodeURIComponent(REVENUE)}`);
}, 300_000);
afterAll(async () => {
  await chromium?.close();
  server?.stop();
});

/** Waits until a lookup is answered: the events go through a queue. */
async function known(path: string): Promise<void> {
  const end = Date.now() + FOLDED_MS;
  while (!(await fetch(`${server.url}/api/v1/${path}`)).ok) {
    if (Date.now() > end) throw new Error(`${path} is not answered`);
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

const VIEWS: [string, string][] = [
  ["", "Which number is wrong?"],
  [`#/node?nodeId=${encodeURIComponent(REVENUE)}`, "revenue_daily"],
  ["#/runs?hours=all", "Runs"],
  ["#/alerts", "Alerts"],
  ["#/namespaces", "Namespaces"],
  ["#/health", "Health"],
  ["#/coverage", "Coverage"],
];

test.each(VIEWS)(
  "%s",
  async (link, heading) => {
    const { page, faults, close } = await open(chromium, `${server.url}/${link}`, SIZE, SLOW_MS);
    await page.getByRole("heading", { level: 1, name: heading }).waitFor();
    await settled(page);
    await expect.poll(() => page.getByRole("alert").allInnerTexts()).toEqual([]);
    expect(await violations(page)).toEqual([]);
    expect(faults).toEqual([]);
    await close();
  },
  2 * SLOW_MS,
);

test(
  "a column is searched, and its way is lit",
  async () => {
    const { page, faults, close } = await open(chromium, `${server.url}/`, SIZE, SLOW_MS);
    await page.getByRole("heading", { name: "Which number is wrong?" }).waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("revenue_daily total");
    await page.locator('[role="option"][aria-selected="true"]', { hasText: "total_revenue" }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByText("The lineage path of total_revenue", { exact: false }).waitFor();
    await page.locator(".edge-label.of-column").first().waitFor();
    expect(faults).toEqual([]);
    await close();
  },
  2 * SLOW_MS,
);

test(
  "the lineage is drawn, with the policy of the page",
  async () => {
    const { page, faults, close } = await open(chromium, `${server.url}/${lineageLink(REVENUE)}`, SIZE, SLOW_MS);
    await page.locator(".react-flow__node").first().waitFor();
    await expect.poll(() => page.locator(".react-flow__node").count()).toBe(5);
    const policy = (await fetch(`${server.url}/`)).headers.get("content-security-policy");
    expect(policy).toContain("default-src 'none'");
    expect(faults).toEqual([]);
    await close();
  },
  2 * SLOW_MS,
);
