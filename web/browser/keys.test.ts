/** Keys: asked for once, kept in the tab, never in an address; a wrong or weak key says what to do. */

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { violations } from "./axe";
import { runEvent, table } from "./events";
import { browser, open, settled } from "./page";
import { emptyServer } from "./server";

let server: Awaited<ReturnType<typeof emptyServer>>;
let chromium: Browser;

beforeAll(async () => {
  [server, chromium] = await Promise.all([
    emptyServer([
      [],
      ["--scope", "read"],
      ["--scope", "admin", "--namespace", "n"],
      ["--scope", "ingest", "--namespace", "other"],
    ]),
    browser(),
  ]);
});
afterAll(async () => {
  await chromium?.close();
  server?.stop();
});

test("a wrong key is told, a good one opens the page, and it is asked once", async () => {
  const { page, close } = await open(chromium, `${server.url}/`);
  const addresses: string[] = [];
  page.on("request", (request) => addresses.push(request.url()));
  await page.getByRole("dialog", { name: "Enter your key" }).waitFor();
  await page.getByLabel("Key", { exact: true }).fill("wrong");
  await page.keyboard.press("Enter");
  await page.getByText("Headwater does not know this key").waitFor();
  await page.getByLabel("Key", { exact: true }).fill(server.keys[0]!);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Send the first event" }).waitFor();
  await page.reload();
  await page.getByRole("heading", { name: "Send the first event" }).waitFor();
  await expect.poll(() => page.getByRole("dialog").count()).toBe(0);
  expect([...addresses, page.url()].filter((address) => address.includes(server.keys[0]!))).toEqual([]);
  await close();
});

test("buttons that the key may not use are not shown", async () => {
  await server.post(
    {
      eventType: "COMPLETE",
      eventTime: new Date().toISOString(),
      producer: "https://example.org",
      schemaURL: "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
      run: { runId: "01a203a4-764e-7334-9f14-d6d70bfca421" },
      job: { namespace: "shop", name: "load" },
      inputs: [],
      outputs: [],
    },
    server.keys[0],
  );
  for (const [key, buttons] of [
    [server.keys[0]!, 1],
    [server.keys[1]!, 0],
  ] as const) {
    const { page, close } = await open(chromium, `${server.url}/#/node?nodeId=job:shop:load`);
    await page.getByLabel("Key", { exact: true }).fill(key);
    const asked = page.waitForResponse((response) => response.url().endsWith("/caller") && response.ok());
    await page.keyboard.press("Enter");
    await asked;
    await page.getByRole("heading", { name: "load" }).waitFor();
    await settled(page);
    await expect.poll(() => page.getByRole("button", { name: "Edit" }).count()).toBe(buttons);
    await close();
  }
});

test("what only others have named is shown apart, and the owner clears it", async () => {
  await server.post(runEvent("own", [], [table("orders")]), server.keys[2]);
  const haunt = {
    ...runEvent("haunt", [table("ghost_1"), table("ghost_2")], []),
    job: { namespace: "other", name: "j" },
  };
  await server.post(haunt, server.keys[3]);
  const { page, close } = await open(chromium, `${server.url}/#/namespace?name=n`);
  await page.getByLabel("Key", { exact: true }).fill(server.keys[2]!);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Named by others 2" }).waitFor();
  await page.getByText("have named ghost_1, ghost_2.").waitFor();
  await page.getByRole("heading", { name: "Datasets 1" }).waitFor();
  await settled(page);
  expect(await violations(page)).toEqual([]);
  await page.getByRole("button", { name: "Clear them" }).click();
  await page.getByRole("heading", { name: "Named by others" }).waitFor({ state: "detached" });
  await page.getByRole("heading", { name: "Datasets 1" }).waitFor();
  await close();
});

test("another tab knows nothing of the key", async () => {
  const { page, close } = await open(chromium, `${server.url}/#/namespaces`);
  await page.getByRole("dialog", { name: "Enter your key" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("heading", { name: "A key is needed" }).waitFor();
  expect(await page.evaluate(() => Object.keys(localStorage))).toEqual([]);
  await close();
});

test("a key that expires while the page is open is asked for where it is missed", async () => {
  const { page, close } = await open(chromium, `${server.url}/#/namespaces`);
  await page.getByLabel("Key", { exact: true }).fill(server.keys[0]!);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Namespaces" }).waitFor();
  await settled(page);
  await page.route("**/api/v1/**", (route) =>
    route.request().headers().authorization?.endsWith(server.keys[0]!)
      ? route.fulfill({ status: 401, json: { code: 401, message: "the key has expired" } })
      : route.continue(),
  );
  await page.getByRole("link", { name: "Runs", exact: true }).click();
  await page.getByRole("alert").getByText("the key has expired").waitFor();
  await page.getByRole("button", { name: "Enter another key" }).click();
  await page.getByLabel("Key", { exact: true }).fill(server.keys[1]!);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "A key is needed" }).waitFor({ state: "detached" });
  await page.getByRole("heading", { name: "Runs", level: 1 }).waitFor();
  expect(page.url()).toContain("#/runs");
  await close();
});
