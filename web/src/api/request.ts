/** One request to the API: its address, its key, its errors. */

import { isToken, onKeyChange, storedKey } from "./key";

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
const SOMETHING_ELSE = "Something other than Headwater answered: a proxy, or the sign-in of a network.";

/** The newest answers by their addresses: one that is asked for again is sent again only if it has changed. */
const known = new Map<string, { tag: string; document: unknown }>();
const MOST_KNOWN = 24;
const LONGEST_KNOWN = 1_000_000;
onKeyChange(() => known.clear());

/** The JSON document of a response. Throws ApiError. */
export async function request<T>(
  method: string,
  path: string,
  query: Query,
  signal?: AbortSignal,
  body?: unknown,
): Promise<T> {
  return parsed(await textOf(await answered(method, path, query, signal, body), signal)) as T;
}

/** As `request`. The server says 304 if the document is still that of the last time, which is then the answer. */
export async function get<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> {
  const address = addressOf(path, query).href;
  const before = known.get(address);
  const response = await answered("GET", path, query, signal, undefined, before?.tag);
  if (response.status === 304 && before) return before.document as T;
  const text = await textOf(response, signal);
  const document = parsed(text);
  const tag = response.headers.get("etag");
  known.delete(address);
  if (tag && text.length <= LONGEST_KNOWN) known.set(address, { tag, document });
  for (const oldest of [...known.keys()].slice(0, -MOST_KNOWN)) known.delete(oldest);
  return document as T;
}

/** The text of a response, such as a graph in another format. Throws ApiError. */
export async function getText(path: string, query: Query): Promise<string> {
  return (await answered("GET", path, query)).text();
}

/**
 * A successful response, or 304 if `tag` is still that of the answer. After 429 or 503 it is asked for again, as the
 * API advises.
 */
async function answered(
  method: string,
  path: string,
  query: Query,
  signal?: AbortSignal,
  body?: unknown,
  tag?: string,
): Promise<Response> {
  for (let attempt = 1; ; attempt++) {
    const response = await send(method, path, query, signal, body, tag);
    if (response.ok || (tag && response.status === 304)) return response;
    if (![429, 503].includes(response.status) || attempt === ATTEMPTS) throw await errorOf(response);
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
  tag?: string,
): Promise<Response> {
  const key = storedKey();
  const headers: Record<string, string> = { accept: "application/json" };
  if (key) headers.authorization = `Bearer ${key}`;
  if (body !== undefined) headers["content-type"] = "application/json";
  if (tag) headers["if-none-match"] = tag;
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

async function textOf(response: Response, signal?: AbortSignal): Promise<string> {
  try {
    return await response.text();
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError(0, SOMETHING_ELSE);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ApiError(0, SOMETHING_ELSE);
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
