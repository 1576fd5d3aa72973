/** A change that the key may not be permitted: says what to do then. */

import { ApiError } from "../../api/request";

export async function attempt(
  change: Promise<unknown>,
  tell: (failure: string) => void,
  done: () => void,
): Promise<void> {
  try {
    await change;
    tell("");
    done();
  } catch (error) {
    const isForbidden = error instanceof ApiError && (error.status === 401 || error.status === 403);
    const reason = error instanceof Error ? error.message : String(error);
    tell(
      isForbidden
        ? `This key may not change that (${reason}). Tags, owners and good runs need the scope curate, descriptions the scope ingest, deletion the scope admin.`
        : reason,
    );
  }
}
