/** The picture: React Flow draws, pans and zooms; places come from the layout. */

import {
  Controls,
  type EdgeTypes,
  MarkerType,
  MiniMap,
  type NodeTypes,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
  useStore,
} from "@xyflow/react";
import "@xyflow/react/dist/base.css";
import { useEffect, useMemo, useState } from "react";
import { edgeKey } from "../../graph/backEdge";
import { conditionOf } from "../../graph/marks";
import { MOST_TRACED } from "../../graph/sizes";
import type { ColumnEdge } from "../../graph/trace";
import { MANY } from "../../graph/visible";
import { Icon } from "../../parts/Icon";
import { labelsOf, lanesIn, type SceneEdge } from "../../picture/scene";
import type { Placed } from "../../picture/usePlaces";
import { calledShort, calledWhole, oneLine } from "../../text/names";
import { FarPicture, nodeAt } from "./FarPicture";
import { PictureEdge, type PictureEdgeType } from "./PictureEdge";
import { PictureNode, type PictureNodeType } from "./PictureNode";
import { useFit } from "./useFit";
import { useKeys } from "./useKeys";

const NODES: NodeTypes = { node: PictureNode };
const EDGES: EdgeTypes = { edge: PictureEdge };
/** What a screen reader says of each node. */
const SAID = { "node.a11yDescription.default": "Arrow keys lead to the next node, Enter opens this one." };
/** Below this zoom nobody reads the small print. */
const FAR = 0.35;

export type EdgeOfPicture = { flow: SceneEdge } | { column: ColumnEdge };

interface Properties {
  placed: Placed;
  centre: string;
  /** Whether the picture is a part of a longer page: then the wheel scrolls the page. */
  isInset?: boolean;
  onNode: (id: string) => void;
  onEdge: (edge: EdgeOfPicture) => void;
  onNothing: () => void;
}

export function Canvas(properties: Properties) {
  return (
    <ReactFlowProvider>
      <Flow {...properties} />
    </ReactFlowProvider>
  );
}

function Flow({ placed, centre, isInset = false, onNode, onEdge, onNothing }: Properties) {
  const [reached, setReached] = useState(centre);
  useEffect(() => setReached(centre), [centre]);
  const placedNodes = useMemo(() => nodesOf(placed), [placed]);
  const nodes = useMemo(() => withTabStop(placedNodes, reached), [placedNodes, reached]);
  const edges = useMemo(() => edgesOf(placed), [placed]);
  const isFar = useStore(({ transform }) => transform[2] < FAR);
  const isFarPicture = isFar && nodes.length > MANY;
  const flow = useReactFlow();
  const keys = useKeys(placed, reached, setReached, onNode);
  useFit(placed, centre, reached, nodes.length > MANY);
  return (
    <div className={`canvas${isFar ? " far" : ""}`} {...keys}>
      <ReactFlow
        nodes={isFarPicture ? [] : nodes}
        edges={isFarPicture ? [] : edges}
        nodeTypes={NODES}
        edgeTypes={EDGES}
        onNodeClick={(_, node) => onNode(node.id)}
        onEdgeClick={(_, edge) => onEdge(edgeOf(placed, edge.id))}
        onPaneClick={(event) => {
          const id = isFarPicture
            ? nodeAt(placed, flow.screenToFlowPosition({ x: event.clientX, y: event.clientY }))
            : null;
          if (id) onNode(id);
          else onNothing();
        }}
        preventScrolling={!isInset}
        zoomOnScroll={!isInset}
        nodesDraggable={false}
        nodesConnectable={false}
        edgesFocusable={false}
        deleteKeyCode={null}
        multiSelectionKeyCode={null}
        selectionKeyCode={null}
        onlyRenderVisibleElements={nodes.length > MANY}
        defaultViewport={{ x: 0, y: 0, zoom: nodes.length > MANY ? 0.1 : 1 }}
        minZoom={0.02}
        maxZoom={2}
        proOptions={{ hideAttribution: true }}
        tabIndex={nodes.length > MANY ? 0 : undefined}
        ariaLabelConfig={SAID}
        aria-label="Lineage graph. The table shows the same."
      >
        {isFarPicture && <FarPicture placed={placed} centre={centre} />}
        {!isInset && <Controls showInteractive={false} position="bottom-left" />}
        {nodes.length > 12 && nodes.length <= MANY && (
          <MiniMap pannable zoomable position="bottom-right" nodeStrokeWidth={0} ariaLabel="Overview of the graph" />
        )}
      </ReactFlow>
      <p className="keys" aria-hidden="true">
        <span className="of-keys">
          <kbd>← → ↑ ↓</kbd> next node <kbd>Enter</kbd> open <kbd>Tab</kbd> its buttons
        </span>
        <span className="of-marks">
          <Icon name="why" /> origin unknown
        </span>
      </p>
    </div>
  );
}

/** The nodes in the order in which they are read: left to right, then top to bottom. */
function nodesOf({ scene, places }: Placed): PictureNodeType[] {
  const nodes = scene.nodes.flatMap((drawn) => {
    const place = places.get(drawn.node.id);
    if (!place) return [];
    const { width, height, node } = drawn;
    return {
      id: node.id,
      type: "node" as const,
      position: place,
      width,
      height,
      measured: { width, height },
      data: { drawn, isTabStop: false },
      domAttributes: { tabIndex: -1 },
      ariaLabel: `${node.kind} ${oneLine(calledWhole(node))}, ${conditionOf(node).text}`,
    };
  });
  return nodes.toSorted((one, other) => one.position.x - other.position.x || one.position.y - other.position.y);
}

/** Tab leads to one node and its buttons, and then out of the graph: arrow keys lead to the other nodes. */
function withTabStop(nodes: PictureNodeType[], reached: string): PictureNodeType[] {
  const stop = nodes.find(({ id }) => id === reached) ?? nodes[0];
  return nodes.map((node) =>
    node === stop ? { ...node, data: { ...node.data, isTabStop: true }, domAttributes: { tabIndex: 0 } } : node,
  );
}

function edgesOf({ scene, places }: Placed): PictureEdgeType[] {
  const isPlaced = (id: string): boolean => places.has(id);
  const names = new Map(scene.nodes.map(({ node }) => [node.id, oneLine(calledShort(node))]));
  const nameOf = (id: string): string => names.get(id) ?? "";
  const lanes = lanesIn(scene, places);
  const laneOf = (from: string, to: string) => {
    const lane = lanes.get(edgeKey({ from, to }));
    return lane === undefined ? {} : { lane, markerEnd: { type: MarkerType.ArrowClosed, color: "var(--accent)" } };
  };
  const flow = scene.edges
    .map(({ from, to, count, isFaded }, index) => {
      const { lane, markerEnd } = laneOf(from, to);
      return {
        id: `f${index}`,
        source: from,
        target: to,
        type: "edge" as const,
        ariaLabel: `${nameOf(from)} to ${nameOf(to)}`,
        markerEnd,
        data: { count, isFaded, lane },
      };
    })
    .filter(({ source, target }) => isPlaced(source) && isPlaced(target));
  const rows = new Map(
    scene.nodes.map(({ node, opening }) => [node.id, new Set(opening.traced.slice(0, MOST_TRACED))]),
  );
  const handle = (prefix: string, dataset: string, field: string | null): string | undefined =>
    field !== null && rows.get(dataset)?.has(field) ? `${prefix} ${field}` : undefined;
  const labels = labelsOf(scene);
  const columns = scene.columnEdges
    .map(({ from, to, transformations }, index) => ({
      id: `c${index}`,
      source: from.dataset,
      target: to.dataset,
      sourceHandle: handle("out", from.dataset, from.field),
      targetHandle: handle("in", to.dataset, to.field),
      type: "edge" as const,
      ariaLabel: `${oneLine(from.field)} of ${nameOf(from.dataset)} to ${oneLine(to.field ?? "all columns")} of ${nameOf(to.dataset)}`,
      zIndex: 1,
      data: { transformations, label: labels[index], lane: laneOf(from.dataset, to.dataset).lane },
    }))
    .filter(({ source, target }) => isPlaced(source) && isPlaced(target));
  return [...flow, ...columns];
}

function edgeOf({ scene }: Placed, id: string): EdgeOfPicture {
  const index = Number(id.slice(1));
  return id.startsWith("c") ? { column: scene.columnEdges[index]! } : { flow: scene.edges[index]! };
}
