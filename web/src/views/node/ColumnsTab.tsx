/** The columns of a dataset: type, tags, where each comes from, and what a change would break. */

import { useState } from "react";
import { useScopes } from "../../api/caller";
import { putFieldTag, removeFieldTag } from "../../api/nodes";
import { useUnknownOrigins } from "../../api/origins";
import type { Dataset, DisplayNames, Field, InputField } from "../../api/types";
import { inputText } from "../../graph/trace";
import { Table } from "../../parts/Table";
import { linkTo } from "../../routing/location";
import { calledShort, columnIdOf, nodeIdOf, oneLine, shortName } from "../../text/names";
import { attempt } from "./attempt";
import { TagList } from "./TagList";

export function ColumnsTab({ nodeId, dataset, again }: { nodeId: string; dataset: Dataset; again: () => void }) {
  const [failure, setFailure] = useState("");
  const mayCurate = useScopes().has("curate");
  const origins = new Map((dataset.columnLineage ?? []).map(({ name, inputFields }) => [name, inputFields]));
  const { unknown, isFromOutside, displayNames } = useUnknownOrigins(nodeId);
  const originText = (field: Field): string =>
    (origins.get(field.name) ?? [])
      .map((input) => `${calledInput(input, displayNames)}.${input.field} (${inputText(input)})`)
      .join(", ") ||
    (unknown.get(field.name) ?? (isFromOutside ? "origin unknown: no job that writes the table is known" : ""));
  return (
    <>
      {failure && (
        <p className="note" role="alert">
          {failure}
        </p>
      )}
      <Table
        caption="Columns"
        file={`columns-${shortName(dataset.name)}`}
        rows={dataset.fields}
        keyOf={({ name }) => name}
        columns={[
          {
            name: "Column",
            value: ({ name }) => name,
            show: ({ name }) => (
              <a href={linkTo("lineage", { nodeId, table: nodeId, column: name })} title="Its lineage">
                <bdi>{oneLine(name)}</bdi>
              </a>
            ),
          },
          {
            name: "Type",
            value: ({ type }) => type ?? "",
            show: ({ type }) => <span className="mono">{oneLine(type ?? "")}</span>,
          },
          { name: "Comes from", value: originText },
          { name: "Description", value: ({ description }) => description ?? "" },
          {
            name: "Tags",
            value: ({ tags }) => tags.join(", "),
            show: ({ name, tags, tagSources }) => (
              <TagList
                tags={tags}
                sources={tagSources}
                of={name}
                mayCurate={mayCurate}
                add={(tag) => attempt(putFieldTag(nodeId, name, tag), setFailure, again)}
                remove={(tag) => attempt(removeFieldTag(nodeId, name, tag), setFailure, again)}
              />
            ),
          },
          {
            name: "Impact",
            value: () => "",
            show: ({ name }) => (
              <a href={linkTo("impact", { nodeId: columnIdOf(dataset.namespace, dataset.name, name) })}>what breaks</a>
            ),
          },
        ]}
      />
    </>
  );
}

function calledInput({ namespace, dataset: name }: InputField, displayNames: DisplayNames): string {
  return calledShort({ name, displayName: displayNames[nodeIdOf("dataset", namespace, name)] });
}
