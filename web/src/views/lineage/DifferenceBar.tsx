/** Above the picture while two times are compared: what was added, removed and changed since, as a list. */

import type { Lookup } from "../../api/useLookup";
import { type Difference, summaryOf } from "../../graph/difference";
import { Icon } from "../../parts/Icon";
import { changeParameters } from "../../routing/location";
import { moment } from "../../text/amounts";
import { DifferenceCards } from "./DifferenceCards";

export function DifferenceBar({ lookup, since }: { lookup: Lookup<Difference | null>; since: string }) {
  const found = lookup.state === "done" ? lookup.value : null;
  return (
    <details className="difference">
      <summary>
        <span role="status">
          <Icon name="change" /> Since <b>{moment(since)}</b>
          {lookup.state === "loading" && " …"}
          {lookup.state === "failed" && `: ${lookup.error.message}`}
          {found && `: ${summaryOf(found)}`}
          {found?.truncated && ", cut"}
        </span>
        <span className="push" />
        <input
          type="datetime-local"
          aria-label="Compare with, in UTC"
          value={since.slice(0, 16)}
          onClick={(event) => event.stopPropagation()}
          onChange={(event) => event.target.value && changeParameters({ since: `${event.target.value}:00Z` })}
        />
        <button
          onClick={(event) => {
            event.preventDefault();
            changeParameters({ since: null });
          }}
        >
          Done
        </button>
      </summary>
      {found && <DifferenceCards difference={found} />}
    </details>
  );
}
