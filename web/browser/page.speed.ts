/** How fast the page is, with answers of many nodes: each figure beside what it should be. */

import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { largeLineage, wideTable } from "./large";
import { browser, lineageLink, open, settled } from "./page";
import { emptyServer, type Server } from "./server";

let server: Server;
let chromium: Browser;

beforeAll(async () => {
  [server, chromium] = await Promise.all([emptyServer(), browser()]);
});
afterAll(async () => {
  await chromium?.close();
  server?.stop();
});

/** Opens a lineage whose answer is given. Returns the milliseconds from the answer until nodes are drawn. */
async function drawn(answer: unknown): Promise<{ page: Page; milliseconds: number; close: () => Promise<void> }> {
  const { page, close } = await open(chromium, `${server.url}/#/health`);
  page.setDefaultTimeout(60_000);
  const body = JSON.stringify(answer);
  await page.route("**/api/v1/lineage?**", (route) =>
    route.fulfill({
      status: 200,
      contentType: "application/json",
      body: route.request().url().includes("upstream") ? '{"graph": []}' : body,
    }),
  );
  await page.route("**/api/v1/rootcause?**", (route) => route.fulfill({ json: { findings: [] } }));
  await page.evaluate(() => {
    const watch = window as unknown as { answered: number; drawn: number };
    const before = Response.prototype.json;
    Response.prototype.json = async function () {
      if (this.url.includes("/lineage?")) watch.answered = performance.now();
      return before.call(this);
    };
    new MutationObserver(() => {
      if (!watch.drawn && document.querySelector(".react-flow__node, .far-picture"))
        requestAnimationFrame(() => setTimeout(() => (watch.drawn = performance.now())));
    }).observe(document, { subtree: true, childList: true });
  });
  await page.evaluate((hash) => (window.location.hash = hash), lineageLink("dataset:n:t0", "&down=99&up=0"));
  await page.waitForFunction(() => (window as unknown as { drawn: number }).drawn > 0);
  const milliseconds = await page.evaluate(
    () => (window as unknown as { drawn: number }).drawn - (window as unknown as { answered: number }).answered,
  );
  return { page, milliseconds, close };
}

test.each([
  [100, 300],
  [1_000, 1_500],
  [5_000, 6_000],
])("%i nodes are drawn", async (count, most) => {
  const { milliseconds, page, close } = await drawn(largeLineage(count));
  console.log(
    `${count} nodes: ${Math.round(milliseconds)} ms (at most ${most}), ${await page.locator(".toolbar .count").innerText()}, ${await page.locator(".react-flow__node").count()} in the document`,
  );
  await close();
  expect(milliseconds).toBeLessThan(most);
});

test("panning at 1,000 nodes", async () => {
  const { page, close } = await drawn(largeLineage(1_000));
  await settled(page);
  await page.mouse.move(900, 600);
  await page.mouse.down();
  const frames = page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        let count = 0;
        const start = performance.now();
        const step = (): void => {
          count++;
          if (performance.now() - start > 1500) resolve(count / ((performance.now() - start) / 1000));
          else requestAnimationFrame(step);
        };
        requestAnimationFrame(step);
      }),
  );
  for (let step = 0; step < 90; step++) await page.mouse.move(900 - step * 4, 600 - step * 2);
  const rate = await frames;
  await page.mouse.up();
  console.log(`panning: ${rate.toFixed(0)} frames a second (at least 50)`);
  await close();
  expect(rate).toBeGreaterThan(50);
});

test("a table of 3,000 columns opens", async () => {
  const { page, close } = await drawn(wideTable(3_000));
  const milliseconds = await page.evaluate(async () => {
    const start = performance.now();
    document.querySelector<HTMLElement>('[aria-label^="Columns of"]')!.click();
    while (!document.querySelector(".columns .column")) await new Promise((next) => requestAnimationFrame(next));
    return performance.now() - start;
  });
  console.log(`3,000 columns: ${Math.round(milliseconds)} ms (at most 200)`);
  await close();
  expect(milliseconds).toBeLessThan(200);
});

test("the start page is usable", async () => {
  const { page, close } = await open(chromium, `${server.url}/`);
  await page.getByRole("heading", { level: 1 }).waitFor();
  const milliseconds = await page.evaluate(() => performance.now());
  console.log(`start page: ${Math.round(milliseconds)} ms (at most 1,000)`);
  await close();
  expect(milliseconds).toBeLessThan(1_000);
});
