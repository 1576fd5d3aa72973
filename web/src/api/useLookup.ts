/** A lookup of a view: loading, failed or done, and never a blank page. */

import { useCallback, useEffect, useEffectEvent, useState } from "react";
import { onKeyChange } from "./key";
import { ApiError } from "./request";

export type Lookup<T> = { again: () => void } & (
  | { state: "loading"; value?: T; error?: undefined }
  | { state: "failed"; value?: T; error: ApiError }
  | { state: "done"; value: T; error?: undefined }
);

/**
 * Asks again when `key` changes, which names everything that `ask` reads, and when the user enters another API key. An
 * answer that comes too late is dropped.
 */
export function useLookup<T>(key: string, ask: (signal: AbortSignal) => Promise<T>): Lookup<T> {
  const [attempt, setAttempt] = useState(0);
  const [result, setResult] = useState<{ key: string; value?: T; error?: ApiError }>({ key: "" });
  const again = useCallback(() => setAttempt((count) => count + 1), []);
  const question = `${key} ${attempt}`;
  const askNow = useEffectEvent(ask);
  useEffect(() => onKeyChange(again), [again]);
  useEffect(() => {
    const controller = new AbortController();
    askNow(controller.signal).then(
      (value) => controller.signal.aborted || setResult({ key: question, value }),
      (error: unknown) => controller.signal.aborted || setResult({ key: question, error: asApiError(error) }),
    );
    return () => controller.abort();
  }, [question]);
  if (result.key !== question) return { state: "loading", again };
  if (result.error) return { state: "failed", error: result.error, again };
  return { state: "done", value: result.value as T, again };
}

function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  return new ApiError(0, error instanceof Error ? error.message : String(error));
}
