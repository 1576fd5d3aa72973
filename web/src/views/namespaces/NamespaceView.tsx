/** A namespace: its datasets and jobs, its owner. */

import { type ReactNode, useState } from "react";
import { useScopes } from "../../api/caller";
import { get, pathOf, request } from "../../api/request";
import type { Job, ListedDataset, Namespace } from "../../api/types";
import { useLookup } from "../../api/useLookup";
import { isCanary, isInnerAction, isListedJob } from "../../graph/unlisted";
import { Empty, Loaded, Truncated, Updated } from "../../parts/Feedback";
import { Name } from "../../parts/Name";
import { State } from "../../parts/State";
import { type Column, Table } from "../../parts/Table";
import { linkTo } from "../../routing/location";
import { count, counted, moment } from "../../text/amounts";
import { calledShort, calledWhole, inertLines, nodeIdOf, oneLine } from "../../text/names";
import { attempt } from "../node/attempt";
import "../node/node.css";
import { WhatChanged } from "./WhatChanged";

const MOST = 500;

interface Found {
  namespace: Namespace;
  datasets: { datasets: ListedDataset[]; totalCount: number };
  jobs: { jobs: Job[]; totalCount: number };
  /** Queries of Spark applications that write nothing. */
  leftOut: number;
  /** Datasets that only the jobs of others have named. */
  byOthers: { datasets: ListedDataset[]; totalCount: number };
}

export default function NamespaceView({ parameters }: { parameters: URLSearchParams }) {
  const name = parameters.get("name") ?? "";
  const lookup = useLookup(name, (signal) => find(name, signal), true);
  return (
    <section className="sheet">
      <Loaded lookup={lookup} what="the namespace">
        {({ namespace, datasets, jobs, leftOut, byOthers }) => (
          <>
            <header className="node-head">
              <span className="eyebrow">Namespace</span> <Updated lookup={lookup} />
              <h1>{oneLine(namespace.name)}</h1>
              <Owner namespace={namespace} again={lookup.again} />
              {namespace.description && <p className="prose">{inertLines(namespace.description)}</p>}
            </header>
            <WhatChanged namespace={namespace.name} parameters={parameters} />
            {jobs.totalCount > 0 && (
              <>
                <h2>
                  Jobs <span className="muted">{count(jobs.totalCount)}</span>
                </h2>
                {jobs.totalCount > jobs.jobs.length && (
                  <Truncated>The {jobs.jobs.length} that ran last. The search finds the others.</Truncated>
                )}
                <Table caption="Jobs" file="jobs" rows={jobs.jobs} keyOf={(job) => job.name} columns={JOB_COLUMNS} />
              </>
            )}
            <LeftOut amount={leftOut} />
            {datasets.totalCount > 0 && (
              <>
                <h2>
                  Datasets <span className="muted">{count(datasets.totalCount)}</span>
                </h2>
                {datasets.totalCount > datasets.datasets.length && (
                  <Truncated>The first {datasets.datasets.length} by name. The search finds the others.</Truncated>
                )}
                <Table
                  caption="Datasets"
                  file="datasets"
                  rows={datasets.datasets}
                  keyOf={(dataset) => dataset.name}
                  columns={[
                    {
                      name: "Dataset",
                      value: calledWhole,
                      show: (dataset) => (
                        <Name
                          name={dataset.name}
                          called={dataset.displayName}
                          href={linkTo("node", { nodeId: nodeIdOf("dataset", dataset.namespace, dataset.name) })}
                        />
                      ),
                    },
                    { name: "Columns", value: (dataset) => dataset.fields.length, isNumber: true },
                    { name: "Tags", value: (dataset) => dataset.tags.join(", ") },
                    {
                      name: "Last write",
                      value: ({ lastWrittenAt }) => lastWrittenAt ?? "",
                      show: written,
                    },
                  ]}
                />
              </>
            )}
            <ByOthers namespace={namespace.name} named={byOthers} again={lookup.again} />
            {!jobs.totalCount && !datasets.totalCount && !leftOut && <Empty>Nothing in this namespace.</Empty>}
          </>
        )}
      </Loaded>
    </section>
  );
}

const JOB_COLUMNS: Column<Job>[] = [
  {
    name: "State",
    value: (job) => job.latestRun?.outcome ?? "",
    show: (job) => <State state={job.latestRun?.outcome} />,
  },
  {
    name: "Job",
    value: (job) => job.name,
    show: (job) => (
      <Name
        name={job.name}
        short={calledShort(job)}
        href={linkTo("node", { nodeId: nodeIdOf("job", job.namespace, job.name) })}
      />
    ),
  },
  {
    name: "Last run",
    value: (job) => lastRun(job) ?? "",
    show: (job) => moment(lastRun(job)),
  },
  { name: "Inputs", value: (job) => job.inputs.length, isNumber: true },
  { name: "Outputs", value: (job) => job.outputs.length, isNumber: true },
];

/** When the newest run of a job ended, or until then began. */
function lastRun({ latestRun }: Job): string | null {
  return latestRun?.endedAt ?? latestRun?.startedAt ?? null;
}

function written({ lastWrittenAt, caution }: ListedDataset): ReactNode {
  if (caution) return <span className="chip bad">{oneLine(caution)}</span>;
  return lastWrittenAt ? moment(lastWrittenAt) : <span className="muted">none known</span>;
}

function LeftOut({ amount }: { amount: number }) {
  if (!amount) return null;
  return (
    <p className="muted">
      Without {counted(amount, "query", "queries")} of Spark that {amount === 1 ? "writes" : "write"} nothing.
    </p>
  );
}

function ByOthers({ namespace, named, again }: { namespace: string; named: Found["byOthers"]; again: () => void }) {
  const mayClear = useScopes().has("admin");
  const [failure, setFailure] = useState("");
  if (!named.totalCount) return null;
  const clear = () =>
    void attempt(
      request("DELETE", `${pathOf("namespaces", namespace)}/datasets`, { namedByOthers: true }),
      setFailure,
      again,
    );
  return (
    <>
      <h2>
        Named by others <span className="muted">{count(named.totalCount)}</span>
      </h2>
      <p className="muted">
        Only jobs that this namespace does not know of have named{" "}
        {named.datasets.map((each) => oneLine(calledWhole(each))).join(", ")}
        {named.totalCount > named.datasets.length && " and others"}. No list or search has them.
      </p>
      {mayClear && <button onClick={clear}>Clear them</button>}
      {failure && (
        <span className="note" role="alert">
          {failure}
        </span>
      )}
    </>
  );
}

async function find(name: string, signal: AbortSignal): Promise<Found> {
  const path = pathOf("namespaces", name);
  const [namespace, datasets, jobs, byOthers] = await Promise.all([
    get<Namespace>(path, {}, signal),
    get<Found["datasets"]>(`${path}/datasets`, { limit: MOST, withUsage: true }, signal),
    get<Found["jobs"]>(`${path}/jobs`, { limit: MOST }, signal),
    get<Found["byOthers"]>(`${path}/datasets`, { limit: 20, namedByOthers: true }, signal),
  ]);
  const others = jobs.jobs.filter((job) => !isCanary(job));
  return {
    namespace,
    datasets: without(datasets, "datasets", (dataset) => !isCanary(dataset)),
    jobs: without(jobs, "jobs", isListedJob),
    leftOut: others.filter(isInnerAction).length,
    byOthers,
  };
}

/** A list with some of its entries, and the total less those that are left out. */
function without<Row, Member extends string>(
  answer: Record<Member, Row[]> & { totalCount: number },
  member: Member,
  isListed: (row: Row) => boolean,
): typeof answer {
  const rows = answer[member].filter(isListed);
  return { ...answer, [member]: rows, totalCount: answer.totalCount - (answer[member].length - rows.length) };
}

function Owner({ namespace, again }: { namespace: Namespace; again: () => void }) {
  const mayCurate = useScopes().has("curate");
  const [isEditing, setEditing] = useState(false);
  const [owner, setOwner] = useState(namespace.ownerName);
  const [failure, setFailure] = useState("");
  const save = (): void => {
    const change = request("PUT", pathOf("namespaces", namespace.name), {}, undefined, {
      ownerName: owner,
      description: namespace.description ?? undefined,
    });
    void attempt(change, setFailure, () => {
      setEditing(false);
      again();
    });
  };
  if (!isEditing) {
    return (
      <div className="row">
        Owner: <b>{namespace.ownerName === "anonymous" ? "none" : oneLine(namespace.ownerName)}</b>
        {mayCurate && <button onClick={() => setEditing(true)}>Set an owner</button>}
      </div>
    );
  }
  return (
    <form
      className="row"
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <label htmlFor="owner">Owner</label>
      <input id="owner" value={owner} onChange={(event) => setOwner(event.target.value)} autoFocus />
      <button className="primary">Save</button>
      <button type="button" onClick={() => setEditing(false)}>
        Cancel
      </button>
      {failure && (
        <span className="note" role="alert">
          {failure}
        </span>
      )}
    </form>
  );
}
