/** The search over columns, datasets and jobs. */

import { get } from "../../api/request";
import type { Page, SearchResult } from "../../api/types";
import { columnsOf, partsOfColumn } from "./columns";
import { linkTo, type Parameters } from "../../routing/location";

const LIMIT = 40;

export interface Found extends Page {
  results: SearchResult[];
}

/** What has the text in its name; and of a text with two parts, the columns of the tables that the first part finds. */
export async function search(text: string, signal: AbortSignal): Promise<Found> {
  const parts = partsOfColumn(text);
  const ask = (query: object): Promise<Found> => get<Found>("search", { ...query, limit: LIMIT }, signal);
  const [found, tables] = await Promise.all([ask({ q: text }), parts ? ask({ q: parts.table, filter: "DATASET" }) : null]);
  if (!parts || !tables) return found;
  return { ...found, results: [...(await columnsOf(tables.results, parts.column, signal)), ...found.results] };
}

/** A column leads straight to its lineage, a dataset or job to its graph. */
export function linkOf(result: SearchResult): string {
  const parameters: Parameters = { nodeId: result.nodeId };
  if (result.field !== undefined) {
    const table = `dataset:${result.namespace}:${result.dataset ?? result.name}`;
    return linkTo("lineage", { nodeId: table, table, column: result.field });
  }
  return linkTo("lineage", parameters);
}

const GROUPS: [string, (result: SearchResult) => boolean][] = [
  ["Columns", ({ field }) => field !== undefined],
  ["Datasets", ({ type, field }) => type === "DATASET" && field === undefined],
  ["Jobs", ({ type }) => type === "JOB"],
];

export function grouped(results: readonly SearchResult[]): [string, SearchResult[]][] {
  const groups = GROUPS.map(([label, belongs]): [string, SearchResult[]] => [label, results.filter(belongs)]);
  const others = results.filter((result) => !GROUPS.some(([, belongs]) => belongs(result)));
  return [...groups, ["Others", others] as [string, SearchResult[]]].filter(([, members]) => members.length > 0);
}
