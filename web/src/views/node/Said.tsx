/**
 * What producers say of a node beside its lineage: where a catalogue has a table, what dbt says that reads it, and
 * what a scheduler runs before and after a job.
 */

import type { Dataset, Exposure, Job, Name } from "../../api/types";
import { OutsideName } from "../../parts/Name";
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

export function Exposures({ exposures = [] }: { exposures?: Exposure[] | undefined }) {
  if (!exposures.length) return null;
  return (
    <div className="card">
      <h2>
        Read outside, says dbt <span className="muted">{exposures.length}</span>
      </h2>
      <ul className="list">
        {exposures.map(({ id, name, type, url, owner }) => (
          <li key={id}>
            <span className="grow">
              <OutsideName name={name} url={url} />
              <div className="muted">{oneLine([type, owner && `of ${owner}`].filter(Boolean).join(" "))}</div>
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}

function namesOf(jobs: readonly Name[] = []): string {
  return jobs.map((job) => calledShort(job)).join(", ");
}
