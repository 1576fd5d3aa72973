/** The columns of a table in the picture. Of 3,000 columns only the rows in sight are drawn. */

import { useMemo, useRef, useState } from "react";
import { useUnknownOrigins } from "../../api/origins";
import type { Field } from "../../api/types";
import type { GraphNode } from "../../graph/graph";
import { hasSearch, heightOf, listedFields, MOST_ROWS, MOST_TRACED, ROW } from "../../graph/sizes";
import { Icon } from "../../parts/Icon";
import { oneLine } from "../../text/names";
import { useActions } from "./actions";

interface Properties {
  node: GraphNode;
  traced: readonly string[];
  tabIndex: number;
}

export function ColumnList({ node, traced, tabIndex }: Properties) {
  const { pickColumn, picked, asOf } = useActions();
  const { unknown } = useUnknownOrigins(node.id, asOf);
  const [filter, setFilter] = useState("");
  const [top, setTop] = useState(0);
  const rows = useRef<HTMLDivElement>(null);
  const fields = useMemo(() => listedFields(node, traced), [node, traced]);
  const found = useMemo(() => matching(fields, filter), [fields, filter]);
  const first = Math.floor(top / ROW);
  const isPicked = (field: Field): boolean => picked?.dataset === node.id && picked.field === field.name;
  /** What matches is shown from its beginning, wherever the list was scrolled to. */
  const search = (text: string): void => {
    setFilter(text);
    rows.current?.scrollTo({ top: 0 });
  };
  return (
    <div
      className="columns nodrag nowheel nopan"
      style={{ top: heightOf(node, { isOpen: false, traced }) }}
      onClick={(event) => event.stopPropagation()}
      onKeyDown={(event) => event.stopPropagation()}
    >
      {hasSearch(fields) && (
        <input
          type="search"
          tabIndex={tabIndex}
          aria-label={`Find one of ${fields.length} columns`}
          placeholder={`Find in ${fields.length} columns`}
          value={filter}
          onChange={(event) => search(event.target.value)}
        />
      )}
      <div
        ref={rows}
        className="rows"
        tabIndex={-1}
        style={{ maxHeight: MOST_ROWS * ROW }}
        onScroll={(event) => setTop(event.currentTarget.scrollTop)}
      >
        <div style={{ height: found.length * ROW, position: "relative" }}>
          {found.slice(first, first + MOST_ROWS + 2).map((field, index) => (
            <button
              key={field.name}
              tabIndex={tabIndex}
              className="column"
              style={{ top: (first + index) * ROW }}
              aria-pressed={isPicked(field)}
              onClick={() => pickColumn(node, field.name)}
              title={titleOf(field.name, field.type, unknown.get(field.name))}
            >
              <bdi className="column-name">{oneLine(field.name)}</bdi>
              <OriginMark reason={unknown.get(field.name)} />
              {field.tags.length > 0 && <Icon name="tag" label={field.tags.join(", ")} />}
              <span className="type">{oneLine(field.type ?? "")}</span>
            </button>
          ))}
        </div>
      </div>
    </div>
  );
}

/** The columns on the path of the picked column, where its edges end. */
export function TracedColumns({ node, traced, tabIndex }: Properties) {
  const { pickColumn, picked, unknown } = useActions();
  const types = new Map((node.dataset?.fields ?? []).map(({ name, type }) => [name, type]));
  return (
    <div className="traced nodrag" onClick={(event) => event.stopPropagation()}>
      {traced.slice(0, MOST_TRACED).map((field) => (
        <button
          key={field}
          tabIndex={tabIndex}
          className="column"
          aria-pressed={picked?.dataset === node.id && picked.field === field}
          onClick={() => pickColumn(node, field)}
          title={titleOf(field, types.get(field), unknown.get(node.id)?.get(field))}
        >
          <bdi className="column-name">{oneLine(field)}</bdi>
          <OriginMark reason={unknown.get(node.id)?.get(field)} />
          <span className="type">{oneLine(types.get(field) ?? "")}</span>
        </button>
      ))}
      {traced.length > MOST_TRACED && <span className="rest">and {traced.length - MOST_TRACED} more columns</span>}
    </div>
  );
}

function OriginMark({ reason }: { reason: string | undefined }) {
  return reason ? (
    <span className="origin">
      <Icon name="why" label={oneLine(reason)} />
    </span>
  ) : null;
}

function titleOf(name: string, type: string | null | undefined, reason: string | undefined): string {
  return oneLine([`${name} ${type ?? ""}`.trim(), ...(reason ? [reason] : [])].join(": "));
}

function matching(fields: readonly Field[], filter: string): readonly Field[] {
  const text = filter.trim().toLowerCase();
  return text ? fields.filter(({ name }) => name.toLowerCase().includes(text)) : fields;
}
