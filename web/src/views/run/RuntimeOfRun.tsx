/** What the tasks of a run took, and the tasks of each of its stages, of which one may have had most of the data. */

import type { Runtime, Stage } from "../../api/types";
import { type Column, Table } from "../../parts/Table";
import { bytes, count, duration } from "../../text/amounts";

const seconds = (amount: number): string => duration(Math.round(1000 * amount));

const COLUMNS: Column<Stage>[] = [
  { name: "Stage", value: ({ stage }) => stage, isNumber: true },
  { name: "Does", value: ({ operation }) => operation ?? "" },
  { name: "Tasks", value: ({ tasks }) => tasks, show: ({ tasks }) => count(tasks), isNumber: true },
  ...[
    { name: "Time, median", value: (stage: Stage) => stage.medianSeconds, text: seconds },
    { name: "Time, longest", value: (stage: Stage) => stage.maxSeconds, text: seconds },
    { name: "Bytes, median", value: (stage: Stage) => stage.medianBytes, text: bytes },
    { name: "Bytes, most", value: (stage: Stage) => stage.maxBytes, text: bytes },
  ].map(({ name, value, text }) => ({ name, value, show: (stage: Stage) => text(value(stage)), isNumber: true })),
];

export function RuntimeOfRun({ runtime }: { runtime: Runtime }) {
  return (
    <>
      <h2>What its tasks took</h2>
      <p>
        {[
          `${count(runtime.tasks)} tasks of ${seconds(runtime.executorSeconds)} in all`,
          `${bytes(runtime.bytesRead)} read`,
          `${bytes(runtime.bytesShuffled)} shuffled`,
          `${bytes(runtime.bytesSpilled)} spilled`,
          `${bytes(runtime.peakMemoryBytes)} of memory at most in a task`,
          ...(runtime.failedTasks ? [`${count(runtime.failedTasks)} failed`] : []),
        ].join(", ")}
      </p>
      <Table
        caption="Stages"
        file="stages"
        rows={runtime.stages}
        keyOf={({ stage }) => String(stage)}
        columns={COLUMNS}
      />
    </>
  );
}
