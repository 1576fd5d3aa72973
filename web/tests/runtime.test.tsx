import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import type { Runtime } from "../src/api/types";
import { RuntimeOfRun } from "../src/views/run/RuntimeOfRun";

const RUNTIME: Runtime = {
  executorSeconds: 3605.2,
  bytesRead: 43_000_000_000,
  bytesShuffled: 0,
  bytesSpilled: 728_000_000,
  peakMemoryBytes: 226_000_000,
  tasks: 1200,
  failedTasks: 0,
  stages: [{ stage: 7, tasks: 200, medianSeconds: 0.4, maxSeconds: 312, medianBytes: 9_000, maxBytes: 41_000_000_000 }],
};

const textOf = (runtime: Runtime): string =>
  renderToStaticMarkup(<RuntimeOfRun runtime={runtime} />).replaceAll(/<[^>]*>/g, " ");

test("what the tasks took, and in each stage the median beside the most", () => {
  const text = textOf(RUNTIME);
  expect(text).toContain("1,200 tasks of 1 h 0 min in all, 43.0 GB read");
  expect(text).toMatch(/7\s+200\s+400 ms\s+5 min 12 s\s+9\.0 kB\s+41\.0 GB/);
  expect(text).not.toContain("failed");
});

test("failed tasks are told where there were some", () => {
  expect(textOf({ ...RUNTIME, failedTasks: 3 })).toContain("3 failed");
});
