/** Root cause: what failed or changed upstream, on a time line; below it what counts no more. */

import { lazy, Suspense } from "react";
import { get } from "../../api/request";
import type { Finding, RootCause, Run } from "../../api/types";
import { useLookup } from "../../api/useLookup";
import { Empty, Loaded, Loading, Truncated, Unseen } from "../../parts/Feedback";
import { Icon } from "../../parts/Icon";
import { Name } from "../../parts/Name";
import { State } from "../../parts/State";
import { useTitle } from "../../parts/useTitle";
import { linkTo } from "../../routing/location";
import { ago, clock, counted, moment } from "../../text/amounts";
import { calledShort, columnIdOf, columnOf, kindOf, nodeIdOf, oneLine, splitNodeId } from "../../text/names";
import { SchemaChanges } from "../node/VersionsTab";
import { CodeOfRun } from "../run/CodeOfRun";
import { GoodRun } from "../run/GoodRun";
import "../node/node.css";
import "./why.css";

/** The graph needs the code of the lineage view: the time line does not wait for it. */
const CauseGraph = lazy(() => import("./CauseGraph"));

const KINDS: Record<string, [string, string]> = {
  RUN_FAILED: ["bad", "run failed"],
  RUN_ABORTED: ["bad", "run aborted"],
  RUN_RUNNING: ["busy", "still running"],
  CHILD_FAILED: ["bad", "part failed"],
  RUN_LATE: ["warn", "late"],
  RUN_MISSING: ["bad", "not run"],
  VOLUME_UNUSUAL: ["warn", "odd amount"],
  JOB_CHANGED: ["warn", "job changed"],
  CODE_CHANGED: ["warn", "code changed"],
  SCHEMA_CHANGED: ["warn", "schema changed"],
  ASSERTION_FAILED: ["bad", "check failed"],
};

/** So many columns a summary names. */
const NAMED = 5;

const RELEVANCES: Record<string, string> = {
  FLOWS_IN: "flows into the column",
  FILTERS: "filters or joins the column",
  UNKNOWN: "may bear on the column",
  OTHER: "not known to bear on the column",
};

export default function RootCauseView({ parameters }: { parameters: URLSearchParams }) {
  const nodeId = parameters.get("nodeId") ?? "";
  const asOf = parameters.get("asOf") ?? "";
  const lookup = useLookup(`${nodeId} ${asOf}`, (signal) => get<RootCause>("rootcause", { nodeId, asOf }, signal));
  const { name } = splitNodeId(tableOf(nodeId));
  const called = calledShort({ name, displayName: lookup.value?.displayNames?.[tableOf(nodeId)] });
  useTitle(called);
  const column = kindOf(nodeId) === "datasetField" ? `.${columnOf(nodeId).field}` : "";
  if (!nodeId) return <Empty>No dataset or job is named in this link.</Empty>;
  return (
    <section className="sheet">
      <header className="node-head">
        <span className="eyebrow">
          <Icon name="why" /> Root cause
        </span>
        <h1 title={oneLine(name + column)}>Why is {oneLine(called + column)} wrong?</h1>
        {asOf && <p className="note">As it was at {moment(asOf)}.</p>}
      </header>
      <Loaded lookup={lookup} what="the root cause">
        {(found) => <Found found={found} again={lookup.again} />}
      </Loaded>
    </section>
  );
}

/** The table of a column, or the node itself. */
const tableOf = (nodeId: string): string => (kindOf(nodeId) === "datasetField" ? columnOf(nodeId).dataset : nodeId);

export function Found({ found, again }: { found: RootCause; again: () => void }) {
  const { findings, suspect, lastGood, truncated, earlier } = found;
  const nodeId = tableOf(found.nodeId);
  const isDoubtful = lastGood?.confirmed === false;
  const well = found.successfulRuns.reduce((sum, { count }) => sum + count, 0);
  return (
    <>
      <div className="row">
        <span>
          <b>{counted(findings.length, "finding")}</b>
          {lastGood
            ? ` since the last ${isDoubtful ? "run that completed" : "good run"}, ${ago(lastGood.endedAt ?? lastGood.startedAt)}`
            : ", and no good run before"}
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
        <a className="button" href={linkTo("impact", { nodeId: found.affected ?? nodeId })}>
          <Icon name="impact" /> What else is affected?
        </a>
      </div>
      {found.amount && <p className="muted">{oneLine(found.amount.sentence)}</p>}
      {findings.length > 0 && (
        <p className="muted">
          <Unseen frontier={found.frontier} />
        </p>
      )}
      {found.cautions?.map(({ nodeId: doubtful, caution }) => (
        <p key={doubtful} className="row">
          <Name
            name={splitNodeId(doubtful).name}
            called={found.displayNames?.[doubtful]}
            href={linkTo("node", { nodeId: doubtful })}
          />
          <span className="chip bad">{oneLine(caution)}</span>
        </p>
      ))}
      {truncated && <Truncated>The search stopped early: nodes further upstream were not looked at.</Truncated>}
      {findings.some((finding) => finding.nodeId !== nodeId) && (
        <Suspense fallback={<Loading what="the graph" />}>
          <CauseGraph found={found.nodeId === nodeId ? found : { ...found, nodeId }} />
        </Suspense>
      )}
      <ol className="why">
        {suspect && (
          <Stop
            run={suspect}
            title={suspect.outcome === "COMPLETED" ? "The newest run, which made the data" : "The newest run"}
            tone="suspect"
            again={again}
          />
        )}
        {findings.map((finding, index) => (
          <Line key={index} finding={finding} called={found.displayNames?.[finding.nodeId]} />
        ))}
        {!findings.length && (
          <li className="stop">
            <span className="when" />
            <div className="card muted">
              {isDoubtful
                ? "No finding since the last run that completed, which nobody called good: it may be as wrong."
                : earlier
                  ? "The changes that are known count no more."
                  : "No failure and no change upstream is known since then."}{" "}
              <Unseen frontier={found.frontier} />
            </div>
          </li>
        )}
        {lastGood && lastGood.id !== suspect?.id && (
          <Stop
            run={lastGood}
            title={isDoubtful ? "Completed before, and nobody called it good" : "The last good run"}
            tone={isDoubtful ? "" : "good"}
            again={again}
          />
        )}
      </ol>
      {earlier && (
        <details className="card">
          <summary>{oneLine(earlier.sentence)}</summary>
          <ol className="why">
            {earlier.changes.map((finding, index) => (
              <Line key={index} finding={finding} called={found.displayNames?.[finding.nodeId]} />
            ))}
          </ol>
        </details>
      )}
    </>
  );
}

function Stop({ run, title, tone, again }: { run: Run; title: string; tone: string; again: () => void }) {
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
        <div className="row links">
          {run.code && <CodeOfRun code={run.code} />}
          <GoodRun run={run} again={again} />
        </div>
      </div>
    </li>
  );
}

function Line({ finding, called }: { finding: Finding; called: string | undefined }) {
  const [tone, word] = KINDS[finding.kind] ?? ["warn", finding.kind.toLowerCase().replaceAll("_", " ")];
  const { kind, namespace, name } = splitNodeId(finding.nodeId);
  const changes = [
    ...(finding.added ?? []).map((field) => ({ kind: "added" as const, field, before: null, after: null })),
    ...(finding.removed ?? []).map((field) => ({ kind: "removed" as const, field, before: null, after: null })),
    ...(finding.retyped ?? []).map(({ field, before, after }) => ({ kind: "retyped" as const, field, before, after })),
  ];
  const [column] = changes;
  const isOneThatIsThere = changes.length === 1 && column?.kind !== "removed";
  const broken = isOneThatIsThere && column ? columnIdOf(namespace, name, column.field) : finding.nodeId;
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
            called={called}
            href={linkTo("node", { nodeId: finding.nodeId, tab: kind === "job" ? "runs" : "versions" })}
            isContext={Boolean(called)}
          />
          <span className="muted">
            {finding.distance === 0 ? "itself" : `${counted(finding.distance, "hop")} upstream`}
            {finding.relevance && `, ${RELEVANCES[finding.relevance] ?? ""}`}
          </span>
        </div>
        <p className="inert">{oneLine(finding.summary)}</p>
        {changes.length > NAMED && <SchemaChanges changes={changes} />}
        <div className="row links">
          {typeof finding.runId === "string" && <a href={linkTo("run", { id: finding.runId })}>the run</a>}
          {kind === "dataset" &&
            present.slice(0, 3).map(({ field }) => (
              <a key={field} href={linkTo("lineage", { nodeId: finding.nodeId, table: finding.nodeId, column: field })}>
                the lineage path of {oneLine(field)}
              </a>
            ))}
          {finding.codeAfter && <CodeOfRun code={finding.codeAfter} />}
          {kind === "dataset" && <a href={linkTo("impact", { nodeId: broken })}>what it breaks, and whose that is</a>}
          {kind === "job" && <a href={linkTo("lineage", { nodeId: finding.nodeId, up: 0 })}>what is made of it</a>}
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
