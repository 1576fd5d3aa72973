/**
 * Above the picture while a column is picked: whose way is lit, its filters and joins, and the way to a second column.
 */

import type { ColumnLineage } from "../../api/types";
import type { Lookup } from "../../api/useLookup";
import type { Trace } from "../../graph/trace";
import { Icon } from "../../parts/Icon";
import type { Scene } from "../../picture/scene";
import { changeParameters, linkTo } from "../../routing/location";
import { counted } from "../../text/amounts";
import { calledShort, columnIdOf, oneLine } from "../../text/names";
import type { LineageParameters } from "./parameters";

export function TraceBar({
  wanted,
  lookup,
  trace,
  scene,
}: {
  wanted: LineageParameters;
  lookup: Lookup<ColumnLineage[]>;
  trace: Trace | null;
  scene: Scene;
}) {
  const { picked, target, isAlone, withIndirect } = wanted;
  if (!picked) return null;
  const origin = trace?.unknown.get(picked.dataset)?.get(picked.field);
  const nodes = new Map(scene.nodes.map(({ node }) => [node.id, node]));
  const others = [...(trace?.datasets ?? [])].flatMap(([dataset, { name, displayName, fields }]) =>
    fields.map((field) => ({ dataset, name, displayName: displayName ?? nodes.get(dataset)?.displayName, field })),
  );
  const drawn = new Set(scene.columnEdges.flatMap(({ from, to }) => [from.dataset, to.dataset])).size;
  return (
    <div className="trace-bar" role="region" aria-label="The lineage path of a column">
      <Icon name="column" />
      <span role="status">
        The lineage path of <b>{oneLine(picked.field)}</b> of{" "}
        {oneLine(calledShort(nodes.get(picked.dataset) ?? trace?.datasets.get(picked.dataset) ?? picked))}
        {lookup.state === "loading" && " is being looked up…"}
        {lookup.state === "failed" &&
          `: ${lookup.error.status === 404 ? `it is not there ${wanted.wish.asOf ? "at this time" : "now. If it was removed, look at the past"}` : lookup.error.message}`}
        {trace &&
          (trace.edges.length
            ? `: ${counted(trace.datasets.size, "table")}${drawn < trace.datasets.size ? `, ${drawn} of them drawn: the table has all` : ""}`
            : target
              ? ": no path between the two"
              : ": no column lineage is known")}
        {origin && `; ${oneLine(origin)}`}
        {trace && !trace.edges.length && trace.unseen.map((sentence) => `. ${oneLine(sentence)}`)}
        {trace?.isTruncated && ", cut"}
      </span>
      <span className="push" />
      <label>
        <input type="checkbox" checked={isAlone} onChange={() => changeParameters({ alone: isAlone ? null : 1 })} />{" "}
        only its path
      </label>
      <label>
        <input
          type="checkbox"
          checked={withIndirect}
          disabled={target !== null}
          onChange={() => changeParameters({ indirect: withIndirect ? null : 1 })}
        />{" "}
        filters and joins
      </label>
      <select
        aria-label="Only paths to"
        value={target ? `${target.dataset}\n${target.field}` : ""}
        onChange={(event) => {
          const [toTable, toColumn] = event.target.value.split("\n");
          changeParameters({ toTable, toColumn });
        }}
      >
        <option value="">All paths</option>
        {(target && !others.length ? [target] : others)
          .filter(({ dataset, field }) => dataset !== picked.dataset || field !== picked.field)
          .map(({ dataset, field, ...called }) => (
            <option key={`${dataset} ${field}`} value={`${dataset}\n${field}`}>
              to {oneLine(field)} of {oneLine(calledShort(called))}
            </option>
          ))}
      </select>
      <a
        className="button"
        href={linkTo("impact", { nodeId: columnIdOf(picked.namespace, picked.name, picked.field) })}
      >
        <Icon name="impact" /> Impact
      </a>
      <button
        onClick={() =>
          changeParameters({ table: null, column: null, toTable: null, toColumn: null, alone: null, indirect: null })
        }
      >
        Done
      </button>
    </div>
  );
}
