/** The board of runs: which are due or late, and which failed today, by state, namespace and time. */

import { boardRuns } from "../../api/runs";
import { useLater } from "../../api/useLater";
import { useLookup } from "../../api/useLookup";
import { Empty, Loaded, More, Updated } from "../../parts/Feedback";
import { FilterField } from "../../parts/FilterField";
import { hoursAgo, hoursIn, Since } from "../../parts/Since";
import { changeParameters } from "../../routing/location";
import { BoardTable } from "./BoardTable";
import { DueTable } from "./DueTable";

const LIMIT = 200;
const STATES = ["", "FAILED", "ABORTED", "RUNNING", "COMPLETED"];

export default function RunsView({ parameters }: { parameters: URLSearchParams }) {
  const state = parameters.get("state") ?? "";
  const hours = hoursIn(parameters, 24);
  const namespace = parameters.get("namespace") ?? "";
  const producer = parameters.get("producer") ?? "";
  const question = { state, namespace, producer, after: hoursAgo(hours), limit: LIMIT };
  const key = JSON.stringify({ ...question, after: hours });
  const later = useLater(key, (cursor) => boardRuns({ ...question, cursor }));
  const isLive = !later.pages.length;
  const lookup = useLookup(key, (signal) => boardRuns(question, signal), isLive);
  return (
    <section className="sheet">
      <header className="spread">
        <h1>Runs</h1>
        <div className="row">
          {isLive && <Updated lookup={lookup} />}
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
      {!state && <DueTable namespace={namespace} />}
      <Loaded lookup={lookup} what="the runs">
        {(first) => {
          const runs = [first, ...later.pages].flatMap((page) => page.runs);
          return (
            <>
              {runs.length ? (
                <BoardTable runs={runs} />
              ) : (
                <Empty>
                  {later.next(first)
                    ? "No such run among the newest."
                    : `No run${state ? ` ${state.toLowerCase()}` : ""} in this time.`}
                </Empty>
              )}
              <More later={later} first={first}>
                Show older runs
              </More>
            </>
          );
        }}
      </Loaded>
    </section>
  );
}
