/** What producers say beside the lineage can be read: place, tags with their sources, exposures, jobs around, facets. */

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { facet, runEvent, table } from "./events";
import { browser, open } from "./page";
import { emptyServer, type Server } from "./server";

const id = encodeURIComponent;
const MART = id("dataset:n:mart");
const LOAD = id("job:n:load");
let server: Server;
let chromium: Browser;
let runId: string;

beforeAll(async () => {
  [server, chromium] = await Promise.all([emptyServer(), browser()]);
  const mart = table("mart", ["email"]) as { facets: object };
  const tags = [
    { key: "tier", value: "gold", source: "DBT" },
    { key: "pii", value: "email", source: "GLUE", field: "email" },
  ];
  const exposure = {
    unique_id: "e",
    name: "weekly",
    type: "dashboard",
    url: "https://bi.example.com/1",
    owner: { name: "finance" },
  };
  const facets = {
    ...mart.facets,
    tags: facet({ tags }),
    hierarchy: facet({
      hierarchy: [
        { type: "DATABASE", name: "shop" },
        { type: "TABLE", name: "mart" },
      ],
    }),
    dbt_exposures: facet({ exposures: [exposure] }),
  };
  const event = runEvent("load", [table("raw")], [{ ...mart, facets }]) as { run: { runId: string } };
  runId = event.run.runId;
  const run = {
    runId,
    facets: {
      tags: facet({ tags: [{ key: "env", value: "prod", source: "SPARK" }] }),
      externalQuery: facet({ externalQueryId: "q_42", source: "athena" }),
      errorMessage: facet({ message: "retried twice", programmingLanguage: "PYTHON" }),
      extractionError: facet({ totalTasks: 2, failedTasks: 1, errors: [{ errorMessage: "no parser" }] }),
      jobDependencies: facet({ upstream: [{ job: { namespace: "n", name: "extract" } }], downstream: [] }),
    },
  };
  await server.post({ ...event, run });
  await server.folded(1);
});
afterAll(async () => {
  await chromium?.close();
  server?.stop();
});

test.each([
  [
    "a table",
    () => `#/node?nodeId=${MART}`,
    ["tier=goldby DBT", "database: shop, table: mart", "weekly", "dashboard of finance"],
  ],
  ["its columns", () => `#/node?nodeId=${MART}&tab=columns`, ["pii=emailby GLUE"]],
  [
    "its facets",
    () => `#/node?nodeId=${MART}&tab=facets`,
    ["hierarchy: (name: shop, type: DATABASE), (name: mart, type: TABLE)"],
  ],
  ["a job", () => `#/node?nodeId=${LOAD}`, ["Runs after", "extract"]],
  [
    "a run",
    () => `#/run?id=${runId}`,
    ["env=prodby SPARK", "Query q_42 of athena", "Its lineage is incomplete: 1 of 2 tasks"],
  ],
  ["a graph", () => `#/lineage?nodeId=${id("dataset:n:raw")}`, ["weekly", "dashboard · finance"]],
  ["an impact", () => `#/impact?nodeId=${id("dataset:n:raw")}`, ["weekly", "1 hop"]],
])("what is said of %s", async (_, link, texts) => {
  const { page, faults, close } = await open(chromium, `${server.url}/${link()}`);
  for (const text of texts) await expect.poll(() => page.locator("main").textContent()).toContain(text);
  expect(faults).toEqual([]);
  await close();
});

test("the panel of a dashboard leads to it", async () => {
  const { page, faults, close } = await open(chromium, `${server.url}/#/lineage?nodeId=${id("dataset:n:raw")}`);
  await page.locator(".card-node.exposure").click();
  const panel = page.getByLabel("Exposure", { exact: true });
  await expect
    .poll(() => panel.getByRole("link", { name: "weekly" }).getAttribute("href"))
    .toBe("https://bi.example.com/1");
  await expect.poll(() => panel.textContent()).toContain("finance");
  await expect.poll(() => panel.getByText("Open its page").count()).toBe(0);
  expect(faults).toEqual([]);
  await close();
});

test("a run that went well shows no error, whatever its producer says beside it", async () => {
  const { page, close } = await open(chromium, `${server.url}/#/run?id=${runId}`);
  await expect.poll(() => page.locator("main").textContent()).toContain("retried twice");
  await expect.poll(() => page.getByRole("heading", { name: "Error", exact: true }).count()).toBe(0);
  await close();
});
