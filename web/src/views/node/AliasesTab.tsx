/** The names under which producers know a dataset, and by which rule each is a name of it. */

import { aliases } from "../../api/nodes";
import { useLookup } from "../../api/useLookup";
import { Empty, Loaded } from "../../parts/Feedback";
import { Table } from "../../parts/Table";

export function AliasesTab({ nodeId }: { nodeId: string }) {
  const lookup = useLookup(nodeId, (signal) => aliases(nodeId, signal));
  return (
    <Loaded lookup={lookup} what="its names">
      {({ aliases: found }) =>
        found.length ? (
          <Table
            caption="Names"
            rows={found}
            keyOf={({ namespace, name }) => `${namespace} ${name}`}
            columns={[
              { name: "Namespace", value: ({ namespace }) => namespace },
              { name: "Name", value: ({ name }) => name, show: ({ name }) => <span className="mono">{name}</span> },
              { name: "Reason", value: ({ namespace: _, name: __, ...reason }) => reasonText(reason) },
            ]}
          />
        ) : (
          <Empty>All producers use one name for it.</Empty>
        )
      }
    </Loaded>
  );
}

function reasonText(reason: Record<string, unknown>): string {
  const rules = reason.rules ?? reason.rule ?? reason.reasons;
  return Array.isArray(rules)
    ? rules.map((rule) => (typeof rule === "string" ? rule : JSON.stringify(rule))).join(", ")
    : JSON.stringify(reason);
}
