/** A table that sorts by each column, filters by text, and saves what it shows as CSV. */

import { type ReactNode, useMemo, useState } from "react";
import { csv } from "../picture/csv";
import { saveText } from "../picture/save";
import { count, counted } from "../text/amounts";
import { oneLine } from "../text/names";
import { Icon } from "./Icon";

export interface Column<Row> {
  name: string;
  /** What sorting, filtering and CSV see. */
  value: (row: Row) => string | number;
  show?: (row: Row) => ReactNode;
  isNumber?: boolean;
}

interface Properties<Row> {
  caption: string;
  columns: Column<Row>[];
  rows: Row[];
  keyOf: (row: Row) => string;
  file?: string;
  sortedBy?: string;
  /** How many rows are shown at first. */
  most?: number;
}

const STEP = 200;

export function Table<Row>({ caption, columns, rows, keyOf, file, sortedBy, most = STEP }: Properties<Row>) {
  const [filter, setFilter] = useState("");
  const [sort, setSort] = useState<{ name: string; isDown: boolean } | null>(
    sortedBy ? { name: sortedBy, isDown: false } : null,
  );
  const [extra, setExtra] = useState(0);
  const limit = most + extra;
  const shown = useMemo(() => sorted(filtered(rows, columns, filter), columns, sort), [rows, columns, filter, sort]);
  return (
    <div className="table">
      <div className="row tools">
        <label className="field">
          <Icon name="filter" />
          <span className="hidden">Filter {caption}</span>
          <input
            type="search"
            placeholder="Filter"
            value={filter}
            onChange={(event) => setFilter(event.target.value)}
          />
        </label>
        <span className="muted" role="status">
          {filter ? `${count(shown.length)} of ${counted(rows.length, "row")}` : counted(rows.length, "row")}
        </span>
        {file && (
          <button onClick={() => saveText(`${file}.csv`, csv(columns, shown), "text/csv")}>
            <Icon name="save" /> CSV
          </button>
        )}
      </div>
      <div className="scroll" tabIndex={0} role="region" aria-label={caption}>
        <table>
          <caption className="hidden">{caption}</caption>
          <thead>
            <tr>
              {columns.map((column) => (
                <th
                  key={column.name}
                  scope="col"
                  aria-sort={sort?.name === column.name ? (sort.isDown ? "descending" : "ascending") : undefined}
                  className={column.isNumber ? "number" : undefined}
                >
                  <button
                    onClick={() => setSort({ name: column.name, isDown: sort?.name === column.name && !sort.isDown })}
                  >
                    {column.name}
                    {sort?.name === column.name && <span aria-hidden="true">{sort.isDown ? "↓" : "↑"}</span>}
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.slice(0, limit).map((row) => (
              <tr key={keyOf(row)}>
                {columns.map((column) => (
                  <td key={column.name} data-label={column.name} className={column.isNumber ? "number" : undefined}>
                    {column.show ? column.show(row) : inert(column.value(row))}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {shown.length > limit && (
        <button className="more" onClick={() => setExtra(extra + STEP)}>
          Show {count(Math.min(STEP, shown.length - limit))} more of {count(shown.length - limit)}
        </button>
      )}
    </div>
  );
}

function inert(value: string | number): string | number {
  return typeof value === "string" ? oneLine(value) : value;
}

function filtered<Row>(rows: Row[], columns: Column<Row>[], filter: string): Row[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.length) return rows;
  return rows.filter((row) => {
    const text = columns
      .map((column) => column.value(row))
      .join("\n")
      .toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

function sorted<Row>(rows: Row[], columns: Column<Row>[], sort: { name: string; isDown: boolean } | null): Row[] {
  const column = columns.find(({ name }) => name === sort?.name);
  if (!column || !sort) return rows;
  const sign = sort.isDown ? -1 : 1;
  return rows.toSorted((one, other) => sign * compare(column.value(one), column.value(other)));
}

function compare(one: string | number, other: string | number): number {
  return typeof one === "number" && typeof other === "number" ? one - other : String(one).localeCompare(String(other));
}
