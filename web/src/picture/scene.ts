/** The scene: what is to be drawn, without places. A pure function of the graph and of what the reader chose. */

import { lanesOf } from "../graph/backEdge";
import { type Edge, type Graph, type GraphNode, neighbours } from "../graph/graph";
import { type Grouping, picture } from "../graph/groups";
import type { Places } from "../graph/layers";
import { CLOSED, heightOf, type Opening, WIDTH } from "../graph/sizes";
import type { ColumnEdge, Trace } from "../graph/trace";

export interface Scene {
  nodes: readonly SceneNode[];
  edges: readonly SceneEdge[];
  columnEdges: readonly ColumnEdge[];
}

export interface SceneNode {
  node: GraphNode;
  opening: Opening;
  width: number;
  height: number;
  isFaded: boolean;
}

export interface SceneEdge extends Edge {
  count: number;
  isFaded: boolean;
}

export interface Choices {
  grouping: Grouping;
  openGroups: ReadonlySet<string>;
  openTables: ReadonlySet<string>;
  trace: Trace | null;
  /** Whether only the way of the picked column is drawn. */
  isAlone: boolean;
  isMatch: (node: GraphNode) => boolean;
}

export function sceneOf(graph: Graph, shown: ReadonlySet<string>, choices: Choices): Scene {
  const { trace } = choices;
  const whole = trace ? withTraced(graph, shown, trace) : { graph, shown };
  const { nodes, edges } = picture(whole.graph, whole.shown, trace ? "none" : choices.grouping, choices.openGroups);
  const lit = trace ? litNodes(whole.graph, trace) : null;
  const isFaded = (node: GraphNode): boolean => (lit ? !lit.has(node.id) : !choices.isMatch(node));
  const replaced = trace ? jobsOnlyBetween(whole.graph, whole.shown, trace) : new Set<string>();
  const kept = nodes.filter((node) => !replaced.has(node.id) && (!choices.isAlone || !lit || lit.has(node.id)));
  const ids = new Map(kept.map((node) => [node.id, isFaded(node)]));
  return {
    nodes: kept.map((node) => sceneNode(node, choices, isFaded(node))),
    edges: edges
      .filter(({ from, to }) => ids.has(from) && ids.has(to))
      .map((edge) => ({ ...edge, isFaded: trace !== null || Boolean(ids.get(edge.from) || ids.get(edge.to)) })),
    columnEdges: trace ? trace.edges : [],
  };
}

function sceneNode(node: GraphNode, { openTables, trace }: Choices, isFaded: boolean): SceneNode {
  const traced = trace?.datasets.get(node.id)?.fields ?? [];
  const isOpen = openTables.has(node.id);
  const opening = traced.length || isOpen ? { isOpen, traced } : CLOSED;
  return { node, opening, width: WIDTH, height: heightOf(node, opening), isFaded };
}

/** Tables on the way of a column are drawn even if they are further away than the reader looks. */
function withTraced(
  graph: Graph,
  shown: ReadonlySet<string>,
  trace: Trace,
): { graph: Graph; shown: ReadonlySet<string> } {
  const nodes = new Map(graph.nodes);
  for (const [id, { namespace, name }] of trace.datasets) {
    if (!nodes.has(id)) nodes.set(id, { id, kind: "dataset", namespace, name });
  }
  const ids = new Set([...shown, ...trace.datasets.keys()]);
  for (const job of jobsBetween(graph, trace)) ids.add(job);
  return { graph: { ...graph, nodes }, shown: ids };
}

function litNodes(graph: Graph, trace: Trace): ReadonlySet<string> {
  return new Set([...trace.datasets.keys(), ...jobsBetween(graph, trace)]);
}

function jobsBetween(graph: Graph, trace: Trace): Set<string> {
  const jobs = new Set<string>();
  for (const { from, to } of trace.edges) {
    const writers = new Set(graph.up.get(to.dataset));
    for (const reader of graph.down.get(from.dataset) ?? []) if (writers.has(reader)) jobs.add(reader);
  }
  return jobs;
}

/** Jobs that the edges of columns stand for: all their neighbours in the picture are on the way. */
function jobsOnlyBetween(graph: Graph, shown: ReadonlySet<string>, trace: Trace): Set<string> {
  const isOnWay = (id: string): boolean => trace.datasets.has(id) || !shown.has(id);
  const jobs = [...jobsBetween(graph, trace)];
  return new Set(
    jobs.filter((job) => [...neighbours(graph, job, "up"), ...neighbours(graph, job, "down")].every(isOnWay)),
  );
}

/** Where the edges that lead back are drawn, by `edgeKey`. */
export function lanesIn({ nodes, edges, columnEdges }: Scene, places: Places): Map<string, number> {
  const boxes = nodes.map(({ node, width, height }) => ({ id: node.id, width, height }));
  return lanesOf(boxes, places, [
    ...edges,
    ...columnEdges.map(({ from, to }) => ({ from: from.dataset, to: to.dataset })),
  ]);
}

/** Edges that begin at one column have their labels side by side: which of them each edge is. */
export function slotsOf(columnEdges: readonly ColumnEdge[]): number[] {
  const begun = new Map<string, number>();
  return columnEdges.map(({ from }) => {
    const key = `${from.dataset}\n${from.field}`;
    const slot = begun.get(key) ?? 0;
    begun.set(key, slot + 1);
    return slot;
  });
}

/** The edges that the layout follows: those of columns, too, whose job may be unknown. */
export function layoutEdges({ edges, columnEdges, nodes }: Scene): Edge[] {
  const ids = new Set(nodes.map(({ node }) => node.id));
  const ofColumns = columnEdges.map(({ from, to }) => ({ from: from.dataset, to: to.dataset }));
  const known = new Set<string>();
  return [...edges, ...ofColumns].filter(({ from, to }) => {
    const key = `${from}\n${to}`;
    const isNew = from !== to && ids.has(from) && ids.has(to) && !known.has(key);
    known.add(key);
    return isNew;
  });
}
