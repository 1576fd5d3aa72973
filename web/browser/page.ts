/** A page in Debian's Chromium, which reports each error of the console and each request to another origin. */

import { type Browser, chromium, type Page, type Request } from "playwright-core";

const EXECUTABLE = process.env.CHROMIUM ?? "/usr/bin/chromium";

/** How long a condition is waited for: a machine that does other work as well is slow. */
const PATIENCE_MS = 25_000;
const underWay = new WeakMap<Page, Set<Request>>();

export interface Opened {
  page: Page;
  /** What the console said of errors, and requests that left the origin. */
  faults: string[];
  close: () => Promise<void>;
}

export function browser(): Promise<Browser> {
  return chromium.launch({ executablePath: EXECUTABLE, args: ["--no-sandbox"] });
}

export async function open(
  from: Browser,
  address: string,
  size = { width: 1280, height: 800 },
  patience = PATIENCE_MS,
): Promise<Opened> {
  const context = await from.newContext({ viewport: size, permissions: ["clipboard-read", "clipboard-write"] });
  const page = await context.newPage();
  page.setDefaultTimeout(patience);
  const faults: string[] = [];
  const requests = new Set<Request>();
  underWay.set(page, requests);
  page.on("request", (request) => requests.add(request));
  page.on("requestfinished", (request) => requests.delete(request));
  page.on("requestfailed", (request) => requests.delete(request));
  const { origin } = new URL(address);
  page.on("pageerror", (error) => faults.push(error.message));
  page.on(
    "console",
    (message) =>
      message.type() === "error" &&
      !/status of (4|5)\d\d|ERR_FAILED/.test(message.text()) &&
      faults.push(message.text()),
  );
  page.on(
    "request",
    (request) =>
      !/^(blob|data):/.test(request.url()) &&
      new URL(request.url()).origin !== origin &&
      faults.push(`left the origin: ${request.url()}`),
  );
  await page.goto(address);
  return { page, faults, close: () => context.close() };
}

/**
 * Waits until a page has come to rest: no request under way, nothing that loads or is drawn, no animation that runs.
 */
export async function settled(page: Page): Promise<void> {
  for (let calm = 0; calm < 2; ) {
    await page.waitForFunction(
      () =>
        !document.querySelector(".feedback.loading, .drawing") &&
        document.getAnimations().every(({ playState }) => playState !== "running"),
    );
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    calm = underWay.get(page)?.size ? 0 : calm + 1;
  }
}

export const lineageLink = (nodeId: string, more = ""): string =>
  `#/lineage?nodeId=${encodeURIComponent(nodeId)}${more}`;

/** What is wider than the window, of the document and of the view in it, which scrolls on its own. */
export function tooWide(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const boxes = [document.documentElement, ...document.querySelectorAll("main, main .sheet, main header")];
    return boxes
      .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
      .map((box) => `${box.tagName} ${box.className}: ${box.scrollWidth} of ${box.clientWidth}`);
  });
}

/**
 * What a finger may miss: links and controls less than 24 pixels high, or narrower than a word of four letters. Of a
 * box its label is the target.
 */
export function tooSmall(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const targets = [
      ...document.querySelectorAll<HTMLElement>(
        "main :is(a[href], button, select, summary, input:not([type=checkbox]), label:has([type=checkbox])), nav a, header button",
      ),
    ];
    return targets
      .filter((target) => target.checkVisibility({ visibilityProperty: true }))
      .map((target) => [target, target.getBoundingClientRect()] as const)
      .filter(([, { width, height }]) => width > 0 && (height < 24 || width < 20))
      .map(([target, { width, height }]) => `${target.tagName} ${target.innerText}: ${width} x ${height}`);
  });
}
