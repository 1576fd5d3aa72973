/**
 * Coverage, for who answers for it: by namespace or owner, how many datasets have column lineage and an owner, are
 * stale, or were never read. Each number leads to the list of its datasets.
 */

import { useState } from "react";
import { useLookup } from "../../api/useLookup";
import { Empty, Loaded, Truncated } from "../../parts/Feedback";
import { type Column, Table } from "../../parts/Table";
import { changeParameters, linkTo } from "../../routing/location";
import { count, counted, percent } from "../../text/amounts";
import { oneLine } from "../../text/names";
import {
  byNamespace,
  byOwner,
  type Covered,
  KINDS,
  type Kind,
  kindOf,
  type Part,
  type Row,
  STALE_DAYS,
} from "./coverage";
import { DatasetList } from "./DatasetList";
import { load, MOST_DATASETS, MOST_NAMESPACES } from "./load";

const SHARES: Kind[] = ["columns", "owner", "stale", "unread"];

export default function CoverageView({ parameters }: { parameters: URLSearchParams }) {
  const namespace = parameters.get("namespace") ?? undefined;
  const part: Part = { namespace, owner: parameters.has("unowned") ? null : (parameters.get("owner") ?? undefined) };
  const kind = kindOf(parameters.get("list"));
  const [{ read, all }, setRead] = useState({ read: 0, all: 0 });
  const lookup = useLookup(JSON.stringify(["coverage", namespace]), (signal) =>
    load(namespace, signal, (read, all) => setRead({ read, all })),
  );
  return (
    <section className="sheet">
      {!kind && <h1>Coverage</h1>}
      {lookup.state === "loading" && all > 1 && (
        <progress aria-label="Namespaces that were read" value={read} max={all} />
      )}
      <Loaded lookup={lookup} what="the coverage">
        {({ datasets, isCut }) => (
          <>
            {isCut && (
              <Truncated>
                Of {count(datasets.length)} datasets: a look takes at most {count(MOST_DATASETS)}, of the first{" "}
                {count(MOST_NAMESPACES)} namespaces.
              </Truncated>
            )}
            {kind ? (
              <DatasetList kind={kind} part={part} datasets={datasets} />
            ) : (
              <Shares datasets={datasets} isByOwner={parameters.get("by") === "owner"} />
            )}
          </>
        )}
      </Loaded>
    </section>
  );
}

function Shares({ datasets, isByOwner }: { datasets: Covered[]; isByOwner: boolean }) {
  if (!datasets.length) return <Empty>No dataset yet.</Empty>;
  const by = isByOwner ? "owner" : "namespace";
  const now = Date.now();
  return (
    <>
      <div className="switch" role="group" aria-label="Coverage by">
        {["namespace", "owner"].map((each) => (
          <button
            key={each}
            aria-pressed={each === by}
            onClick={() => changeParameters({ by: each === "owner" && each })}
          >
            by {each}
          </button>
        ))}
      </div>
      <Table<Row>
        key={by}
        caption={`Coverage by ${by}`}
        file={`coverage-by-${by}`}
        sortedBy={isByOwner ? undefined : "Namespace"}
        rows={isByOwner ? byOwner(datasets) : byNamespace(datasets)}
        keyOf={({ part }) => JSON.stringify(part)}
        columns={[
          {
            name: isByOwner ? "Owner" : "Namespace",
            value: ({ part }) => nameOf(part),
            show: ({ part }) => <Of part={part} />,
          },
          {
            name: "Datasets",
            value: (row) => row.datasets.length,
            show: (row) => <a href={listLink("all", row.part)}>{count(row.datasets.length)}</a>,
            isNumber: true,
          },
          ...SHARES.map((kind) => share(kind, now)),
        ]}
      />
      <p className="muted">
        Stale: jobs write it, but not for {STALE_DAYS} days. Without a known reader: no job that reports has read it,
        except one that writes it, too. What BI tools, notebooks and people read is not seen.
        {isByOwner &&
          " A dataset without an owner has the one of the job that writes it. A dataset of two owners counts for both."}
      </p>
    </>
  );
}

function share(kind: Kind, now: number): Column<Row> {
  const amount = ({ datasets }: Row): number => datasets.filter((dataset) => KINDS[kind].has(dataset, now)).length;
  return {
    name: KINDS[kind].title,
    value: (row) => amount(row) / row.datasets.length,
    show: (row) => {
      const part = amount(row) / row.datasets.length;
      return (
        <a href={listLink(kind, row.part)}>
          <span className="share">
            <span className="bar-track" aria-hidden="true">
              <svg width="80" height="6">
                <rect width={80 * part} height="6" fill="var(--accent)" />
              </svg>
            </span>
            {percent(part)}
            <span className="hidden">: {`${amount(row)} of ${counted(row.datasets.length, "dataset")}`}</span>
          </span>
        </a>
      );
    },
    isNumber: true,
  };
}

function Of({ part }: { part: Part }) {
  if (part.owner === null) return <span className="muted">none known</span>;
  const link =
    part.owner === undefined
      ? linkTo("namespace", { name: part.namespace })
      : linkTo("label", { type: "OWNER", name: part.owner });
  return (
    <a href={link}>
      <bdi>{oneLine(nameOf(part))}</bdi>
    </a>
  );
}

function nameOf({ namespace, owner }: Part): string {
  return owner === undefined ? (namespace ?? "") : (owner ?? "none known");
}

function listLink(list: Kind, { namespace, owner }: Part): string {
  return linkTo("coverage", { list, namespace, owner, unowned: owner === null });
}
