/** The newest runs that are running for more than a day: their driver was killed, or is slow. */

import type { Job } from "../../api/types";
import { Name } from "../../parts/Name";
import { State } from "../../parts/State";
import { linkTo } from "../../routing/location";
import { ago } from "../../text/amounts";
import { nodeIdOf } from "../../text/names";

const DAY = 86_400_000;

export function RunsWithoutEnd({ running }: { running: readonly Job[] }) {
  const old = running.filter((job) => Date.now() - Date.parse(job.latestRun?.startedAt ?? job.updatedAt) > DAY);
  return (
    <div className="card">
      <h2>Runs that never ended</h2>
      {old.length ? (
        <>
          <ul className="list">
            {old.map((job) => (
              <li key={nodeIdOf("job", job.namespace, job.name)}>
                <State state="RUNNING" />
                <span className="grow">
                  <Name
                    name={job.name}
                    href={linkTo("node", { nodeId: nodeIdOf("job", job.namespace, job.name), tab: "runs" })}
                  />
                </span>
                <span className="end">{ago(job.latestRun?.startedAt)}</span>
              </li>
            ))}
          </ul>
          <p className="muted">
            A driver that is killed sends no end. The next run of the job supersedes the run; each has an alert.
          </p>
        </>
      ) : (
        <p className="muted">None: no job's newest run has been running for more than a day.</p>
      )}
    </div>
  );
}
