/** Events as they were posted: each folded up, its JSON indented when it is opened. */

import { type ReactNode, useState } from "react";
import type { PostedEvent, PostedEvents } from "../api/events";
import { useLookup } from "../api/useLookup";
import { bytes, clock, moment } from "../text/amounts";
import { oneLine } from "../text/names";
import { producerOf } from "../text/producer";
import { Empty, Loaded } from "./Feedback";
import { Copy } from "./Name";

interface Properties {
  /** What `ask` asks for: another question begins another list. */
  question: string;
  ask: (cursor: string, signal: AbortSignal) => Promise<PostedEvents>;
  /** What an empty list means. */
  empty: string;
  /** In a list of several runs: what an opened event shows above its JSON. Each event then has the name of its node. */
  about?: (event: PostedEvent) => ReactNode;
}

export function EventList(properties: Properties) {
  return <Pages key={properties.question} {...properties} />;
}

function Pages(properties: Properties) {
  const [cursors, setCursors] = useState([""]);
  return (
    <div className="facets">
      {cursors.map((cursor, index) => (
        <EventPage
          key={cursor}
          {...properties}
          cursor={cursor}
          onMore={index === cursors.length - 1 ? (next) => setCursors([...cursors, next]) : null}
        />
      ))}
    </div>
  );
}

/** A page of the list. `onMore` fetches the page after it; null if it is there already. */
function EventPage({
  question,
  ask,
  empty,
  about,
  cursor,
  onMore,
}: Properties & { cursor: string; onMore: ((cursor: string) => void) | null }) {
  const lookup = useLookup(`${question} ${cursor}`, (signal) => ask(cursor, signal));
  return (
    <Loaded lookup={lookup} what="the events">
      {({ events, cursor: next }) => (
        <>
          {events.map((event, index) => (
            <Posted key={index} event={event} about={about} />
          ))}
          {!events.length && !cursor && !next && <Empty>{empty}</Empty>}
          {next && onMore && (
            <button className="more" onClick={() => onMore(next)}>
              Show older events
            </button>
          )}
        </>
      )}
    </Loaded>
  );
}

function Posted({ event, about }: { event: PostedEvent; about: Properties["about"] }) {
  const [isOpen, setOpen] = useState(false);
  const text = JSON.stringify(event, null, 2);
  return (
    <details className="card facet" onToggle={(change) => setOpen(change.currentTarget.open)}>
      <summary>
        <h3>{oneLine(kindOf(event))}</h3> {about && <bdi>{oneLine((event.job ?? event.dataset)?.name ?? "")}</bdi>}{" "}
        <span className="muted">
          <time dateTime={event.eventTime} title={moment(event.eventTime)}>
            {event.eventTime.slice(0, 10)} {clock(event.eventTime)}
          </time>
          , by {oneLine(producerOf(event.producer))}, {bytes(text.length)}
        </span>
      </summary>
      {isOpen && (
        <>
          {about?.(event)}
          <Copy text={text} label="Copy the event" />
          <pre tabIndex={0} aria-label="Event">
            {text}
          </pre>
        </>
      )}
    </details>
  );
}

function kindOf({ eventType, run, job }: PostedEvent): string {
  if (run) return String(eventType ?? "OTHER");
  return job ? "job" : "dataset";
}
