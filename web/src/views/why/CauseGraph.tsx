/** The graph beside the findings: what is between the nodes of the findings and the node that is wrong. */

import { useCallback, useMemo } from "react";
import { get } from "../../api/request";
import type { Lineage, RootCause } from "../../api/types";
import { useLookup } from "../../api/useLookup";
import { pathTo } from "../../graph/edgePath";
import { EMPTY, withAnswer } from "../../graph/graph";
import { marksOf } from "../../graph/marks";
import { Failed, Loading } from "../../parts/Feedback";
import { goTo, linkTo } from "../../routing/location";
import { type Actions, ActionsContext } from "../lineage/actions";
import { Canvas, type EdgeOfPicture } from "../lineage/Canvas";
import "../lineage/lineage.css";
import { sceneOf, shortNamesIn } from "../../picture/scene";
import { usePlaces } from "../../picture/usePlaces";

const NONE: ReadonlySet<string> = new Set();
const NOTHING = (): void => undefined;

export default function CauseGraph({ found }: { found: RootCause }) {
  const { nodeId, asOf, findings } = found;
  const depth = Math.max(...findings.map(({ distance }) => distance), 1);
  const lookup = useLookup(`${nodeId} ${asOf} ${depth}`, (signal) =>
    get<Lineage>("lineage", { nodeId, asOf, depth, direction: "upstream" }, signal),
  );
  const scene = useMemo(() => {
    const graph = lookup.value ? withAnswer(EMPTY, lookup.value) : EMPTY;
    const shown = pathTo(
      graph,
      nodeId,
      findings.map((finding) => finding.nodeId),
    );
    return sceneOf(graph, shown, {
      grouping: "none",
      openGroups: NONE,
      openTables: NONE,
      trace: null,
      isAlone: false,
      isMatch: () => true,
    });
  }, [lookup.value, nodeId, findings]);
  const { placed } = usePlaces(scene);
  const open = useCallback((id: string) => goTo(linkTo("lineage", { nodeId: id, asOf })), [asOf]);
  const actions = useMemo<Actions>(
    () => ({
      expand: NOTHING,
      collapse: NOTHING,
      toggleColumns: open,
      openGroup: NOTHING,
      pickColumn: (node, field) => goTo(linkTo("lineage", { nodeId: node.id, table: node.id, column: field, asOf })),
      hidden: new Map(),
      unnamed: new Map(),
      busy: null,
      marks: marksOf(findings),
      shortNames: shortNamesIn(scene),
      centre: nodeId,
      selected: null,
      picked: null,
      unknown: new Map(),
      asOf: asOf ?? "",
    }),
    [findings, nodeId, asOf, scene, open],
  );

  function openEdge(edge: EdgeOfPicture): void {
    if ("flow" in edge) open(edge.flow.to);
  }

  if (lookup.state === "failed") return <Failed error={lookup.error} what="the graph" again={lookup.again} />;
  return (
    <ActionsContext.Provider value={actions}>
      <div className="cause-graph">
        {placed && placed.scene.nodes.length > 0 ? (
          <Canvas placed={placed} centre={nodeId} isInset onNode={open} onEdge={openEdge} onNothing={NOTHING} />
        ) : (
          <Loading what="the graph" />
        )}
      </div>
    </ActionsContext.Provider>
  );
}
