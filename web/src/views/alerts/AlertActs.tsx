/** What people do about an alert: acknowledge it, or silence its kind for a time; and who did. */

import { useState } from "react";
import { type Alert, acknowledge, endSilence, reopen, silence } from "../../api/alerts";
import { counted, moment } from "../../text/amounts";
import { oneLine } from "../../text/names";
import { attempt } from "../node/attempt";

const SPANS = { "1h": "1 hour", "4h": "4 hours", "1d": "1 day", "7d": "7 days", "30d": "30 days", "90d": "90 days" };

export function AlertActs({ alert, followers = [], again }: { alert: Alert; followers?: Alert[]; again: () => void }) {
  const [act, setAct] = useState<"acknowledge" | "silence" | null>(null);
  const [failure, setFailure] = useState("");
  const now = (change: Promise<unknown>): void => void attempt(change, setFailure, again);
  if (act) {
    const Form = act === "silence" ? SilenceForm : AcknowledgeForm;
    return <Form alert={alert} followers={followers} close={() => setAct(null)} again={again} />;
  }
  return (
    <div className="row">
      {alert.acknowledged ? (
        <button onClick={() => now(reopen(alert.id))}>Reopen</button>
      ) : (
        <button onClick={() => setAct("acknowledge")}>Acknowledge</button>
      )}
      {alert.silence ? (
        <button onClick={() => now(endSilence(alert.id))}>End the silence</button>
      ) : (
        <button onClick={() => setAct("silence")}>Silence…</button>
      )}
      <Failure text={failure} />
    </div>
  );
}

interface FormProps {
  alert: Alert;
  followers: Alert[];
  close: () => void;
  again: () => void;
}

function AcknowledgeForm({ alert, followers, close, again }: FormProps) {
  const [note, setNote] = useState("");
  const [isWhole, setWhole] = useState(followers.length > 0);
  const [failure, setFailure] = useState("");
  const all = async (): Promise<void> => {
    for (const { id } of [alert, ...(isWhole ? followers : [])]) await acknowledge(id, note);
  };
  return (
    <form
      className="row"
      onSubmit={(event) => {
        event.preventDefault();
        void attempt(all(), setFailure, () => {
          close();
          again();
        });
      }}
    >
      <Note note={note} change={setNote} />
      {followers.length > 0 && (
        <label>
          <input type="checkbox" checked={isWhole} onChange={(event) => setWhole(event.target.checked)} /> and{" "}
          {counted(followers.length, "alert")} that follow from it
        </label>
      )}
      <button className="primary">Acknowledge</button>
      <button type="button" onClick={close}>
        Cancel
      </button>
      <Failure text={failure} />
    </form>
  );
}

function SilenceForm({ alert, close, again }: FormProps) {
  const [span, setSpan] = useState("4h");
  const [note, setNote] = useState("");
  const [failure, setFailure] = useState("");
  return (
    <form
      className="row"
      onSubmit={(event) => {
        event.preventDefault();
        void attempt(silence(alert.id, span, note), setFailure, () => {
          close();
          again();
        });
      }}
    >
      <span className="muted">
        Send no “{alert.type}” of {oneLine(alert.name)}
      </span>
      <label>
        for{" "}
        <select value={span} onChange={(event) => setSpan(event.target.value)}>
          {Object.entries(SPANS).map(([value, words]) => (
            <option key={value} value={value}>
              {words}
            </option>
          ))}
        </select>
      </label>
      <Note note={note} change={setNote} isRequired />
      <button className="primary">Silence</button>
      <button type="button" onClick={close}>
        Cancel
      </button>
      <Failure text={failure} />
    </form>
  );
}

function Note({ note, change, isRequired }: { note: string; change: (note: string) => void; isRequired?: boolean }) {
  return (
    <label>
      Why{" "}
      <input
        value={note}
        required={isRequired}
        maxLength={1000}
        autoComplete="off"
        autoFocus
        onChange={(event) => change(event.target.value)}
      />
    </label>
  );
}

function Failure({ text }: { text: string }) {
  if (!text) return null;
  return (
    <span className="note" role="alert">
      {text}
    </span>
  );
}

/** Who acknowledged the alert or silenced its kind, and why, in a sentence each. */
export function AlertMarks({ alert }: { alert: Alert }) {
  return marksOf(alert).map((mark) => (
    <div key={mark} className="muted inert">
      {oneLine(mark)}
    </div>
  ));
}

export function marksOf({ acknowledged, silenced, silence }: Alert): string[] {
  const marks: string[] = [];
  const why = (note: string): string => (note ? `: ${note}` : "");
  if (acknowledged)
    marks.push(`Acknowledged by ${acknowledged.by}, ${moment(acknowledged.at)}${why(acknowledged.note)}`);
  if (silenced)
    marks.push(`Not sent: ${silenced.by} silenced such alerts until ${moment(silenced.until)}${why(silenced.note)}`);
  if (silence)
    marks.push(`Such alerts are silenced by ${silence.by} until ${moment(silence.until)}${why(silence.note)}`);
  return marks;
}
