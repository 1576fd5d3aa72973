/** The keys of the picture: arrows lead from node to node, Enter opens a node. */

import { useReactFlow } from "@xyflow/react";
import type { FocusEvent, HTMLAttributes, KeyboardEvent } from "react";
import type { Places } from "../../graph/layers";
import { WIDTH } from "../../graph/sizes";
import type { Placed } from "../../picture/usePlaces";

const STEPS: Record<string, [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};
/** A node that was out of sight is in the document some frames after the picture was moved. */
const MOST_FRAMES = 60;
const LEGIBLE = 0.6;

type Keys = Pick<HTMLAttributes<HTMLElement>, "onFocus" | "onKeyDown">;

/** `reached` is the node that had the focus last: there the arrows begin if the focus is on the graph itself. */
export function useKeys(
  { scene, places }: Placed,
  reached: string,
  setReached: (id: string) => void,
  onNode: (id: string) => void,
): Keys {
  const flow = useReactFlow();
  const show = (id: string): void => {
    const place = places.get(id);
    if (!place) return;
    if (!elementOf(id)) void flow.setCenter(place.x + WIDTH / 2, place.y, { zoom: Math.max(flow.getZoom(), LEGIBLE) });
    focusWhenThere(id, MOST_FRAMES);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const target = event.target as HTMLElement;
    const isNode = target.matches(".react-flow__node");
    const here = target.closest(".react-flow__node")?.getAttribute("data-id");
    const step = STEPS[event.key];
    if (isNode && here && (event.key === "Enter" || event.key === " ")) {
      event.preventDefault();
      onNode(here);
    } else if (step && !target.matches("input")) {
      const next = here
        ? nextOf(
            scene.nodes.map(({ node }) => node.id),
            places,
            here,
            step,
          )
        : reached;
      if (!here && !target.matches(".react-flow")) return;
      event.preventDefault();
      event.stopPropagation();
      if (next) show(next);
    }
  };
  const onFocus = (event: FocusEvent): void => {
    const id = event.target.closest(".react-flow__node")?.getAttribute("data-id");
    if (id) setReached(id);
  };
  return { onKeyDown, onFocus };
}

export function focusNode(id: string): void {
  elementOf(id)?.focus();
}

function elementOf(id: string): HTMLElement | null {
  return document.querySelector<HTMLElement>(`.react-flow__node[data-id="${CSS.escape(id)}"]`);
}

function focusWhenThere(id: string, frames: number): void {
  if (elementOf(id)) focusNode(id);
  else if (frames) requestAnimationFrame(() => focusWhenThere(id, frames - 1));
}

/** The nearest node in a direction. What lies aside is twice as far. */
function nextOf(
  ids: readonly string[],
  places: Places,
  here: string,
  [dx, dy]: readonly [number, number],
): string | null {
  const from = places.get(here);
  if (!from) return null;
  const cost = (id: string): number => {
    const place = places.get(id);
    if (!place) return Infinity;
    const along = (place.x - from.x) * dx + (place.y - from.y) * dy;
    const across = Math.abs((place.x - from.x) * dy) + Math.abs((place.y - from.y) * dx);
    return along > 1 ? along + 2 * across : Infinity;
  };
  const next = ids.reduce<string | null>(
    (best, id) => (cost(id) < (best === null ? Infinity : cost(best)) ? id : best),
    null,
  );
  return next;
}
