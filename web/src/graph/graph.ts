/**
 * The graph that the page knows: what all answers so far said of nodes and edges. Values are never changed in place.
 */

import { EXPECTED_STATES, type Expected } from "../api/expectations";
import type { DatasetInGraph, ExposureInGraph, JobInGraph, Lineage, LineageNode } from "../api/types";

export interface GraphNode {
  id: string;
  kind: "dataset" | "job" | "exposure" | "group";
  namespace: string;
  name: string;
  /** What people call it: a dataset by its name in a catalogue. */
  displayName?: string | undefined;
  dataset?: DatasetInGraph;
  job?: JobInGraph;
  exposure?: ExposureInGraph;
  /** When the next run is due: of a job, or of the most urgent writer of a dataset. */
  due?: Expected;
  /** Of a group: how many nodes it stands for. */
  size?: number;
}

export type Side = "up" | "down";

export interface Graph {
  nodes: ReadonlyMap<string, GraphNode>;
  up: ReadonlyMap<string, readonly string[]>;
  down: ReadonlyMap<string, readonly string[]>;
}

export interface Edge {
  from: string;
  to: string;
}

export const EMPTY: Graph = { nodes: new Map(), up: new Map(), down: new Map() };

/** The graph with the nodes and edges of an answer. The newer answer's word on a node counts. */
export function withAnswer(graph: Graph, answer: Lineage): Graph {
  const nodes = new Map(graph.nodes);
  for (const node of answer.graph) nodes.set(node.id, graphNode(node));
  const edges = answer.graph.flatMap(({ inEdges, outEdges }) => [...inEdges, ...outEdges]);
  return withEdges(
    { ...graph, nodes },
    edges.map(({ origin, destination }) => ({ from: origin, to: destination })),
  );
}

/** Edges whose ends are both known become part of the graph. */
export function withEdges(graph: Graph, edges: readonly Edge[]): Graph {
  const up = copyOf(graph.up);
  const down = copyOf(graph.down);
  for (const { from, to } of edges) {
    if (!graph.nodes.has(from) || !graph.nodes.has(to)) continue;
    neighboursOf(up, to).add(from);
    neighboursOf(down, from).add(to);
  }
  return { nodes: graph.nodes, up: asLists(up), down: asLists(down) };
}

/** The graph with what is due, which an answer tells of jobs. */
export function withDue(graph: Graph, found: readonly Expected[]): Graph {
  if (!found.length) return graph;
  const urgency = ({ state, dueAt }: Expected): string => `${EXPECTED_STATES.indexOf(state)} ${dueAt}`;
  const due = new Map(found.map((each) => [each.nodeId, each]));
  const nodes = new Map(graph.nodes);
  for (const [id, node] of nodes) {
    const jobs = node.kind === "job" ? [id] : neighbours(graph, id, "up");
    const own = jobs.flatMap((job) => due.get(job) ?? []);
    const first = own.toSorted((one, other) => urgency(one).localeCompare(urgency(other)))[0];
    if (first) nodes.set(id, { ...node, due: first });
  }
  return { ...graph, nodes };
}

export function neighbours(graph: Graph, id: string, side: Side): readonly string[] {
  return graph[side].get(id) ?? [];
}

export function ownersOf({ dataset, job, exposure }: GraphNode): readonly string[] {
  return (dataset ?? job ?? exposure)?.owners ?? [];
}

export function edgesOf(graph: Graph, shown: ReadonlySet<string>): Edge[] {
  return [...shown].flatMap((from) =>
    neighbours(graph, from, "down")
      .filter((to) => shown.has(to))
      .map((to) => ({ from, to })),
  );
}

function graphNode({ id, type, data }: LineageNode): GraphNode {
  const { namespace, name, displayName } = data;
  if (type === "JOB") {
    const job = data as JobInGraph;
    // A query is called by its own name: that of its application would be the same for all of its queries.
    return { id, kind: "job", namespace, name, displayName: job.parentJobName ? undefined : displayName, job };
  }
  if (type === "EXPOSURE")
    return { id, kind: "exposure", namespace, name, displayName, exposure: data as ExposureInGraph };
  return { id, kind: "dataset", namespace, name, displayName, dataset: data as DatasetInGraph };
}

function copyOf(lists: ReadonlyMap<string, readonly string[]>): Map<string, Set<string>> {
  return new Map([...lists].map(([id, list]) => [id, new Set(list)]));
}

function asLists(sets: Map<string, Set<string>>): Map<string, readonly string[]> {
  return new Map([...sets].map(([id, set]) => [id, [...set]]));
}

function neighboursOf(sets: Map<string, Set<string>>, id: string): Set<string> {
  const set = sets.get(id) ?? new Set();
  sets.set(id, set);
  return set;
}
