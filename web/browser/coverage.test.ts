/** Coverage: by namespace and by owner; each number leads to the list of its datasets. */

import { readFile } from "node:fs/promises";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { violations } from "./axe";
import { browser, type Opened, open, settled, tooWide } from "./page";
import { emptyServer, type Server } from "./server";

const DAY = 86_400_000;
const facet = (members: object) => ({
  _producer: "https://example.org",
  _schemaURL: "https://example.org/facet.json",
  ...members,
});
const owned = (name: string) => ({ ownership: facet({ owners: [{ name }] }) });
const columns = {
  columnLineage: facet({ fields: { id: { inputFields: [{ namespace: "lake", name: "raw", field: "id" }] } } }),
};
let number = 0;

/** A run of a job that reads and writes, some days ago. */
function run(job: string, reads: object[], writes: object[], { days = 0, owner = "" } = {}) {
  number += 1;
  return {
    eventType: "COMPLETE",
    eventTime: new Date(Date.now() - days * DAY).toISOString(),
    producer: "https://example.org",
    schemaURL: "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
    run: { runId: `01a203a4-764e-7334-9f14-d6d70bfca4${String(number).padStart(2, "0")}` },
    job: { namespace: "etl", name: job, facets: owner ? owned(owner) : {} },
    inputs: reads,
    outputs: writes,
  };
}
const table = (name: string, facets = {}) => ({ namespace: "lake", name, facets });

let server: Server;
let chromium: Browser;
let opened: Opened;

beforeAll(async () => {
  [server, chromium] = await Promise.all([emptyServer(), browser()]);
  await server.post(run("load", [table("raw")], [table("clean", columns)], { owner: "ann" }));
  await server.post(
    run("report", [table("clean"), table("old")], [{ namespace: "mart", name: "report", facets: owned("bea") }]),
  );
  await server.post(run("archive", [], [table("old")], { days: 40 }));
});
afterAll(async () => {
  await chromium?.close();
  server?.stop();
});
afterEach(async () => {
  await settled(opened.page);
  expect(await violations(opened.page)).toEqual([]);
  expect(opened.faults).toEqual([]);
  await opened.close();
});

async function at(link: string, size?: { width: number; height: number }): Promise<Page> {
  opened = await open(chromium, `${server.url}/${link}`, size);
  await opened.page.locator("h1").waitFor();
  return opened.page;
}

const row = (page: Page, name: string) =>
  page.locator("tbody tr").filter({ has: page.locator("td").first().getByText(name, { exact: true }) });
const hash = (page: Page): string => decodeURIComponent(new URL(page.url()).hash);

test("by namespace: shares of column lineage, owners, stale and never read", async () => {
  const page = await at("#/coverage");
  const shares = async (name: string): Promise<string[]> =>
    (await row(page, name).getByRole("link").allTextContents()).slice(1);
  await row(page, "lake").waitFor();
  expect(await shares("lake")).toEqual([
    "3",
    "33 %: 1 of 3 datasets",
    "33 %: 1 of 3 datasets",
    "33 %: 1 of 3 datasets",
    "0 %: 0 of 3 datasets",
  ]);
  expect(await shares("mart")).toEqual([
    "1",
    "0 %: 0 of 1 dataset",
    "100 %: 1 of 1 dataset",
    "0 %: 0 of 1 dataset",
    "100 %: 1 of 1 dataset",
  ]);
});

test("a number leads to its list, which is shared by its address and saved as CSV; back leads to the number", async () => {
  const page = await at("#/coverage");
  await row(page, "lake").getByRole("link").nth(4).click();
  await page.getByRole("heading", { level: 1, name: "Stale 1" }).waitFor();
  await row(page, "old").waitFor();
  await expect.poll(() => page.locator("tbody tr").count()).toBe(1);
  expect(hash(page)).toBe("#/coverage?list=stale&namespace=lake");
  await page.reload();
  await row(page, "old").waitFor();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "CSV" }).click(),
  ]);
  expect(await readFile(await download.path(), "utf8")).toMatch(
    /^Dataset,Namespace,Owner,Column lineage,Last write,Read\r\nold,lake,,no,\d{4}-.*Z,yes\r\n$/,
  );
  await page.goBack();
  await page.getByRole("heading", { level: 1, name: "Coverage" }).waitFor();
});

test("by owner: a derived owner counts, and what nobody owns is a row of its own", async () => {
  const page = await at("#/coverage");
  await page.getByRole("button", { name: "by owner" }).click();
  await row(page, "ann").waitFor();
  await expect
    .poll(() => page.locator("tbody tr td:first-child").allTextContents())
    .toEqual(["ann", "bea", "none known"]);
  await row(page, "ann").getByRole("link", { name: "1", exact: true }).click();
  await row(page, "clean").getByText("of the job load").waitFor();
  await page.goBack();
  await row(page, "none known").getByRole("link", { name: "2", exact: true }).click();
  await page.getByText("Datasets without an owner").waitFor();
  await expect.poll(() => page.locator("tbody tr").count()).toBe(2);
});

test("a list leads to the others of its part, and sorts by each column", async () => {
  const page = await at("#/coverage?list=all&namespace=lake");
  await row(page, "raw").waitFor();
  await page.getByRole("button", { name: "Last write" }).click();
  await expect.poll(() => page.locator("tbody tr td:first-child").allTextContents()).toEqual(["raw", "old", "clean"]);
  await page.getByLabel("List").selectOption("no-columns");
  await page.getByRole("heading", { level: 1, name: "Without column lineage 2" }).waitFor();
  expect(hash(page)).toContain("list=no-columns");
});

test("on a phone a list without datasets says so", async () => {
  const page = await at("#/coverage?list=unread&namespace=lake", { width: 360, height: 740 });
  await page.getByText("No dataset is in this list.").waitFor();
  expect(await tooWide(page)).toEqual([]);
});
