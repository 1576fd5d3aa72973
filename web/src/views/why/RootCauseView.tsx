/** Root cause: what failed or changed upstream since the last good run, on a time line. */

import { lazy, Suspense } from "react";
import { get } from "../../api/request";
import type { Finding, RootCause, Run } from "../../api/types";
import { useLookup } from "../../api/useLookup";
import { Empty, Loaded, Loading, Truncated, Unseen } from "../../parts/Feedback";
import { Icon } from "../../parts/Icon";
import { Name } from "../../parts/Name";
import { State } from "../../parts/State";
import { linkTo } from "../../routing/location";
import { ago, clock, counted, moment } from "../../text/amounts";
import { nodeIdOf, oneLine, shortName, splitNodeId } from "../../text/names";
import { SchemaChanges } from "../node/VersionsTab";
import "../node/node.css";
import "./why.css";

/** The graph needs the code of the lineage view: the time line does not wait for it. */
const CauseGraph = lazy(() => import("./CauseGraph"));

const KINDS: Record<string, [string, string]> = {
  RUN_FAILED: ["bad", "run failed"],
  RUN_ABORTED: ["bad", "run aborted"],
  RUN_RUNNING: ["busy", "still running"],
  CHILD_FAILED: ["bad", "part failed"],
  JOB_CHANGED: ["warn", "job changed"],
  SCHEMA_CHANGED: ["warn", "schema changed"],
  ASSERTION_FAILED: ["bad", "check failed"],
};

export default function RootCauseView({ parameters }: { parameters: URLSearchParams }) {
  const nodeId = parameters.get("nodeId") ?? "";
  const asOf = parameters.get("asOf") ?? "";
  const lookup = useLookup(`${nodeId} ${asOf}`, (signal) => get<RootCause>("rootcause", { nodeId, asOf }, signal));
  if (!nodeId) return <Empty>No dataset or job is named in this link.</Empty>;
  const { name } = splitNodeId(nodeId);
  return (
    <section className="sheet">
      <header className="node-head">
        <span className="eyebrow">
          <Icon name="why" /> Root cause
        </span>
        <h1 title={oneLine(name)}>Why is {oneLine(shortName(name))} wrong?</h1>
        {asOf && <p className="note">As it was at {moment(asOf)}.</p>}
      </header>
      <Loaded lookup={lookup} what="the root cause">
        {(found) => <Found found={found} />}
      </Loaded>
    </section>
  );
}

function Found({ found }: { found: RootCause }) {
  const { findings, suspect, lastGood, nodeId, truncated } = found;
  const well = found.successfulRuns.reduce((sum, { count }) => sum + count, 0);
  return (
    <>
      <div className="row">
        <span>
          <b>{counted(findings.length, "finding")}</b>
          {lastGood ? ` since the last good run, ${ago(lastGood.endedAt)}` : ", and no good run before"}
          {well > 0 && (
            <span className="muted">
              {" "}
              · {counted(well, "run")} of {counted(found.successfulRuns.length, "job")} went well
            </span>
          )}
        </span>
        <span className="push" />
        <a className="button" href={linkTo("lineage", { nodeId, down: 0, asOf: found.asOf })}>
          <Icon name="water" /> In the graph
        </a>
        <a className="button" href={linkTo("impact", { nodeId })}>
          <Icon name="impact" /> What else is affected?
        </a>
      </div>
      {findings.length > 0 && (
        <p className="muted">
          <Unseen frontier={found.frontier} />
        </p>
      )}
      {found.cautions?.map(({ nodeId: doubtful, caution }) => (
        <p key={doubtful} className="row">
          <Name name={splitNodeId(doubtful).name} href={linkTo("node", { nodeId: doubtful })} />
          <span className="chip bad">{oneLine(caution)}</span>
        </p>
      ))}
      {truncated && <Truncated>The search was cut: nodes further upstream were not looked at.</Truncated>}
      {findings.some((finding) => finding.nodeId !== nodeId) && (
        <Suspense fallback={<Loading what="the graph" />}>
          <CauseGraph found={found} />
        </Suspense>
      )}
      <ol className="why">
        {suspect && (
          <Stop
            run={suspect}
            title={suspect.outcome === "COMPLETED" ? "The newest run, which made the data" : "The newest run"}
            tone="suspect"
          />
        )}
        {findings.map((finding, index) => (
          <Line key={index} finding={finding} />
        ))}
        {!findings.length && (
          <li className="stop">
            <span className="when" />
            <div className="card muted">
              No failure and no change upstream is known since then. <Unseen frontier={found.frontier} />
            </div>
          </li>
        )}
        {lastGood && <Stop run={lastGood} title="The last good run" tone="good" />}
      </ol>
    </>
  );
}

function Stop({ run, title, tone }: { run: Run; title: string; tone: string }) {
  const at = run.endedAt ?? run.startedAt ?? run.createdAt;
  return (
    <li className={`stop ${tone}`}>
      <When at={at} />
      <div className="card">
        <span className="muted">{title}</span>{" "}
        <Name name={run.job?.name ?? run.id} href={linkTo("run", { id: run.id })} isContext={false} />{" "}
        <State state={run.outcome} />
        {run.job && (
          <a
            className="aside"
            href={linkTo("lineage", { nodeId: nodeIdOf("job", run.job.namespace, run.job.name), asOf: at })}
          >
            lineage at that time
          </a>
        )}
      </div>
    </li>
  );
}

function Line({ finding }: { finding: Finding }) {
  const [tone, word] = KINDS[finding.kind] ?? ["warn", finding.kind.toLowerCase().replaceAll("_", " ")];
  const { kind, name } = splitNodeId(finding.nodeId);
  const changes = [
    ...(finding.added ?? []).map((field) => ({ kind: "added" as const, field, before: null, after: null })),
    ...(finding.removed ?? []).map((field) => ({ kind: "removed" as const, field, before: null, after: null })),
    ...(finding.retyped ?? []).map(({ field, before, after }) => ({ kind: "retyped" as const, field, before, after })),
  ];
  const present = changes.filter((change) => change.kind !== "removed"); // a removed column has no way any more
  return (
    <li className={`stop ${tone}`}>
      <When at={finding.at} />
      <div className="card">
        <div className="row">
          <span className={`chip ${tone}`}>{word}</span>
          <Icon name={kind === "job" ? "job" : "table"} />
          <Name
            name={name}
            href={linkTo("node", { nodeId: finding.nodeId, tab: kind === "job" ? "runs" : "versions" })}
            isContext={false}
          />
          <span className="muted">
            {finding.distance === 0 ? "itself" : `${counted(finding.distance, "hop")} upstream`}
          </span>
        </div>
        {changes.length ? <SchemaChanges changes={changes} /> : <p className="inert">{oneLine(finding.summary)}</p>}
        <div className="row links">
          {typeof finding.runId === "string" && <a href={linkTo("run", { id: finding.runId })}>the run</a>}
          {kind === "dataset" &&
            present.slice(0, 3).map(({ field }) => (
              <a key={field} href={linkTo("lineage", { nodeId: finding.nodeId, table: finding.nodeId, column: field })}>
                the way of {oneLine(field)}
              </a>
            ))}
          <a href={linkTo("impact", { nodeId: finding.nodeId })}>what it breaks, and whose that is</a>
          <a href={linkTo("lineage", { nodeId: finding.nodeId, asOf: finding.at })}>lineage at that time</a>
        </div>
      </div>
    </li>
  );
}

function When({ at }: { at: string }) {
  return (
    <time className="when" dateTime={at} title={moment(at)}>
      <b>{clock(at)}</b>
      <span>{at.slice(0, 10)}</span>
    </time>
  );
}
