/** The path of the picked column, asked for in both directions. */

import { useMemo } from "react";
import { get } from "../../api/request";
import type { ColumnLineage } from "../../api/types";
import { type Lookup, useLookup } from "../../api/useLookup";
import { between, type ColumnRef, type Trace, traceOf, withPicked } from "../../graph/trace";
import { columnIdOf } from "../../text/names";

const DEPTH = 20;

export interface PickedColumn extends ColumnRef {
  namespace: string;
  name: string;
}

export function useTrace(
  picked: PickedColumn | null,
  target: PickedColumn | null,
  asOf: string,
  withIndirect: boolean,
): { lookup: Lookup<ColumnLineage[]>; trace: Trace | null } {
  const nodeId = picked ? columnIdOf(picked.namespace, picked.name, picked.field) : "";
  const lookup = useLookup(JSON.stringify([nodeId, asOf]), async (signal) => {
    if (!nodeId) return [];
    const question = { nodeId, depth: DEPTH, asOf };
    return Promise.all([
      get<ColumnLineage>("column-lineage", { ...question, direction: "upstream" }, signal),
      get<ColumnLineage>("column-lineage", { ...question, direction: "downstream" }, signal),
    ]);
  });
  const trace = useMemo(() => {
    if (!picked || lookup.state !== "done") return null;
    const whole = withPicked(traceOf(lookup.value, withIndirect && !target), picked);
    return target ? between(whole, picked, target) : whole;
  }, [lookup.state, lookup.value, picked, target, withIndirect]);
  return { lookup, trace };
}
