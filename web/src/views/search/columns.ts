/** Columns by a table's name and their own: `orders unit_price`, `orders.unit`. Costs one read for each of a few tables. */

import { dataset } from "../../api/nodes";
import type { SearchResult } from "../../api/types";

const MOST_TABLES = 4;
const MOST_COLUMNS = 8;

/** The table's part and the column's part of what was typed, null if there is one part alone. */
export function partsOfColumn(text: string): { table: string; column: string } | null {
  const match = /^(.*[^\s.])[\s.]+([^\s.]+)$/.exec(text.trim());
  return match ? { table: match[1]!, column: match[2]! } : null;
}

/** The columns of the found tables whose name has the text in it. A table that cannot be read has none. */
export async function columnsOf(tables: readonly SearchResult[], text: string, signal: AbortSignal): Promise<SearchResult[]> {
  const found = await Promise.all(
    tables.slice(0, MOST_TABLES).map(async (table) => {
      const known = await dataset(table.nodeId, signal).catch(() => null);
      return (known?.fields ?? [])
        .filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()))
        .map(({ name }): SearchResult => ({ ...table, dataset: table.name, field: name }));
    }),
  );
  return found.flat().slice(0, MOST_COLUMNS);
}
