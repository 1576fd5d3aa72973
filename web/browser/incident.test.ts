/** From "this number is wrong" to the run, the column and the owner, in the incident of the demo. */

import { readFileSync } from "node:fs";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { browser, lineageLink, type Opened, open, settled } from "./page";
import { demoServer, type Server } from "./server";

const REVENUE = "dataset:file:/data/lake/revenue_daily";
const ORDERS = "dataset:file:/data/lake/raw/orders";
let server: Server;
let chromium: Browser;
let opened: Opened;

beforeAll(async () => {
  [server, chromium] = await Promise.all([demoServer(), browser()]);
});
afterAll(async () => {
  await chromium?.close();
  server?.stop();
});
afterEach(async () => {
  expect(opened.faults).toEqual([]);
  await opened.close();
});

async function at(link: string): Promise<Page> {
  opened = await open(chromium, `${server.url}/${link}`);
  return opened.page;
}

const node = (page: Page, name: string) =>
  page.locator(".react-flow__node", { has: page.locator(".title", { hasText: new RegExp(`^${name}$`) }) });

test("a search by keyboard leads to the lineage", async () => {
  const page = await at("");
  await page.getByRole("heading", { name: "Which number is wrong?" }).waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("revenue_daily");
  await page.getByRole("option", { name: /revenue_daily.*data\/lake/ }).waitFor();
  while (!(await page.locator('[aria-selected="true"]', { hasText: "/data/lake" }).count()))
    await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await node(page, "revenue_daily").waitFor();
  expect(new URL(page.url()).hash).toContain("lineage");
  await expect.poll(() => page.locator(".react-flow__node").count()).toBe(5);
});

test("a table and a column find the column, and lead straight to its way", async () => {
  const page = await at("");
  await page.getByRole("heading", { name: "Which number is wrong?" }).waitFor();
  await page.keyboard.press("Control+k");
  await page.keyboard.type("revenue_daily total");
  await page.locator('[role="option"][aria-selected="true"]', { hasText: "total_revenue" }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByText("The lineage path of total_revenue", { exact: false }).waitFor();
});

test("upstream is to the left, and the schema change is marked where it happened", async () => {
  const page = await at(lineageLink(REVENUE));
  await node(page, "orders").getByText("schema changed").waitFor();
  const left = async (name: string): Promise<number> => (await node(page, name).boundingBox())!.x;
  expect(await left("orders")).toBeLessThan(await left("orders_clean"));
  expect(await left("orders_clean")).toBeLessThan(await left("revenue_daily"));
});

test("a picked column lights its way, with the transformation on each edge; back undoes it", async () => {
  const page = await at(lineageLink(REVENUE));
  await node(page, "revenue_daily")
    .getByRole("button", { name: /Columns of/ })
    .click();
  await page.getByRole("button", { name: /total_revenue/ }).click();
  await page.getByText("The lineage path of total_revenue", { exact: false }).waitFor();
  await node(page, "orders")
    .getByRole("button", { name: /unit_price/ })
    .waitFor();
  await expect.poll(() => page.locator(".edge-label.of-column").allInnerTexts()).toContain("aggregation");
  await page.goBack();
  await page.getByText("The lineage path of", { exact: false }).waitFor({ state: "detached" });
});

test("filters and joins are apart, and masking is marked", async () => {
  const page = await at(lineageLink(REVENUE, `&table=${encodeURIComponent(REVENUE)}&column=orders`));
  await page.locator(".edge-label").first().waitFor();
  await expect.poll(() => page.locator(".edge-label.indirect").count()).toBe(0);
  await page.getByRole("img", { name: "masked" }).first().waitFor();
  await page.getByLabel("filters and joins").check();
  await page.locator(".edge-label.indirect").first().waitFor();
});

test("an edge tells its provenance: job, run, last seen", async () => {
  const page = await at(lineageLink(REVENUE));
  await node(page, "revenue_daily").waitFor();
  await settled(page);
  const { x, y } = await page
    .locator(".react-flow__edge-path")
    .first()
    .evaluate((path: SVGPathElement) => {
      const middle = path.getPointAtLength(path.getTotalLength() / 2).matrixTransform(path.getScreenCTM()!);
      return { x: middle.x, y: middle.y };
    });
  await page.mouse.click(x, y);
  const panel = page.getByRole("complementary", { name: "Provenance" });
  await panel.getByText("Newest run").waitFor();
  await expect.poll(() => panel.getByText("completed").count()).toBe(1);
});

test("the root cause names the change, the column and leads to its way", async () => {
  const page = await at(`#/why?nodeId=${encodeURIComponent(REVENUE)}`);
  await page.getByText("unit_price", { exact: false }).first().waitFor();
  await expect.poll(() => page.getByText("unit_price is integer now, was decimal(8,2) (incompatible)").count()).toBe(1);
  await page.locator(".cause-graph .react-flow__node").nth(4).waitFor();
  await page.locator(".cause-graph").getByText("schema changed").waitFor();
  await expect.poll(() => page.getByRole("link", { name: "the lineage path of status" }).count()).toBe(0); // removed: it leads nowhere
  await page.getByRole("link", { name: "the lineage path of unit_price" }).click();
  await page.getByText("The lineage path of unit_price", { exact: false }).waitFor();
});

test("the impact names the owners, and is copied as Markdown", async () => {
  const page = await at(`#/impact?nodeId=${encodeURIComponent(`datasetField:${ORDERS.slice(8)}:unit_price`)}`);
  await page.getByRole("heading", { name: /finance/ }).waitFor();
  await page
    .getByRole("heading", { name: /orders/ })
    .first()
    .waitFor();
  await page.getByRole("button", { name: "Copy as Markdown" }).click();
  await page.getByRole("button", { name: "Copied" }).waitFor();
  const text = await page.evaluate(() => navigator.clipboard.readText());
  expect(text).toContain("### Impact of changing `orders.unit_price`");
  expect(text).toContain("**finance**");
});

test("the graph is a table, too: sorted, filtered, saved as CSV", async () => {
  const page = await at(lineageLink(REVENUE, "&as=table"));
  await page.getByRole("row").nth(5).waitFor();
  await page.getByRole("searchbox", { name: "Filter Nodes" }).fill("raw orders");
  await expect.poll(() => page.getByRole("row").count()).toBe(2);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "CSV" }).click(),
  ]);
  expect(download.suggestedFilename()).toBe("lineage-nodes.csv");
});

test("the past is shown with a banner, and the way back", async () => {
  const page = await at(lineageLink(REVENUE, "&asOf=2020-01-01T00:00:00Z"));
  await page
    .getByText(/You look at the past|does not know/)
    .first()
    .waitFor();
  const now = new Date().toISOString();
  await page.goto(`${server.url}/${lineageLink(REVENUE, `&asOf=${now}`)}`);
  await page.getByText("You look at the past").waitFor();
  await page.getByRole("button", { name: "Back to now" }).click();
  await page.getByText("You look at the past").waitFor({ state: "detached" });
});

test("two times are compared, in the picture and as a list", async () => {
  const runs = (await (await fetch(`${server.url}/api/v1/runs`)).json()) as {
    runs: { startedAt: string; job: { name: string } }[];
  };
  const before = runs.runs.filter(({ job }) => job.name === "revenue_daily").at(-1)!;
  const since = new Date(Date.parse(before.startedAt) + 5_000).toISOString();
  const page = await at(lineageLink(REVENUE, `&since=${since}`));
  await page.getByText("1 dataset changed", { exact: false }).click();
  await page.getByText("decimal(8,2) → integer").waitFor();
  await node(page, "orders").getByText("~ unit_price").waitFor();
});

test("an alert tells what changed, who did it and what breaks", async () => {
  const page = await at("#/alerts");
  await page
    .getByRole("link", { name: /unit_price/ })
    .first()
    .click();
  await page.getByRole("heading", { name: "Who did it" }).waitFor();
  await page.getByRole("heading", { name: /It breaks 8 columns/ }).waitFor();
  await page.getByRole("link", { name: "clean_orders", exact: true }).waitFor();
});

test("alerts are those since a time", async () => {
  const page = await at("#/alerts");
  await page.getByText("It breaks 8 columns", { exact: false }).waitFor();
  const asked = page.waitForRequest(/alerts\?.*after=20/);
  await page.getByLabel("Since").selectOption("Last 7 days");
  await asked;
  await page.getByLabel("Since").selectOption("All");
  await page.getByText("It breaks 8 columns", { exact: false }).waitFor();
});

test("every picture is saved as SVG, PNG, Mermaid, DOT and JSON", async () => {
  const page = await at(lineageLink(REVENUE));
  await node(page, "revenue_daily").waitFor();
  await page.getByText("Save", { exact: true }).click();
  for (const [kind, end] of [
    ["SVG", "svg"],
    ["PNG", "png"],
    ["Mermaid", "mmd"],
    ["DOT", "dot"],
    ["JSON", "json"],
  ]) {
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: kind, exact: true }).click(),
    ]);
    expect(download.suggestedFilename()).toBe(`lineage-revenue_daily.${end}`);
  }
});

async function saved(page: Page, kind: string): Promise<string> {
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: kind, exact: true }).click(),
  ]);
  return readFileSync((await download.path())!, "utf8");
}

test("Mermaid and DOT are what the API writes of the nodes that are seen", async () => {
  const page = await at(lineageLink(REVENUE, "&up=1&down=1"));
  await node(page, "revenue_daily").waitFor();
  await settled(page);
  await page.getByText("Save", { exact: true }).click();
  for (const [kind, format] of [
    ["Mermaid", "mermaid"],
    ["DOT", "dot"],
  ] as const) {
    const query = new URLSearchParams({ format, nodeId: REVENUE, depth: "1", direction: "both" });
    const text = await saved(page, kind);
    expect(text).toBe(await (await fetch(`${server.url}/api/v1/export?${query}`)).text());
    expect(text.match(/n\d+ ?[[(]/g)).toHaveLength(await page.locator(".react-flow__node").count());
  }
});

test("while a column is picked, Mermaid has its way, and a failure is told", async () => {
  const column = `&table=${encodeURIComponent(REVENUE)}&column=total_revenue`;
  const page = await at(lineageLink(REVENUE, column));
  await node(page, "revenue_daily").getByText("total_revenue").waitFor();
  await page.getByText("Save", { exact: true }).click();
  const text = await saved(page, "Mermaid");
  expect(text).toContain("subgraph");
  expect(text).toMatch(/total.*revenue/);
  await page.route("**/api/v1/export?**", (route) => route.fulfill({ status: 400, json: { message: "not today" } }));
  await page.getByRole("button", { name: "DOT", exact: true }).click();
  await page.getByRole("alert").getByText("not today").waitFor();
  await page.unroute("**/api/v1/export?**");
});

test("arrow keys walk the graph, Enter opens a node beside it", async () => {
  const page = await at(lineageLink(REVENUE));
  await node(page, "revenue_daily").focus();
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("Enter");
  await page.getByRole("complementary", { name: "Dataset" }).getByText("orders_clean").first().waitFor();
});

test("a run leads to its job, and shows its events as they were posted", async () => {
  const page = await at("#/runs?hours=all");
  await page
    .getByRole("row", { name: /revenue_daily/ })
    .first()
    .getByRole("link", { name: /Z$/ })
    .click();
  await page.getByRole("heading", { level: 1, name: "revenue_daily" }).waitFor();
  await page.getByText("Events, as they were posted").click();
  await page.getByRole("heading", { level: 3, name: "COMPLETE" }).click();
  await page.getByRole("button", { name: "Copy the event" }).click();
  await page.getByRole("button", { name: "Copied" }).waitFor();
  const copied = JSON.parse(await page.evaluate(() => navigator.clipboard.readText())) as {
    eventType: string;
    job: { name: string };
  };
  expect([copied.eventType, copied.job.name]).toEqual(["COMPLETE", "revenue_daily"]);
  await page.getByRole("link", { name: "Lineage at that time" }).click();
  await page.getByText("You look at the past").waitFor();
});

test("the alert says that the job only read the change, and leads to the lineage path of the column and to its run", async () => {
  const page = await at("#/alerts");
  await page.getByText("It breaks 8 columns", { exact: false }).waitFor();
  await page
    .getByRole("link", { name: /unit_price/ })
    .first()
    .click();
  await page.getByText("No known job wrote the change", { exact: false }).waitFor();
  await page.getByRole("link", { name: "the lineage path of unit_price" }).click();
  await page.getByText("The lineage path of unit_price", { exact: false }).waitFor();
  await page.goBack();
  await page
    .getByRole("definition")
    .getByRole("link", { name: /^[0-9a-f-]{36}$/ })
    .click();
  await page.getByRole("heading", { level: 1, name: /orders_clean/ }).waitFor();
});

test("Escape closes what is beside the graph, and the focus is on the node again", async () => {
  const page = await at(lineageLink(REVENUE));
  await node(page, "revenue_daily").focus();
  await page.keyboard.press("Enter");
  await page.getByRole("complementary", { name: "Dataset" }).getByRole("button", { name: "Close" }).focus();
  await page.keyboard.press("Escape");
  await page.getByRole("complementary").waitFor({ state: "detached" });
  await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute("data-id"))).toBe(REVENUE);
});

test("by keyboard alone a link leads into the next view, whose parts a screen reader is told", async () => {
  const page = await at("");
  const link = page.getByRole("link", { name: /unit_price/ }).first();
  await link.focus();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Who did it" }).waitFor();
  await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe("main");
  const tree = await page.locator("body").ariaSnapshot();
  for (const part of ["banner", 'navigation "Boards"', "main", 'heading "What happened" [level=2]'])
    expect(tree).toContain(part);
});

test("a person says that a run was good, and takes it back; what else is affected is asked of the cause", async () => {
  const page = await at(`#/why?nodeId=${encodeURIComponent(REVENUE)}`);
  await page.getByText("unit_price", { exact: false }).first().waitFor();
  const affected = await page.getByRole("link", { name: "What else is affected?" }).getAttribute("href");
  expect(decodeURIComponent(affected ?? "")).not.toContain(REVENUE);
  await page.getByText("Completed before, and nobody called it good").waitFor();
  await page.getByRole("button", { name: "This run was good" }).first().click();
  await page.getByText("called good by", { exact: false }).waitFor();
  await page.getByText("No failure and no change upstream is known since then.", { exact: false }).waitFor();
  await page.getByRole("button", { name: "Take that back" }).click();
  await page.getByText("called good by", { exact: false }).waitFor({ state: "detached" });
  await page.getByText("unit_price is integer now, was decimal(8,2) (incompatible)").waitFor();
});
