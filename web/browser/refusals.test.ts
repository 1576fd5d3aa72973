/** Refused events in the health: by producer, key and fault, with the remedy; a key of one namespace sees its own. */

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { violations } from "./axe";
import { browser, type Opened, open } from "./page";
import { emptyServer } from "./server";

let server: Awaited<ReturnType<typeof emptyServer>>;
let chromium: Browser;

const event = {
  eventType: "COMPLETE",
  eventTime: new Date().toISOString(),
  producer: "https://github.com/OpenLineage/OpenLineage/tree/1.40.1/integration/spark",
  schemaURL: "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
  run: { runId: "01a203a4-764e-7334-9f14-d6d70bfca421" },
  job: { namespace: "shop", name: "load" },
};

beforeAll(async () => {
  [server, chromium] = await Promise.all([
    emptyServer([[], ["--scope", "ingest", "--scope", "read", "--namespace", "shop"]]),
    browser(),
  ]);
  await expect(server.post({ ...event, run: { runId: "7" } }, server.keys[0])).rejects.toThrow("not a UUID");
});
afterAll(async () => {
  await chromium?.close();
  server?.stop();
});

async function health(key: string): Promise<Opened> {
  const opened = await open(chromium, `${server.url}/#/health`);
  await opened.page.getByLabel("Key", { exact: true }).fill(key);
  await opened.page.keyboard.press("Enter");
  await opened.page.getByRole("heading", { level: 1, name: "Health" }).waitFor();
  return opened;
}

test("if every event was refused, the refusals come before how to send the first event", async () => {
  const { page, close } = await health(server.keys[0]!);
  await page.getByText("400 invalid: run.runId").waitFor();
  await page.getByRole("heading", { name: "Send the first event" }).waitFor();
  await close();
});

test("a key that reads every namespace sees what was refused to whom, and what to do", async () => {
  await server.post(event, server.keys[0]);
  await expect(server.post({ ...event, job: { namespace: "bank", name: "load" } }, server.keys[1])).rejects.toThrow(
    "not a namespace of this key",
  );
  await expect(server.post(event, "nobody")).rejects.toThrow("unknown");
  const { page, faults, close } = await health(server.keys[0]!);
  const rows = page.getByRole("region", { name: "Refused events" }).locator("tbody tr");
  await rows
    .filter({ hasText: "run.runId" })
    .filter({ hasText: "spark" })
    .filter({ hasText: "key0" })
    .getByText("A run id is a UUID")
    .waitFor();
  await rows.filter({ hasText: "403 not permitted: job.namespace" }).filter({ hasText: "key1" }).waitFor();
  await page.getByRole("heading", { name: "Producers, by their last run" }).waitFor();
  await rows.filter({ hasText: "401 no valid key" }).filter({ hasText: "none valid" }).waitFor();
  await expect.poll(() => rows.count()).toBe(3);
  await expect.poll(() => page.getByText("Only what was refused to this key").count()).toBe(0);
  expect(await violations(page)).toEqual([]);
  expect(faults).toEqual([]);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "CSV" }).click(),
  ]);
  expect(download.suggestedFilename()).toBe("refusals.csv");
  await close();
});

test("a key of one namespace is told that it sees its own refusals alone", async () => {
  const { page, close } = await health(server.keys[1]!);
  await page.getByText("Only what was refused to this key").waitFor();
  const rows = page.getByRole("region", { name: "Refused events" }).locator("tbody tr");
  await rows.filter({ hasText: "key1" }).waitFor();
  await expect.poll(() => rows.count()).toBe(1);
  expect(await violations(page)).toEqual([]);
  await close();
});
