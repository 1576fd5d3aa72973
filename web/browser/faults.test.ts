/** Lookups that fail or are slow are told, never a blank page. */

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { browser, lineageLink, open } from "./page";
import { demoServer, type Server } from "./server";

const REVENUE = "dataset:file:/data/lake/revenue_daily";
let server: Server;
let chromium: Browser;

beforeAll(async () => {
  [server, chromium] = await Promise.all([demoServer(), browser()]);
});
afterAll(async () => {
  await chromium?.close();
  server?.stop();
});

test("a lookup that fails is told with its message, and tried again", async () => {
  const { page, close } = await open(chromium, `${server.url}/`);
  await page.route("**/api/v1/lineage?**", (route) =>
    route.fulfill({
      status: 500,
      json: { code: 500, message: "an item is broken", details: "item: broken", faults: ["item: broken"] },
    }),
  );
  await page.goto(`${server.url}/${lineageLink(REVENUE)}`);
  await page.getByRole("alert").getByText("an item is broken").waitFor();
  await page.unroute("**/api/v1/lineage?**");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.locator(".react-flow__node").first().waitFor();
  await close();
});

test("a 503 is asked again without the reader", async () => {
  const { page, close } = await open(chromium, `${server.url}/`);
  let refused = 0;
  await page.route("**/api/v1/lineage?**", (route) =>
    refused++ < 2 ? route.fulfill({ status: 503, json: { code: 503, message: "busy" } }) : route.continue(),
  );
  await page.goto(`${server.url}/${lineageLink(REVENUE)}`);
  await page.locator(".react-flow__node").first().waitFor();
  expect(refused).toBeGreaterThan(2);
  await close();
});

test("a slow lookup says that it loads", async () => {
  const { page, close } = await open(chromium, `${server.url}/`);
  let answer = (): void => undefined;
  const told = new Promise<void>((resolve) => (answer = resolve));
  await page.route("**/api/v1/lineage?**", async (route) => {
    await told;
    await route.continue();
  });
  await page.goto(`${server.url}/${lineageLink(REVENUE)}`);
  await page.getByRole("status").getByText("Loading the lineage").waitFor();
  answer();
  await page.locator(".react-flow__node").first().waitFor();
  await close();
});

test("no answer at all is told", async () => {
  const { page, close } = await open(chromium, `${server.url}/`);
  await page.route("**/api/v1/namespaces?**", (route) => route.abort());
  await page.goto(`${server.url}/#/namespaces`);
  await page.getByRole("heading", { name: "No answer" }).waitFor();
  await close();
});

test("an unknown node says so", async () => {
  const { page, close } = await open(chromium, `${server.url}/${lineageLink("dataset:file:/nowhere")}`);
  await page.getByRole("heading", { name: "Headwater does not know this" }).waitFor();
  await close();
});

test("an answer of something else than Headwater is told as that", async () => {
  const { page, close } = await open(chromium, `${server.url}/`);
  await page.route("**/api/v1/lineage?**", (route) =>
    route.fulfill({ status: 200, contentType: "text/html", body: "<html>Sign in to the network</html>" }),
  );
  await page.goto(`${server.url}/${lineageLink(REVENUE)}`);
  await page.getByRole("alert").getByText("Something other than Headwater answered").waitFor();
  await page.unroute("**/api/v1/lineage?**");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.locator(".react-flow__node").first().waitFor();
  await close();
});
