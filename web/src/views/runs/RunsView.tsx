/** The board of runs: which failed today, by state, namespace and time. */

import { boardRuns } from "../../api/runs";
import { useLookup } from "../../api/useLookup";
import { Empty, Loaded, Updated } from "../../parts/Feedback";
import { FilterField } from "../../parts/FilterField";
import { hoursAgo, hoursIn, Since } from "../../parts/Since";
import { changeParameters } from "../../routing/location";
import { counted } from "../../text/amounts";
import { BoardTable } from "./BoardTable";

const LIMIT = 200;
const STATES = ["", "FAILED", "ABORTED", "RUNNING", "COMPLETED"];

export default function RunsView({ parameters }: { parameters: URLSearchParams }) {
  const state = parameters.get("state") ?? "";
  const hours = hoursIn(parameters, 24);
  const namespace = parameters.get("namespace") ?? "";
  const producer = parameters.get("producer") ?? "";
  const question = { state, namespace, producer, after: hoursAgo(hours), limit: LIMIT };
  const lookup = useLookup(
    JSON.stringify({ ...question, after: hours }),
    (signal) => boardRuns(question, signal),
    true,
  );
  return (
    <section className="sheet">
      <header className="spread">
        <h1>Runs</h1>
        <div className="row">
          <Updated lookup={lookup} />
          <div className="switch" role="group" aria-label="State">
            {STATES.map((each) => (
              <button key={each} aria-pressed={each === state} onClick={() => changeParameters({ state: each })}>
                {each ? each.toLowerCase() : "any state"}
              </button>
            ))}
          </div>
          <Since hours={hours} />
          <FilterField label="Namespace" name="namespace" value={namespace} />
          <FilterField label="Producer" name="producer" value={producer} />
        </div>
      </header>
      <Loaded lookup={lookup} what="the runs">
        {({ runs, totalCount, cursor }) =>
          runs.length ? (
            <>
              {(cursor || (totalCount ?? 0) > runs.length) && (
                <p className="note">
                  The newest {runs.length}
                  {totalCount ? ` of ${counted(totalCount, "run")}` : ""}. Narrow the time or the state to see the
                  others.
                </p>
              )}
              <BoardTable runs={runs} />
            </>
          ) : (
            <Empty>
              {cursor
                ? "No such run among the newest. Narrow the time to look further back."
                : `No run${state ? ` ${state.toLowerCase()}` : ""} in this time.`}
            </Empty>
          )
        }
      </Loaded>
    </section>
  );
}
