/** What changed since a time in a namespace, or in all of them. It is looked up once a time is chosen. */

import { get } from "../../api/request";
import { useLookup } from "../../api/useLookup";
import { type Difference, summaryOf } from "../../graph/difference";
import { Loaded, Truncated, Unseen } from "../../parts/Feedback";
import { Icon } from "../../parts/Icon";
import { changeParameters } from "../../routing/location";
import { moment } from "../../text/amounts";
import { DifferenceCards } from "../lineage/DifferenceCards";

const DAY_MS = 86_400_000;
const CHOICES: [string, number][] = [
  ["a day", DAY_MS],
  ["a week", 7 * DAY_MS],
  ["a month", 30 * DAY_MS],
];

export function WhatChanged({ namespace, parameters }: { namespace?: string; parameters: URLSearchParams }) {
  const since = parameters.get("since") ?? "";
  return (
    <section className="what-changed" aria-label="What changed">
      <div className="row">
        <span>
          <Icon name="change" /> What changed in
        </span>
        <div className="switch" role="group" aria-label="What changed in">
          {CHOICES.map(([name, milliseconds]) => (
            <button
              key={name}
              onClick={() => changeParameters({ since: new Date(Date.now() - milliseconds).toISOString() })}
            >
              {name}
            </button>
          ))}
        </div>
        <input
          type="datetime-local"
          aria-label="What changed since, in UTC"
          value={since.slice(0, 16)}
          onChange={(event) => event.target.value && changeParameters({ since: `${event.target.value}:00Z` })}
        />
        {since && <button onClick={() => changeParameters({ since: null })}>Done</button>}
      </div>
      {since && <Since since={since} namespace={namespace} />}
    </section>
  );
}

function Since({ since, namespace }: { since: string; namespace?: string }) {
  const lookup = useLookup(JSON.stringify([since, namespace]), (signal) =>
    get<Difference>("diff", { namespace, from: since }, signal),
  );
  return (
    <Loaded lookup={lookup} what="what changed">
      {(found) => (
        <>
          <p role="status">
            Since <b>{moment(since)}</b>: {summaryOf(found)}
          </p>
          {found.truncated && (
            <Truncated>Too much has happened since then: this covers only the newest changes.</Truncated>
          )}
          <DifferenceCards difference={found} />
          <p className="muted">
            <Unseen frontier={found.frontier} />
          </p>
        </>
      )}
    </Loaded>
  );
}
