/** The picture or its table, and beside it what is selected. */

import type { Graph } from "../../graph/graph";
import { Loading } from "../../parts/Feedback";
import type { Scene } from "../../picture/scene";
import type { Layout } from "../../picture/usePlaces";
import type { Actions } from "./actions";
import { Canvas } from "./Canvas";
import { GraphTable } from "./GraphTable";
import { SidePanel } from "./SidePanel";
import type { ShownGraph } from "./useGraph";
import type { Selection } from "./useSelection";

interface Properties {
  shownGraph: ShownGraph;
  /** The graph with what is in the picture only by a comparison with another time. */
  graph: Graph;
  scene: Scene;
  layout: Layout;
  marks: Actions["marks"];
  selection: Selection;
  asTable: boolean;
}

export function Stage({ shownGraph, graph, scene, layout, marks, selection, asTable }: Properties) {
  const { lookup, centre } = shownGraph;
  const { placed, error, isBusy } = layout;
  const { selected, edge, select, selectEdge, close } = selection;
  const isLoading = lookup.state === "loading";
  return (
    <div className="stage" onKeyDown={(event) => event.key === "Escape" && (selected || edge) && close()}>
      {isLoading && !shownGraph.graph.nodes.size ? (
        <Loading what="the lineage" />
      ) : asTable || error ? (
        <div className="as-table">
          <GraphTable scene={scene} graph={graph} marks={marks} />
        </div>
      ) : placed && placed.scene.nodes.length > 0 ? (
        <Canvas placed={placed} centre={centre} onNode={select} onEdge={selectEdge} onNothing={() => select(null)} />
      ) : (
        <Loading what="the picture" />
      )}
      {(isBusy || isLoading) && placed && !asTable && (
        <span className="drawing" role="status">
          <span className="spinner" aria-hidden="true" /> drawing
        </span>
      )}
      <SidePanel
        node={selected ? (graph.nodes.get(selected) ?? null) : null}
        edge={edge}
        graph={shownGraph.graph}
        marks={marks}
        onClose={close}
      />
    </div>
  );
}
