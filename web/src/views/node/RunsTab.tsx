/** The runs of a job on a time line: state, duration, rows and bytes. */

import { runsOf } from "../../api/nodes";
import { useLookup } from "../../api/useLookup";
import { Empty, Loaded, Truncated } from "../../parts/Feedback";
import { count } from "../../text/amounts";
import { Bars } from "../run/Bars";
import { RunTable } from "../run/RunTable";
import { bytesOf, rowsOf } from "../run/statistics";

const LIMIT = 100;

export function RunsTab({ nodeId }: { nodeId: string }) {
  const lookup = useLookup(nodeId, (signal) => runsOf(nodeId, { limit: LIMIT }, signal));
  return (
    <Loaded lookup={lookup} what="the runs">
      {({ runs, totalCount }) =>
        runs.length ? (
          <>
            <div className="cards">
              <Bars title="Duration" runs={runs} measure={({ durationMs }) => durationMs} unit="duration" />
              <Bars title="Rows written" runs={runs} measure={rowsOf} unit="count" />
              <Bars title="Bytes written" runs={runs} measure={bytesOf} unit="bytes" />
            </div>
            {(totalCount ?? 0) > runs.length && (
              <Truncated>
                The newest {runs.length} of {count(totalCount ?? 0)} runs.
              </Truncated>
            )}
            <RunTable runs={runs} file="runs" />
          </>
        ) : (
          <Empty>No runs of this job are known: it was only declared, or its runs are no longer kept.</Empty>
        )
      }
    </Loaded>
  );
}
