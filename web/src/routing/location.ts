/**
 * The address of a view, behind the `#` of the URL: `#/lineage?nodeId=...`. A server never sees it, so that no name of
 * a table reaches an access log, and the paths of the API stay the API's.
 */

import { useSyncExternalStore } from "react";

export interface Address {
  view: string;
  parameters: URLSearchParams;
}

export type Parameters = Record<string, string | number | boolean | null | undefined>;

export function addressOf(hash: string): Address {
  const [path = "", query = ""] = splitOnce(hash.replace(/^#\/?/, ""), "?");
  return { view: path.replace(/\/$/, ""), parameters: new URLSearchParams(query) };
}

export function linkTo(view: string, parameters: Parameters = {}): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined && value !== null && value !== "" && value !== false) given.set(name, String(value));
  }
  const query = given.toString();
  return `#/${view}${query ? `?${query}` : ""}`;
}

/**
 * Opens a view, and puts it into the browser's history, so that back undoes it. The page hears of the new address at
 * once. After `location.hash = link` it would hear of it some milliseconds later: a checkbox whose state is in the
 * address would be cleared again in between.
 */
export function goTo(link: string): void {
  if (link === window.location.hash) return;
  history.pushState(null, "", link);
  tellChange();
}

/** The present address with other parameters. `isNew` puts it into the browser's history, so that back undoes it. */
export function changeParameters(changes: Parameters, isNew = true): void {
  const { view, parameters } = addressOf(window.location.hash);
  const link = linkTo(view, { ...Object.fromEntries(parameters), ...changes });
  if (link === window.location.hash) return;
  if (isNew) {
    goTo(link);
  } else {
    history.replaceState(history.state, "", link);
    tellChange();
  }
}

function tellChange(): void {
  window.dispatchEvent(new HashChangeEvent("hashchange"));
}

export function useHash(): string {
  return useSyncExternalStore(
    (listener) => {
      window.addEventListener("hashchange", listener);
      return () => window.removeEventListener("hashchange", listener);
    },
    () => window.location.hash,
  );
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + separator.length)];
}
