/** A node of the picture: its name, its condition, its columns, and handles that fetch what is hidden. */

import { Handle, type Node, type NodeProps, Position } from "@xyflow/react";
import { memo } from "react";
import { tagsOf } from "../../graph/filter";
import type { Side } from "../../graph/graph";
import { chipsOf, conditionOf, type Mark, wordsOf } from "../../graph/marks";
import { MOST_TRACED, tracedTop } from "../../graph/sizes";
import { sideKey } from "../../graph/visible";
import { Icon, type IconName } from "../../parts/Icon";
import type { SceneNode } from "../../picture/scene";
import { count as grouped } from "../../text/amounts";
import { contextOf, cuttable, oneLine } from "../../text/names";
import { useActions } from "./actions";
import { ColumnList, TracedColumns } from "./ColumnList";

export type PictureNodeType = Node<{ drawn: SceneNode; isTabStop: boolean }, "node">;

export const PictureNode = memo(function PictureNode({ data }: NodeProps<PictureNodeType>) {
  const { node, opening, isFaded } = data.drawn;
  const tabIndex = data.isTabStop ? 0 : -1;
  const { marks, shortNames, centre, selected, toggleColumns, openGroup } = useActions();
  const short = node.displayName ?? shortNames.get(node.name) ?? node.name;
  const [start, end] = cuttable(oneLine(short));
  const condition = conditionOf(node);
  const classes = ["card-node", node.kind, `tone-${condition.tone}`];
  if (isFaded) classes.push("faded");
  if (node.id === centre) classes.push("centre");
  if (node.id === selected) classes.push("selected");
  return (
    <div className={classes.join(" ")}>
      <Handle type="target" position={Position.Left} isConnectable={false} style={{ top: 29 }} />
      <Handle type="source" position={Position.Right} isConnectable={false} style={{ top: 29 }} />
      {opening.traced.slice(0, MOST_TRACED).map((field, index) => (
        <ColumnHandles key={field} field={field} top={tracedTop(node, index)} />
      ))}
      <div className="head">
        <span className="kind">
          <Icon name={iconOf(node.kind, node.dataset?.datasetType ?? node.dataset?.type)} />
        </span>
        <span className="texts">
          <bdi className="title" title={oneLine(node.name)} aria-hidden="true">
            {start && <span>{start}</span>}
            {end}
          </bdi>
          <bdi className="context">
            {oneLine(node.kind === "group" ? "group" : contextOf(node.name, short) || node.namespace)}
          </bdi>
        </span>
        {node.dataset && node.dataset.fields.length > 0 && (
          <button
            className="quiet nodrag"
            tabIndex={tabIndex}
            aria-expanded={opening.isOpen}
            aria-label={`Columns of ${short}`}
            title="Columns"
            onClick={stopping(() => toggleColumns(node.id))}
          >
            <Icon name={opening.isOpen ? "minus" : "column"} />
          </button>
        )}
        {node.kind === "group" && (
          <button
            className="quiet nodrag"
            tabIndex={tabIndex}
            aria-label={`Open ${short}`}
            title="Open the group"
            onClick={stopping(() => openGroup(node.id))}
          >
            <Icon name="plus" />
          </button>
        )}
      </div>
      <div className="condition">
        <span className="dot" aria-hidden="true" />
        <span className="said">{condition.text}</span>
        <Chips marks={marks.get(node.id) ?? []} />
        {tagsOf(node)
          .slice(0, 1)
          .map((tag) => (
            <span key={tag} className="chip tag">
              {oneLine(tag)}
            </span>
          ))}
      </div>
      {opening.traced.length > 0 && <TracedColumns node={node} traced={opening.traced} tabIndex={tabIndex} />}
      {opening.isOpen && <ColumnList node={node} traced={opening.traced} tabIndex={tabIndex} />}
      <More id={node.id} side="up" name={short} tabIndex={tabIndex} />
      <More id={node.id} side="down" name={short} tabIndex={tabIndex} />
    </div>
  );
});

function Chips({ marks }: { marks: readonly Mark[] }) {
  return chipsOf(marks).map(({ tone, text }) => (
    <span key={text} className={`chip ${tone}`} title={oneLine(marks.map(wordsOf).join(", "))}>
      <bdi>{oneLine(text)}</bdi>
    </span>
  ));
}

function ColumnHandles({ field, top }: { field: string; top: number }) {
  return (
    <>
      <Handle id={`in ${field}`} type="target" position={Position.Left} isConnectable={false} style={{ top }} />
      <Handle id={`out ${field}`} type="source" position={Position.Right} isConnectable={false} style={{ top }} />
    </>
  );
}

/** The handle of a side: "+12" shows what is hidden, "−" hides it again. */
function More({ id, side, name, tabIndex }: { id: string; side: Side; name: string; tabIndex: number }) {
  const { hidden, unnamed, expand, collapse, busy, selected } = useActions();
  const unknown = unnamed.get(sideKey(id, side)) ?? 0;
  const count = (hidden.get(sideKey(id, side)) ?? 0) + unknown;
  const where = side === "up" ? "upstream" : "downstream";
  if (busy === sideKey(id, side)) return <span className={`more-handle ${side}`}>…</span>;
  if (count) {
    const about = unknown ? "about " : "";
    const all = `${about}${grouped(count)} more ${where}`;
    return (
      <button
        tabIndex={tabIndex}
        className={`more-handle nodrag ${side}`}
        aria-label={`Show ${all} of ${name}`}
        title={all}
        onClick={stopping(() => expand(id, side))}
      >
        +{about}
        {grouped(count)}
      </button>
    );
  }
  if (selected !== id) return null;
  return (
    <button
      tabIndex={tabIndex}
      className={`more-handle minus nodrag ${side}`}
      aria-label={`Hide what is ${where} of ${name}`}
      title={`Hide ${where}`}
      onClick={stopping(() => collapse(id, side))}
    >
      −
    </button>
  );
}

export function iconOf(kind: string, type?: string | null): IconName {
  if (kind === "job") return "job";
  if (kind === "group" || kind === "exposure") return kind;
  if (/stream|topic/i.test(type ?? "")) return "stream";
  if (/model/i.test(type ?? "")) return "model";
  if (/file/i.test(type ?? "")) return "file";
  return "table";
}

function stopping(act: () => void): (event: { stopPropagation: () => void }) => void {
  return (event) => {
    event.stopPropagation();
    act();
  };
}
