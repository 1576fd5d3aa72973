/** What people say of a node: tags, owners, a description; and its deletion: as far as the scopes of the key allow. */

import { useRef, useState } from "react";
import { useScopes } from "../../api/caller";
import { deleteNode, describeDataset, describeJob, putOwners, putTag, removeTag } from "../../api/nodes";
import type { Dataset, Job } from "../../api/types";
import { goTo } from "../../routing/location";
import { calledShort } from "../../text/names";
import { attempt } from "./attempt";
import { ownersOf } from "./Overview";
import { TagList } from "./TagList";

export function Curation({ nodeId, node, again }: { nodeId: string; node: Dataset | Job; again: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [failure, setFailure] = useState("");
  const [description, setDescription] = useState(node.description ?? "");
  const before = ownersOf(node.facets).join(", ");
  const [owners, setOwners] = useState(before);
  const [isSure, setSure] = useState(false);
  const short = calledShort(node);
  const scopes = useScopes();
  const describe = (): Promise<unknown> =>
    "fields" in node ? describeDataset(nodeId, node, description) : describeJob(nodeId, node, description);
  const save = async (): Promise<void> => {
    if (owners !== before)
      await putOwners(
        nodeId,
        owners
          .split(",")
          .map((owner) => owner.trim())
          .filter(Boolean),
      );
    if (description !== (node.description ?? "")) await describe();
  };
  return (
    <>
      <TagList
        tags={node.tags}
        sources={node.tagSources}
        of={short}
        mayCurate={scopes.has("curate")}
        add={(tag) => attempt(putTag(nodeId, tag), setFailure, again)}
        remove={(tag) => attempt(removeTag(nodeId, tag), setFailure, again)}
      />
      {scopes.has("curate") && <button onClick={() => dialog.current?.showModal()}>Edit</button>}
      {failure && !dialog.current?.open && (
        <span className="note" role="alert">
          {failure}
        </span>
      )}
      <dialog ref={dialog} className="edit" aria-labelledby="edit-title" onClose={() => setSure(false)}>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void attempt(save(), setFailure, () => {
              dialog.current?.close();
              again();
            });
          }}
        >
          <h2 id="edit-title">{short}</h2>
          {scopes.has("ingest") && (
            <>
              <label htmlFor="description">Description</label>
              <textarea
                id="description"
                rows={5}
                value={description}
                onChange={(event) => setDescription(event.target.value)}
              />
            </>
          )}
          <label htmlFor="owners">Owners, separated by commas</label>
          <input id="owners" value={owners} autoComplete="off" onChange={(event) => setOwners(event.target.value)} />
          {failure && (
            <p className="refusal" role="alert">
              {failure}
            </p>
          )}
          <div className="row end">
            {!scopes.has("admin") ? null : isSure ? (
              <button
                type="button"
                className="danger"
                onClick={() => void attempt(deleteNode(nodeId), setFailure, () => goTo("#/"))}
              >
                Yes, delete {short}
              </button>
            ) : (
              <button type="button" className="danger" onClick={() => setSure(true)}>
                Delete…
              </button>
            )}
            <span className="push" />
            <button type="button" onClick={() => dialog.current?.close()}>
              Cancel
            </button>
            <button className="primary">Save</button>
          </div>
        </form>
      </dialog>
    </>
  );
}
