/** What a view says while it has nothing to show: it loads, it failed and why, there is nothing, an answer was cut. */

import type { ReactNode } from "react";
import type { ApiError } from "../api/request";
import type { Frontier } from "../api/types";
import type { Later } from "../api/useLater";
import type { Lookup } from "../api/useLookup";
import { clock } from "../text/amounts";
import { oneLine } from "../text/names";
import { askForKey } from "./KeyDialog";

export function Loading({ what }: { what: string }) {
  return (
    <div className="feedback loading" role="status">
      <span className="spinner" aria-hidden="true" /> Loading {what}…
    </div>
  );
}

/** The value of a lookup as a view, or what is told in its place. */
export function Loaded<T>({
  lookup,
  what,
  children,
}: {
  lookup: Lookup<T>;
  what: string;
  children: (value: T) => ReactNode;
}) {
  if (lookup.state === "loading") return <Loading what={what} />;
  if (lookup.state === "failed") return <Failed error={lookup.error} what={what} again={lookup.again} />;
  return <>{children(lookup.value)}</>;
}

export function Failed({ error, what, again }: { error: ApiError; what: string; again: () => void }) {
  return (
    <div className="feedback failed" role="alert">
      <h2>{headline(error, what)}</h2>
      <p className="inert">{error.message}</p>
      {error.faults.length > 0 && (
        <ul>
          {error.faults.slice(0, 10).map((fault) => (
            <li key={fault} className="inert">
              {fault}
            </li>
          ))}
        </ul>
      )}
      <p>{remedy(error)}</p>
      <div className="row">
        {(error.status === 401 || error.status === 403) && (
          <button className="primary" onClick={askForKey}>
            Enter another key
          </button>
        )}
        <button onClick={again}>Try again</button>
      </div>
    </div>
  );
}

/** When a list that refreshes itself was asked for last. */
export function Updated({ lookup }: { lookup: Lookup<unknown> }) {
  if (lookup.state !== "done") return null;
  const time = lookup.at.toISOString();
  return (
    <span className="muted updated">
      updated <time dateTime={time}>{clock(time)}</time>
    </span>
  );
}

export function Empty({ children }: { children: ReactNode }) {
  return <div className="feedback empty">{children}</div>;
}

/** What an answer cannot see, in its own words; nothing where it saw all. */
export function Unseen({ frontier }: { frontier: Frontier | undefined }) {
  return frontier?.sentence ? <span className="inert">{oneLine(frontier.sentence)}</span> : null;
}

/** Fetches the page of a list after those that are there. */
export function More<T>({ later, first, children }: { later: Later<T>; first: T; children: ReactNode }) {
  const next = later.next(first);
  if (!next) return null;
  return (
    <div className="row more">
      <button disabled={later.isBusy} onClick={next}>
        {children}
      </button>
      {later.failure && (
        <span className="note" role="alert">
          {later.failure}
        </span>
      )}
    </div>
  );
}

export function Truncated({ children }: { children: ReactNode }) {
  return (
    <p className="note truncated" role="note">
      {children}
    </p>
  );
}

function headline(error: ApiError, what: string): string {
  if (error.status === 401) return "A key is needed";
  if (error.status === 403) return `This key may not see ${what}`;
  if (error.status === 404) return "Headwater does not know this";
  if (error.status === 0) return "No answer";
  return `Could not load ${what}`;
}

function remedy(error: ApiError): string {
  switch (error.status) {
    case 401:
      return "Ask whoever runs Headwater for a key with the scope read: `headwater key add NAME` makes one.";
    case 403:
      return "A key reads the namespaces that it was made for. Ask for one that includes this namespace.";
    case 404:
      return "It may have been deleted, or it was never part of an event. A search finds what there is.";
    case 429:
      return "Too many requests at once. Wait a moment.";
    default:
      return error.status >= 500 || error.status === 0 ? "The fault is not yours. Wait a moment, then try again." : "";
  }
}
