/** Tags, each with the producer that says it, removed by its cross; and a field for another. */

import { type ReactNode, useState } from "react";
import type { TagSources } from "../../api/types";
import { Icon } from "../../parts/Icon";
import { oneLine } from "../../text/names";

interface Properties {
  tags: readonly string[];
  sources?: TagSources | undefined;
  of: string;
  mayCurate: boolean;
  add: (tag: string) => Promise<void>;
  remove: (tag: string) => Promise<void>;
}

export function TagList({ tags, sources, of, mayCurate, add, remove }: Properties) {
  const [isAdding, setAdding] = useState(false);
  const [text, setText] = useState("");
  return (
    <span className="row tags">
      {tags.map((tag) => (
        <Tag key={tag} tag={tag} sources={sources}>
          {mayCurate && (
            <button className="quiet" aria-label={`Remove the tag ${tag} of ${of}`} onClick={() => void remove(tag)}>
              <Icon name="cross" />
            </button>
          )}
        </Tag>
      ))}
      {!mayCurate ? null : isAdding ? (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            if (text.trim()) void add(text.trim()).then(() => setAdding(false));
            setText("");
          }}
        >
          <input
            autoFocus
            aria-label={`A tag for ${of}`}
            placeholder="tag, Enter"
            size={10}
            value={text}
            onChange={(event) => setText(event.target.value)}
            onKeyDown={(event) => event.key === "Escape" && setAdding(false)}
          />
        </form>
      ) : (
        <button className="quiet" aria-label={`Tag ${of}`} title="Tag" onClick={() => setAdding(true)}>
          <Icon name="tag" /> {tags.length === 0 && <span className="hidden">tag</span>}
        </button>
      )}
    </span>
  );
}

interface TagProperties {
  tag: string;
  sources: TagSources | undefined;
  children?: ReactNode;
}

export function Tag({ tag, sources = {}, children }: TagProperties) {
  return (
    <span className="chip tag">
      {oneLine(tag)}
      {sources[tag] && <small>by {oneLine(sources[tag])}</small>}
      {children}
    </span>
  );
}
