/** The job, the application and the run whose event an alert is about. */

import type { Alert } from "../../api/alerts";
import type { Name as NameOf } from "../../api/types";
import { Name } from "../../parts/Name";
import { linkTo } from "../../routing/location";
import { nodeIdOf, splitNodeId } from "../../text/names";

/** `called` is what people call the dataset that the alert is about. */
export function WhoDidIt({ alert, called }: { alert: Alert; called: string | undefined }) {
  const { nodeId, details = {} } = alert;
  const isJob = splitNodeId(nodeId).kind === "job";
  const runId = details.run?.runId ?? details.runId;
  const isOnlyRead = details.seenAs === "input";
  return (
    <div className="card">
      <h2>Who did it</h2>
      <dl className="facts">
        <dt>{isJob ? "Job" : "Dataset"}</dt>
        <dd>
          <Name name={alert.name} called={called} href={linkTo("node", { nodeId })} />
        </dd>
        {!isJob && details.job && (
          <>
            <dt>{isOnlyRead ? "Read by" : "Job"}</dt>
            <dd>
              <Name
                name={details.job.name}
                href={linkTo("node", { nodeId: nodeIdOf("job", details.job.namespace, details.job.name) })}
              />
            </dd>
          </>
        )}
        <Reporter label="Application" reporter={details.application} />
        <Reporter label="Orchestrator" reporter={details.orchestrator} />
        {runId && (
          <>
            <dt>Run</dt>
            <dd>
              <a href={linkTo("run", { id: runId })}>{runId}</a>
            </dd>
          </>
        )}
      </dl>
      {isOnlyRead && (
        <p className="muted after">
          No known job wrote the change: the data comes from outside. The job above was the first that read the dataset
          so.
        </p>
      )}
    </div>
  );
}

function Reporter({ label, reporter }: { label: string; reporter?: { job: NameOf; runId: string } }) {
  if (!reporter) return null;
  return (
    <>
      <dt>{label}</dt>
      <dd>
        <Name
          name={reporter.job.name}
          href={linkTo("node", { nodeId: nodeIdOf("job", reporter.job.namespace, reporter.job.name) })}
        />
        {" · "}
        <a href={linkTo("run", { id: reporter.runId })}>its run</a>
      </dd>
    </>
  );
}
