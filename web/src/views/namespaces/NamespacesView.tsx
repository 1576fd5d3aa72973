/** The directory of namespaces, made for 500 of them: in groups that open, and a filter over all of them. */

import { useMemo, useState } from "react";
import { get } from "../../api/request";
import type { Namespace } from "../../api/types";
import { useLookup } from "../../api/useLookup";
import { isListedNamespace } from "../../graph/unlisted";
import { Empty, Loaded, Truncated, Updated } from "../../parts/Feedback";
import { Icon } from "../../parts/Icon";
import { changeParameters, linkTo } from "../../routing/location";
import { count, counted, moment } from "../../text/amounts";
import { oneLine } from "../../text/names";
import { GROUPINGS, groupsOf, type NamespaceGrouping } from "./directory";
import "./namespaces.css";
import { WhatChanged } from "./WhatChanged";

const MOST = 1000;
/** So many namespaces are shown at once, without groups to open. */
const FEW = 30;

interface Found {
  namespaces: Namespace[];
  totalCount: number;
}

export default function NamespacesView({ parameters }: { parameters: URLSearchParams }) {
  const lookup = useLookup("namespaces", (signal) => get<Found>("namespaces", { limit: MOST }, signal), true);
  const grouping = GROUPINGS.find((known) => known === parameters.get("by")) ?? "prefix";
  return (
    <section className="sheet">
      <header className="spread">
        <h1>Namespaces</h1>
        <Updated lookup={lookup} />
        <div className="switch" role="group" aria-label="Group by">
          {GROUPINGS.map((each) => (
            <button key={each} aria-pressed={each === grouping} onClick={() => changeParameters({ by: each })}>
              {each}
            </button>
          ))}
        </div>
      </header>
      <WhatChanged parameters={parameters} />
      <Loaded lookup={lookup} what="the namespaces">
        {({ namespaces, totalCount }) => (
          <>
            {totalCount > namespaces.length && (
              <Truncated>
                The first {count(namespaces.length)} of {count(totalCount)} by name. The search finds the others.
              </Truncated>
            )}
            <Directory namespaces={namespaces.filter(isListedNamespace)} grouping={grouping} />
          </>
        )}
      </Loaded>
    </section>
  );
}

function Directory({ namespaces, grouping }: { namespaces: Namespace[]; grouping: NamespaceGrouping }) {
  const [filter, setFilter] = useState("");
  const found = useMemo(() => matching(namespaces, filter), [namespaces, filter]);
  const groups = useMemo(() => groupsOf(found, grouping), [found, grouping]);
  if (!namespaces.length) return <Empty>There are no namespaces yet, or none that your key may read.</Empty>;
  const isOpen = found.length <= FEW || groups.length === 1;
  return (
    <>
      <div className="row tools">
        <label className="field">
          <Icon name="filter" />
          <span className="hidden">Filter namespaces</span>
          <input
            type="search"
            placeholder="Name or owner"
            value={filter}
            onChange={(event) => setFilter(event.target.value)}
          />
        </label>
        <span className="muted" role="status">
          {filter
            ? `${count(found.length)} of ${counted(namespaces.length, "namespace")}`
            : `${counted(namespaces.length, "namespace")} in ${counted(groups.length, "group")}`}
        </span>
      </div>
      {groups.map(([name, members]) => (
        <details key={`${grouping} ${name} ${isOpen}`} className="card namespace-group" open={isOpen}>
          <summary>
            <h2>
              <bdi>{oneLine(name)}</bdi>
            </h2>{" "}
            <span className="muted">{counted(members.length, "namespace")}</span>
          </summary>
          <ul className="list">
            {members.map((namespace) => (
              <Line key={namespace.name} namespace={namespace} />
            ))}
          </ul>
        </details>
      ))}
    </>
  );
}

function Line({ namespace: { name, ownerName, description, createdAt } }: { namespace: Namespace }) {
  return (
    <li>
      <span className="grow">
        <a className="inert" href={linkTo("namespace", { name })}>
          <bdi>{oneLine(name)}</bdi>
        </a>
        {description && <div className="muted inert">{oneLine(description)}</div>}
      </span>
      {ownerName !== "anonymous" && <span className="chip">{oneLine(ownerName)}</span>}
      <span className="end">since {moment(createdAt)}</span>
    </li>
  );
}

function matching(namespaces: Namespace[], filter: string): Namespace[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  return namespaces.filter(({ name, ownerName, description }) => {
    const text = `${name}\n${ownerName}\n${description ?? ""}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
