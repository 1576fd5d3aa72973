/** What lists and counts leave out since it is nobody's data or job: canaries, and what Spark does on its own. */

import type { Facets, Job, Namespace } from "../api/types";

/** The namespace in which `headwater doctor` posts its canary, unless it is told another. */
const OF_DOCTOR = "headwater-doctor";
const CANARY = "CANARY";

/** Whether a job or dataset is of the doctor's run, which a key that may not delete leaves behind. */
export function isCanary({ facets }: { facets: Facets }): boolean {
  return facets.jobType?.jobType === CANARY || facets.datasetType?.datasetType === CANARY;
}

/**
 * Whether a job is a query of a Spark application that writes nothing: a look at a schema, a count, a `DROP`. One that
 * has failed is none: the listener says COMPLETE of its application.
 */
export function isInnerAction({ facets, outputs, parentJobName, latestRun }: Job): boolean {
  const { integration, jobType } = facets.jobType ?? {};
  const isQuery = integration === "SPARK" && jobType !== "APPLICATION" && parentJobName !== null;
  return isQuery && outputs.length === 0 && latestRun?.state !== "FAILED";
}

export function isListedJob(job: Job): boolean {
  return !isCanary(job) && !isInnerAction(job);
}

export function isListedNamespace({ name, isHidden }: Pick<Namespace, "name" | "isHidden">): boolean {
  return !isHidden && name !== OF_DOCTOR;
}
