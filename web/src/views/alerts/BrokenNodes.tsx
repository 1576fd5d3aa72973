/** What a change breaks, or may break, as a table. */

import type { BrokenItems } from "../../api/alerts";
import { sureness, wayOf } from "../../graph/risk";
import { Name, OutsideName } from "../../parts/Name";
import { Table } from "../../parts/Table";
import { linkTo } from "../../routing/location";
import { columnOf, shortName, splitNodeId } from "../../text/names";

export function BrokenNodes({ breaks, file }: { breaks: BrokenItems; file: string }) {
  return (
    <>
      <h2>
        {breaks.sentence || (breaks.items.length ? "What breaks, or may break" : "It breaks nothing that is known")}
      </h2>
      <Table
        caption="What it breaks, or may break"
        file={file}
        rows={breaks.items}
        keyOf={(item) => item.nodeId}
        columns={[
          { name: "Owner", value: (item) => item.owners.join(", ") },
          {
            name: "Node",
            value: ({ nodeId, exposure }) => exposure?.name ?? splitNodeId(nodeId).name,
            show: ({ nodeId, exposure }) =>
              exposure ? <OutsideName name={exposure.name} url={exposure.url} /> : <Broken nodeId={nodeId} />,
          },
          { name: "Kind", value: (item) => item.type.toLowerCase().replace("dataset_field", "column") },
          { name: "Hops", value: (item) => item.distance, isNumber: true },
          { name: "Breaks", value: sureness },
          { name: "How", value: wayOf },
        ]}
      />
    </>
  );
}

function Broken({ nodeId }: { nodeId: string }) {
  if (splitNodeId(nodeId).kind !== "datasetField")
    return <Name name={splitNodeId(nodeId).name} href={linkTo("lineage", { nodeId })} />;
  const { dataset, field } = columnOf(nodeId);
  const { name } = splitNodeId(dataset);
  return (
    <Name
      name={`${name}.${field}`}
      short={`${shortName(name)}.${field}`}
      isContext={false}
      href={linkTo("lineage", { nodeId: dataset, table: dataset, column: field })}
    />
  );
}
