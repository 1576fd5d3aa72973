/** Lineage: the graph around a node, upstream to the left, downstream to the right. */

import { useCallback, useEffect, useMemo, useState } from "react";
import type { GraphNode } from "../../graph/graph";
import { prepareLayout } from "../../graph/layout";
import { Empty, Failed } from "../../parts/Feedback";
import { shortNamesIn } from "../../picture/scene";
import { usePlaces } from "../../picture/usePlaces";
import { changeParameters } from "../../routing/location";
import { remember } from "../search/recent";
import { type Actions, ActionsContext } from "./actions";
import { DifferenceBar } from "./DifferenceBar";
import "./lineage.css";
import { Notices } from "./Notices";
import { lineageParameters } from "./parameters";
import { Stage } from "./Stage";
import { TimeControl } from "./TimeControl";
import { Toolbar } from "./Toolbar";
import { TraceBar } from "./TraceBar";
import { useComparison } from "./useComparison";
import { useGraph } from "./useGraph";
import { useScene } from "./useScene";
import { useSelection } from "./useSelection";
import { type PickedColumn, useTrace } from "./useTrace";

const NONE: Actions["unknown"] = new Map();

export default function LineageView({ parameters }: { parameters: URLSearchParams }) {
  const text = parameters.toString();
  const isPhone = window.matchMedia("(max-width: 600px)").matches;
  const wanted = useMemo(() => lineageParameters(new URLSearchParams(text), isPhone), [text, isPhone]);
  const { wish, picked } = wanted;
  const shownGraph = useGraph(wish);
  const { lookup, graph, shown } = shownGraph;
  const { lookup: traceLookup, trace } = useTrace(picked, wanted.target, wish.asOf, wanted.withIndirect);
  const { difference, whole, marks } = useComparison(wanted, graph, shown.ids);
  const { scene, toggleColumns, openGroup } = useScene(wanted, whole, trace);
  const selection = useSelection();
  const [isTimeOpen, setTimeOpen] = useState(false);
  useEffect(() => void prepareLayout(), []);
  useEffect(() => {
    if (lookup.state === "done") remember(wish.nodeId, lookup.value.graph.nodes.get(lookup.value.centre)?.displayName);
  }, [lookup.state, lookup.value, wish.nodeId]);

  const layout = usePlaces(scene);
  const names = useMemo(() => shortNamesIn(scene), [scene]);
  const pickColumn = usePickColumn(picked);
  const { expand, collapse, unnamed, busy, centre } = shownGraph;
  const { selected } = selection;
  const actions = useMemo<Actions>(
    () => ({
      expand,
      collapse,
      toggleColumns,
      openGroup,
      pickColumn,
      hidden: shown.hidden,
      unnamed,
      busy,
      marks,
      shortNames: names,
      centre,
      selected,
      picked,
      unknown: trace?.unknown ?? NONE,
      asOf: wish.asOf,
    }),
    [
      expand,
      collapse,
      toggleColumns,
      openGroup,
      pickColumn,
      shown.hidden,
      unnamed,
      busy,
      marks,
      names,
      centre,
      selected,
      picked,
      trace,
      wish.asOf,
    ],
  );

  if (!wish.nodeId) return <Empty>No node is named in this link. Press / and search for one.</Empty>;
  if (lookup.state === "failed") return <Failed error={lookup.error} what="the lineage" again={lookup.again} />;
  return (
    <ActionsContext.Provider value={actions}>
      <div className="lineage">
        <Toolbar
          wanted={wanted}
          shownGraph={shownGraph}
          scene={scene}
          placed={layout.placed}
          isTimeOpen={isTimeOpen || wish.asOf !== ""}
          onTime={() => setTimeOpen(!isTimeOpen)}
        />
        {(isTimeOpen || wish.asOf) && <TimeControl asOf={wish.asOf} graph={graph} nodeId={wish.nodeId} />}
        {wanted.since && <DifferenceBar lookup={difference} since={wanted.since} />}
        {picked && <TraceBar wanted={wanted} lookup={traceLookup} trace={trace} scene={scene} />}
        <Notices shownGraph={shownGraph} asOf={wish.asOf} layoutError={layout.error} />
        <Stage
          shownGraph={shownGraph}
          graph={whole.graph}
          scene={scene}
          layout={layout}
          marks={marks}
          selection={selection}
          asTable={wanted.asTable}
        />
      </div>
    </ActionsContext.Provider>
  );
}

/** Picks a column, whose way is lit then; the one that is picked is let go. */
function usePickColumn(picked: PickedColumn | null): Actions["pickColumn"] {
  return useCallback(
    (node: GraphNode, field: string) => {
      const isSame = picked?.dataset === node.id && picked.field === field;
      changeParameters({
        table: isSame ? null : node.id,
        column: isSame ? null : field,
        toTable: null,
        toColumn: null,
      });
    },
    [picked],
  );
}
