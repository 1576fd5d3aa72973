/** Answers of `/lineage` with many nodes, in layers, as a warehouse has them. */

const TIME = "2026-11-20T08:00:00Z";
const WIDTH_OF_LAYER = 0.1;
/** Of more readers than these, the page shows the first alone: then fewer nodes than asked for would be drawn. */
const MOST_READERS = 20;

interface Made {
  id: string;
  type: "DATASET" | "JOB";
  data: Record<string, unknown>;
  inEdges: { origin: string; destination: string }[];
  outEdges: { origin: string; destination: string }[];
}

/** A graph of about `count` nodes downstream of `dataset:n:t0`: each job reads up to two tables of the layer before. */
export function largeLineage(count: number, columns = 8): { graph: Made[] } {
  const nodes = new Map<string, Made>();
  const fan = Math.min(MOST_READERS, Math.max(2, Math.round((count / 2) * WIDTH_OF_LAYER)));
  const table = (index: number): Made =>
    made(nodes, `dataset:n:t${index}`, "DATASET", { name: `t${index}`, fields: fields(columns), tags: [] });
  table(0);
  for (let index = 1; nodes.size < count; index++) {
    const job = made(nodes, `job:n:j${index}`, "JOB", {
      name: `j${index}`,
      simpleName: `j${index}`,
      latestRun: { id: "r", state: "COMPLETED", outcome: "COMPLETED", endedAt: TIME, updatedAt: TIME },
    });
    const layerStart = index <= fan ? 0 : index - fan;
    for (const input of new Set([layerStart, Math.max(0, layerStart - 1)])) connect(table(input), job);
    connect(job, table(index));
  }
  return { graph: [...nodes.values()] };
}

export function wideTable(columns: number): { graph: Made[] } {
  const nodes = new Map<string, Made>();
  made(nodes, "dataset:n:t0", "DATASET", { name: "t0", fields: fields(columns), tags: [] });
  return { graph: [...nodes.values()] };
}

function made(nodes: Map<string, Made>, id: string, type: Made["type"], data: Record<string, unknown>): Made {
  const known = nodes.get(id);
  if (known) return known;
  const node: Made = {
    id,
    type,
    data: { namespace: "n", createdAt: TIME, updatedAt: TIME, lastModifiedAt: TIME, ...data },
    inEdges: [],
    outEdges: [],
  };
  nodes.set(id, node);
  return node;
}

function connect(from: Made, to: Made): void {
  const edge = { origin: from.id, destination: to.id };
  from.outEdges.push(edge);
  to.inEdges.push(edge);
}

function fields(count: number): unknown[] {
  return Array.from({ length: count }, (_, index) => ({
    name: `column_${index}`,
    type: "string",
    description: null,
    tags: [],
  }));
}
