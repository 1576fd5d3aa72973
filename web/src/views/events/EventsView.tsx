/** The events of all producers as they were posted, newest first: did mine arrive, and what does it say? */

import { eventsSince, KINDS, type PostedEvent } from "../../api/events";
import { EventList } from "../../parts/EventList";
import { Name } from "../../parts/Name";
import { hoursAgo, hoursIn, Since } from "../../parts/Since";
import { changeParameters, linkTo } from "../../routing/location";
import { nodeIdOf } from "../../text/names";

const LABELS: [string, string][] = [
  ["", "of any kind"],
  ["RunEvent", "of runs"],
  ["JobEvent", "of jobs"],
  ["DatasetEvent", "of datasets"],
];

export default function EventsView({ parameters }: { parameters: URLSearchParams }) {
  const kind = parameters.get("kind") ?? "";
  const hours = hoursIn(parameters, null);
  return (
    <section className="sheet">
      <header className="spread">
        <h1>Events</h1>
        <div className="row">
          <div className="switch" role="group" aria-label="Kind">
            {LABELS.map(([each, label]) => (
              <button key={each} aria-pressed={each === kind} onClick={() => changeParameters({ kind: each })}>
                {label}
              </button>
            ))}
          </div>
          <Since hours={hours} />
        </div>
      </header>
      <h2>Newest first</h2>
      <EventList
        question={JSON.stringify([kind, hours])}
        ask={(cursor, signal) => eventsSince(hoursAgo(hours), kind ? [kind] : KINDS, cursor, signal)}
        empty="No such event in this time. An event that was refused is under Health."
        isLive
        about={(event) => <Links event={event} />}
      />
    </section>
  );
}

/** The node and the run of an event. */
function Links({ event: { job, dataset, run } }: { event: PostedEvent }) {
  const node = job ?? dataset;
  return (
    <div className="row">
      {node && (
        <Name
          name={node.name}
          href={linkTo("node", { nodeId: nodeIdOf(job ? "job" : "dataset", node.namespace, node.name) })}
        />
      )}
      {run && <a href={linkTo("run", { id: run.runId })}>Its run</a>}
    </div>
  );
}
