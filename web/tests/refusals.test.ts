import { expect, test } from "vitest";
import { faultOf, remedyOf, seesAll } from "../src/views/health/refusals";

test("a fault is the status in words, and the member of the event", () => {
  expect(faultOf({ status: 400, path: "run.runId" })).toBe("400 invalid: run.runId");
  expect(faultOf({ status: 401, path: null })).toBe("401 no valid key");
  expect(faultOf({ status: 418, path: null })).toBe("418 refused");
});

test("the commonest faults have a remedy of their own", () => {
  const remedies = [
    ...["body", "eventTime", "run.runId", "job", "outputs.name", "inputs.namespace"].map((path) =>
      remedyOf({ status: 400, path }),
    ),
    ...[401, 403, 413].map((status) => remedyOf({ status, path: null })),
  ];
  expect(remedies[4]).toBe(remedies[5]);
  expect(new Set(remedies).size).toBe(remedies.length - 1);
  expect(remedies).not.toContain(remedyOf({ status: 400, path: "inputs.facets" }));
});

test("a name in an event of another's namespace is a matter of the key, not of the name", () => {
  expect(remedyOf({ status: 403, path: "job.namespace" })).toBe(remedyOf({ status: 403, path: null }));
});

test("a key that reads every namespace sees the refusals of all", () => {
  expect(seesAll({ reads: ["*"] })).toBe(true);
  expect(seesAll({ reads: ["shop", "team-*"] })).toBe(false);
});
