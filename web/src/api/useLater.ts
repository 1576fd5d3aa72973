/** The pages of a list after its first: each is fetched when someone asks for it, by the cursor of the page before. */

import { useEffect, useState } from "react";
import { onKeyChange } from "./key";
import type { Page } from "./types";

export interface Later<T> {
  pages: readonly T[];
  /** Fetches the next page; null if `first` has no page after it, or none after those that were fetched. */
  next: (first: T) => (() => void) | null;
  isBusy: boolean;
  failure: string;
}

interface State<T> {
  key: string;
  pages: readonly T[];
  isBusy: boolean;
  failure: string;
}

/** `key` names the question: pages of another question, or of another API key, are forgotten. */
export function useLater<T extends Page>(key: string, ask: (cursor: string) => Promise<T>): Later<T> {
  const none: State<T> = { key, pages: [], isBusy: false, failure: "" };
  const [state, setState] = useState(none);
  const known = state.key === key ? state : none;
  useEffect(() => onKeyChange(() => setState({ key: "", pages: [], isBusy: false, failure: "" })), []);
  const change = (changes: Partial<State<T>>): void =>
    setState((now) => (now.key === key || now === state ? { ...known, ...changes } : now));
  const next = (first: T): (() => void) | null => {
    const { cursor } = known.pages.at(-1) ?? first;
    if (!cursor) return null;
    return () => {
      change({ isBusy: true, failure: "" });
      ask(cursor).then(
        (page) => change({ pages: [...known.pages, page], isBusy: false }),
        (error: unknown) => change({ failure: error instanceof Error ? error.message : String(error), isBusy: false }),
      );
    };
  };
  return { pages: known.pages, next, isBusy: known.isBusy, failure: known.failure };
}
