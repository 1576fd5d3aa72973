/** Servers for the tests: `headwater demo` and `headwater serve`, with the page that was built last. */

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const ROOT = resolve(import.meta.dirname, "../..");
const PYTHON = process.env.PYTHON ?? join(ROOT, ".local/venv/bin/python");
const ENVIRONMENT = { ...process.env, PYTHONPATH: `${join(ROOT, "layers/headwater")}:${ROOT}`, HEADWATER_API_KEY: "" };
const START_MS = 150_000;
/** The emulator starts, and template.yaml is deployed into it. */
const STACK_MS = 240_000;
/** Events of a request. */
const BATCH = 100;
const STACK_PORT = process.env.STACK_PORT ?? "8765";

export interface Server {
  url: string;
  load: (...files: string[]) => void;
  post: (event: unknown, key?: string) => Promise<void>;
  postAll: (events: unknown[]) => Promise<void>;
  /** Waits until a namespace has so many jobs: events are folded after they were accepted. */
  folded: (jobs: number, namespace?: string) => Promise<void>;
  stop: () => void;
}

/** The server of the demo, with its incident, open for this machine. */
export async function demoServer(): Promise<Server> {
  const child = spawn(PYTHON, ["-m", "headwater.cli", "demo", "--port", "0"], { cwd: ROOT, env: ENVIRONMENT });
  return server(child, await said(child, /the server stays at (\S+)/), () => undefined);
}

/** An empty server. `keys` are made first, each with its scopes; without keys it is open. */
export async function emptyServer(keys: string[][] = []): Promise<Server & { keys: string[] }> {
  const folder = mkdtempSync(join(tmpdir(), "headwater-"));
  const data = join(folder, "lineage.db");
  const made = keys.map(
    (options, index) =>
      headwater("key", "add", `key${index}`, "--data", data, ...options)
        .trim()
        .split(/\s+/)
        .at(-1) ?? "",
  );
  const child = spawn(
    PYTHON,
    ["-m", "headwater.cli", "serve", "--data", data, "--port", "0", ...(keys.length ? [] : ["--open"])],
    { cwd: ROOT, env: ENVIRONMENT },
  );
  const url = await said(child, /Headwater serves \S+ at (\S+)/);
  return { ...server(child, url, () => rmSync(folder, { recursive: true, force: true })), keys: made };
}

/** The embedded stack, as `make up` runs it: every request goes through the Lambdas of template.yaml. */
export async function stackServer(): Promise<Server> {
  const child = spawn(PYTHON, ["-m", "local", "up", "--port", STACK_PORT, "--open"], { cwd: ROOT, env: ENVIRONMENT });
  return server(child, await said(child, /page\s+(\S+)\//, STACK_MS), () => undefined);
}

function server(child: ChildProcess, url: string, clean: () => void): Server {
  return {
    url,
    load: (...files) => void headwater("load", "--url", url, ...files),
    post: async (event, key) => void (await posted(`${url}/api/v1/lineage`, event, key)),
    postAll: async (events) => {
      for (let first = 0; first < events.length; first += BATCH) {
        const { status } = (await posted(`${url}/api/v1/lineage/batch`, events.slice(first, first + BATCH))) as {
          status: string;
        };
        if (status !== "success") throw new Error(status);
      }
    },
    folded: async (jobs, namespace = "n") => {
      const end = Date.now() + START_MS;
      for (let found = 0; found < jobs; ) {
        if (Date.now() > end) throw new Error(`${found} of ${jobs} jobs are known`);
        const response = await fetch(`${url}/api/v1/namespaces/${namespace}/jobs?limit=1`);
        found = response.ok ? ((await response.json()) as { totalCount: number }).totalCount : 0;
        if (found < jobs) await new Promise((resolve) => setTimeout(resolve, 200));
      }
    },
    stop: () => {
      child.kill("SIGINT");
      clean();
    },
  };
}

async function posted(address: string, body: unknown, key?: string): Promise<unknown> {
  const headers: Record<string, string> = { "content-type": "application/json" };
  if (key) headers.authorization = `Bearer ${key}`;
  const response = await fetch(address, { method: "POST", headers, body: JSON.stringify(body) });
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text ? JSON.parse(text) : null;
}

function headwater(...command: string[]): string {
  return execFileSync(PYTHON, ["-m", "headwater.cli", ...command], { cwd: ROOT, env: ENVIRONMENT, encoding: "utf8" });
}

function said(child: ChildProcess, pattern: RegExp, most = START_MS): Promise<string> {
  return new Promise((found, failed) => {
    let text = "";
    const timer = setTimeout(() => failed(new Error(`no server after ${most} ms: ${text}`)), most);
    const hear = (chunk: Buffer): void => {
      text += chunk.toString();
      const match = pattern.exec(text);
      if (!match) return;
      clearTimeout(timer);
      found(match[1]!);
    };
    child.stdout?.on("data", hear);
    child.stderr?.on("data", (chunk: Buffer) => (text += chunk.toString()));
    child.once("exit", (code) => failed(new Error(`the server ended with ${code}: ${text}`)));
  });
}
