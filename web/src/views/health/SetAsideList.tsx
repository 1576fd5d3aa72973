/** The jobs whose descriptions of others' datasets were set aside, since their keys may not write there. */

import { Name } from "../../parts/Name";
import { linkTo } from "../../routing/location";
import { ago } from "../../text/amounts";
import { nodeIdOf, oneLine } from "../../text/names";

export interface SetAside {
  jobs: { job: { namespace: string; name: string }; lastAt: string; paths: string[]; key: string }[];
}

export function SetAsideList({ jobs }: SetAside) {
  return (
    <div className="card">
      <h2>Ignored descriptions of other teams' datasets</h2>
      {jobs.length ? (
        <>
          <ul className="list">
            {jobs.slice(0, 20).map(({ job, lastAt, paths }) => (
              <li key={`${job.namespace} ${job.name}`}>
                <span className="grow">
                  <Name name={job.name} href={linkTo("node", { nodeId: nodeIdOf("job", job.namespace, job.name) })} />
                  <div className="muted inert">{oneLine(paths.slice(0, 3).join(", "))}</div>
                </span>
                <span className="end">{ago(lastAt)}</span>
              </li>
            ))}
          </ul>
          <p className="muted">
            Their keys may not write these namespaces. Give the key the namespace, or leave the facets to the owner.
          </p>
        </>
      ) : (
        <p className="muted">None in the last week.</p>
      )}
    </div>
  );
}
