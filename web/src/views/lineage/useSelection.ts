/** What is open beside the picture: a node, the provenance of an edge, or nothing. */

import { useCallback, useState } from "react";
import type { EdgeOfPicture } from "./Canvas";
import { focusNode } from "./useKeys";

export interface Selection {
  selected: string | null;
  edge: EdgeOfPicture | null;
  select: (id: string | null) => void;
  selectEdge: (edge: EdgeOfPicture) => void;
  close: () => void;
}

export function useSelection(): Selection {
  const [selected, setSelected] = useState<string | null>(null);
  const [edge, selectEdge] = useState<EdgeOfPicture | null>(null);
  const select = useCallback((id: string | null) => {
    setSelected(id);
    selectEdge(null);
  }, []);
  const close = (): void => {
    if (selected) focusNode(selected);
    select(null);
  };
  return { selected, edge, select, selectEdge, close };
}
