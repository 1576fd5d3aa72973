/** What people do about an alert on the page: it is acknowledged and silenced with who and why, and a link does neither. */

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { browser, open, settled } from "./page";
import { demoServer, type Server } from "./server";

interface Answer {
  alerts: { id: string; acknowledged?: { note: string }; silence?: { note: string } }[];
}

let server: Server;
let chromium: Browser;

beforeAll(async () => {
  [server, chromium] = await Promise.all([demoServer(), browser()]);
});
afterAll(async () => {
  await chromium?.close();
  server?.stop();
});

const told = async (query = ""): Promise<Answer["alerts"]> =>
  ((await (await fetch(`${server.url}/api/v1/alerts${query}`)).json()) as Answer).alerts;

test("an alert is acknowledged in the list, and is open no more until it is reopened", async () => {
  const { page, faults, close } = await open(chromium, `${server.url}/#/alerts`);
  const alert = page.locator("li", { hasText: "unit_price" }).first();
  await alert.getByRole("button", { name: "Acknowledge" }).press("Enter");
  await page.keyboard.type("on it");
  await page.keyboard.press("Enter");
  await page.getByText(/Acknowledged by open, .*: on it/).waitFor();
  const [before] = await told();
  expect((await told("?open=true")).map(({ id }) => id)).not.toContain(before!.id);
  await page.getByLabel("only open").check();
  await page.getByText("No alert of this kind", { exact: false }).waitFor();
  await page.getByLabel("only open").uncheck();
  await page.getByRole("button", { name: "Reopen" }).click();
  await page.getByText("Acknowledged by", { exact: false }).waitFor({ state: "detached" });
  expect((await told())[0]!.acknowledged).toBeUndefined();
  expect(faults).toEqual([]);
  await close();
});

test("a link opens an alert and changes nothing; its kind is silenced there for a time, with a reason", async () => {
  const [alert] = await told();
  const { page, faults, close } = await open(chromium, `${server.url}/#/alerts?id=${alert!.id}`);
  await page.getByRole("button", { name: "Silence…" }).waitFor();
  await settled(page);
  expect(await told()).toEqual([alert]);
  await page.getByRole("button", { name: "Silence…" }).click();
  await page.getByRole("button", { name: "Silence", exact: true }).click(); // the reason is missing
  await expect.poll(() => page.getByLabel("Why").count()).toBe(1);
  await page.getByLabel("for", { exact: false }).selectOption("1 day");
  await page.getByLabel("Why").fill("moving the cluster");
  await page.getByRole("button", { name: "Silence", exact: true }).click();
  await page.getByText(/silenced by open until .*: moving the cluster/).waitFor();
  await page.getByRole("button", { name: "End the silence" }).click();
  await page.getByRole("button", { name: "Silence…" }).waitFor();
  await page.getByText("silenced by open", { exact: false }).waitFor({ state: "detached" });
  expect(faults).toEqual([]);
  await close();
});
