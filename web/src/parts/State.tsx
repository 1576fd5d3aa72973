/** The state of a run, of what is expected, or a severity: a word and a shape, never a colour alone. */

import { Icon, type IconName } from "./Icon";

const ICONS: Record<string, IconName> = {
  COMPLETED: "check",
  FAILED: "cross",
  ABORTED: "cross",
  RUNNING: "job",
  NEW: "clock",
  LATE: "alert",
  WAITING: "clock",
  ON_TIME: "check",
  MET: "check",
  EXPECTED: "clock",
  AT_RISK: "alert",
  OVERDUE: "alert",
  MISSED: "alert",
  STALE: "alert",
};

export function State({ state }: { state: string | null | undefined }) {
  const word = (state ?? "NEVER RUN").toLowerCase().replace("_", " ");
  return (
    <span className={`state state-${word.replace(" ", "-")}`}>
      <Icon name={ICONS[state ?? ""] ?? "minus"} />
      {word}
    </span>
  );
}

export function Severity({ severity }: { severity: string }) {
  return (
    <span className={`severity severity-${severity.toLowerCase()}`}>
      <Icon name="alert" />
      {severity.toLowerCase()}
    </span>
  );
}
