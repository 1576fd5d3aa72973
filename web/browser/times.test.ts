/**
 * Two times of a graph of 1,000 nodes: compared, slid through; a column that was removed, and a dataset that was
 * deleted.
 */

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { violations } from "./axe";
import { runEvent, table } from "./events";
import { browser, lineageLink, open, settled } from "./page";
import { emptyServer, type Server } from "./server";

const DAY_MS = 86_400_000;
const NOW = Date.now();
const BEFORE = new Date(NOW - 2 * DAY_MS);
const CHAINS = 25;
const LENGTH = 20;
const moment = (at: number): string => new Date(at).toISOString().slice(0, 16).replace("T", " ");
let server: Server;
let chromium: Browser;

beforeAll(async () => {
  [server, chromium] = await Promise.all([emptyServer(), browser()]);
  const graph = (at: Date, added: string[]): object[] =>
    Array.from({ length: CHAINS * LENGTH }, (_, index) => {
      const [chain, step] = [index % CHAINS, Math.floor(index / CHAINS)];
      const origin = step ? `t${chain}_${step - 1}` : "root";
      return runEvent(
        `j${chain}_${step}`,
        [table(origin, ["x"])],
        [table(`t${chain}_${step}`, ["x", ...(step === 3 ? added : [])])],
        at,
      );
    });
  const write = (columns: string[], at: Date): object =>
    runEvent(
      "write",
      [table("origin", ["p", "q"])],
      [table("cut", columns, Object.fromEntries(columns.map((column) => [column, ["origin", column]])))],
      at,
    );
  await server.postAll([
    ...graph(BEFORE, []),
    ...graph(new Date(NOW - 1_000), ["y"]),
    runEvent("late", [table("t7_4")], [table("new")]),
  ]);
  await server.postAll([
    write(["p", "q"], BEFORE),
    write(["p"], new Date(NOW - 3_600_000)),
    runEvent("after", [table("gone", ["x"])], [table("kept", ["x"])]),
  ]);
  await server.folded(CHAINS * LENGTH + 3);
});
afterAll(async () => {
  await chromium?.close();
  server?.stop();
});

test("1,000 nodes are compared with yesterday, and slid into the past", async () => {
  const { page, faults, close } = await open(
    chromium,
    `${server.url}/${lineageLink("dataset:n:root", "&down=99&up=0")}`,
  );
  const nodes = page.locator(".toolbar .count");
  await expect.poll(() => nodes.innerText()).toContain("1,003 nodes");
  await page.getByRole("button", { name: "Compare" }).click();
  const difference = page.locator(".difference");
  await difference.getByText("25 datasets changed, 2 nodes added, 2 edges added").waitFor();
  await difference.locator("summary b").click();
  await expect.poll(() => difference.getByText("+ y added, string").count()).toBe(25);
  await page.getByRole("button", { name: "Table", exact: true }).click();
  await page.getByRole("searchbox").fill("columns changed");
  await page.getByText("25 of 1,003").waitFor();
  await page.getByRole("cell", { name: "columns changed: + y, string" }).first().waitFor();
  await page.getByRole("button", { name: "Graph", exact: true }).click();
  await difference.getByRole("button", { name: "Done" }).click();

  await page.getByRole("button", { name: "Now", exact: true }).click();
  await page.getByRole("slider", { name: "Time of the graph" }).fill("200");
  await page.getByText("You look at the past").waitFor();
  await expect.poll(() => nodes.innerText()).toContain("1,001 nodes");
  await settled(page);
  await page.getByRole("button", { name: "Back to now" }).click();
  await expect.poll(() => nodes.innerText()).toContain("1,003 nodes");
  expect(faults).toEqual([]);
  await close();
});

test("a comparison names each changed column, in the picture, the panel, the namespace and the address", async () => {
  const since = new Date(NOW - DAY_MS).toISOString();
  const { page, faults, close } = await open(
    chromium,
    `${server.url}/${lineageLink("dataset:n:cut", `&since=${since}`)}`,
  );
  const card = page.locator('.react-flow__node[data-id="dataset:n:cut"]');
  await card.getByText("− q").waitFor();
  await card.click();
  const panel = page.getByRole("complementary", { name: "Dataset" });
  await panel.getByText("− q removed, string").waitFor();
  await page.evaluate((hash) => (window.location.hash = hash), "#/namespace?name=n");
  await page.getByRole("button", { name: "a day", exact: true }).click();
  const changed = page.getByRole("region", { name: "What changed" });
  await changed.getByText(/: 26 datasets changed/).waitFor();
  await expect.poll(() => changed.getByText("− q removed, string").count()).toBe(1);
  expect(await page.evaluate(() => window.location.hash)).toContain("since=");
  expect(faults).toEqual([]);
  await close();
});

test("the slider has ticks where something happened, and leads from one to the next by keyboard", async () => {
  const { page, faults, close } = await open(chromium, `${server.url}/${lineageLink("dataset:n:cut")}`);
  await page.getByRole("button", { name: "Now", exact: true }).click();
  await page.locator(".slider .change", { hasText: "cut: q removed" }).waitFor({ state: "attached" });
  await page.getByRole("button", { name: "Earlier run or change" }).focus();
  await page.keyboard.press("Enter");
  await page.getByText(`You look at the past: ${moment(NOW - 3_600_000)}`).waitFor();
  await page.keyboard.press("Enter");
  await page.getByText(`You look at the past: ${moment(BEFORE.getTime())}`).waitFor();
  expect(await violations(page)).toEqual([]);
  await page.getByRole("button", { name: "Later run or change" }).click();
  await page.getByText(`You look at the past: ${moment(NOW - 3_600_000)}`).waitFor();
  expect(faults).toEqual([]);
  await close();
});

test("the alert of a removed column leads to the way that the column had", async () => {
  const { page, faults, close } = await open(chromium, `${server.url}/#/alerts`);
  await page.getByRole("link", { name: "cut: q was removed" }).click();
  await page.getByRole("link", { name: "the lineage path of q before it was removed" }).click();
  await page.getByText("You look at the past").waitFor();
  await expect.poll(() => page.locator(".edge-label.of-column").allInnerTexts()).toEqual(["identity"]);
  await page.getByRole("button", { name: "Back to now" }).click();
  await page.getByText("it is not there now. If it was removed, look at the past").waitFor();
  expect(faults).toEqual([]);
  await close();
});

test("a deleted dataset is told to be unknown, and leaves no handle", async () => {
  await fetch(`${server.url}/api/v1/namespaces/n/datasets/gone`, { method: "DELETE" });
  const { page, faults, close } = await open(chromium, `${server.url}/${lineageLink("dataset:n:gone")}`);
  await page.getByRole("heading", { name: "Headwater does not know this" }).waitFor();
  await page.evaluate((hash) => (window.location.hash = hash), lineageLink("dataset:n:kept"));
  await page.locator('.react-flow__node[data-id="dataset:n:kept"]').waitFor();
  await expect.poll(() => page.locator(".toolbar .count").innerText()).toBe("2 nodes");
  expect(faults).toEqual([]);
  await close();
});
