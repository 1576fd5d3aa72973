import { expect, test } from "vitest";
import type { Facets, Job, Run } from "../src/api/types";
import { isCanary, isListedJob, isListedNamespace } from "../src/graph/unlisted";

const job = (jobType: object | undefined, outputs = 0, parentJobName: string | null = "app"): Job =>
  ({ facets: jobType ? { jobType } : {}, outputs: Array(outputs).fill({}), parentJobName }) as unknown as Job;
const spark = (jobType: string) => ({ integration: "SPARK", jobType });

test("a query of Spark that writes nothing is no job of a list; what writes is, and what another engine runs", () => {
  expect([spark("SQL_JOB"), spark("RDD_JOB")].map((type) => isListedJob(job(type)))).toEqual([false, false]);
  expect(isListedJob(job(spark("SQL_JOB"), 1))).toBe(true);
  expect(isListedJob({ ...job(spark("SQL_JOB")), latestRun: { state: "FAILED" } as Run })).toBe(true);
  expect(isListedJob(job(spark("APPLICATION"), 0, null))).toBe(true);
  expect(isListedJob(job(spark("APPLICATION"), 0, "dag.task"))).toBe(true);
  expect(isListedJob(job({ integration: "AIRFLOW", jobType: "TASK" }))).toBe(true);
  expect(isListedJob(job(undefined))).toBe(true);
});

test("a canary is nobody's job and no dataset of anybody, by its type and not by its name", () => {
  expect(isListedJob(job({ integration: "HEADWATER", jobType: "CANARY" }, 1, null))).toBe(false);
  expect(isCanary({ facets: { datasetType: { datasetType: "CANARY" } } as Facets })).toBe(true);
  expect(isCanary({ facets: {} })).toBe(false);
});

test("the doctor's namespace and a deleted one are not listed", () => {
  const names = ["demo", "headwater-doctor", "gone"].map((name) => ({ name, isHidden: name === "gone" }));
  expect(names.filter(isListedNamespace).map(({ name }) => name)).toEqual(["demo"]);
});
