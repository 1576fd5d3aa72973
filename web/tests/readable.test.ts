import { expect, test } from "vitest";
import { readable } from "../src/text/readable";

test.each([
  ["a text", "a text"],
  [null, "null"],
  [{}, ""],
  [{ datasetVersion: "7" }, "datasetVersion: 7"],
  [{ tags: [{ key: "env", value: "prod" }, { key: "tier" }] }, "tags: (key: env, value: prod), (key: tier)"],
  [{ totalTasks: 3, errors: ["a", 2, true], last: null }, "totalTasks: 3, errors: a, 2, true, last: null"],
  [{ run: { runId: "r" }, ways: [["a", "b"], []] }, "run: (runId: r), ways: (a, b), ()"],
])("a value on one line: %j", (value, line) => {
  expect(readable(value)).toBe(line);
});
