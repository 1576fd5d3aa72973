/** The picture: React Flow draws, pans and zooms; places come from the layout. */

import { Controls, getViewportForBounds, MarkerType, MiniMap, ReactFlow, ReactFlowProvider, useReactFlow, useStore, type EdgeTypes, type NodeTypes } from "@xyflow/react";
import "@xyflow/react/dist/base.css";
import { useEffect, useMemo, useRef, type KeyboardEvent } from "react";
import { oneLine, shortName } from "../../text/names";
import { conditionOf } from "../../graph/marks";
import { wayKey } from "../../graph/backEdge";
import type { ColumnEdge } from "../../graph/trace";
import { MOST_TRACED, WIDTH } from "../../graph/sizes";
import { FarPicture, nodeAt } from "./FarPicture";
import { PictureEdge, type PictureEdgeType } from "./PictureEdge";
import { PictureNode, type PictureNodeType } from "./PictureNode";
import { lanesIn, type SceneEdge } from "./scene";
import type { Placed } from "./usePlaces";

const NODES: NodeTypes = { node: PictureNode };
const EDGES: EdgeTypes = { edge: PictureEdge };
/** From this number of nodes on, nodes out of sight are not in the document. */
const MANY = 250;
/** A picture that needs a smaller zoom to be seen whole is shown at its centre. */
const LEGIBLE = 0.42;
/** The zoom at which a picture is first shown. */
const NEAREST_ZOOM = [0.02, 1.05] as const;
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
  const nodes = useMemo(() => nodesOf(placed), [placed]);
  const edges = useMemo(() => edgesOf(placed), [placed]);
  const isFar = useStore(({ transform }) => transform[2] < FAR);
  const isFarPicture = isFar && nodes.length > MANY;
  const flow = useReactFlow();
  const canvas = useRef<HTMLDivElement>(null);
  useFit(placed, centre);
  return (
    <div ref={canvas} className={`canvas${isFar ? " far" : ""}`} onKeyDown={(event) => (event.key === "Enter" ? onEnter(event, onNode) : onArrow(event, placed))}>
      <ReactFlow
        nodes={isFarPicture ? [] : nodes}
        edges={isFarPicture ? [] : edges}
        nodeTypes={NODES}
        edgeTypes={EDGES}
        onNodeClick={(_, node) => onNode(node.id)}
        onEdgeClick={(_, edge) => onEdge(edgeOf(placed, edge.id))}
        onPaneClick={(event) => {
          const id = isFarPicture ? nodeAt(placed, flow.screenToFlowPosition({ x: event.clientX, y: event.clientY })) : null;
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
        aria-label="Lineage graph. The table shows the same."
      >
        {isFarPicture && <FarPicture placed={placed} centre={centre} />}
        {!isInset && <Controls showInteractive={false} position="bottom-left" />}
        {nodes.length > 12 && nodes.length <= MANY && <MiniMap pannable zoomable position="bottom-right" nodeStrokeWidth={0} ariaLabel="Overview of the graph" />}
      </ReactFlow>
    </div>
  );
}

/** A new picture is shown whole if that is legible, else at its centre. */
function useFit(placed: Placed, centre: string): void {
  const flow = useReactFlow();
  const width = useStore((state) => state.width);
  const height = useStore((state) => state.height);
  const shape = `${centre} ${placed.scene.nodes.length} ${width}`;
  useEffect(() => {
    if (!width) return;
    const whole = boundsOf(placed);
    const isLegible = Math.min(width / whole.width, height / whole.height) > LEGIBLE || placed.scene.nodes.length > MANY;
    const place = placed.places.get(centre);
    const frame = requestAnimationFrame(() => {
      if (isLegible || !place) void flow.setViewport(getViewportForBounds(whole, width, height, NEAREST_ZOOM[0], NEAREST_ZOOM[1], 0.12));
      else void flow.setCenter(place.x + WIDTH / 2, place.y + WIDTH / 4, { zoom: Math.min(0.85, width / (1.4 * WIDTH)) });
    });
    return () => cancelAnimationFrame(frame);
    // the picture is fitted when it changes its shape, and not whenever a node fades
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [shape, flow]);
}

function boundsOf({ scene, places }: Placed): { x: number; y: number; width: number; height: number } {
  const bounds = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
  for (const { node, width, height } of scene.nodes) {
    const { x, y } = places.get(node.id) ?? { x: 0, y: 0 };
    bounds.left = Math.min(bounds.left, x);
    bounds.top = Math.min(bounds.top, y);
    bounds.right = Math.max(bounds.right, x + width);
    bounds.bottom = Math.max(bounds.bottom, y + height);
  }
  return { x: bounds.left, y: bounds.top, width: bounds.right - bounds.left, height: bounds.bottom - bounds.top };
}

function nodesOf({ scene, places }: Placed): PictureNodeType[] {
  return scene.nodes.flatMap((drawn) => {
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
      data: { drawn },
      ariaLabel: `${node.kind} ${oneLine(node.name)}, ${conditionOf(node).text}`,
    };
  });
}

function edgesOf({ scene, places }: Placed): PictureEdgeType[] {
  const isPlaced = (id: string): boolean => places.has(id);
  const names = new Map(scene.nodes.map(({ node }) => [node.id, oneLine(shortName(node.name))]));
  const nameOf = (id: string): string => names.get(id) ?? "";
  const lanes = lanesIn(scene, places);
  const laneOf = (from: string, to: string) => {
    const lane = lanes.get(wayKey({ from, to }));
    return lane === undefined ? {} : { lane, markerEnd: { type: MarkerType.ArrowClosed, color: "var(--accent)" } };
  };
  const flow = scene.edges
    .map(({ from, to, count, isFaded }, index) => {
      const { lane, markerEnd } = laneOf(from, to);
      return { id: `f${index}`, source: from, target: to, type: "edge" as const, ariaLabel: `${nameOf(from)} to ${nameOf(to)}`, markerEnd, data: { count, isFaded, lane } };
    })
    .filter(({ source, target }) => isPlaced(source) && isPlaced(target));
  const rows = new Map(scene.nodes.map(({ node, opening }) => [node.id, new Set(opening.traced.slice(0, MOST_TRACED))]));
  const handle = (prefix: string, dataset: string, field: string | null): string | undefined =>
    field !== null && rows.get(dataset)?.has(field) ? `${prefix} ${field}` : undefined;
  const begun = new Map<string, number>();
  const slotOf = ({ dataset, field }: { dataset: string; field: string }): number => {
    const slot = begun.get(`${dataset}\n${field}`) ?? 0;
    begun.set(`${dataset}\n${field}`, slot + 1);
    return slot;
  };
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
      data: { transformations, slot: slotOf(from), lane: laneOf(from.dataset, to.dataset).lane },
    }))
    .filter(({ source, target }) => isPlaced(source) && isPlaced(target));
  return [...flow, ...columns];
}

function edgeOf({ scene }: Placed, id: string): EdgeOfPicture {
  const index = Number(id.slice(1));
  return id.startsWith("c") ? { column: scene.columnEdges[index]! } : { flow: scene.edges[index]! };
}

function onEnter(event: KeyboardEvent, onNode: (id: string) => void): void {
  const target = event.target as HTMLElement;
  const id = target.matches(".react-flow__node") ? target.getAttribute("data-id") : null;
  if (id) onNode(id);
}

/** Arrow keys go to the nearest node in that direction. */
function onArrow(event: KeyboardEvent, { scene, places }: Placed): void {
  const steps: Record<string, [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  const step = steps[event.key];
  const here = (event.target as HTMLElement).closest?.(".react-flow__node")?.getAttribute("data-id");
  const from = here ? places.get(here) : undefined;
  if (!step || !from || (event.target as HTMLElement).matches("input")) return;
  event.preventDefault();
  event.stopPropagation();
  const [dx, dy] = step;
  const cost = ({ node }: { node: { id: string } }): number => {
    const place = places.get(node.id);
    if (!place) return Infinity;
    const along = (place.x - from.x) * dx + (place.y - from.y) * dy;
    const across = Math.abs((place.x - from.x) * dy) + Math.abs((place.y - from.y) * dx);
    return along > 1 ? along + 2 * across : Infinity;
  };
  const next = scene.nodes.reduce((best, other) => (cost(other) < cost(best) ? other : best), scene.nodes[0]!);
  if (cost(next) === Infinity) return;
  focusNode(next.node.id);
}

export function focusNode(id: string): void {
  document.querySelector<HTMLElement>(`.react-flow__node[data-id="${CSS.escape(id)}"]`)?.focus();
}
