"""Runs in the form of Marquez's API."""

from headwater.graph.facets.curation import JUDGEMENT, SENT_TAGS, shown_tags, without_curation
from headwater.graph.facets.dataset_reference import IoDataset
from headwater.graph.facets.members import code_of, facet_text, incompleteness, progress_of, query_of, runtime_of
from headwater.graph.facets.register import values
from headwater.graph.states.edges import version_of_run
from headwater.graph.states.job import LatestRun
from headwater.graph.states.run import CREATED, Run, RunState
from headwater.openlineage.event import Facets
from headwater.openlineage.exact_json import JsonObject
from headwater.openlineage.instant import milliseconds_between, shown
from headwater.read.run_details import RunDetails


def run(details: RunDetails) -> JsonObject:
    shown_run = details.run
    facets = values(shown_run.facets)
    ended, is_new = shown_run.ended_at, shown_run.state is RunState.NEW
    return {
        "id": shown_run.run_id,
        "createdAt": shown(shown_run.created),
        "updatedAt": shown(shown_run.updated),
        "nominalStartTime": facet_text(facets, "nominalTime", "nominalStartTime"),
        "nominalEndTime": facet_text(facets, "nominalTime", "nominalEndTime"),
        "state": shown_run.state.value,
        "startedAt": None if is_new else shown(shown_run.started_at),
        "endedAt": shown(ended) if ended else None,
        "durationMs": milliseconds_between(shown_run.started_at, ended) if ended else None,
        "args": _arguments(shown_run, facets),
        "jobVersion": _job_version(shown_run) if shown_run.names_datasets else None,
        "inputDatasetVersions": [
            _dataset_version(use, details.input_versions[dataset]) for dataset, use in shown_run.inputs.items()
        ],
        "outputDatasetVersions": [_dataset_version(use, shown_run.run_id) for use in shown_run.outputs.values()],
        "facets": without_curation(facets),
        "outcome": shown_run.outcome,
        "message": details.message or None,
        **({"noContactSince": shown(details.no_contact_since)} if details.no_contact_since else {}),
        "failedChildren": [{"runId": child.run_id, "job": child.job.as_json()} for child in shown_run.failed_children],
        **({"runtime": runtime} if (runtime := runtime_of(facets)) else {}),
        **({"progress": progress} if (progress := progress_of(facets)) else {}),
        **({"judgement": judgement} if (judgement := judgement_of(shown_run)) else {}),
        **(shown_tags(facets) if SENT_TAGS in facets else {}),
        **({"incomplete": incomplete} if (incomplete := incompleteness(facets)) else {}),
        **({"query": query} if (query := query_of(facets)) else {}),
    }


def run_of_job(details: RunDetails) -> JsonObject:
    """A run, with its job and the version of its code, if it is known."""
    code = code_of(values(details.run.job_facets))
    return {"job": details.run.job.as_json(), **run(details), **({"code": code} if code else {})}


def run_in_graph(latest: LatestRun) -> JsonObject:
    """A run in a lineage graph: without facets and datasets, which would make the response several times as long."""
    ended, is_reported = latest.ended_at, latest.is_reported
    return {
        "id": latest.run_id,
        "createdAt": shown(latest.created),
        "updatedAt": shown(latest.updated),
        "nominalStartTime": None,
        "nominalEndTime": None,
        "state": latest.state if is_reported else RunState.NEW.value,
        "startedAt": shown(latest.started_at) if is_reported else None,
        "endedAt": shown(ended) if ended else None,
        "durationMs": milliseconds_between(latest.started_at, ended) if ended else None,
        "args": {},
        "jobVersion": None,
        "inputDatasetVersions": [],
        "outputDatasetVersions": [],
        "facets": {},
        "outcome": latest.outcome,
        "failedChildren": latest.failed_children,
    }


def judgement_of(shown_run: Run) -> JsonObject | None:
    """Who said when that the run was good, if it counts."""
    if not shown_run.is_judged_good:
        return None
    register = shown_run.facets[JUDGEMENT]
    note = register.value.get("note")
    by, at = str(register.value.get("by") or ""), shown(register.time)
    return {"good": True, "by": by, "at": at, **({"note": note} if note else {})}


def _job_version(shown_run: Run) -> JsonObject:
    return {**shown_run.job.as_json(), "version": version_of_run(shown_run)}


def _dataset_version(use: IoDataset, version: str) -> JsonObject:
    return {"datasetVersionId": {**use.name.as_json(), "version": version}, "facets": values(use.io_facets)}


def _arguments(shown_run: Run, facets: Facets) -> JsonObject:
    created = facets.get(CREATED)
    args = created.get("args") if isinstance(created, dict) else None
    arguments: JsonObject = dict(args) if isinstance(args, dict) else {}
    if shown_run.parent:
        run_id, parent = shown_run.parent
        arguments |= {"run_id": run_id, "name": parent.name, "namespace": parent.namespace}
    for argument, member in (("nominal_start_time", "nominalStartTime"), ("nominal_end_time", "nominalEndTime")):
        at = facet_text(facets, "nominalTime", member)
        if at:
            arguments[argument] = at
    return arguments
