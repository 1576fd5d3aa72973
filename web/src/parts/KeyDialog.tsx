/** Asks for a key once, as soon as the API refuses a request without one. */

import { useEffect, useRef, useState } from "react";
import { forgetKey, storedKey, storeKey } from "../api/key";
import { ApiError, get } from "../api/request";

const ASK = "headwater-ask-for-key";

export function askForKey(): void {
  window.dispatchEvent(new Event(ASK));
}

export function KeyDialog() {
  const dialog = useRef<HTMLDialogElement>(null);
  const [key, setKey] = useState("");
  const [refusal, setRefusal] = useState("");
  useEffect(() => {
    const open = (): void => {
      if (!dialog.current?.open) dialog.current?.showModal();
    };
    window.addEventListener(ASK, open);
    askIfNeeded().catch(() => undefined); // the view tells any other fault
    return () => window.removeEventListener(ASK, open);
  }, []);
  const submit = async (): Promise<void> => {
    const before = storedKey();
    storeKey(key.trim());
    const error = await refusalOf();
    setRefusal(error);
    if (error) {
      if (before) storeKey(before);
      else forgetKey();
      return;
    }
    setKey("");
    dialog.current?.close();
  };
  return (
    <dialog ref={dialog} className="key" aria-labelledby="key-title">
      <form
        method="dialog"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <h2 id="key-title">Enter your key</h2>
        <p>
          An API key with the scope <code>read</code>, or the token of your sign-in. It stays in this tab, and is gone
          when the tab is closed.
        </p>
        <label htmlFor="key-field">Key</label>
        <input
          id="key-field"
          type="password"
          autoComplete="off"
          spellCheck={false}
          value={key}
          onChange={(event) => setKey(event.target.value)}
          aria-describedby="key-refusal"
          required
          autoFocus
        />
        <p id="key-refusal" className="refusal" role="alert">
          {refusal}
        </p>
        <div className="row end">
          <button type="button" onClick={() => dialog.current?.close()}>
            Later
          </button>
          <button className="primary">Use this key</button>
        </div>
      </form>
    </dialog>
  );
}

async function askIfNeeded(): Promise<void> {
  const error = await get("namespaces", { limit: 1 }).catch((failure: unknown) => failure);
  if (error instanceof ApiError && error.status === 401) askForKey();
}

/** Why the API refuses the stored key, empty if it does not. */
async function refusalOf(): Promise<string> {
  try {
    await get("namespaces", { limit: 1 });
    return "";
  } catch (error) {
    if (!(error instanceof ApiError)) return String(error);
    if (error.status === 401) return "Headwater does not know this key, or it has expired.";
    if (error.status === 403) return "This key may not read. Ask for one with the scope read.";
    return error.message;
  }
}
