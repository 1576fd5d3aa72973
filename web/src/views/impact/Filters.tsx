/** What the list of an impact is narrowed by. The choices are in the address. */

import type { ImpactItem } from "../../api/types";
import { changeParameters } from "../../routing/location";
import { count, counted } from "../../text/amounts";
import { columnOf, oneLine, splitNodeId } from "../../text/names";

export type Listed = ImpactItem & { owners: string[] };

const NO_OWNER = "no owner";

export const KINDS: Record<string, string> = {
  DATASET: "dataset",
  JOB: "job",
  DATASET_FIELD: "column",
  EXPOSURE: "exposure",
};

interface ByMember {
  name: string;
  label: string;
  of: (item: Listed) => string[];
}

export const FILTERS: ByMember[] = [
  { name: "type", label: "type", of: ({ type }) => [KINDS[type] ?? type] },
  { name: "owner", label: "owner", of: ({ owners }) => (owners.length ? owners : [NO_OWNER]) },
  { name: "in", label: "namespace", of: ({ nodeId }) => [namespaceOf(nodeId)] },
  { name: "hops", label: "number of hops", of: ({ distance }) => [distance > 2 ? "3 and more" : String(distance)] },
];

export function isChosen(choice: string | null, values: readonly string[]): boolean {
  return !choice || values.includes(choice);
}

export function Filters({ items, parameters, shown }: { items: Listed[]; parameters: URLSearchParams; shown: number }) {
  const isActive = FILTERS.some(({ name }) => parameters.get(name));
  return (
    <div className="filters row" role="group" aria-label="Narrow the list">
      {FILTERS.map(({ name, label, of }) => {
        const options = [...new Set([...items.flatMap(of), ...(parameters.get(name) ? [parameters.get(name)!] : [])])];
        return options.length > 1 || parameters.get(name) ? (
          <select
            key={name}
            aria-label={label}
            value={parameters.get(name) ?? ""}
            onChange={(event) => changeParameters({ [name]: event.target.value })}
          >
            <option value="">Any {label}</option>
            {options.toSorted().map((option) => (
              <option key={option} value={option}>
                {name === "hops" && option.length === 1 ? counted(Number(option), "hop") : oneLine(option)}
              </option>
            ))}
          </select>
        ) : null;
      })}
      {isActive && (
        <>
          <span className="muted" role="status">
            {count(shown)} of {counted(items.length, "node")}
          </span>
          <button onClick={() => changeParameters(Object.fromEntries(FILTERS.map(({ name }) => [name, null])))}>
            Clear
          </button>
        </>
      )}
    </div>
  );
}

function namespaceOf(nodeId: string): string {
  const { kind, namespace } = splitNodeId(nodeId);
  return kind === "datasetField" ? splitNodeId(columnOf(nodeId).dataset).namespace : namespace;
}
