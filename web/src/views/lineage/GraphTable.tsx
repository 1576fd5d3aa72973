/** The graph as a table: what a screen reader reads, and what goes into a change ticket. */

import { useState } from "react";
import { tagsOf } from "../../graph/filter";
import { type Graph, type GraphNode, ownersOf } from "../../graph/graph";
import type { Mark } from "../../graph/marks";
import { conditionOf, freshness, stateOf, wordsOf } from "../../graph/marks";
import { jobsOf } from "../../graph/provenance";
import { transformationText } from "../../graph/trace";
import { Name } from "../../parts/Name";
import { type Column, Table } from "../../parts/Table";
import type { Scene, SceneNode } from "../../picture/scene";
import { linkTo } from "../../routing/location";
import { moment } from "../../text/amounts";
import { grouped } from "../../text/grouped";
import { calledWhole, splitNodeId } from "../../text/names";

interface EdgeRow {
  key: string;
  from: GraphNode;
  fromColumn: string;
  to: GraphNode;
  toColumn: string;
  transformation: string;
  /** The jobs that read the one and write the other, and when the last of them ran. */
  jobs: readonly GraphNode[];
  lastSeen: string;
}

export function GraphTable({
  scene,
  graph,
  marks,
}: {
  scene: Scene;
  graph: Graph;
  marks: ReadonlyMap<string, readonly Mark[]>;
}) {
  const [chosen, setOfEdges] = useState<boolean | null>(null);
  const ofEdges = chosen ?? scene.columnEdges.length > 0; // the lineage path of a column may come after the graph
  return (
    <div className="sheet">
      <div className="switch" role="group" aria-label="Rows">
        <button aria-pressed={!ofEdges} onClick={() => setOfEdges(false)}>
          Nodes
        </button>
        <button aria-pressed={ofEdges} onClick={() => setOfEdges(true)}>
          Edges
        </button>
      </div>
      {ofEdges ? (
        <Table
          caption="Edges"
          columns={EDGE_COLUMNS}
          rows={edgeRows(scene, graph)}
          keyOf={(row) => row.key}
          file="lineage-edges"
        />
      ) : (
        <Table
          caption="Nodes"
          columns={nodeColumns(scene, marks)}
          rows={scene.nodes.filter(({ isFaded }) => !isFaded)}
          keyOf={({ node }) => node.id}
          file="lineage-nodes"
        />
      )}
    </div>
  );
}

function nodeColumns(scene: Scene, marks: ReadonlyMap<string, readonly Mark[]>): Column<SceneNode>[] {
  const incoming = counts(scene, "to");
  const outgoing = counts(scene, "from");
  return [
    {
      name: "Name",
      value: ({ node }) => calledWhole(node),
      show: ({ node }) => <Name name={node.name} called={node.displayName} href={pageOf(node)} />,
    },
    { name: "Kind", value: ({ node }) => node.kind },
    { name: "Namespace", value: ({ node }) => node.namespace },
    { name: "State", value: ({ node }) => stateOf(node)?.toLowerCase() ?? "" },
    {
      name: "Last run or write",
      value: ({ node }) => freshness(node) ?? "",
      show: ({ node }) => moment(freshness(node)),
    },
    { name: "Found", value: ({ node }) => (marks.get(node.id) ?? []).map(wordsOf).join(", ") },
    { name: "Owner", value: ({ node }) => ownersOf(node).join(", ") },
    { name: "Tags", value: ({ node }) => tagsOf(node).join(", ") },
    { name: "Condition", value: ({ node }) => conditionOf(node).text },
    { name: "Inputs", value: ({ node }) => incoming.get(node.id) ?? 0, isNumber: true },
    { name: "Outputs", value: ({ node }) => outgoing.get(node.id) ?? 0, isNumber: true },
  ];
}

/** The page of a job or dataset: a group has none, an exposure has one elsewhere. */
function pageOf({ id, kind }: GraphNode): string | undefined {
  return kind === "job" || kind === "dataset" ? linkTo("node", { nodeId: id }) : undefined;
}

function counts(scene: Scene, end: "from" | "to"): Map<string, number> {
  return new Map([...grouped(scene.edges, (edge) => edge[end])].map(([id, edges]) => [id, edges.length]));
}

const EDGE_COLUMNS: Column<EdgeRow>[] = [
  {
    name: "From",
    value: ({ from }) => calledWhole(from),
    show: ({ from }) => <Name name={from.name} called={from.displayName} href={linkTo("node", { nodeId: from.id })} />,
  },
  { name: "Column", value: ({ fromColumn }) => fromColumn },
  {
    name: "To",
    value: ({ to }) => calledWhole(to),
    show: ({ to }) => <Name name={to.name} called={to.displayName} href={pageOf(to)} />,
  },
  { name: "To column", value: ({ toColumn }) => toColumn },
  { name: "Transformation", value: ({ transformation }) => transformation },
  {
    name: "Job",
    value: ({ jobs }) => jobs.map(({ name }) => name).join(", "),
    show: ({ jobs }) => jobs.map(({ id, name }) => <Name key={id} name={name} href={linkTo("node", { nodeId: id })} />),
  },
  { name: "Last seen", value: ({ lastSeen }) => lastSeen, show: ({ lastSeen }) => lastSeen && moment(lastSeen) },
];

function edgeRows({ nodes, edges, columnEdges }: Scene, graph: Graph): EdgeRow[] {
  const drawn = new Map(nodes.map(({ node }) => [node.id, node]));
  const nodeOf = (id: string): GraphNode => drawn.get(id) ?? { ...splitNodeId(id), id, kind: "dataset" };
  const provenance = (jobs: readonly GraphNode[]) => ({
    jobs,
    lastSeen:
      jobs
        .map((job) => freshness(job) ?? "")
        .toSorted()
        .at(-1) ?? "",
  });
  if (!columnEdges.length) {
    return edges.map(({ from, to }, index) => {
      const jobs = [from, to].flatMap((id) => graph.nodes.get(id) ?? []).filter(({ kind }) => kind === "job");
      return {
        key: String(index),
        from: nodeOf(from),
        fromColumn: "",
        to: nodeOf(to),
        toColumn: "",
        transformation: "",
        ...provenance(jobs),
      };
    });
  }
  return columnEdges.map(({ from, to, transformations }, index) => ({
    key: String(index),
    from: nodeOf(from.dataset),
    fromColumn: from.field,
    to: nodeOf(to.dataset),
    toColumn: to.field ?? "all columns",
    transformation: transformationText(transformations),
    ...provenance(jobsOf(graph, from.dataset, to.dataset)),
  }));
}
