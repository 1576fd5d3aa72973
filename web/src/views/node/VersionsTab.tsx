/** The versions of a dataset, newest first, each with what its schema changed. */

import { versions } from "../../api/nodes";
import type { DatasetVersion } from "../../api/types";
import { useLookup } from "../../api/useLookup";
import { changesBetween, type FieldChange } from "../../graph/schema";
import { Empty, Loaded } from "../../parts/Feedback";
import { State } from "../../parts/State";
import { linkTo } from "../../routing/location";
import { count, counted, moment } from "../../text/amounts";
import { oneLine } from "../../text/names";
import { jobOf } from "./uses";

const LIMIT = 60;

export function VersionsTab({ nodeId }: { nodeId: string }) {
  const lookup = useLookup(nodeId, (signal) => versions(nodeId, { limit: LIMIT }, signal));
  return (
    <Loaded lookup={lookup} what="the versions">
      {({ versions: found, totalCount }) =>
        found.length ? (
          <ol className="list timeline">
            {found.map((version, index) => (
              <Line
                key={`${version.version} ${version.createdAt}`}
                nodeId={nodeId}
                version={version}
                before={found[index + 1]}
              />
            ))}
            {(totalCount ?? 0) > found.length && (
              <li className="muted">{count((totalCount ?? 0) - found.length)} older versions</li>
            )}
          </ol>
        ) : (
          <Empty>
            No run has written it: there are no versions. A dataset that is only read has the schemas of its readers.
          </Empty>
        )
      }
    </Loaded>
  );
}

function Line({
  nodeId,
  version,
  before,
}: {
  nodeId: string;
  version: DatasetVersion;
  before: DatasetVersion | undefined;
}) {
  const changes = before ? changesBetween(before.fields, version.fields) : [];
  const run = version.createdByRun;
  const rows = version.facets?.outputStatistics?.rowCount;
  return (
    <li>
      <time dateTime={version.createdAt}>{moment(version.createdAt)}</time>
      <span className="grow">
        {run ? (
          <a className="inert" href={linkTo("run", { id: run.id })}>
            {oneLine(jobOf(run)?.name ?? run.id)}
          </a>
        ) : (
          <span className="muted">an event without a run</span>
        )}{" "}
        {run && run.outcome !== "COMPLETED" && <State state={run.outcome} />}{" "}
        {version.lifecycleState && <span className="chip">{oneLine(version.lifecycleState.toLowerCase())}</span>}
        {typeof rows === "number" && <span className="muted">{counted(rows, "row")}</span>}
        {changes.length > 0 ? (
          <SchemaChanges changes={changes} />
        ) : (
          <span className="muted">
            {" "}
            · {version.fields.length} columns{before ? ", unchanged" : ""}
          </span>
        )}
      </span>
      <a className="end" href={linkTo("lineage", { nodeId, asOf: version.createdAt })}>
        lineage at that time
      </a>
    </li>
  );
}

export function SchemaChanges({ changes }: { changes: readonly FieldChange[] }) {
  if (!changes.length) return null;
  return (
    <ul className="diff">
      {changes.map(({ kind, field, before, after }) => (
        <li key={`${kind} ${field}`} className={kind}>
          <span aria-hidden="true">{{ added: "+", removed: "−", retyped: "~" }[kind]}</span> <bdi>{oneLine(field)}</bdi>{" "}
          <span className="muted">
            {oneLine(
              kind === "retyped" ? `${before} → ${after}` : `${kind}${(after ?? before) ? `, ${after ?? before}` : ""}`,
            )}
          </span>
        </li>
      ))}
    </ul>
  );
}
