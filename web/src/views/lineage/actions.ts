/** What a reader may do with a node of the picture. */

import { createContext, useContext } from "react";
import type { GraphNode, Side } from "../../graph/graph";
import type { Mark } from "../../graph/marks";

export interface Actions {
  expand: (id: string, side: Side) => void;
  collapse: (id: string, side: Side) => void;
  toggleColumns: (id: string) => void;
  openGroup: (id: string) => void;
  pickColumn: (node: GraphNode, field: string) => void;
  hidden: ReadonlyMap<string, number>;
  /** About how many neighbours on a side no answer has named yet. */
  unnamed: ReadonlyMap<string, number>;
  busy: string | null;
  marks: ReadonlyMap<string, readonly Mark[]>;
  shortNames: ReadonlyMap<string, string>;
  centre: string;
  selected: string | null;
  picked: { dataset: string; field: string } | null;
  /** Why the origin of a column is unknown, by dataset and column: of those on the path of the picked column. */
  unknown: ReadonlyMap<string, ReadonlyMap<string, string>>;
  asOf: string;
}

export const ActionsContext = createContext<Actions | null>(null);

export function useActions(): Actions {
  const actions = useContext(ActionsContext);
  if (!actions) throw new Error("a node is drawn outside of a picture");
  return actions;
}
