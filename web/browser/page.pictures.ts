/** The main views at two sizes, with the incident of the demo, into docs/pictures. */

import { resolve } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, test } from "vitest";
import { writingRun } from "./events";
import { browser, lineageLink, open, settled } from "./page";
import { demoServer, emptyServer, type Server } from "./server";

const FOLDER = resolve(import.meta.dirname, "../../docs/pictures");
const HOUR_MS = 3_600_000;
const REVENUE = "dataset:file:/data/lake/revenue_daily";
const id = encodeURIComponent;
const VIEWS: [name: string, link: string, text: string][] = [
  ["start", "", "Newest alerts"],
  ["lineage", lineageLink("dataset:file:/data/lake/orders_clean"), "schema changed"],
  ["columns", lineageLink(REVENUE, `&table=${id(REVENUE)}&column=total_revenue&indirect=1`), "aggregation"],
  ["root-cause", `#/why?nodeId=${id(REVENUE)}`, "schema changed"],
  ["impact", `#/impact?nodeId=${id("datasetField:file:/data/lake/raw/orders:unit_price")}`, "finance"],
];
const ALERT = /status was removed|unit_price/;
const SIZES: [suffix: string, width: number, height: number][] = [
  ["", 1280, 720],
  ["-phone", 390, 780],
];
let server: Server;
let chromium: Browser;

beforeAll(async () => {
  [server, chromium] = await Promise.all([demoServer(), browser()]);
});
afterAll(async () => {
  await chromium?.close();
  server?.stop();
});

test.each(VIEWS.flatMap((view) => SIZES.map((size) => [...view, ...size] as const)))(
  "%s",
  async (name, link, text, suffix, width, height) => {
    const { page, close } = await open(chromium, `${server.url}/${link}`, { width, height });
    await page.getByText(text).first().waitFor({ state: "attached" });
    await settled(page);
    await page.screenshot({ path: `${FOLDER}/${name}${suffix}.png` });
    await close();
  },
);

test.each(SIZES)("expected%s", async (suffix, width, height) => {
  const days = [...Array(45).keys()].map((number) => 45 - number);
  const midnight = new Date().setUTCHours(0, 0, 0, 0);
  const own = await emptyServer();
  await own.postAll(
    days.flatMap((day) => {
      const begin = new Date(midnight - day * 24 * HOUR_MS + (day === 1 ? 7.2 : 6 + (day % 5) / 100) * HOUR_MS);
      return writingRun("raw_orders", "orders", "raw_orders", begin, day === 1 ? 12 : 1500 - 11 * day + 40 * (day % 4));
    }),
  );
  await own.folded(1);
  const { page, close } = await open(chromium, `${own.url}/#/node?nodeId=dataset:n:raw_orders&tab=expected`, {
    width,
    height,
  });
  await page.getByRole("heading", { name: "Bytes written" }).waitFor();
  await settled(page);
  await page.screenshot({ path: `${FOLDER}/expected${suffix}.png` });
  await close();
  own.stop();
});

test.each(SIZES)("alert%s", async (suffix, width, height) => {
  const { page, close } = await open(chromium, `${server.url}/#/alerts`, { width, height });
  await page.getByRole("link", { name: ALERT }).first().click();
  await page.getByRole("heading", { name: "Who did it" }).waitFor();
  await page.mouse.move(0, 0); // away from the button that came under it
  await settled(page);
  await page.screenshot({ path: `${FOLDER}/alert${suffix}.png` });
  await close();
});
