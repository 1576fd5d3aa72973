import { expect, test } from "vitest";
import { islands, lastEvents, suspicious } from "../src/views/health/findings";

const named = (name: string) => ({ namespace: "n", name });
const job = (name: string, inputs: string[], outputs: string[]) => ({
  ...named(name),
  inputs: inputs.map(named),
  outputs: outputs.map(named),
});

test("a job that writes and shares no dataset is an island", () => {
  const jobs = [
    job("load", [], ["a"]),
    job("clean", ["a"], ["b"]),
    job("alone", ["x"], ["y"]),
    job("reader", ["z"], []),
  ];
  expect(islands(jobs).map(({ name }) => name)).toEqual(["alone"]);
});

test("without any shared dataset nothing is an island", () => {
  expect(islands([job("one", [], ["a"]), job("other", [], ["b"])])).toEqual([]);
});

test("names that mean another host to each machine are suspicious", () => {
  expect(
    suspicious(["hive://ip-10-0-0-1:9083", "postgres://localhost:5432", "s3://lake", "profile"]).map(
      ({ name }) => name,
    ),
  ).toEqual(["hive://ip-10-0-0-1:9083", "postgres://localhost:5432"]);
});

test("of each name the newest time counts, and the silent come first", () => {
  const seen = [
    { name: "spark", at: "2026-11-20T08:00:00Z" },
    { name: "dbt", at: "2026-11-20T07:00:00Z" },
    { name: "spark", at: "2026-11-20T06:00:00Z" },
  ];
  expect(lastEvents(seen)).toEqual([
    { name: "dbt", at: "2026-11-20T07:00:00Z", count: 1 },
    { name: "spark", at: "2026-11-20T08:00:00Z", count: 2 },
  ]);
});
