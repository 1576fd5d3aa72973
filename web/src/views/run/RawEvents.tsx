/** The events of a run as they were posted: each folded up, its JSON indented when it is opened. */

import { useState } from "react";
import { eventsOfRun, type PostedEvent } from "../../api/events";
import { useLookup } from "../../api/useLookup";
import { Copy } from "../../parts/Name";
import { Empty, Shown } from "../../parts/Told";
import { bytes, clock, moment } from "../../text/amounts";
import { oneLine } from "../../text/names";
import { producerOf } from "../../text/producer";

export function RawEvents({ run }: { run: string }) {
  const [cursors, setCursors] = useState([""]);
  return (
    <div className="facets">
      {cursors.map((cursor, index) => (
        <EventPage key={cursor} run={run} cursor={cursor} onMore={index === cursors.length - 1 ? (next) => setCursors([...cursors, next]) : null} />
      ))}
    </div>
  );
}

/** A page of the list. `onMore` fetches the page after it; null if it is there already. */
function EventPage({ run, cursor, onMore }: { run: string; cursor: string; onMore: ((cursor: string) => void) | null }) {
  const lookup = useLookup(`${run} ${cursor}`, (signal) => eventsOfRun(run, cursor, signal));
  return (
    <Shown lookup={lookup} what="the events">
      {({ events, cursor: next }) => (
        <>
          {events.map((event, index) => (
            <Posted key={index} event={event} />
          ))}
          {!events.length && !cursor && !next && <Empty>No event of this run is kept any more, or only other runs named it.</Empty>}
          {next && onMore && (
            <button className="more" onClick={() => onMore(next)}>
              Show older events
            </button>
          )}
        </>
      )}
    </Shown>
  );
}

function Posted({ event }: { event: PostedEvent }) {
  const [isOpen, setOpen] = useState(false);
  const text = JSON.stringify(event, null, 2);
  return (
    <details className="card facet" onToggle={(change) => setOpen(change.currentTarget.open)}>
      <summary>
        <h3>{oneLine(String(event.eventType ?? "OTHER"))}</h3>{" "}
        <span className="muted">
          <time dateTime={event.eventTime} title={moment(event.eventTime)}>
            {event.eventTime.slice(0, 10)} {clock(event.eventTime)}
          </time>
          , by {oneLine(producerOf(event.producer))}, {bytes(text.length)}
        </span>
      </summary>
      {isOpen && (
        <>
          <Copy text={text} label="Copy the event" />
          <pre tabIndex={0} aria-label="Event">
            {text}
          </pre>
        </>
      )}
    </details>
  );
}
