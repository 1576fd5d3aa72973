/** The directory of 500 namespaces: in groups by prefix, environment and owner, and filtered. */

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { violations } from "./axe";
import { runEvent } from "./events";
import { browser, open, settled, tooWide } from "./page";
import { emptyServer, type Server } from "./server";

const ENVIRONMENTS = ["prod", "dev", "test", "eu"];
const COUNT = 500;
let server: Server;
let chromium: Browser;

beforeAll(async () => {
  [server, chromium] = await Promise.all([emptyServer(), browser()]);
  const names = Array.from({ length: COUNT }, (_, index) =>
    index % 2 ? `s3://lake-${ENVIRONMENTS[index % 4]}-${index}` : `${ENVIRONMENTS[index % 4]}-team-${index}`,
  );
  await server.postAll(names.map((name) => ({ ...runEvent("job", [], []), job: { namespace: name, name: "job" } })));
  await server.folded(1, encodeURIComponent(names.at(-1)!));
});
afterAll(async () => {
  await chromium?.close();
  server?.stop();
});

test.each([1280, 360])("groups, environments and the filter, %i px wide", async (width) => {
  const { page, faults, close } = await open(chromium, `${server.url}/#/namespaces`, { width, height: 800 });
  const groups = page.locator(".namespace-group summary");
  await page.getByText("500 namespaces in 3 groups").waitFor();
  expect(await groups.allInnerTexts()).toEqual(["prod 125 namespaces", "s3 250 namespaces", "test 125 namespaces"]);
  await groups.first().press("Enter");
  await page.getByRole("link", { name: "prod-team-0", exact: true }).waitFor();

  await page.getByRole("button", { name: "environment" }).click();
  await expect
    .poll(() => groups.allInnerTexts())
    .toEqual([
      "development 125 namespaces",
      "production 125 namespaces",
      "test 125 namespaces",
      "no environment in the name 125 namespaces",
    ]);

  await page.getByRole("searchbox").fill("team 484");
  await page.getByRole("link", { name: "prod-team-484" }).waitFor();
  await page.getByText("1 of 500 namespaces").waitFor();
  await settled(page);
  expect(await violations(page)).toEqual([]);
  expect(await tooWide(page)).toEqual([]);

  await page.getByRole("link", { name: "prod-team-484" }).click();
  await page.getByRole("heading", { level: 1, name: "prod-team-484" }).waitFor();
  await page.goBack();
  await page.getByText("500 namespaces in 4 groups").waitFor();
  expect(faults).toEqual([]);
  await close();
});
