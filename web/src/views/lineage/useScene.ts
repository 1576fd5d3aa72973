/** The scene of the picture, with the tables and groups that the reader opened. */

import { useCallback, useEffect, useMemo, useState } from "react";
import { matches } from "../../graph/filter";
import { drawnOf, type Trace } from "../../graph/trace";
import { MANY } from "../../graph/visible";
import { type Scene, sceneOf } from "../../picture/scene";
import type { LineageParameters } from "./parameters";
import type { Comparison } from "./useComparison";

interface OpenedScene {
  scene: Scene;
  toggleColumns: (id: string) => void;
  openGroup: (id: string) => void;
}

export function useScene(
  { wish, grouping, isAlone, filter, picked, asTable }: LineageParameters,
  { graph, shown }: Comparison["whole"],
  trace: Trace | null,
): OpenedScene {
  const [openTables, toggleColumns] = useToggled(wish.nodeId);
  const [openGroups, openGroup] = useToggled(`${wish.nodeId} ${grouping}`);
  const scene = useMemo(() => {
    const drawn = trace && picked && !asTable ? drawnOf(trace, picked, shown, MANY) : trace; // the table has all of it
    const choices = { grouping, openGroups, openTables, trace: drawn, isAlone };
    return sceneOf(graph, shown, { ...choices, isMatch: (node) => matches(node, filter) });
  }, [graph, shown, grouping, isAlone, openGroups, openTables, trace, picked, asTable, filter]);
  return { scene, toggleColumns, openGroup };
}

/** What the reader opened, and has not closed: forgotten when the key changes. */
function useToggled(key: string): [ReadonlySet<string>, (id: string) => void] {
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  useEffect(() => setToggled(new Set()), [key]);
  const toggle = useCallback(
    (id: string) =>
      setToggled((before) => new Set(before.has(id) ? [...before].filter((other) => other !== id) : [...before, id])),
    [],
  );
  return [toggled, toggle];
}
