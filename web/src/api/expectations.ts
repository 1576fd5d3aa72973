/** What is expected of jobs: when the next run is due, and what is usual of its runs. */

import { get, type Query } from "./request";
import type { Name, Page } from "./types";

/** The most urgent first. */
export const EXPECTED_STATES = ["LATE", "WAITING", "RUNNING", "ON_TIME", "UNKNOWN"] as const;
export type ExpectedState = (typeof EXPECTED_STATES)[number];

export interface Expected {
  nodeId: string;
  job: Name;
  state: ExpectedState;
  /** In words; without one, `reason` says why nothing is claimed. */
  timetable: string | null;
  reason: string | null;
  dueAt: string | null;
  /** The latest usual start of the run that is due. */
  latestAt: string | null;
  lastStartedAt: string | null;
  waitsFor: string | null;
  /** The newest runs, the oldest first; only where a node was asked for. */
  history?: PastRun[];
}

/** A run beside what was usual when it began. */
export interface PastRun {
  /** The end of its id. */
  run: string;
  startedAt: string;
  endedAt: string;
  failed: boolean;
  dueAt: string | null;
  latestAt: string | null;
  seconds: Measured;
  rows: Measured;
  bytes: Measured;
}

/** An amount of a run, null if that is not told, and what was usual, if that was known. */
export interface Measured {
  amount: number | null;
  low?: number;
  usual?: number;
  high?: number;
}

/** What people expect of a dataset or job by headwater.yml, and how it stands. */
export interface Said {
  nodeId: string;
  /** In words: `due 07:00 Europe/Berlin`. */
  said: string;
  state: "MET" | "EXPECTED" | "AT_RISK" | "OVERDUE" | "MISSED" | "STALE";
  dueAt: string;
  lastWrittenAt: string | null;
  /** Before this it cannot come: what makes it late has not begun. Not by earlier releases. */
  earliestAt?: string | null;
  estimatedAt: string | null;
  cause: { nodeId: string; why: string } | null;
}

export interface Expectations extends Page {
  expectations: Expected[];
  said?: Said[];
}

export function expectations(query: Query, signal?: AbortSignal): Promise<Expectations> {
  return get<Expectations>("expectations", query, signal);
}
