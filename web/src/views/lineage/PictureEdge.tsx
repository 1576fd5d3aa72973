/** An edge of the picture. An edge between columns carries its transformation, and says if it masks. */

import { BaseEdge, EdgeLabelRenderer, getBezierPath, type Edge, type EdgeProps } from "@xyflow/react";
import { memo } from "react";
import type { Transformation } from "../../api/types";
import { isIndirect, isMasked, transformationText } from "../../graph/trace";
import { Icon } from "../../parts/Icon";

export type PictureEdgeType = Edge<{ transformations?: readonly Transformation[]; count?: number; isFaded?: boolean }, "edge">;

export const PictureEdge = memo(function PictureEdge(properties: EdgeProps<PictureEdgeType>) {
  const { data } = properties;
  const [path, x, y] = getBezierPath({ ...properties, curvature: 0.3 });
  const transformations = data?.transformations;
  const label = transformations ? transformationText(transformations) : (data?.count ?? 1) > 1 ? String(data?.count) : "";
  const kind = transformations ? (isIndirect(transformations) ? "of-column indirect" : "of-column") : data?.isFaded ? "faded" : "";
  return (
    <>
      <BaseEdge path={path} className={kind} interactionWidth={14} markerEnd={properties.markerEnd} />
      {label && (
        <EdgeLabelRenderer>
          <span className={`edge-label ${kind}`} style={{ transform: `translate(-50%, -50%) translate(${x}px, ${y}px)` }}>
            {transformations && isMasked(transformations) && <Icon name="shield" label="masked" />}
            {label}
          </span>
        </EdgeLabelRenderer>
      )}
    </>
  );
});
