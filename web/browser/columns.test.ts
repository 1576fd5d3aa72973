/** A table of 3,000 columns: opened, scrolled, searched, and the lineage path of its last column lit. */

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runEvent, table } from "./events";
import { browser, lineageLink, open, settled } from "./page";
import { emptyServer, type Server } from "./server";

const COLUMNS = Array.from({ length: 3_000 }, (_, index) => `column_${index}`);
/** The rows in sight, and those that the list keeps ready below them. */
const MOST_DRAWN = 10;
let server: Server;
let chromium: Browser;

beforeAll(async () => {
  [server, chromium] = await Promise.all([emptyServer(), browser()]);
  await server.post(
    runEvent(
      "load",
      [table("source", COLUMNS)],
      [table("wide", COLUMNS, Object.fromEntries(COLUMNS.map((column) => [column, ["source", column]])))],
    ),
  );
  await server.post(
    runEvent("report", [table("wide", COLUMNS)], [table("report", ["last"], { last: ["wide", "column_2999"] })]),
  );
  await server.folded(2);
});
afterAll(async () => {
  await chromium?.close();
  server?.stop();
});

test("the last column is found by scrolling and by a search, and its way is lit", async () => {
  const { page, faults, close } = await open(chromium, `${server.url}/${lineageLink("dataset:n:wide")}`);
  const node = page.locator('.react-flow__node[data-id="dataset:n:wide"]');
  const names = node.locator(".rows .column-name");
  await node.getByRole("button", { name: "Columns of wide" }).click();
  await names.getByText("column_0", { exact: true }).waitFor();
  await expect.poll(() => names.count()).toBeLessThanOrEqual(MOST_DRAWN);

  await node.locator(".rows").evaluate((rows) => rows.scrollTo({ top: rows.scrollHeight }));
  await names.getByText("column_2999", { exact: true }).waitFor();
  await expect.poll(() => names.count()).toBeLessThanOrEqual(MOST_DRAWN);

  await node.getByRole("searchbox").fill("column_1");
  await names.getByText("column_1", { exact: true }).waitFor();
  await expect.poll(() => node.locator(".rows").evaluate(({ scrollTop }) => scrollTop)).toBe(0);

  await node.getByRole("searchbox").fill("_2999");
  await expect.poll(() => names.allInnerTexts()).toEqual(["column_2999"]);
  await node
    .locator(".rows")
    .getByRole("button", { name: /column_2999/ })
    .click();
  await page.getByText("The lineage path of column_2999", { exact: false }).waitFor();
  await expect.poll(() => page.locator(".edge-label.of-column").allInnerTexts()).toEqual(["identity", "identity"]);
  await settled(page);
  const traced = (await node.locator(".traced").boundingBox())!;
  const listed = (await node.locator(".columns").boundingBox())!;
  expect(listed.y - traced.y - traced.height).toBeLessThan(20); // the list follows the lit column at once
  expect(faults).toEqual([]);
  await close();
});
