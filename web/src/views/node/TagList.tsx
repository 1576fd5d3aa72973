/** Tags, each removed by its cross, and a field for another. */

import { useState } from "react";
import { Icon } from "../../parts/Icon";
import { oneLine } from "../../text/names";

interface Properties {
  tags: readonly string[];
  of: string;
  mayCurate: boolean;
  add: (tag: string) => Promise<void>;
  remove: (tag: string) => Promise<void>;
}

export function TagList({ tags, of, mayCurate, add, remove }: Properties) {
  const [isAdding, setAdding] = useState(false);
  const [text, setText] = useState("");
  return (
    <span className="row tags">
      {tags.map((tag) => (
        <span key={tag} className="chip tag">
          {oneLine(tag)}
          {mayCurate && (
            <button className="quiet" aria-label={`Remove the tag ${tag} of ${of}`} onClick={() => void remove(tag)}>
              <Icon name="cross" />
            </button>
          )}
        </span>
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
