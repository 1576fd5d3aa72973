/** A page in Debian's Chromium, which reports each error of the console and each request to another origin. */

import { chromium, type Browser, type Page } from "playwright-core";

const EXECUTABLE = process.env["CHROMIUM"] ?? "/usr/bin/chromium";

export interface Opened {
  page: Page;
  /** What the console said of errors, and requests that left the origin. */
  faults: string[];
  close: () => Promise<void>;
}

export function browser(): Promise<Browser> {
  return chromium.launch({ executablePath: EXECUTABLE, args: ["--no-sandbox"] });
}

export async function open(from: Browser, address: string, size = { width: 1280, height: 800 }, patience = 8_000): Promise<Opened> {
  const context = await from.newContext({ viewport: size, permissions: ["clipboard-read", "clipboard-write"] });
  const page = await context.newPage();
  page.setDefaultTimeout(patience);
  const faults: string[] = [];
  const { origin } = new URL(address);
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("console", (message) => message.type() === "error" && !/status of (4|5)\d\d|ERR_FAILED/.test(message.text()) && faults.push(message.text()));
  page.on("request", (request) => !/^(blob|data):/.test(request.url()) && new URL(request.url()).origin !== origin && faults.push(`left the origin: ${request.url()}`));
  await page.goto(address);
  return { page, faults, close: () => context.close() };
}

export const lineageLink = (nodeId: string, more = ""): string => `#/lineage?nodeId=${encodeURIComponent(nodeId)}${more}`;
