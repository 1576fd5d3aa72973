/** The documents of the API's responses, as far as the page reads them: docs/routes.md. */

export interface Name {
  namespace: string;
  name: string;
}

export interface CalledName extends Name {
  /** What people call it: a dataset by its name in a catalogue. */
  displayName?: string | undefined;
}

/** What people call the datasets of an answer, by their nodeIds, where they have a name in a catalogue. */
export type DisplayNames = Readonly<Record<string, string>>;

/** The producer that says a tag, by the tag. */
export type TagSources = Readonly<Record<string, string>>;

export interface Field {
  name: string;
  type: string | null;
  description: string | null;
  tags: string[];
  tagSources?: TagSources;
}

/** A dashboard, notebook or application of which dbt says that it reads a dataset. */
export interface Exposure {
  id: string;
  name: string;
  type?: string;
  url?: string;
  owner?: string;
}

export type RunState = "NEW" | "RUNNING" | "COMPLETED" | "FAILED" | "ABORTED";
/** The state of a run with the runs that it started; of a run that only its children named, NOT_REPORTED. */
export type Outcome = RunState | "NOT_REPORTED";

export type Facets = Record<string, Record<string, unknown>>;

export interface Run {
  id: string;
  job?: Name;
  /** Null of a run that names no dataset. */
  jobVersion?: (Name & { version: string }) | null;
  state: RunState;
  outcome: Outcome;
  /** What went wrong, in a line; not in a graph. */
  message?: string | null;
  /** Of an open run that missed its heartbeats: when it was heard of last. */
  noContactSince?: string;
  createdAt: string;
  updatedAt: string;
  startedAt: string | null;
  endedAt: string | null;
  nominalStartTime: string | null;
  durationMs: number | null;
  args?: Record<string, string>;
  inputDatasetVersions: DatasetVersionOfRun[];
  outputDatasetVersions: DatasetVersionOfRun[];
  facets: Facets;
  /** In a graph their number. */
  failedChildren?: { runId: string; job: Name }[] | number;
  code?: Code;
  tags?: string[];
  tagSources?: TagSources;
  /** What the producer could not read of the run's lineage. */
  incomplete?: string;
  /** The id that the engine has of the query. */
  query?: { id: string; source: string | null };
  /** Where an application of Spark ran, as far as is known. */
  environment?: Environment;
  runtime?: Runtime;
  /** Of a stream; `lag` is the messages of a partition that it has not read yet. */
  progress?: { batches: number; rows: number; lag?: number };
  judgement?: { good: true; by: string; at: string; note?: string };
}

export interface Environment {
  cluster?: string;
  release?: string;
  application?: string;
  user?: string;
}

/** What the tasks of a run took, by the jar beside Spark's listener. */
export interface Runtime {
  executorSeconds: number;
  bytesRead: number;
  bytesShuffled: number;
  bytesSpilled: number;
  peakMemoryBytes: number;
  tasks: number;
  failedTasks: number;
  stages: Stage[];
}

/** The tasks of a stage: the median and the most of their times and of the bytes that they read. */
export interface Stage {
  stage: number;
  /** What it does, in a word. */
  operation?: string;
  tasks: number;
  medianSeconds: number;
  maxSeconds: number;
  medianBytes: number;
  maxBytes: number;
  bytes?: number;
}

export interface DatasetVersionOfRun {
  datasetVersionId: Name & { version: string };
  facets: Facets;
}

export interface Transformation {
  type: "DIRECT" | "INDIRECT";
  subtype: string;
  description: string;
  masking: boolean;
}

export interface InputField {
  namespace: string;
  dataset: string;
  field: string;
  transformations: Transformation[];
}

export interface DatasetData extends CalledName {
  id: Name;
  type: string;
  createdAt: string;
  updatedAt: string;
  fields: Field[];
  tags: string[];
  description: string | null;
  lastModifiedAt: string | null;
  lastLifecycleState: string | null;
}

/** A graph has no facets, but these two. */
export interface DatasetInGraph extends DatasetData {
  lastWrittenAt: string | null;
  /** That no write of it succeeded. */
  caution?: string;
  datasetType: string | null;
  owners: string[];
  /** About how many readers or writers there are, where an answer was cut and lacks some of them. */
  estimatedReaders?: number;
  estimatedWriters?: number;
}

export interface Dataset extends DatasetData {
  sourceName: string;
  physicalName: string;
  currentVersion: string | null;
  columnLineage: { name: string; inputFields: InputField[] }[] | null;
  facets: Facets;
  aliases: Name[];
  lastWrittenAt: string | null;
  /** That no write of it succeeded. */
  caution?: string;
  tagSources?: TagSources;
  /** Where its catalogue has it: catalog, warehouse, database, schema, table. */
  place?: Record<string, string>;
  exposures?: Exposure[];
}

/** A dataset of a list with `withUsage`. */
export interface ListedDataset extends Omit<Dataset, "aliases"> {
  deleted: boolean;
  isRead: boolean;
  lastWrittenAt: string | null;
  /** Of a dataset that no job reads: who may read it all the same. */
  frontier?: Frontier;
}

export interface JobData extends Name {
  id: Name;
  type: string;
  /** What its author calls it, if that is another name. */
  displayName?: string;
  simpleName: string;
  parentJobName: string | null;
  createdAt: string;
  updatedAt: string;
  inputs: Name[];
  outputs: Name[];
  location: string | null;
  description: string | null;
  latestRun: Run | null;
  /** Of a job that only may use its inputs. */
  candidateInputs?: true;
}

export interface JobInGraph extends JobData {
  owners: string[];
}

export interface Job extends JobData {
  /** What its inputs and outputs are called in a catalogue, by nodeId. */
  displayNames?: DisplayNames;
  latestRuns: Run[];
  facets: Facets;
  tags: string[];
  tagSources?: TagSources;
  /** The jobs that its scheduler runs before and after it. */
  jobDependencies?: { upstream: Name[]; downstream: Name[] };
}

export interface EdgeData {
  origin: string;
  destination: string;
}

/** A dashboard or the like, which reads datasets; its name is dbt's id. */
export interface ExposureInGraph extends Name {
  displayName: string;
  type: string | null;
  url: string | null;
  owners: string[];
}

export interface LineageNode {
  id: string;
  type: "DATASET" | "JOB" | "EXPOSURE";
  data: DatasetInGraph | JobInGraph | ExposureInGraph;
  inEdges: EdgeData[];
  outEdges: EdgeData[];
}

export interface Lineage {
  graph: LineageNode[];
  truncated?: boolean;
  cursor?: string;
}

export interface ColumnNode {
  id: string;
  type: string;
  data: {
    namespace: string;
    dataset: string;
    field: string;
    fieldType: string | null;
    inputFields: InputField[];
  } | null;
  inEdges: EdgeData[];
  outEdges: EdgeData[];
}

/** What an answer looked at, since when, and what it cannot see. */
export interface Frontier {
  since: string | null;
  seen: { jobs: number; datasets: number };
  unseen: { kind: string; count: number; examples: string[] }[];
  /** For people; empty if there is no blind spot. */
  sentence: string;
}

export interface ColumnLineage {
  graph: ColumnNode[];
  displayNames?: DisplayNames;
  frontier?: Frontier;
  indirect?: { namespace: string; dataset: string; inputField: InputField }[];
  /** Columns that a job wrote, and of which no column lineage tells the origin. */
  unknown?: { namespace: string; dataset: string; fields: string[]; job: Name; reason?: string }[];
  truncated?: boolean;
}

export interface ImpactItem {
  nodeId: string;
  type: "DATASET" | "JOB" | "DATASET_FIELD" | "EXPOSURE";
  distance: number;
  by: "column" | "dataset" | "unknown";
  indirect: boolean;
  /** The change may break it, or may not; absent in alerts of earlier releases. */
  possible?: boolean;
  path: string[];
  transformations?: Transformation[];
  /** That no write of the dataset succeeded. */
  caution?: string;
  exposure?: Exposure;
}

interface Counts {
  columns: number;
  datasets: number;
  jobs: number;
  exposures?: number;
}

/** The sum of an impact: how much breaks, how much of it may break or may not, and the sentence of both. */
export interface Breaks extends Counts {
  possible: Counts;
  by: string | null;
  sentence: string;
}

export interface Impact extends Page {
  nodeId: string;
  displayNames?: DisplayNames;
  caution?: string;
  totalCount: number;
  breaks: Breaks;
  owners: { owner: string | null; items: ImpactItem[] }[];
  possibleCount?: number;
  hiddenCount?: number;
  frontier?: Frontier;
}

export interface Finding {
  kind: string;
  at: string;
  distance: number;
  nodeId: string;
  summary: string;
  runId?: string;
  added?: string[];
  removed?: string[];
  retyped?: { field: string; before: string; after: string; change: string }[];
  codeBefore?: Code;
  codeAfter?: Code;
  relevance?: string;
  [member: string]: unknown;
}

/** The version of a job's code; the link is that of a pull request on GitHub. */
export interface Code {
  version?: string;
  branch?: string;
  pullRequestNumber?: string;
  link?: string;
}

export interface RootCause {
  nodeId: string;
  displayNames?: DisplayNames;
  asOf: string | null;
  suspect: Run | null;
  lastGood: (Run & { confirmed?: boolean }) | null;
  findings: Finding[];
  affected?: string | null;
  earlier?: { count: number; since: string; sentence: string; changes: Finding[] } | null;
  amount?: { sentence: string } | null;
  successfulRuns: { nodeId: string; count: number }[];
  /** The datasets none of whose writes succeeded. */
  cautions?: { nodeId: string; caution: string }[];
  truncated?: boolean;
  frontier?: Frontier;
}

export interface DatasetVersion {
  version: string;
  createdAt: string;
  fields: Field[];
  createdByRun?: Run | null;
  facets?: Facets;
  lifecycleState?: string | null;
}

export interface Namespace {
  name: string;
  createdAt: string;
  updatedAt: string;
  ownerName: string;
  description: string | null;
  isHidden: boolean;
}

export interface Page {
  totalCount?: number;
  cursor?: string;
  truncated?: boolean;
}
