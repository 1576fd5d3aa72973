/** The search over columns, datasets, jobs, owners and tags; and of a run by its id. */

import { get } from "../../api/request";
import { type Found, MOST, type Result } from "../../api/search";
import { linkTo } from "../../routing/location";
import { grouped } from "../../text/grouped";

/** So many results of a group are shown at first. */
export const FEW = 12;
const RUN_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const LABELS: Record<Result["type"], string> = {
  COLUMN: "Columns",
  DATASET: "Datasets",
  JOB: "Jobs",
  OWNER: "Owners",
  TAG: "Tags",
  RUN: "Runs",
};

/**
 * What has words that begin so; else what has the text anywhere in its name; else, of a sentence, what has its longest
 * word. Of each group up to `limit`.
 */
export async function search(text: string, signal: AbortSignal, limit = FEW): Promise<Found> {
  if (RUN_ID.test(text)) return ofId(text, signal);
  const found = await get<Found>("search/groups", { q: text, limit }, signal);
  if (found.results.length) return found;
  const anywhere = await get<Found>("search", { q: text, limit }, signal);
  const [word = ""] = text.split(/[^\p{L}\p{N}_]+/u).toSorted((one, other) => other.length - one.length);
  if (anywhere.results.length || !word || word === text) return anywhere;
  return { ...(await get<Found>("search/groups", { q: word, limit }, signal)), corrected: word };
}

/** The run of a query that an engine knows by an id, such as Athena; else the run of that id. */
async function ofId(id: string, signal: AbortSignal): Promise<Found> {
  const ofQuery = await get<Found>("search/groups", { q: id }, signal).catch(() => null);
  signal.throwIfAborted();
  return ofQuery?.results.length ? ofQuery : { results: [{ type: "RUN", name: id.toLowerCase() }] };
}

/** A column leads straight to its lineage, a dataset or job to its graph, an owner or a tag to what has it. */
export function linkOf(result: Result): string {
  switch (result.type) {
    case "COLUMN": {
      const table = `dataset:${result.namespace}:${result.dataset}`;
      return linkTo("lineage", { nodeId: table, table, column: result.name });
    }
    case "RUN":
      return linkTo("run", { id: result.name });
    case "OWNER":
    case "TAG":
      return linkTo("label", { type: result.type, name: result.name });
    default:
      return result.runId ? linkTo("run", { id: result.runId }) : linkTo("lineage", { nodeId: result.nodeId });
  }
}

/** Whether a greater limit may find more: some group is full. */
export function hasMore({ results }: Found, limit: number): boolean {
  return limit < MOST && groupsOf(results).some(([, members]) => members.length >= limit);
}

/** The results by their groups, in the order of the answer. */
export function groupsOf(results: readonly Result[]): [string, Result[]][] {
  return [...grouped(results, ({ type }) => LABELS[type])];
}
