/** What nodes of the picture must match: others fade. */

import { type Filter, FRESHNESS, tagsOf } from "../../graph/filter";
import { type Graph, ownersOf } from "../../graph/graph";
import { changeParameters } from "../../routing/location";

export function Filters({ filter, graph, isActive }: { filter: Filter; graph: Graph; isActive: boolean }) {
  const tags = [...new Set([...graph.nodes.values()].flatMap(tagsOf))].sort();
  const owners = [...new Set([...graph.nodes.values()].flatMap(ownersOf))].sort();
  return (
    <div className="filters row" role="group" aria-label="Filter">
      <input
        type="search"
        aria-label="Name or column"
        placeholder="Name or column"
        value={filter.text}
        onChange={(event) => changeParameters({ q: event.target.value }, false)}
      />
      <Choice label="Kind" name="kind" value={filter.kind} options={["dataset", "job", "exposure"]} />
      <Choice label="State" name="state" value={filter.state} options={["COMPLETED", "RUNNING", "FAILED", "ABORTED"]} />
      <Choice label="Freshness" name="fresh" value={filter.fresh} options={[...FRESHNESS.keys()]} />
      {tags.length > 0 && <Choice label="Tag" name="tag" value={filter.tag} options={tags} />}
      {owners.length > 0 && <Choice label="Owner" name="owner" value={filter.owner} options={owners} />}
      {isActive && (
        <button
          onClick={() => changeParameters({ q: null, kind: null, state: null, tag: null, owner: null, fresh: null })}
        >
          Clear
        </button>
      )}
    </div>
  );
}

function Choice({ label, name, value, options }: { label: string; name: string; value: string; options: string[] }) {
  return (
    <select aria-label={label} value={value} onChange={(event) => changeParameters({ [name]: event.target.value })}>
      <option value="">Any {label.toLowerCase()}</option>
      {options.map((option) => (
        <option key={option} value={option}>
          {name === "state" ? option.toLowerCase() : option}
        </option>
      ))}
    </select>
  );
}
