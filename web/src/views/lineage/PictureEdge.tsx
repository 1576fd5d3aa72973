/** An edge of the picture. An edge between columns carries its transformation, and says if it masks. */

import { BaseEdge, type Edge, EdgeLabelRenderer, type EdgeProps, getBezierPath } from "@xyflow/react";
import { memo } from "react";
import type { Transformation } from "../../api/types";
import { pathBack } from "../../graph/backEdge";
import { SLOT } from "../../graph/sizes";
import { isIndirect } from "../../graph/trace";
import { Icon } from "../../parts/Icon";
import type { EdgeLabel } from "../../picture/scene";

export type PictureEdgeType = Edge<
  { transformations?: readonly Transformation[]; count?: number; isFaded?: boolean; label?: EdgeLabel; lane?: number },
  "edge"
>;

export const PictureEdge = memo(function PictureEdge(properties: EdgeProps<PictureEdgeType>) {
  const { data } = properties;
  const [curve, middleX, curveY] = getBezierPath({ ...properties, curvature: 0.3 });
  const { sourceX, sourceY, targetX, targetY } = properties;
  const [path, middleY] =
    data?.lane === undefined ? [curve, curveY] : [pathBack(sourceX, sourceY, targetX, targetY, data.lane), data.lane];
  const transformations = data?.transformations;
  const label = transformations ? (data.label?.text ?? "") : (data?.count ?? 1) > 1 ? String(data?.count) : "";
  const way = transformations
    ? isIndirect(transformations)
      ? "of-column indirect"
      : "of-column"
    : data?.isFaded
      ? "faded"
      : "";
  const kind = data?.lane === undefined ? way : `${way} back`;
  // The label of a column's edge is at its beginning, where each column has a row of its own.
  const place = transformations
    ? `translate(0, -50%) translate(${sourceX + 12 + SLOT * (data.label?.slot ?? 0)}px, ${sourceY}px)`
    : `translate(-50%, -50%) translate(${middleX}px, ${middleY}px)`;
  return (
    <>
      <BaseEdge path={path} className={kind} interactionWidth={14} markerEnd={properties.markerEnd} />
      {label && (
        <EdgeLabelRenderer>
          <span className={`edge-label ${kind}`} style={{ transform: place }}>
            {data?.label?.isMasked && <Icon name="shield" label="masked" />}
            {label}
          </span>
        </EdgeLabelRenderer>
      )}
    </>
  );
});
