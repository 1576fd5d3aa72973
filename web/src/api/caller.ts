/** What the key may do: buttons that it may not use are not shown. */

import { get } from "./request";
import { useLookup } from "./useLookup";

export type Scope = "ingest" | "curate" | "read" | "admin";

export interface Caller {
  scopes: Scope[];
  reads: string[];
  writes: string[];
}

/** The scopes of the key; none until the answer comes. */
export function useScopes(): ReadonlySet<Scope> {
  const lookup = useLookup("caller", (signal) => get<Caller>("caller", {}, signal));
  return new Set(lookup.value?.scopes ?? []);
}
