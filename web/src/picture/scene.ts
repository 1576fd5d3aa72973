/** The scene: what is to be drawn, without places. A pure function of the graph and of what the reader chose. */

import { lanesOf } from "../graph/backEdge";
import { type Edge, type Graph, type GraphNode, neighbours } from "../graph/graph";
import { type Grouping, picture } from "../graph/groups";
import type { Places } from "../graph/layers";
import { CLOSED, heightOf, MOST_LABELS, MOST_TRACED, type Opening, WIDTH } from "../graph/sizes";
import { type ColumnEdge, isMasked, type Trace, transformationText } from "../graph/trace";
import { shortNames } from "../text/names";

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
  /** Whether only the path of the picked column is drawn. */
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

/** The shortest names that tell the nodes apart, of those that people call by no other name. */
export function shortNamesIn({ nodes }: Pick<Scene, "nodes">): Map<string, string> {
  return shortNames(nodes.flatMap(({ node }) => (node.displayName ? [] : [node.name])));
}

function sceneNode(node: GraphNode, { openTables, trace }: Choices, isFaded: boolean): SceneNode {
  const traced = trace?.datasets.get(node.id)?.fields ?? [];
  const isOpen = openTables.has(node.id);
  const opening = traced.length || isOpen ? { isOpen, traced } : CLOSED;
  return { node, opening, width: WIDTH, height: heightOf(node, opening), isFaded };
}

/** Tables on the path of a column are drawn even if they are further away than the reader looks. */
function withTraced(
  graph: Graph,
  shown: ReadonlySet<string>,
  trace: Trace,
): { graph: Graph; shown: ReadonlySet<string> } {
  const nodes = new Map(graph.nodes);
  for (const [id, { namespace, name, displayName }] of trace.datasets) {
    if (!nodes.has(id)) nodes.set(id, { id, kind: "dataset", namespace, name, displayName });
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

export interface EdgeLabel {
  text: string;
  /** Which of the labels beside one row of a card it is. */
  slot: number;
  isMasked: boolean;
}

/**
 * The labels of the edges of columns, each at the beginning of its edge. Edges of one row that do the same share one
 * label, and a row has at most two, as many as there is room for before the next card.
 */
export function labelsOf({ nodes, columnEdges }: Pick<Scene, "nodes" | "columnEdges">): (EdgeLabel | undefined)[] {
  const rows = new Map(nodes.map(({ node, opening }) => [node.id, opening.traced.slice(0, MOST_TRACED)]));
  const bundles = new Map<string, Map<string, number[]>>();
  for (const [index, { from, transformations }] of columnEdges.entries()) {
    const row = `${from.dataset}\n${rows.get(from.dataset)?.indexOf(from.field) ?? -1}`;
    const how = `${isMasked(transformations) ? "masked" : ""}\n${transformationText(transformations)}`;
    const ofRow = bundles.get(row) ?? new Map<string, number[]>();
    bundles.set(row, ofRow.set(how, [...(ofRow.get(how) ?? []), index]));
  }
  const labels: (EdgeLabel | undefined)[] = columnEdges.map(() => undefined);
  for (const ofRow of bundles.values()) {
    const kinds = [...ofRow].filter(([how]) => !how.endsWith("\n"));
    const named = kinds.length > MOST_LABELS ? MOST_LABELS - 1 : kinds.length;
    for (const [slot, [how, edges]] of kinds.slice(0, named).entries()) {
      const [masked, text] = how.split("\n") as [string, string];
      labels[edges[0]!] = { text: edges.length > 1 ? `${text} ×${edges.length}` : text, slot, isMasked: masked !== "" };
    }
    const rest = kinds.slice(named);
    if (rest[0]) labels[rest[0][1][0]!] = { text: `+${rest.length} kinds`, slot: named, isMasked: false };
  }
  return labels;
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
