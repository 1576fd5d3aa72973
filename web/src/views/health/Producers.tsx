/**
 * When each producer was last heard of, by the runs that ended or started last. A lookup of its own: the checks do not
 * wait.
 */

import { boardRuns } from "../../api/runs";
import { useLookup } from "../../api/useLookup";
import { Loaded } from "../../parts/Feedback";
import { producerOf } from "../../text/producer";
import { lastEvents } from "./findings";
import { LastEvents } from "./LastEvents";

const MOST_RUNS = 200;

export function Producers() {
  const lookup = useLookup("producers", (signal) => boardRuns({ limit: MOST_RUNS }, signal));
  return (
    <Loaded lookup={lookup} what="the producers">
      {({ runs }) => (
        <LastEvents
          title="Producers, by their last run"
          noun="run"
          rows={lastEvents(
            runs.map(({ producer, endedAt, startedAt }) => ({
              name: producerOf(producer) || "unknown",
              at: endedAt ?? startedAt ?? "",
            })),
          )}
          remedy="Silent for a day or more: is the job still scheduled, and the listener still in its configuration?"
        />
      )}
    </Loaded>
  );
}
