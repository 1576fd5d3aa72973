/** The events of the newest run of a job, or of the run that wrote a dataset last, as they were posted. */

import { versions } from "../../api/nodes";
import type { Run } from "../../api/types";
import { useLookup } from "../../api/useLookup";
import { Empty, Loaded } from "../../parts/Feedback";
import { linkTo } from "../../routing/location";
import { moment } from "../../text/amounts";
import { oneLine } from "../../text/names";
import { RawEvents } from "../run/RawEvents";

export function EventsTab({ run }: { run: Run | null | undefined }) {
  if (!run) return <Empty>No run is known, hence no event of a run.</Empty>;
  return (
    <>
      <h2>
        Events of the newest run{run.job && ` of ${oneLine(run.job.name)}`},{" "}
        <a href={linkTo("run", { id: run.id })}>{moment(run.startedAt ?? run.createdAt)}</a>
      </h2>
      <RawEvents run={run.id} />
    </>
  );
}

export function EventsOfDataset({ nodeId }: { nodeId: string }) {
  const lookup = useLookup(nodeId, (signal) => versions(nodeId, { limit: 1 }, signal));
  return (
    <Loaded lookup={lookup} what="the newest version">
      {({ versions: [newest] }) => {
        if (!newest) return <Empty>No run has written this dataset: the runs of its readers have their events.</Empty>;
        if (!newest.createdByRun)
          return <Empty>An event without a run described this dataset last. The facets have what it said.</Empty>;
        return <EventsTab run={newest.createdByRun} />;
      }}
    </Loaded>
  );
}
