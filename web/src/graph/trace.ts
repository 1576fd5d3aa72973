/**
 * The path of one column: the columns that it is made of and that are made of it, with the transformation on each edge.
 */

import type { CalledName, ColumnLineage, InputField, Name, Transformation } from "../api/types";
import { grouped } from "../text/grouped";
import { columnIdOf, nodeIdOf, oneLine } from "../text/names";
import { FAN } from "./visible";

export interface ColumnRef {
  dataset: string;
  field: string;
}

export interface ColumnEdge {
  from: ColumnRef;
  /** A field, or a whole dataset: filters, joins and groupings bear on all its columns. */
  to: { dataset: string; field: string | null };
  transformations: readonly Transformation[];
}

export interface Trace {
  edges: readonly ColumnEdge[];
  datasets: ReadonlyMap<string, CalledName & { fields: readonly string[] }>;
  isTruncated: boolean;
  /** What the answers cannot see, a sentence each. */
  unseen: readonly string[];
  /** Why the origin of a column is unknown, by dataset and column. */
  unknown: ReadonlyMap<string, ReadonlyMap<string, string>>;
}

/** Why the origin of columns is unknown, by dataset and column. */
export function unknownOrigins(answers: readonly ColumnLineage[]): Map<string, Map<string, string>> {
  const found = new Map<string, Map<string, string>>();
  for (const { namespace, dataset, fields, job, reason } of answers.flatMap(({ unknown }) => unknown ?? [])) {
    const id = nodeIdOf("dataset", namespace, dataset);
    const why =
      reason === "JOBS_WITHOUT_COLUMN_LINEAGE" ? "sends no column lineage" : "does not say what it is made of";
    const reasons = found.get(id) ?? new Map<string, string>();
    for (const field of fields) reasons.set(field, `origin unknown: job ${job.name} ${why}`);
    found.set(id, reasons);
  }
  return found;
}

export function traceOf(answers: readonly ColumnLineage[], withIndirect: boolean): Trace {
  const edges = new Map<string, ColumnEdge>();
  const datasets = new Map<string, CalledName & { fields: string[] }>();
  const displayNames = Object.assign({}, ...answers.map((answer) => answer.displayNames)) as Record<string, string>;
  const called = (id: string): { displayName?: string } => (displayNames[id] ? { displayName: displayNames[id] } : {});
  const add = (namespace: string, name: string, field: string): ColumnRef => {
    const dataset = nodeIdOf("dataset", namespace, name);
    const known = datasets.get(dataset) ?? { namespace, name, fields: [], ...called(dataset) };
    if (!known.fields.includes(field)) known.fields.push(field);
    datasets.set(dataset, known);
    return { dataset, field };
  };
  const onWay = new Set(answers.flatMap(({ graph }) => graph.map(({ id }) => id)));
  for (const { data } of answers.flatMap(({ graph }) => graph)) {
    if (!data) continue;
    const to = add(data.namespace, data.dataset, data.field);
    for (const input of data.inputFields) {
      if (!onWay.has(columnIdOf(input.namespace, input.dataset, input.field))) continue;
      const from = add(input.namespace, input.dataset, input.field);
      edges.set(edgeKey(from, to), { from, to, transformations: input.transformations });
    }
  }
  for (const { namespace, dataset, inputField } of withIndirect
    ? answers.flatMap(({ indirect }) => indirect ?? [])
    : []) {
    const to = { dataset: nodeIdOf("dataset", namespace, dataset), field: null };
    if (!datasets.has(to.dataset)) continue;
    const from = add(inputField.namespace, inputField.dataset, inputField.field);
    edges.set(edgeKey(from, to), { from, to, transformations: inputField.transformations });
  }
  const unseen = answers.flatMap(({ frontier }) => frontier?.sentence || []);
  return {
    edges: [...edges.values()],
    datasets,
    isTruncated: answers.some(({ truncated }) => truncated),
    unseen,
    unknown: unknownOrigins(answers),
  };
}

/** The way with the column that was picked: it is lit also if it leads nowhere. */
export function withPicked(trace: Trace, { dataset, field, namespace, name }: ColumnRef & Name): Trace {
  const known = trace.datasets.get(dataset);
  if (known?.fields.includes(field)) return trace;
  const datasets = new Map(trace.datasets);
  datasets.set(dataset, { namespace, name, ...known, fields: [...(known?.fields ?? []), field] });
  return { ...trace, datasets };
}

/** Only what lies on a path from one column to another; empty if there is none. */
export function between(trace: Trace, one: ColumnRef, other: ColumnRef): Trace {
  const direct = trace.edges.filter((edge) => edge.to.field !== null);
  const paths = [pathsFrom(direct, one, other), pathsFrom(direct, other, one)];
  return along(trace, [one, other], paths.find((found) => found.length) ?? []);
}

/** The part of a way that has these columns and the ends of these edges. */
function along(trace: Trace, columns: readonly ColumnRef[], edges: readonly ColumnEdge[]): Trace {
  const datasets = new Map<string, CalledName & { fields: string[] }>();
  for (const { dataset, field } of [...columns, ...edges.flatMap(({ from, to }) => [from, to])]) {
    const known = trace.datasets.get(dataset);
    if (!known) continue;
    const kept = datasets.get(dataset) ?? { ...known, fields: [] };
    if (field !== null && !kept.fields.includes(field)) kept.fields.push(field);
    datasets.set(dataset, kept);
  }
  return { ...trace, edges, datasets };
}

/**
 * Of a way with more than `most` tables what a picture shows: from the column that was picked, the tables that are
 * shown anyway, and of each column the first tables that it is made of, or that are made of it.
 */
export function drawnOf(trace: Trace, picked: ColumnRef, shown: ReadonlySet<string>, most: number): Trace {
  if (trace.datasets.size <= most) return trace;
  const kept = new Set<ColumnEdge>();
  for (const [here, there] of [
    ["from", "to"],
    ["to", "from"],
  ] as const) {
    const edges = grouped(trace.edges, (edge) => keyOf(edge[here]));
    const queue = [keyOf(picked)];
    const known = new Set(queue);
    for (let key = queue.pop(); key !== undefined; key = queue.pop()) {
      const found = edges.get(key) ?? [];
      const inPicture = found.filter((edge) => shown.has(edge[there].dataset));
      const others = found.filter((edge) => !shown.has(edge[there].dataset));
      for (const edge of [...inPicture, ...others.slice(0, Math.max(0, FAN - inPicture.length))]) {
        kept.add(edge);
        const next = keyOf(edge[there]);
        if (!known.has(next)) queue.push(next);
        known.add(next);
      }
    }
  }
  return along(
    trace,
    [picked],
    trace.edges.filter((edge) => kept.has(edge)),
  );
}

export function isMasked(transformations: readonly Transformation[]): boolean {
  return transformations.some(({ masking }) => masking);
}

export function isIndirect(transformations: readonly Transformation[]): boolean {
  return transformations.length > 0 && transformations.every(({ type }) => type === "INDIRECT");
}

/** The transformations in a word or two: `aggregation`, `filter, join`. */
export function transformationText(transformations: readonly Transformation[]): string {
  const words = transformations.map(({ subtype, type }) => (subtype || type).toLowerCase().replaceAll("_", " "));
  return oneLine([...new Set(words)].join(", "));
}

export function inputText(input: InputField): string {
  return transformationText(input.transformations ?? []);
}

function pathsFrom(edges: readonly ColumnEdge[], start: ColumnRef, end: ColumnRef): ColumnEdge[] {
  const forward = reached(edges, start, (edge) => [edge.from, edge.to as ColumnRef]);
  const backward = reached(edges, end, (edge) => [edge.to as ColumnRef, edge.from]);
  return edges.filter(({ from, to }) => forward.has(keyOf(from)) && backward.has(keyOf(to as ColumnRef)));
}

function reached(
  edges: readonly ColumnEdge[],
  start: ColumnRef,
  step: (edge: ColumnEdge) => [ColumnRef, ColumnRef],
): Set<string> {
  const found = new Set([keyOf(start)]);
  for (let before = 0; before !== found.size; ) {
    before = found.size;
    for (const edge of edges) {
      const [here, there] = step(edge);
      if (found.has(keyOf(here))) found.add(keyOf(there));
    }
  }
  return found;
}

function keyOf({ dataset, field }: ColumnEdge["to"]): string {
  return `${dataset}\n${field}`;
}

function edgeKey(from: ColumnRef, to: { dataset: string; field: string | null }): string {
  return `${keyOf(from)}\n\n${to.dataset}\n${to.field ?? ""}`;
}
