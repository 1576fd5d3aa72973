/** The datasets and jobs of an owner, or with a tag. */

import { type FoundNode, labelled } from "../../api/search";
import { useLookup } from "../../api/useLookup";
import { Empty, Loaded } from "../../parts/Feedback";
import { Icon } from "../../parts/Icon";
import { Name } from "../../parts/Name";
import { Table } from "../../parts/Table";
import { linkTo } from "../../routing/location";
import { calledWhole, oneLine } from "../../text/names";

export default function LabelView({ parameters }: { parameters: URLSearchParams }) {
  const type = parameters.get("type") === "TAG" ? "TAG" : "OWNER";
  const name = parameters.get("name") ?? "";
  const lookup = useLookup(`${type} ${name}`, (signal) => labelled(type, name, signal));
  return (
    <section className="sheet">
      <header className="node-head">
        <span className="eyebrow">{type === "TAG" ? "Tag" : "Owner"}</span>
        <h1>
          <Icon name={type === "TAG" ? "tag" : "person"} /> <bdi>{oneLine(name)}</bdi>
        </h1>
        {type === "OWNER" && (
          <a className="button" href={linkTo("alerts", { owner: name })}>
            Alerts of this owner
          </a>
        )}
      </header>
      <Loaded lookup={lookup} what="the list">
        {({ nodes, isCut }) => (
          <>
            {isCut && <p className="note">The first {nodes.length}; there may be more.</p>}
            {nodes.length ? (
              <Nodes nodes={nodes} file={name} />
            ) : (
              <Empty>Nothing has {type === "TAG" ? "this tag" : "this owner"} now.</Empty>
            )}
          </>
        )}
      </Loaded>
    </section>
  );
}

function Nodes({ nodes, file }: { nodes: FoundNode[]; file: string }) {
  return (
    <Table
      caption="Datasets and jobs"
      file={file}
      rows={nodes}
      keyOf={({ nodeId }) => nodeId}
      columns={[
        {
          name: "Name",
          value: calledWhole,
          show: ({ name, displayName, nodeId }) => (
            <Name name={name} called={displayName} href={linkTo("lineage", { nodeId })} />
          ),
        },
        { name: "Kind", value: ({ type }) => type.toLowerCase() },
        { name: "Namespace", value: ({ namespace }) => namespace },
      ]}
    />
  );
}
