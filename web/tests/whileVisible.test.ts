import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { whileVisible } from "../src/api/whileVisible";

const page = Object.assign(new EventTarget(), { hidden: false });
const show = (isShown: boolean): void => {
  page.hidden = !isShown;
  page.dispatchEvent(new Event("visibilitychange"));
};
const work = vi.fn(async () => undefined);
let end: () => void;

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("document", page);
  page.hidden = false;
  work.mockClear();
  end = whileVisible(work, 15_000);
});
afterEach(() => {
  end();
  vi.useRealTimers();
});

it("works each fifteen seconds", async () => {
  await vi.advanceTimersByTimeAsync(14_000);
  expect(work).toHaveBeenCalledTimes(0);
  await vi.advanceTimersByTimeAsync(32_000);
  expect(work).toHaveBeenCalledTimes(3);
});

it("rests in a hidden tab, and works at once when the tab is shown again", async () => {
  show(false);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(work).toHaveBeenCalledTimes(0);
  show(true);
  expect(work).toHaveBeenCalledTimes(1);
});

it("does not work for a tab that was hidden for a moment", () => {
  show(false);
  show(true);
  expect(work).toHaveBeenCalledTimes(0);
});

it("is not done twice at once", async () => {
  let done = (): void => undefined;
  work.mockImplementationOnce(() => new Promise((resolve) => (done = () => resolve(undefined))));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(work).toHaveBeenCalledTimes(1);
  done();
  await vi.advanceTimersByTimeAsync(16_000);
  expect(work).toHaveBeenCalledTimes(2);
});

it("ends", async () => {
  end();
  await vi.advanceTimersByTimeAsync(60_000);
  show(true);
  expect(work).toHaveBeenCalledTimes(0);
});
