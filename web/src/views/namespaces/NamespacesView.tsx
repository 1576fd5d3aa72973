/** The directory of namespaces: by environment or scheme, by owner, by text. Made for 500 of them. */

import { get } from "../../api/request";
import type { Namespace } from "../../api/types";
import { useLookup } from "../../api/useLookup";
import { Empty, Shown } from "../../parts/Told";
import { Table } from "../../parts/Table";
import { linkTo } from "../../routing/location";
import { moment } from "../../text/amounts";
import { oneLine } from "../../text/names";

const MOST = 1000;

export default function NamespacesView() {
  const lookup = useLookup("namespaces", (signal) => get<{ namespaces: Namespace[] }>("namespaces", { limit: MOST }, signal));
  return (
    <section className="sheet">
      <h1>Namespaces</h1>
      <Shown lookup={lookup} what="the namespaces">
        {({ namespaces }) =>
          namespaces.length ? (
            <Table
              caption="Namespaces"
              file="namespaces"
              sortedBy="Kind"
              rows={namespaces.filter(({ isHidden }) => !isHidden)}
              keyOf={({ name }) => name}
              columns={[
                { name: "Kind", value: ({ name }) => prefixOf(name), show: ({ name }) => <span className="chip">{oneLine(prefixOf(name))}</span> },
                { name: "Namespace", value: ({ name }) => name, show: ({ name }) => <a href={linkTo("namespace", { name })}>{oneLine(name)}</a> },
                { name: "Owner", value: ({ ownerName }) => (ownerName === "anonymous" ? "" : ownerName) },
                { name: "Description", value: ({ description }) => description ?? "" },
                { name: "First seen", value: ({ createdAt }) => createdAt, show: ({ createdAt }) => moment(createdAt) },
              ]}
            />
          ) : (
            <Empty>No namespace yet, or none that your key may read.</Empty>
          )
        }
      </Shown>
    </section>
  );
}

/** The scheme of a storage (`s3`, `postgres`), or the first word of a name: often the environment. */
export function prefixOf(name: string): string {
  return /^([\w+]+):\/\//.exec(name)?.[1] ?? /^[^\W_]+/.exec(name)?.[0] ?? name;
}
