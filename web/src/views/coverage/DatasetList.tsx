/** The datasets behind a number of the coverage. */

import { Empty } from "../../parts/Feedback";
import { Name } from "../../parts/Name";
import { Table } from "../../parts/Table";
import { changeParameters, linkTo } from "../../routing/location";
import { count, moment } from "../../text/amounts";
import { calledWhole, nodeIdOf, oneLine } from "../../text/names";
import { type Covered, isIn, KINDS, type Kind, type Part } from "./coverage";

interface Properties {
  kind: Kind;
  part: Part;
  datasets: Covered[];
}

export function DatasetList({ kind, part, datasets }: Properties) {
  const now = Date.now();
  const listed = datasets.filter((dataset) => isIn(part, dataset) && KINDS[kind].has(dataset, now));
  return (
    <>
      <header className="node-head">
        <a className="eyebrow" href={linkTo("coverage", { by: part.owner !== undefined && "owner" })}>
          Coverage
        </a>
        <h1>
          {KINDS[kind].title} <span className="muted">{count(listed.length)}</span>
        </h1>
        <p className="muted">
          <bdi>{titleOf(part)}</bdi>
        </p>
        <select aria-label="List" value={kind} onChange={(event) => changeParameters({ list: event.target.value })}>
          {Object.entries(KINDS).map(([each, { title }]) => (
            <option key={each} value={each}>
              {title}
            </option>
          ))}
        </select>
      </header>
      {listed.length ? <Datasets datasets={listed} kind={kind} /> : <Empty>No dataset is in this list.</Empty>}
    </>
  );
}

function Datasets({ datasets, kind }: { datasets: Covered[]; kind: Kind }) {
  return (
    <Table
      caption="Datasets"
      file={`datasets-${kind}`}
      sortedBy="Dataset"
      rows={datasets}
      keyOf={({ namespace, name }) => nodeIdOf("dataset", namespace, name)}
      columns={[
        {
          name: "Dataset",
          value: calledWhole,
          show: ({ namespace, name, displayName }) => (
            <Name
              name={name}
              called={displayName}
              href={linkTo("node", { nodeId: nodeIdOf("dataset", namespace, name) })}
            />
          ),
        },
        {
          name: "Namespace",
          value: ({ namespace }) => namespace,
          show: ({ namespace }) => <bdi>{oneLine(namespace)}</bdi>,
        },
        { name: "Owner", value: ({ owners }) => owners.join(", "), show: (dataset) => <Owners {...dataset} /> },
        { name: "Column lineage", value: ({ hasColumns }) => (hasColumns ? "yes" : "no") },
        {
          name: "Last write",
          value: ({ lastWrittenAt }) => lastWrittenAt ?? "",
          show: ({ lastWrittenAt }) => (lastWrittenAt ? moment(lastWrittenAt) : <span className="muted">unknown</span>),
        },
        { name: "Read", value: ({ isRead, unseen }) => (isRead ? "yes" : unseen || "not known") },
      ]}
    />
  );
}

function Owners({ owners, ownersFrom }: Covered) {
  if (!owners.length) return <span className="muted">none known</span>;
  return (
    <>
      <bdi>{owners.map(oneLine).join(", ")}</bdi>
      {ownersFrom && <div className="muted">of the job {oneLine(ownersFrom)}</div>}
    </>
  );
}

function titleOf({ namespace, owner }: Part): string {
  if (owner === null) return "Datasets without an owner";
  if (owner !== undefined) return `Datasets of ${oneLine(owner)}`;
  return namespace === undefined ? "Datasets of all namespaces" : `Datasets in ${oneLine(namespace)}`;
}
