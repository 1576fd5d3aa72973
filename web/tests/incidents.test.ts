/** Alerts stand below the alert that they follow from. */

import { expect, test } from "vitest";
import type { Alert } from "../src/api/alerts";
import { causesAmong, following } from "../src/graph/incidents";
import { marksOf } from "../src/views/alerts/AlertActs";

const alert = (id: string, time: number, ...causes: { nodeId: string; alertId: string | null }[]): Alert => ({
  id,
  type: "Dataset Schema Changed",
  severity: "info",
  time: `2026-11-20T08:00:0${time}Z`,
  namespace: "n",
  name: id,
  nodeId: `dataset:n:${id.replace(/\d/, "")}`,
  title: id,
  details: { causes },
});
const from = (nodeId: string, alertId: string | null = null) => ({ nodeId: `dataset:n:${nodeId}`, alertId });

test("an alert is below its cause, by the id or else by the dataset's latest change before it", () => {
  const found = [alert("c", 4, from("b", "b")), alert("a2", 3), alert("b", 2, from("a")), alert("a1", 1)];
  const causes = causesAmong(found);
  expect([...causes]).toEqual([
    ["c", "b"],
    ["b", "a1"],
  ]);
  expect(following(found, causes, "a1").map(({ id }) => id)).toEqual(["c", "b"]);
  expect(following(found, causes, "c")).toEqual([]);
});

test("alerts that name each other, or a cause that is not listed, are all shown", () => {
  const found = [alert("a", 1, from("b", "b")), alert("b", 1, from("a", "a")), alert("c", 1, from("z", "z"))];
  expect([...causesAmong(found)]).toEqual([["a", "b"]]);
});

test("marks say who did what until when and why", () => {
  const silence = { since: "2026-11-20T08:00:00Z", until: "2026-11-20T10:00:00Z", by: "bea", note: "moving" };
  const acknowledged = { at: "2026-11-20T08:00:00Z", by: "al", note: "" };
  expect(marksOf({ ...alert("a", 1), acknowledged, silenced: silence, silence })).toEqual([
    "Acknowledged by al, 2026-11-20 08:00Z",
    "Not sent: bea silenced such alerts until 2026-11-20 10:00Z: moving",
    "Such alerts are silenced by bea until 2026-11-20 10:00Z: moving",
  ]);
});
