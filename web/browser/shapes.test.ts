/** Shapes that a layout from left to right does not expect: a cycle, a job that reads its own output, an island. */

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { datasetEvent, runEvent, table } from "./events";
import { browser, lineageLink, open, settled } from "./page";
import { emptyServer, type Server } from "./server";

let server: Server;
let chromium: Browser;

beforeAll(async () => {
  [server, chromium] = await Promise.all([emptyServer(), browser()]);
  const chain: [string, string][] = [
    ["a", "b"],
    ["b", "c"],
    ["c", "a"],
    ["own", "own"],
  ];
  await server.postAll([
    datasetEvent(table("island", ["x"])),
    ...chain.map(([from, to]) => runEvent(`${from}_to_${to}`, [table(from)], [table(to)])),
  ]);
  await server.folded(chain.length);
});
afterAll(async () => {
  await chromium?.close();
  server?.stop();
});

test.each(["a", "own"])("the edge that closes the cycle of %s is seen whole, and no node covers it", async (name) => {
  const { page, faults, close } = await open(chromium, `${server.url}/${lineageLink(`dataset:n:${name}`)}`);
  await page.locator(".react-flow__edge path.back").first().waitFor();
  await settled(page);
  await expect.poll(() => page.locator(".react-flow__edge path.back").count()).toBe(1);
  const covered = await page.locator(".react-flow__edge path.back").evaluate((path: SVGPathElement) => {
    const nodes = [...document.querySelectorAll(".react-flow__node")].map((node) => node.getBoundingClientRect());
    const steps = Array.from({ length: 99 }, (_, index) =>
      path.getPointAtLength((path.getTotalLength() * (index + 1)) / 100).matrixTransform(path.getScreenCTM()!),
    );
    return steps.filter(({ x, y }) =>
      nodes.some((box) => x > box.left + 1 && x < box.right - 1 && y > box.top + 1 && y < box.bottom - 1),
    ).length;
  });
  expect(covered).toBe(0);
  expect(faults).toEqual([]);
  await close();
});

test("an island is drawn, and told to be one", async () => {
  const { page, faults, close } = await open(chromium, `${server.url}/${lineageLink("dataset:n:island")}`);
  await page.locator('.react-flow__node[data-id="dataset:n:island"]').waitFor();
  await page.getByText("Isolated: no event so far reports anything that reads or writes it.").waitFor();
  expect(faults).toEqual([]);
  await close();
});
