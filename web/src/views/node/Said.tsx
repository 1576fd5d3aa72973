/**
 * What producers say of a node beside its lineage: where a catalogue has a table, what dbt says that reads it, and
 * what a scheduler runs before and after a job.
 */

import type { Dataset, Exposure, Job, Name } from "../../api/types";
import { counted } from "../../text/amounts";
import { calledShort, oneLine } from "../../text/names";
import { readable } from "../../text/readable";

export function Said({ node }: { node: Dataset | Job }) {
  const facts =
    "fields" in node
      ? { Place: readable(node.place ?? {}) }
      : {
          "Runs after": namesOf(node.jobDependencies?.upstream),
          "Runs before": namesOf(node.jobDependencies?.downstream),
        };
  return Object.entries(facts).map(
    ([title, text]) =>
      text && (
        <div key={title} className="contents">
          <dt>{title}</dt>
          <dd>{oneLine(text)}</dd>
        </div>
      ),
  );
}

/** `distance` is that of the dataset which the exposure reads from a changed one. */
export function Exposures({ exposures = [] }: { exposures?: (Exposure & { distance?: number })[] | undefined }) {
  if (!exposures.length) return null;
  return (
    <div className="card">
      <h2>
        Read outside, says dbt <span className="muted">{exposures.length}</span>
      </h2>
      <ul className="list">
        {exposures.map(({ id, name, type, url, owner, distance }) => (
          <li key={id}>
            <span className="grow">
              {url && /^https:\/\//.test(url) ? (
                <a href={url} rel="noreferrer" target="_blank">
                  {oneLine(name)}
                </a>
              ) : (
                oneLine(name)
              )}
              <div className="muted">{oneLine([type, owner && `of ${owner}`].filter(Boolean).join(" "))}</div>
            </span>
            {distance !== undefined && <span className="end">{counted(distance, "hop")}</span>}
          </li>
        ))}
      </ul>
    </div>
  );
}

function namesOf(jobs: readonly Name[] = []): string {
  return jobs.map((job) => calledShort(job)).join(", ");
}
