/**
 * The graph with what differs since an earlier time, and the marks of its nodes: of the difference, else of findings.
 */

import { useMemo } from "react";
import { get } from "../../api/request";
import type { RootCause } from "../../api/types";
import { type Lookup, useLookup } from "../../api/useLookup";
import { type Difference, marksOfDifference, withDifference } from "../../graph/difference";
import type { Graph } from "../../graph/graph";
import { marksOf } from "../../graph/marks";
import type { Actions } from "./actions";
import type { LineageParameters } from "./parameters";

export interface Comparison {
  difference: Lookup<Difference | null>;
  whole: { graph: Graph; shown: ReadonlySet<string> };
  marks: Actions["marks"];
}

export function useComparison(
  { wish: { nodeId, asOf }, since }: LineageParameters,
  graph: Graph,
  shown: ReadonlySet<string>,
): Comparison {
  const difference = useDifference(nodeId, since, asOf);
  const findings = useFindings(nodeId, asOf);
  const found = difference.state === "done" ? difference.value : null;
  const whole = useMemo(() => (found ? withDifference(graph, shown, found) : { graph, shown }), [graph, shown, found]);
  const marks = useMemo(() => (found ? marksOfDifference(found) : findings), [found, findings]);
  return { difference, whole, marks };
}

/**
 * The findings about the nodes upstream, which their marks show. Without them the picture is complete but for the
 * marks.
 */
function useFindings(nodeId: string, asOf: string): Actions["marks"] {
  const lookup = useLookup(`${nodeId} ${asOf}`, (signal) =>
    get<RootCause>("rootcause", { nodeId, asOf, depth: 6 }, signal),
  );
  return useMemo(() => marksOf(lookup.state === "done" ? lookup.value.findings : []), [lookup.state, lookup.value]);
}

/** What differs since an earlier time, null without such a time. */
function useDifference(nodeId: string, since: string, asOf: string): Lookup<Difference | null> {
  return useLookup(JSON.stringify([since && nodeId, since, asOf]), async (signal) =>
    since ? get<Difference>("diff", { nodeId, from: since, to: asOf, direction: "both" }, signal) : null,
  );
}
