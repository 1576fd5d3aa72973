/** The title of the browser's tab: what a view is about, before the name of the view. */

import { useEffect } from "react";
import { oneLine } from "../text/names";

export function useTitle(about: string): void {
  useEffect(() => {
    const ofView = document.title.split(" · ").slice(-2); // the view and "Headwater"
    document.title = [oneLine(about), ...ofView].join(" · ");
  }, [about]);
}
