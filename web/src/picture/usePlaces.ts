/** The places of a scene's nodes. While the worker computes, the picture before stays. */

import { useEffect, useRef, useState } from "react";
import type { Places } from "../graph/layers";
import { layOut } from "../graph/layout";
import { layoutEdges, type Scene } from "./scene";

export interface Placed {
  scene: Scene;
  places: Places;
}

export interface Layout {
  placed: Placed | null;
  error: string | null;
  isBusy: boolean;
}

export function usePlaces(scene: Scene): Layout {
  const [placed, setPlaced] = useState<Placed | null>(null);
  const [error, setError] = useState<string | null>(null);
  const asked = useRef<{ shape: string; places: Promise<Places> } | null>(null);
  const shape = shapeOf(scene);
  useEffect(() => {
    let isCurrent = true;
    const places =
      asked.current?.shape === shape
        ? asked.current.places
        : layOut(
            scene.nodes.map(({ node, width, height }) => ({ id: node.id, width, height })),
            layoutEdges(scene),
            scene.columnEdges.length > 0,
          );
    asked.current = { shape, places };
    places.then(
      (found) => {
        if (!isCurrent) return;
        setPlaced({ scene, places: found });
        setError(null);
      },
      (failure: unknown) => isCurrent && setError(failure instanceof Error ? failure.message : String(failure)),
    );
    return () => {
      isCurrent = false;
    };
  }, [scene, shape]);
  return { placed, error, isBusy: placed?.scene !== scene && !error };
}

/** Names what the places depend on: a scene that only fades other nodes keeps its places. */
function shapeOf(scene: Scene): string {
  const nodes = scene.nodes.map(({ node, height }) => `${node.id}\t${height}`);
  return [...nodes, ...layoutEdges(scene).map(({ from, to }) => `${from}\t${to}`)].join("\n");
}
