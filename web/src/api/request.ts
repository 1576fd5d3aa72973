/** One request to the API: its address, its key, its errors. */

import { isToken, storedKey } from "./key";

/** The parameters of a query. A list is a parameter that is repeated. */
export type Query = Record<string, string | number | boolean | readonly string[] | null | undefined>;

/** A response that is no success, or none at all (status 0). */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly faults: readonly string[] = [],
  ) {
    super(message);
  }
}

const ATTEMPTS = 3;
const PAUSE_MS = 600;

/** The JSON document of a response. Throws ApiError. */
export async function request<T>(
  method: string,
  path: string,
  query: Query,
  signal?: AbortSignal,
  body?: unknown,
): Promise<T> {
  return (await documentOf(await answered(method, path, query, signal, body), signal)) as T;
}

export function get<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> {
  return request<T>("GET", path, query, signal);
}

/** The text of a response, such as a graph in another format. Throws ApiError. */
export async function getText(path: string, query: Query): Promise<string> {
  return (await answered("GET", path, query)).text();
}

/** A successful response. A 503 is asked again, as the API advises. */
async function answered(
  method: string,
  path: string,
  query: Query,
  signal?: AbortSignal,
  body?: unknown,
): Promise<Response> {
  for (let attempt = 1; ; attempt++) {
    const response = await send(method, path, query, signal, body);
    if (response.ok) return response;
    if (response.status !== 503 || attempt === ATTEMPTS) throw await errorOf(response);
    await pause(PAUSE_MS * attempt, signal);
  }
}

/** The path of a node's own routes: names may contain anything, so each is one encoded segment. */
export function pathOf(...segments: string[]): string {
  return segments.map(encodeURIComponent).join("/");
}

function addressOf(path: string, query: Query): URL {
  const key = storedKey();
  const prefix = key && isToken(key) ? "people/api/v1/" : "api/v1/";
  const address = new URL(prefix + path, document.baseURI);
  for (const [name, value] of Object.entries(query)) {
    for (const each of Array.isArray(value) ? value : [value]) {
      if (each !== undefined && each !== null && each !== "") address.searchParams.append(name, String(each));
    }
  }
  return address;
}

async function send(
  method: string,
  path: string,
  query: Query,
  signal?: AbortSignal,
  body?: unknown,
): Promise<Response> {
  const key = storedKey();
  const headers: Record<string, string> = { accept: "application/json" };
  if (key) headers.authorization = `Bearer ${key}`;
  if (body !== undefined) headers["content-type"] = "application/json";
  try {
    return await fetch(addressOf(path, query), {
      method,
      headers,
      signal,
      credentials: "omit",
      cache: "no-store",
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError(0, "Headwater did not answer. Is the server up, and is this machine online?");
  }
}

async function documentOf(response: Response, signal?: AbortSignal): Promise<unknown> {
  try {
    return await response.json();
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError(0, "Something else than Headwater answered: a proxy, or the sign-in of a network.");
  }
}

async function errorOf(response: Response): Promise<ApiError> {
  const body = (await response.json().catch(() => ({}))) as { message?: string; faults?: string[] };
  return new ApiError(response.status, body.message ?? `HTTP ${response.status}`, body.faults ?? []);
}

function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    });
  });
}
