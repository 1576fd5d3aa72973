/** A node's own routes. */

import { kindOf, splitNodeId } from "../text/names";
import { ApiError, get, pathOf, type Query, request } from "./request";
import type { Dataset, DatasetVersion, Job, Lineage, Name, Page, Run } from "./types";

/** Names of nodes whose ids are not parted where their text suggests: a namespace may contain colons, as `a:b`. */
const parted = new Map<string, Name>();

/** The path of a node: `namespaces/N/datasets/D`. */
export function pathOfNode(nodeId: string): string {
  const { namespace, name } = parted.get(nodeId) ?? splitNodeId(nodeId);
  return pathOf("namespaces", namespace, kindOf(nodeId) === "job" ? "jobs" : "datasets", name);
}

export const dataset = (nodeId: string, signal?: AbortSignal): Promise<Dataset> => node(nodeId, signal);
export const job = (nodeId: string, signal?: AbortSignal): Promise<Job> => node(nodeId, signal);

/** What is not found by its path may be found by its id, which the server parts as it knows the namespaces. */
async function node<T>(nodeId: string, signal?: AbortSignal): Promise<T> {
  try {
    return await get<T>(pathOfNode(nodeId), {}, signal);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404 || parted.has(nodeId)) throw error;
    const { graph } = await get<Lineage>("lineage", { nodeId, depth: 0 }, signal);
    const found = graph[0]?.data;
    if (!found) throw error;
    parted.set(nodeId, { namespace: found.namespace, name: found.name });
    return get<T>(pathOfNode(nodeId), {}, signal);
  }
}

export interface Versions extends Page {
  versions: DatasetVersion[];
}
export const versions = (nodeId: string, query: Query, signal?: AbortSignal): Promise<Versions> =>
  get(`${pathOfNode(nodeId)}/versions`, query, signal);

export interface Runs extends Page {
  runs: Run[];
}
export const runsOf = (nodeId: string, query: Query, signal?: AbortSignal): Promise<Runs> =>
  get(`${pathOfNode(nodeId)}/runs`, query, signal);

export interface QualityResult {
  at?: string;
  createdAt?: string;
  runId?: string | null;
  [member: string]: unknown;
}
export interface Quality extends Page {
  last: QualityResult | null;
  history: QualityResult[];
}
export const quality = (nodeId: string, signal?: AbortSignal): Promise<Quality> =>
  get(`${pathOfNode(nodeId)}/quality`, { limit: 100 }, signal);

export interface Alias extends Name {
  rules?: unknown;
  [member: string]: unknown;
}
export interface Aliases extends Page {
  aliases: Alias[];
}
export const aliases = (nodeId: string, signal?: AbortSignal): Promise<Aliases> =>
  get("aliases", { nodeId, limit: 200 }, signal);

export const putTag = (nodeId: string, tag: string): Promise<unknown> =>
  request("POST", `${pathOfNode(nodeId)}/${pathOf("tags", tag)}`, {});
export const removeTag = (nodeId: string, tag: string): Promise<unknown> =>
  request("DELETE", `${pathOfNode(nodeId)}/${pathOf("tags", tag)}`, {});
export const putFieldTag = (nodeId: string, field: string, tag: string): Promise<unknown> =>
  request("POST", `${pathOfNode(nodeId)}/${pathOf("fields", field, "tags", tag)}`, {});
export const removeFieldTag = (nodeId: string, field: string, tag: string): Promise<unknown> =>
  request("DELETE", `${pathOfNode(nodeId)}/${pathOf("fields", field, "tags", tag)}`, {});
export const putOwners = (nodeId: string, owners: string[]): Promise<unknown> =>
  request("PUT", `${pathOfNode(nodeId)}/owners`, {}, undefined, { owners });
export const deleteNode = (nodeId: string): Promise<unknown> => request("DELETE", pathOfNode(nodeId), {});

/** Marquez's PUT of a dataset wants its type, its physical name and its source, and leaves what the body lacks. */
export function describeDataset(
  nodeId: string,
  { type, physicalName, sourceName }: Dataset,
  description: string,
): Promise<unknown> {
  return request("PUT", pathOfNode(nodeId), {}, undefined, { type, physicalName, sourceName, description });
}

export function describeJob(nodeId: string, { type, inputs, outputs }: Job, description: string): Promise<unknown> {
  return request("PUT", pathOfNode(nodeId), {}, undefined, { type, inputs, outputs, description });
}
