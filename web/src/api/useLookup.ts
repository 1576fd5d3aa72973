/** A lookup of a view: loading, failed or done, and never a blank page. */

import { useCallback, useEffect, useEffectEvent, useState } from "react";
import { onKeyChange } from "./key";
import { ApiError } from "./request";
import { whileVisible } from "./whileVisible";

const MAY_NOT = new Set([401, 403]);

export type Lookup<T> = { again: () => void } & (
  | { state: "loading"; value?: T; error?: undefined }
  | { state: "failed"; value?: T; error: ApiError }
  | { state: "done"; value: T; error?: undefined; at: Date }
);

/** A list that refreshes itself is asked for so often, while someone can see it. */
export const REFRESH_MS = 15_000;

/**
 * Asks again when `key` changes, which names everything that `ask` reads, and when the user enters another API key. An
 * answer that comes too late is dropped. If `isLive`, the answer refreshes itself, `at` being the time of the last one:
 * the view stays as it is meanwhile, and if no answer comes. A key that may no longer ask is told.
 */
export function useLookup<T>(key: string, ask: (signal: AbortSignal) => Promise<T>, isLive = false): Lookup<T> {
  const [attempt, setAttempt] = useState(0);
  const [result, setResult] = useState<{ key: string; value?: T; error?: ApiError; at: Date }>({
    key: "",
    at: new Date(),
  });
  const again = useCallback(() => setAttempt((count) => count + 1), []);
  const question = `${key} ${attempt}`;
  const askNow = useEffectEvent(ask);
  useEffect(() => onKeyChange(again), [again]);
  useEffect(() => {
    const controller = new AbortController();
    askNow(controller.signal).then(
      (value) => controller.signal.aborted || setResult({ key: question, value, at: new Date() }),
      (error: unknown) =>
        controller.signal.aborted || setResult({ key: question, error: asApiError(error), at: new Date() }),
    );
    return () => controller.abort();
  }, [question]);
  const refresh = useEffectEvent(async (signal: AbortSignal) => {
    if (result.key !== question) return;
    try {
      const value = await ask(signal);
      if (!signal.aborted) setResult({ key: question, value, at: new Date() });
    } catch (error) {
      const refused = asApiError(error);
      if (!signal.aborted && MAY_NOT.has(refused.status)) setResult({ key: question, error: refused, at: new Date() });
    }
  });
  useEffect(() => (isLive ? whileVisible(refresh, REFRESH_MS) : undefined), [isLive, question]);
  if (result.key !== question) return { state: "loading", again };
  if (result.error) return { state: "failed", error: result.error, again };
  return { state: "done", value: result.value as T, at: result.at, again };
}

function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  return new ApiError(0, error instanceof Error ? error.message : String(error));
}
