/** The directory of 500 namespaces: in groups by prefix, environment and owner, and filtered. */

import { randomUUID } from "node:crypto";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { violations } from "./axe";
import { facet, runEvent } from "./events";
import { browser, open, settled, tooWide } from "./page";
import { emptyServer, type Server } from "./server";

const ENVIRONMENTS = ["prod", "dev", "test", "eu"];
const COUNT = 500;
let server: Server;
let chromium: Browser;

const ofKind = (integration: string, jobType: string): object => ({
  jobType: facet({ processingType: "BATCH", integration, jobType }),
});
/** What `headwater doctor` leaves behind if its key may not delete. */
const canary = (namespace: string): object => {
  const dataset = { namespace, name: "canary/target", facets: { datasetType: facet({ datasetType: "CANARY" }) } };
  return {
    ...runEvent("canary", [], [dataset]),
    job: { namespace, name: "canary", facets: ofKind("HEADWATER", "CANARY") },
  };
};
/** A query of a Spark application that counts rows. */
const countOf = (namespace: string): object => {
  const parent = facet({ run: { runId: randomUUID() }, job: { namespace, name: "app" } });
  return {
    ...runEvent("app.count", [], []),
    run: { runId: randomUUID(), facets: { parent } },
    job: { namespace, name: "app.count", facets: ofKind("SPARK", "SQL_JOB") },
  };
};

beforeAll(async () => {
  [server, chromium] = await Promise.all([emptyServer(), browser()]);
  const names = Array.from({ length: COUNT }, (_, index) =>
    index % 2 ? `s3://lake-${ENVIRONMENTS[index % 4]}-${index}` : `${ENVIRONMENTS[index % 4]}-team-${index}`,
  );
  await server.postAll(names.map((name) => ({ ...runEvent("job", [], []), job: { namespace: name, name: "job" } })));
  await server.postAll([canary("headwater-doctor"), canary("prod-team-0"), countOf("prod-team-0")]);
  await server.folded(3, "prod-team-0");
});
afterAll(async () => {
  await chromium?.close();
  server?.stop();
});

test.each([1280, 360])("groups, environments and the filter, %i px wide", async (width) => {
  const { page, faults, close } = await open(chromium, `${server.url}/#/namespaces`, { width, height: 800 });
  const groups = page.locator(".namespace-group summary");
  await page.getByText("500 namespaces in 3 groups").waitFor();
  await expect
    .poll(() => groups.allInnerTexts())
    .toEqual(["prod 125 namespaces", "s3 250 namespaces", "test 125 namespaces"]);
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

test("a namespace leaves out the canary and what Spark does on its own, and says so", async () => {
  const { page, faults, close } = await open(chromium, `${server.url}/#/namespace?name=prod-team-0`);
  await page.getByText("Without 1 query of Spark that writes nothing.").waitFor();
  await expect
    .poll(() => page.getByRole("heading", { level: 2 }).allInnerTexts())
    .toEqual([expect.stringMatching(/^Jobs \d$/)]);
  await expect.poll(() => page.getByText("canary").count()).toBe(0);
  await settled(page);
  expect(await violations(page)).toEqual([]);
  expect(faults).toEqual([]);
  await close();
});
