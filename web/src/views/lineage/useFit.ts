/**
 * What part of the picture is in view. A new picture is shown whole if that is legible, else at its centre. What a
 * click on a card changes leaves the card where it is, whatever moves around it.
 */

import { getViewportForBounds, useReactFlow, useStore, type Viewport } from "@xyflow/react";
import { type RefObject, useEffect, useEffectEvent, useLayoutEffect, useRef } from "react";
import { WIDTH } from "../../graph/sizes";
import type { Placed } from "../../picture/usePlaces";
import { useActions } from "./actions";

/** A picture that needs a smaller zoom to be seen whole is shown at its centre. */
const LEGIBLE = 0.42;
/** The zoom at which a picture is shown that is too large to be legible as a whole: a finger hits its buttons. */
const NEAR = 0.95;
/** The zoom at which a picture is first shown. */
const NEAREST_ZOOM = [0.02, 1.05] as const;
/** Between a card that was clicked and the edge of the view. */
const MARGIN = 12;

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** `reached` is the card that had the focus last. A picture from afar (`isFar`) is shown whole. */
export function useFit(placed: Placed, centre: string, reached: string, isFar: boolean): void {
  const flow = useReactFlow();
  const width = useStore((state) => state.width);
  const height = useStore((state) => state.height);
  const clicked = useClicked();
  const picture = useStore(({ domNode }) => domNode);
  const before = useRef<{ placed: Placed; centre: string; width: number; top: number } | null>(null);
  const fit = (): void => {
    const whole = boundsOf(placed);
    const place = placed.places.get(centre);
    if (isFar || !place || Math.min(width / whole.width, height / whole.height) > LEGIBLE)
      void flow.setViewport(getViewportForBounds(whole, width, height, ...NEAREST_ZOOM, 0.12));
    else void flow.setCenter(place.x + WIDTH / 2, place.y + WIDTH / 4, { zoom: Math.min(NEAR, width / (1.4 * WIDTH)) });
  };
  const look = useEffectEvent(() => {
    const was = before.current;
    const seen = { placed, centre, width, top: picture?.getBoundingClientRect().top ?? 0 };
    const isNew = was?.centre !== centre;
    const isSame = !isNew && was.width === width && was.placed.scene.nodes.length === placed.scene.nodes.length;
    const card = clicked.current ?? (isSame ? reached : "");
    const [then, now] = [isNew ? null : boxOf(was.placed, card), boxOf(placed, card)];
    if (!isSame && !(then && now)) {
      const frame = requestAnimationFrame(() => {
        fit();
        before.current = seen;
      });
      return () => cancelAnimationFrame(frame);
    }
    before.current = seen;
    if (!was || !then || !now) return undefined;
    const shift = was.top - seen.top; // a bar above the picture came or went
    const isMoved = then.x !== now.x || then.y !== now.y || then.height !== now.height;
    if (!isMoved && isSame && !shift) return undefined;
    const { x, y, zoom } = flow.getViewport();
    void flow.setViewport(keeping({ x, y: y + shift, zoom }, then, now, width, height));
    return undefined;
  });
  useLayoutEffect(() => (width ? look() : undefined), [placed, centre, width, height]);
}

/** The card that was clicked or reached by keys last, also by a button of its panel; null after a click elsewhere. */
function useClicked(): RefObject<string | null> {
  const { selected } = useActions();
  const clicked = useRef<string | null>(null);
  useEffect(() => {
    const hear = ({ target }: Event): void => {
      if (!(target instanceof Element)) return;
      const card = target.closest<HTMLElement>(".react-flow__node")?.dataset.id;
      clicked.current = card ?? (target.closest(".panel") ? selected : null);
    };
    for (const event of ["click", "focusin"]) document.addEventListener(event, hear, true);
    return () => {
      for (const event of ["click", "focusin"]) document.removeEventListener(event, hear, true);
    };
  }, [selected]);
  return clicked;
}

/** The viewport in which a card stays where it was, and is in view. */
function keeping({ x, y, zoom }: Viewport, then: Box, now: Box, width: number, height: number): Viewport {
  const left = x + then.x * zoom;
  const top = y + then.y * zoom;
  return {
    x: left + into(left, now.width * zoom, width) - now.x * zoom,
    y: top + into(top, now.height * zoom, height) - now.y * zoom,
    zoom,
  };
}

/** How far a stretch has to move to be in view, at least its beginning. */
function into(start: number, length: number, room: number): number {
  return Math.max(MARGIN - start, Math.min(0, room - MARGIN - start - length));
}

function boxOf({ scene, places }: Placed, id: string): Box | null {
  const drawn = scene.nodes.find(({ node }) => node.id === id);
  const place = places.get(id);
  return drawn && place ? { ...place, width: drawn.width, height: drawn.height } : null;
}

function boundsOf({ scene, places }: Placed): Box {
  const bounds = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
  for (const { node, width, height } of scene.nodes) {
    const { x, y } = places.get(node.id) ?? { x: 0, y: 0 };
    bounds.left = Math.min(bounds.left, x);
    bounds.top = Math.min(bounds.top, y);
    bounds.right = Math.max(bounds.right, x + width);
    bounds.bottom = Math.max(bounds.bottom, y + height);
  }
  return { x: bounds.left, y: bounds.top, width: bounds.right - bounds.left, height: bounds.bottom - bounds.top };
}
