/** A table of 620 columns with 110 readers: the picture, the columns of unknown origin, and the impact. */

import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { violations } from "./axe";
import { runEvent, table } from "./events";
import { browser, lineageLink, open, settled, tooSmall, tooWide } from "./page";
import { emptyServer, type Server } from "./server";

const COLUMNS = Array.from({ length: 620 }, (_, index) => `column_${index}`);
const READERS = 110;
const WIDE = "dataset:n:wide";
let server: Server;
let chromium: Browser;

beforeAll(async () => {
  [server, chromium] = await Promise.all([emptyServer(), browser()]);
  const origins = Object.fromEntries(COLUMNS.map((column) => [column, ["source", column] as [string, string]]));
  await server.postAll([
    runEvent("load", [table("source", COLUMNS)], [table("wide", COLUMNS, origins)]),
    ...Array.from({ length: READERS }, (_, index) =>
      runEvent(`read_${index}`, [table("wide")], [table(`r_${index}`, ["x"], { x: ["wide", "column_0"] })]),
    ),
    runEvent("copy", [table("wide")], [table("copies", ["a", "b"])]),
    runEvent("score", [table("wide")], [table("scores", ["id", "segment"], { id: ["wide", "column_1"] })]),
    runEvent("board", [table("scores")], [table("board", ["y"], { y: ["scores", "segment"] })]),
  ]);
  await server.folded(READERS + 4);
}, 120_000);
afterAll(async () => {
  await chromium?.close();
  server?.stop();
});

const card = (page: Page, id: string) => page.locator(`.react-flow__node[data-id="${id}"]`);

/** Labels of edges that lie over a card, or beyond the gap. */
function labelsOverCards(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const cards = [...document.querySelectorAll(".react-flow__node")].map((node) => node.getBoundingClientRect());
    return [...document.querySelectorAll<HTMLElement>(".edge-label")]
      .filter((label) => {
        const at = label.getBoundingClientRect();
        return cards.some(
          (box) => at.left < box.right && at.right > box.left && at.top < box.bottom && at.bottom > box.top,
        );
      })
      .map((label) => label.innerText);
  });
}

test("a card stays where it is while its columns are opened and picked, and no label is over a card", async () => {
  const { page, faults, close } = await open(chromium, `${server.url}/${lineageLink(WIDE)}`, {
    width: 1440,
    height: 900,
  });
  const wide = card(page, WIDE);
  await wide.getByRole("button", { name: "Columns of wide" }).waitFor();
  await settled(page);
  const before = (await wide.boundingBox())!;
  const isWhereItWas = async (): Promise<void> => {
    await settled(page);
    const now = (await wide.boundingBox())!;
    expect([Math.round(now.x), Math.round(now.y)]).toEqual([Math.round(before.x), Math.round(before.y)]);
  };
  await wide.getByRole("button", { name: "Columns of wide" }).click();
  await isWhereItWas();
  for (const [column, labels] of [
    ["column_5", ["identity"]],
    ["column_0", ["identity", "identity ×110"]],
  ] as const) {
    await wide
      .locator(".rows")
      .getByRole("button", { name: new RegExp(`^${column} `) })
      .click();
    await page.getByText(`The lineage path of ${column}`).waitFor();
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${column}.png` });
    await isWhereItWas();
    await expect.poll(async () => (await page.locator(".edge-label.of-column").allInnerTexts()).sort()).toEqual(labels);
    expect(await labelsOverCards(page)).toEqual([]);
    await expect.poll(() => wide.getByRole("button", { name: new RegExp(`^${column} `) }).count()).toBe(1);
  }
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/picture.png` });
  await page.getByRole("button", { name: "Done" }).click();
  await settled(page);
  const { x, y, height } = (await wide.boundingBox())!;
  expect([Math.round(x), y > 100, y + height < 900]).toEqual([Math.round(before.x), true, true]);
  expect(await violations(page)).toEqual([]);
  expect(faults).toEqual([]);
  await close();
});

test("columns of unknown origin are marked in the picture and told with the reason in the list", async () => {
  const { page, faults, close } = await open(chromium, `${server.url}/${lineageLink("dataset:n:scores")}`);
  const silent = "origin unknown: job copy sends no column lineage";
  const open_ = "origin unknown: job score does not say what it is made of";
  const scores = card(page, "dataset:n:scores");
  await scores.getByRole("button", { name: "Columns of scores" }).click();
  await scores.getByRole("img", { name: open_ }).waitFor();
  await expect.poll(() => scores.getByRole("img", { name: /origin unknown/ }).count()).toBe(1);
  await scores
    .locator(".rows")
    .getByRole("button", { name: /^segment / })
    .click();
  await page.getByText(`The lineage path of segment of scores: 2 tables; ${open_}`, { exact: false }).waitFor();
  await scores.locator(".traced").getByRole("img", { name: open_ }).waitFor();
  await settled(page);
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/unknown.png` });
  expect(await violations(page)).toEqual([]);
  for (const [name, told] of [
    ["copies", [silent, silent]],
    ["scores", ["wide.column_1 (identity)", open_]],
    ["source", Array.from({ length: 200 }, () => "origin unknown: no job that writes the table is known")],
  ] as const) {
    await page.goto(`${server.url}/#/node?nodeId=${encodeURIComponent(`dataset:n:${name}`)}&tab=columns`);
    const cells = page.getByRole("table", { name: "Columns" }).locator("tbody td:nth-child(3)");
    await expect.poll(() => cells.allInnerTexts()).toEqual(told);
  }
  expect(faults).toEqual([]);
  await close();
});

test.each([1440, 360])("the impact of a column with 110 readers, %i pixels wide", async (width) => {
  const nodeId = "datasetField:n:wide:column_0";
  const { breaks } = (await (await fetch(`${server.url}/api/v1/impact?nodeId=${nodeId}`)).json()) as {
    breaks: { sentence: string };
  };
  expect(breaks.sentence).toBe("It breaks 110 columns, 110 jobs, and may break 2 columns, 1 dataset, 3 jobs.");
  const { page, faults, close } = await open(chromium, `${server.url}/#/impact?nodeId=${encodeURIComponent(nodeId)}`, {
    width,
    height: 800,
  });
  await page.getByText(breaks.sentence).waitFor();
  await page.getByText("+214 more, in the table below").waitFor();
  await expect.poll(() => page.locator(".owners .list > li").count()).toBeLessThan(20);
  await page.getByRole("combobox", { name: "type" }).selectOption("dataset");
  await page.getByText("1 of 226 nodes").waitFor();
  await expect.poll(() => page.getByRole("table").getByRole("row").count()).toBe(2);
  await settled(page);
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/impact-${width}.png`, fullPage: true });
  await page.getByRole("button", { name: "Clear" }).click();
  await page.getByText("+214 more, in the table below").waitFor();
  await page.getByRole("combobox", { name: "type" }).focus();
  await page.keyboard.press("j"); // as a select is used by keys
  await expect.poll(() => page.evaluate(() => window.location.hash)).toContain("type=job");
  await settled(page);
  expect(await violations(page)).toEqual([]);
  expect(await tooWide(page)).toEqual([]);
  if (width === 360) expect(await tooSmall(page)).toEqual([]);
  expect(faults).toEqual([]);
  await close();
});
