/** The search: `/` or Ctrl-K from anywhere, arrows to choose, Enter to open. */

import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { ApiError } from "../../api/request";
import { MOST, type Result } from "../../api/search";
import { Icon, type IconName } from "../../parts/Icon";
import { goTo, linkTo } from "../../routing/location";
import { counted } from "../../text/amounts";
import { calledShort, contextOf, oneLine, splitNodeId } from "../../text/names";
import { type Recent, recentNodes } from "./recent";
import { FEW, groupsOf, hasMore, linkOf, search } from "./search";
import "./search.css";

const PAUSE_MS = 140;

interface Line {
  key: string;
  group: string;
  icon: IconName;
  title: string;
  context: string;
  /** Null of the last line, which fetches more. */
  link: string | null;
}

const MORE: Line = { key: "more", group: "More", icon: "plus", title: "Show more results", context: "", link: null };

export function SearchDialog({ onClose }: { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState("");
  const [limit, setLimit] = useState(FEW);
  const { lines, status } = useLines(text, limit);
  const [at, setAt] = useState(0);
  const chosen = Math.min(at, lines.length - 1);
  useEffect(() => dialog.current?.showModal(), []);
  useEffect(() => {
    document.getElementById(`found-${chosen}`)?.scrollIntoView({ block: "nearest" });
  }, [chosen]);
  const open = (line: Line | undefined): void => {
    if (line?.link === null) {
      setLimit(MOST);
    } else if (line) {
      onClose();
      goTo(line.link);
    }
  };
  const onKey = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      event.preventDefault();
      setAt((chosen + step + lines.length) % Math.max(lines.length, 1));
    } else if (event.key === "Enter") {
      event.preventDefault();
      open(lines[chosen]);
    }
  };
  return (
    <dialog
      ref={dialog}
      className="search"
      aria-label="Search"
      onClose={onClose}
      onClick={(event) => event.target === dialog.current && onClose()}
    >
      <div className="search-field">
        <Icon name="search" />
        <input
          type="text"
          role="combobox"
          aria-expanded={lines.length > 0}
          aria-controls="found"
          aria-activedescendant={lines.length ? `found-${chosen}` : undefined}
          aria-label="Search columns, tables, jobs, owners and tags"
          placeholder="Columns, tables, jobs, owners, tags…"
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            setLimit(FEW);
            setAt(0);
          }}
          onKeyDown={onKey}
          autoFocus
          spellCheck={false}
        />
        <button className="quiet" onClick={onClose} aria-label="Esc: close the search">
          <kbd>Esc</kbd>
        </button>
      </div>
      <div id="found" role="listbox" aria-label="Found">
        {lines.map((line, index) => (
          <div key={line.key} className="found-line">
            {line.group !== lines[index - 1]?.group && (
              <div className="eyebrow" role="presentation">
                {line.group}
              </div>
            )}
            <div
              id={`found-${index}`}
              role="option"
              aria-selected={index === chosen}
              className="found"
              onMouseMove={() => setAt(index)}
              onClick={() => open(line)}
            >
              <Icon name={line.icon} label={line.group} />
              <bdi className="title">{line.title}</bdi>
              <bdi className="context">{line.context}</bdi>
            </div>
          </div>
        ))}
      </div>
      <p className="search-status muted" role="status">
        {status}
      </p>
    </dialog>
  );
}

function useLines(text: string, limit: number): { lines: Line[]; status: string } {
  const [result, setResult] = useState<{ lines: Line[]; status: string }>({ lines: [], status: "" });
  useEffect(() => {
    const wanted = text.trim();
    if (!wanted) {
      const lines = recentNodes().map(recentLine);
      setResult({
        lines,
        status: lines.length ? "" : "Type the beginning of a name; of a column, also its table: orders price",
      });
      return;
    }
    const controller = new AbortController();
    setResult((before) => ({ ...before, status: "Searching…" }));
    const timer = setTimeout(() => {
      search(wanted, controller.signal, limit)
        .then((found) => {
          const { results, corrected, truncated } = found;
          const isMore = hasMore(found, limit);
          const lines = groupsOf(results).flatMap(([group, members]) =>
            members.map((member) => foundLine(group, member)),
          );
          const told = [
            corrected && `As “${corrected}”.`,
            `${counted(lines.length, "result")}${isMore ? ", and more at the end" : ""}: ↑ ↓ choose, Enter opens.`,
            truncated && !isMore && "There is more: type more of the name.",
          ];
          setResult({
            lines: isMore ? [...lines, MORE] : lines,
            status: lines.length ? told.filter(Boolean).join(" ") : `Nothing has ${wanted} in its name.`,
          });
        })
        .catch((error: unknown) => {
          if (!controller.signal.aborted)
            setResult({ lines: [], status: error instanceof ApiError ? error.message : String(error) });
        });
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [text, limit]);
  return result;
}

const ICONS: Record<Result["type"], IconName> = {
  COLUMN: "column",
  DATASET: "table",
  JOB: "job",
  OWNER: "person",
  TAG: "tag",
  RUN: "clock",
};

function foundLine(group: string, found: Result): Line {
  const title = found.type === "DATASET" || found.type === "JOB" ? calledShort(found) : found.name;
  return {
    key: `${found.type} ${"nodeId" in found ? found.nodeId : found.name}`,
    group,
    icon: ICONS[found.type],
    title: oneLine(title),
    context: oneLine(contextLine(found, title)),
    link: linkOf(found),
  };
}

function contextLine(found: Result, title: string): string {
  switch (found.type) {
    case "COLUMN":
      return `${calledShort({ name: found.dataset, displayName: found.displayName })} · ${found.namespace}`;
    case "OWNER":
    case "TAG":
      return found.nodes.map((node) => calledShort(node)).join(", ");
    case "RUN":
      return "";
    default:
      return [contextOf(found.name, title), found.namespace, ...(found.matchedIn ?? [])].filter(Boolean).join(" · ");
  }
}

function recentLine({ nodeId, displayName }: Recent): Line {
  const { kind, namespace, name } = splitNodeId(nodeId);
  return {
    key: nodeId,
    group: "Recent",
    icon: kind === "job" ? "job" : "table",
    title: oneLine(calledShort({ name, displayName })),
    context: oneLine(displayName ? `${name} · ${namespace}` : namespace),
    link: linkTo("lineage", { nodeId }),
  };
}
