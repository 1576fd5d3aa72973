/** What a dataset is to others: who writes and reads it, when it was written, with how many rows, in which schema. */

import type {
  CalledName,
  Dataset,
  DatasetInGraph,
  DatasetVersion,
  JobInGraph,
  Lineage,
  Name,
  Run,
} from "../../api/types";
import { changesBetween, type FieldChange } from "../../graph/schema";
import { kindOf, splitNodeId } from "../../text/names";

export interface User extends CalledName {
  nodeId: string;
  /** The newest run of a job; null if the answer, which is bounded, has only the job's name. */
  latestRun: Run | null;
}

export interface Users extends Record<"writers" | "readers", User[]> {
  /** About how many there are, where the answer was cut. */
  aboutWriters: number | undefined;
  aboutReaders: number | undefined;
}

export interface SchemaChange {
  version: DatasetVersion;
  changes: FieldChange[];
}

/** The jobs beside a dataset, and what a DatasetEvent declares it to be made of, by the edges of its node. */
export function usersOf({ namespace, name }: Name, { graph }: Lineage): Users {
  const nodes = new Map(graph.map((node) => [node.id, node]));
  const own = graph.find(({ type, data }) => type === "DATASET" && data.namespace === namespace && data.name === name);
  const { estimatedReaders, estimatedWriters } = (own?.data ?? {}) as Partial<DatasetInGraph>;
  const user = (nodeId: string): User => {
    const data: CalledName = nodes.get(nodeId)?.data ?? splitNodeId(nodeId);
    const latestRun = kindOf(nodeId) === "job" ? ((data as Partial<JobInGraph>).latestRun ?? null) : null;
    return { nodeId, namespace: data.namespace, name: data.name, displayName: data.displayName, latestRun };
  };
  return {
    writers: [...new Set(own?.inEdges.map(({ origin }) => origin))].map(user),
    readers: [...new Set(own?.outEdges.map(({ destination }) => destination))].map(user),
    aboutWriters: estimatedWriters,
    aboutReaders: estimatedReaders,
  };
}

/** The run of the dataset's current version: the newest write that went well. */
export function lastWrite({ currentVersion }: Dataset, versions: readonly DatasetVersion[]): Run | null {
  return versions.find(({ createdByRun }) => createdByRun?.id === currentVersion)?.createdByRun ?? null;
}

/** The changes between versions that have a schema, newest first. */
export function schemaChanges(versions: readonly DatasetVersion[]): SchemaChange[] {
  const known = versions.filter(({ fields }) => fields.length);
  return known
    .map((version, index) => ({
      version,
      changes: changesBetween(known[index + 1]?.fields ?? version.fields, version.fields),
    }))
    .filter(({ changes }) => changes.length > 0);
}

/** The rows of each write, by the statistics of the run only for this dataset: a run may write others, too. */
export function rowsByRun(versions: readonly DatasetVersion[]): Map<string, number> {
  return new Map(
    versions.flatMap(({ createdByRun, facets }): [string, number][] => {
      const rows = facets?.outputStatistics?.rowCount;
      return createdByRun && typeof rows === "number" ? [[createdByRun.id, rows]] : [];
    }),
  );
}

/** The job of a run of a version: the API has it with the version of the job. */
export function jobOf({ job, jobVersion }: Run): Name | null {
  return job ?? jobVersion ?? null;
}
