/** Events as they were posted: each folded up, its JSON indented when it is opened. */

import { type ReactNode, useState } from "react";
import type { PostedEvent, PostedEvents } from "../api/events";
import { useLookup } from "../api/useLookup";
import { bytes, clock, moment } from "../text/amounts";
import { oneLine } from "../text/names";
import { producerOf } from "../text/producer";
import { Empty, Loaded, Updated } from "./Feedback";
import { Copy } from "./Name";

interface Properties {
  /** What `ask` asks for: another question begins another list. */
  question: string;
  ask: (cursor: string, signal: AbortSignal) => Promise<PostedEvents>;
  /** What an empty list means. */
  empty: string;
  /** In a list of several runs: what an opened event shows above its JSON. Each event then has the name of its node. */
  about?: (event: PostedEvent) => ReactNode;
  /** Whether the list refreshes itself, until older events are fetched. */
  isLive?: boolean;
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
          isLive={properties.isLive && cursors.length === 1}
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
  isLive,
  cursor,
  onMore,
}: Properties & { cursor: string; onMore: ((cursor: string) => void) | null }) {
  const lookup = useLookup(`${question} ${cursor}`, (signal) => ask(cursor, signal), isLive);
  return (
    <Loaded lookup={lookup} what="the events">
      {({ events, cursor: next }) => (
        <>
          {isLive && <Updated lookup={lookup} />}
          {keyed(events).map(([key, event]) => (
            <Posted key={key} event={event} about={about} />
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

/** Events with keys by which an opened one stays open below newer ones; two that are alike are told apart by number. */
function keyed(events: readonly PostedEvent[]): [string, PostedEvent][] {
  const alike = new Map<string, number>();
  return events
    .toReversed()
    .map((event): [string, PostedEvent] => {
      const key = [event.eventTime, kindOf(event), event.run?.runId, (event.job ?? event.dataset)?.name].join(" ");
      alike.set(key, (alike.get(key) ?? 0) + 1);
      return [`${key} ${alike.get(key)}`, event];
    })
    .toReversed();
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
