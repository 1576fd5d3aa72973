import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

const stored = new Map<string, string>();
vi.stubGlobal("sessionStorage", {
  getItem: (name: string) => stored.get(name) ?? null,
  setItem: (name: string, value: string) => stored.set(name, value),
  removeItem: (name: string) => stored.delete(name),
});
vi.stubGlobal("document", { baseURI: "http://localhost/" });

const { ApiError, get } = await import("../src/api/request");
const { storeKey } = await import("../src/api/key");

/** A server with one document, which says 304 to who knows it. */
let content: string;
const sent: Record<string, string>[] = [];
const answer = vi.fn(async (_: URL, { headers }: { headers: Record<string, string> }) => {
  sent.push(headers);
  const tag = `W/"${content.length}"`;
  if (headers["if-none-match"] === tag) return new Response(null, { status: 304, headers: { etag: tag } });
  return new Response(content, { status: 200, headers: { etag: tag } });
});

beforeEach(() => {
  vi.stubGlobal("fetch", answer);
  sent.length = 0;
  content = '{"jobs": []}';
  storeKey("one");
});
afterEach(() => vi.clearAllMocks());

describe("a document that is asked for again", () => {
  it("is the same one while it has not changed", async () => {
    const first = await get("jobs", { limit: 1 });
    expect(await get("jobs", { limit: 1 })).toBe(first);
    expect(sent.map((headers) => headers["if-none-match"])).toEqual([undefined, 'W/"12"']);
  });

  it("is the new one when it has changed", async () => {
    await get("jobs", {});
    content = '{"jobs": [1]}';
    expect(await get("jobs", {})).toEqual({ jobs: [1] });
  });

  it("is known by its whole address", async () => {
    await get("jobs", { limit: 1 });
    await get("jobs", { limit: 2 });
    expect(sent.at(-1)).not.toHaveProperty("if-none-match");
  });

  it("is forgotten with the key", async () => {
    await get("jobs", {});
    storeKey("two");
    await get("jobs", {});
    expect(sent.at(-1)).not.toHaveProperty("if-none-match");
  });

  it("is not kept if it is long, and only some are", async () => {
    content = JSON.stringify("x".repeat(1_000_001));
    await get("long", {});
    content = "[]";
    for (let number = 0; number < 30; number++) await get("jobs", { number });
    for (const path of ["long", "jobs"]) await get(path, path === "jobs" ? { number: 0 } : {});
    expect(sent.every((headers) => !headers["if-none-match"])).toBe(true);
  });
});

it("says that something else answered", async () => {
  content = "<html>";
  await expect(get("jobs", { other: 1 })).rejects.toBeInstanceOf(ApiError);
});

describe("a request that is too much for the moment", () => {
  it.each([429, 503])("is sent again after %i", async (status) => {
    answer.mockImplementationOnce(async () => new Response("{}", { status }));
    expect(await get("jobs", { after: status })).toEqual({ jobs: [] });
  });

  it("is not sent again if it is at fault", async () => {
    answer.mockImplementationOnce(async () => new Response('{"message": "no"}', { status: 403 }));
    await expect(get("jobs", { after: 403 })).rejects.toMatchObject({ status: 403 });
  });
});
