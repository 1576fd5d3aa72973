/**
 * Handles with the number of what is hidden: of 3,000 readers a click shows 40, the next 40 more, then 80, and no count
 * is wrong.
 */

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runEvent, table } from "./events";
import { browser, lineageLink, open, settled } from "./page";
import { emptyServer, type Server } from "./server";

const READERS = 3_000;
let server: Server;
let chromium: Browser;

beforeAll(async () => {
  [server, chromium] = await Promise.all([emptyServer(), browser()]);
  const readers = Array.from({ length: READERS }, (_, index) =>
    runEvent(`reader_${index}`, [table("hub")], [table(`report_${index}`)]),
  );
  await server.postAll([...readers, runEvent("writer", [table("source")], [table("hub")])]);
  await server.folded(READERS + 1);
});
afterAll(async () => {
  await chromium?.close();
  server?.stop();
});

/** A number near another: "+about 2,934". */
function about(number: number): RegExp {
  const near = Array.from({ length: 601 }, (_, index) => (number - 300 + index).toLocaleString("en"));
  return new RegExp(`about (${near.join("|")})\\b`);
}

test("more of 3,000 readers are fetched, with about their number, and their exact number once all are known", async () => {
  const { page, faults, close } = await open(chromium, `${server.url}/${lineageLink("dataset:n:hub", "&down=0")}`);
  const handle = page.locator('.react-flow__node[data-id="dataset:n:hub"] .more-handle.down');
  const nodes = page.locator(".toolbar .count");
  await expect.poll(() => handle.innerText()).toMatch(about(3_000));
  await expect.poll(() => handle.getAttribute("aria-label")).toMatch(about(3_000));
  await expect.poll(() => nodes.innerText()).toMatch(about(3_000));
  await expect.poll(() => nodes.innerText()).toContain("3 nodes");

  await handle.press("Enter");
  await expect.poll(() => handle.innerText()).toMatch(about(2_960));
  await expect.poll(() => nodes.innerText()).toContain("43 nodes");

  await page.locator('.react-flow__node[data-id="dataset:n:hub"] .title').click();
  for (const shown of ["83", "163", "323", "643", "1,283", "2,563", "3,003"]) {
    await page.getByRole("button", { name: "More downstream", exact: true }).click();
    await expect.poll(() => nodes.innerText()).toContain(`${shown} nodes`);
    await settled(page);
  }
  await expect.poll(() => nodes.innerText()).toBe("3,003 nodes, 3,000 behind handles");
  expect(faults).toEqual([]);
  await close();
});

test("a side is hidden and shown again, with the same counts", async () => {
  const { page, faults, close } = await open(chromium, `${server.url}/${lineageLink("job:n:reader_7")}`);
  const job = page.locator('.react-flow__node[data-id="job:n:reader_7"]');
  const nodes = page.locator(".toolbar .count");
  await expect.poll(() => nodes.innerText()).toBe("5 nodes");
  await job.locator(".title").click();
  await job.getByRole("button", { name: "Hide what is upstream" }).click();
  await expect.poll(() => nodes.innerText()).toBe("2 nodes, 1 behind handles");
  await job.getByRole("button", { name: "Show 1 more upstream of reader_7" }).click();
  await expect.poll(() => nodes.innerText()).toBe("5 nodes");
  expect(faults).toEqual([]);
  await close();
});
