/** The incident of the demo by keyboard alone: cause, run, column, owners; and the graph, in which Tab stops once. */

import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runEvent, table } from "./events";
import { browser, lineageLink, type Opened, open, settled } from "./page";
import { demoServer, emptyServer, type Server } from "./server";

const REVENUE = "dataset:file:/data/lake/revenue_daily";
/** How often someone presses Tab before giving up. */
const MOST_TABS = 14;
/** Jobs of a binary tree of tables. */
const JOBS = 254;
let demo: Server;
let large: Server;
let chromium: Browser;

beforeAll(async () => {
  [demo, large, chromium] = await Promise.all([demoServer(), emptyServer(), browser()]);
  await large.postAll(
    Array.from({ length: JOBS }, (_, index) =>
      runEvent(`j${index}`, [table(`t${Math.floor(index / 2)}`)], [table(`t${index + 1}`)]),
    ),
  );
  await large.folded(JOBS);
});
afterAll(async () => {
  await chromium?.close();
  demo?.stop();
  large?.stop();
});

/** What has the focus: its name, and whether someone sees that it has it. */
function focused(page: Page): Promise<{ name: string; isSeen: boolean }> {
  return page.evaluate(() => {
    const element = document.activeElement as HTMLElement;
    const { top, bottom, left, right, width } = element.getBoundingClientRect();
    const isInSight = width > 0 && top < innerHeight && bottom > 0 && left < innerWidth && right > 0;
    return {
      name: (element.ariaLabel ?? element.innerText).trim(),
      isSeen: isInSight && getComputedStyle(element).outlineStyle !== "none",
    };
  });
}

/** Presses Tab until the focus is on what has a name. Each stop on the way is visible. Returns how often. */
async function tabTo(page: Page, name: RegExp): Promise<number> {
  for (let count = 1; count <= MOST_TABS; count++) {
    await page.keyboard.press("Tab");
    const stop = await focused(page);
    expect(stop).toMatchObject({ isSeen: true });
    if (name.test(stop.name)) return count;
  }
  throw new Error(`no ${name} after ${MOST_TABS} times Tab, but ${(await focused(page)).name}`);
}

async function backTo({ page }: Opened, heading: string): Promise<void> {
  await page.goBack();
  await page.getByRole("heading", { name: heading }).waitFor();
  await settled(page);
}

test("from the search to the cause, its run, its column, the consequences and their owners", async () => {
  const opened = await open(chromium, demo.url);
  const { page, faults, close } = opened;
  await page.getByRole("heading", { name: "Which number is wrong?" }).waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("revenue");
  await page.locator('[role="option"][aria-selected="true"]', { hasText: "total_revenue" }).waitFor();
  await page.getByRole("option", { name: "Columns total_revenue" }).waitFor();
  await page.getByRole("status").getByText("5 results: ↑ ↓ choose, Enter opens.").waitFor();
  await page.keyboard.press("Enter");
  await page.getByText("The lineage path of total_revenue", { exact: false }).waitFor();
  await settled(page);
  expect(await tabTo(page, /^Why\?$/)).toBe(1);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Why is revenue_daily wrong?" }).waitFor();
  await page.getByText("unit_price is integer now, was decimal(8,2) (incompatible)").waitFor();
  await page.locator(".cause-graph .react-flow__node").nth(4).waitFor();
  await settled(page);
  const pressed = [await tabTo(page, /^lake_revenue_daily/)];
  await page.keyboard.press("Enter");
  await page.getByRole("link", { name: "Lineage at that time", exact: true }).waitFor();
  await backTo(opened, "Why is revenue_daily wrong?");
  pressed.push(await tabTo(page, /^the lineage path of unit_price$/));
  await page.keyboard.press("Enter");
  await page.getByText("The lineage path of unit_price", { exact: false }).waitFor();
  await backTo(opened, "Why is revenue_daily wrong?");
  pressed.push(await tabTo(page, /^what it breaks, and whose that is$/));
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: /finance/ }).waitFor();
  await page
    .getByRole("heading", { name: /orders/ })
    .first()
    .waitFor();
  expect(Math.max(...pressed)).toBeLessThan(MOST_TABS);
  expect(faults).toEqual([]);
  await close();
});

test("Tab stops once in the graph, the arrows walk in it, and what Enter opens has the focus", async () => {
  const { page, faults, close } = await open(chromium, `${demo.url}/${lineageLink(REVENUE)}`);
  await page.locator(".react-flow__node").nth(4).waitFor();
  await settled(page);
  await expect.poll(() => page.locator('.react-flow__node[tabindex="0"]').count()).toBe(1);
  await page.locator(".menu summary").focus();
  await tabTo(page, /^dataset \/data\/lake\/revenue_daily/);
  await page.getByText("next node").waitFor();
  await page.keyboard.press("ArrowLeft");
  await expect.poll(async () => (await focused(page)).name).toMatch(/^job revenue_daily/);
  await page.keyboard.press("Enter");
  await expect.poll(async () => (await focused(page)).name).toBe("Job");
  await tabTo(page, /^completed/);
  await page.keyboard.press("Escape");
  await expect.poll(async () => (await focused(page)).name).toMatch(/^job revenue_daily/);
  expect(await tabTo(page, /^Zoom In$/)).toBe(1);
  expect(faults).toEqual([]);
  await close();
});

test("the provenance of each edge is in the table, by job and time", async () => {
  const { page, close } = await open(
    chromium,
    `${demo.url}/${lineageLink(REVENUE, `&as=table&table=${encodeURIComponent(REVENUE)}&column=total_revenue`)}`,
  );
  await page.getByRole("button", { name: "Edges" }).click();
  const row = page.getByRole("row", { name: /aggregation/ });
  await row.getByRole("link", { name: /lake_revenue_daily/ }).waitFor();
  await row.getByText(/^\d{4}-\d\d-\d\d/).waitFor();
  await close();
});

test("in a graph too large to be in sight the arrows reach what is out of sight", async () => {
  const { page, faults, close } = await open(chromium, `${large.url}/${lineageLink("dataset:n:t0", "&down=99")}`);
  await settled(page);
  await page.locator(".react-flow").focus();
  await page.keyboard.press("ArrowRight");
  for (let step = 0; step < 8; step++) {
    await expect.poll(async () => (await focused(page)).name).toMatch(step % 2 ? /^job j/ : /^dataset t/);
    await page.keyboard.press("ArrowRight");
  }
  expect(faults).toEqual([]);
  await close();
});
