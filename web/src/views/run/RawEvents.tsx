/** The events of a run as they were posted. */

import { eventsOfRun } from "../../api/events";
import { EventList } from "../../parts/EventList";

export function RawEvents({ run }: { run: string }) {
  return (
    <EventList
      question={run}
      ask={(cursor, signal) => eventsOfRun(run, cursor, signal)}
      empty="No event of this run is kept any more, or only other runs named it."
    />
  );
}
