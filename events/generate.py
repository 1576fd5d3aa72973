"""Writes the samples: `PYTHONPATH=layers/headwater python -m events.generate`."""

import json
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path

from events import story
from events.envelopes import (
    ADMINISTRATOR,
    BEARER,
    CALLER,
    KEY,
    RECEIVED_AT,
    Document,
    authoriser_request,
    by_person,
    forwarded,
    get,
    get_by_iam,
    get_file,
    notified,
    post,
    post_gzip,
    queued,
    scheduled,
    step_ended,
    streamed,
)
from events.envelopes import write as writing
from headwater.alerts.alert import DetailType, id_of
from headwater.catalog.affected_tables import KINDS
from headwater.fold.fold import fold
from headwater.graph.names.identity import job_id
from headwater.graph.names.naming import Naming
from headwater.graph.names.thresholds import Thresholds
from headwater.graph.producers.event_normalisation import normalise_event
from headwater.openlineage import exact_json
from headwater.openlineage.event import Name
from headwater.openlineage.instant import instant_of
from headwater.store.bulk import Retention
from headwater.store.graph_store import GraphStore
from headwater.store.memory import MemoryTable

FOLDER = Path(__file__).parent
RETENTION = Retention(timedelta(days=400), timedelta(days=90))
FAILURE = id_of(DetailType.RUN_FAILED, job_id(Name(story.JOBS, story.REVENUE_DAILY)), story.REVENUE_RUN)
"""The id of the alert about the run of alerts/failed-and-late.json."""
REVENUE_NODE = "s3%3A%2F%2Fshop-lake:revenue_daily"


def samples() -> Mapping[str, Document]:
    """All samples by file, `function/name.json`."""
    samples = authorise() | ingest() | normalise() | lookup() | curate() | alerts() | sweep() | catalog()
    return samples | glue_import() | pickup() | forward() | connect() | registry() | web()


def authorise() -> dict[str, Document]:
    return {
        "authorise/bearer.json": authoriser_request(BEARER),
        "authorise/x-api-key.json": authoriser_request({"x-api-key": KEY}),
        "authorise/without-key.json": authoriser_request({}),
    }


def ingest() -> dict[str, Document]:
    refused_in_part = [story.CLEAN_START, story.WITHOUT_A_JOB_NAME, story.REVENUE_COMPLETE]
    return {
        "ingest/run-event.json": post("/api/v1/lineage", story.CLEAN_START),
        "ingest/gzip.json": post_gzip("/lineage", story.CLEAN_COMPLETE),
        "ingest/dataset-event.json": post("/", story.DATASET_EVENT),
        "ingest/job-event.json": post("/api/v1/lineage", story.JOB_EVENT),
        "ingest/batch.json": post("/api/v1/lineage/batch", [story.CLEAN_START, story.CLEAN_COMPLETE]),
        "ingest/batch-refused-in-part.json": post("/lineage/batch", refused_in_part),
        "ingest/refused.json": post("/api/v1/lineage", story.WITHOUT_A_JOB_NAME),
        "ingest/without-key.json": post("/api/v1/lineage", story.CLEAN_START, context={}),
    }


def normalise() -> dict[str, Document]:
    return {"normalise/two-runs.json": queued(story.CLEAN_START, story.CLEAN_COMPLETE, story.REVENUE_COMPLETE)}


def lookup() -> dict[str, Document]:
    lake, jobs = "/api/v1/namespaces/s3%3A%2F%2Fshop-lake", "/api/v1/namespaces/shop/jobs"
    return {
        "lookup/namespaces.json": get("/api/v1/namespaces?limit=10"),
        "lookup/namespace.json": get(lake),
        "lookup/datasets.json": get(f"{lake}/datasets?limit=10&offset=0"),
        "lookup/dataset.json": get(f"{lake}/datasets/raw%2Forders"),
        "lookup/all-jobs.json": get("/api/v1/jobs"),
        "lookup/jobs.json": get(jobs),
        "lookup/job.json": get(f"{jobs}/revenue_daily"),
        "lookup/job-runs.json": get(f"{jobs}/clean_orders/runs"),
        "lookup/run.json": get(f"/api/v1/jobs/runs/{story.CLEAN_RUN}"),
        "lookup/run-facets.json": get(f"/api/v1/jobs/runs/{story.CLEAN_RUN}/facets?type=run"),
        "lookup/lineage.json": get(f"/api/v1/lineage?nodeId=dataset:{REVENUE_NODE}&depth=5"),
        "lookup/column-lineage.json": get(
            f"/api/v1/column-lineage?nodeId=datasetField:{REVENUE_NODE}:total_revenue&depth=5"
        ),
        "lookup/signed-in.json": by_person(get("/api/v1/namespaces")),
        "lookup/signed-with-iam.json": get_by_iam("/api/v1/namespaces"),
        "lookup/openapi.json": get("/api/v1/openapi.json"),
        **further_lookups(lake, jobs),
    }


def further_lookups(lake: str, jobs: str) -> dict[str, Document]:
    """Lookups of the same jobs and datasets that are less common."""
    clean, run = f"{lake}/datasets/orders_clean", f"/api/v1/jobs/runs/{story.CLEAN_RUN}"
    revenue = f"nodeId=dataset:{REVENUE_NODE}"
    return {
        "lookup/dataset-versions.json": get(f"{clean}/versions"),
        "lookup/dataset-version.json": get(f"{clean}/versions/{story.CLEAN_RUN}"),
        "lookup/quality.json": get(f"{clean}/quality"),
        "lookup/job-versions.json": get(f"{jobs}/clean_orders/versions"),
        "lookup/job-version.json": get(f"{jobs}/clean_orders/versions/{story.CLEAN_VERSION}"),
        "lookup/runs.json": get("/api/v1/runs?state=COMPLETED&limit=10"),
        "lookup/alerts.json": get("/api/v1/alerts?severity=critical&limit=10"),
        "lookup/alert.json": get(f"/api/v1/alerts/{FAILURE}"),
        "lookup/diff.json": get(f"/api/v1/diff?{revenue}&from=2026-11-20T07:00:00Z&to=2026-11-20T09:00:00Z"),
        "lookup/run-children.json": get(f"{run}/children"),
        "lookup/run-events.json": get(f"{run}/events?limit=10"),
        "lookup/impact.json": get("/api/v1/impact?nodeId=datasetField:s3%3A%2F%2Fshop-lake:raw/orders:unit_price"),
        "lookup/rootcause.json": get(f"/api/v1/rootcause?{revenue}"),
        "lookup/export.json": get(f"/api/v1/export?format=json&{revenue}"),
        "lookup/runlineage.json": get(f"/api/v1/runlineage/upstream?runId={story.REVENUE_RUN}"),
        "lookup/events.json": get("/api/v1/events/lineage?limit=2&sortDirection=asc"),
        "lookup/caller.json": get("/api/v1/caller"),
        "lookup/expectations.json": get(f"/api/v1/expectations?{revenue}"),
        "lookup/due.json": get("/api/v1/expectations"),
        "lookup/insights.json": get("/api/v1/insights?kind=waste"),
        "lookup/search.json": get("/api/v1/search?q=orders"),
        "lookup/search-groups.json": get("/api/v1/search/groups?q=orders"),
        "lookup/search-jobs.json": get("/api/v2beta/search/jobs?q=clean"),
        "lookup/search-datasets.json": get("/api/v2beta/search/datasets?q=clean"),
        "lookup/sources.json": get("/api/v1/sources"),
        "lookup/source.json": get("/api/v1/sources/s3%3A%2F%2Fshop-lake"),
        "lookup/tags.json": get("/api/v1/tags"),
        "lookup/aliases.json": get(f"/api/v1/aliases?{revenue}"),
        "lookup/settings.json": get("/api/v1/settings", ADMINISTRATOR),
        "lookup/audit.json": get("/api/v1/audit?changes=true&limit=10", ADMINISTRATOR),
        "lookup/stats-events.json": get("/api/v1/stats/lineage-events?period=DAY"),
        "lookup/stats-jobs.json": get("/api/v1/stats/jobs?period=DAY"),
        "lookup/stats-datasets.json": get("/api/v1/stats/datasets?period=WEEK&timezone=Europe/Berlin"),
        "lookup/stats-set-aside.json": get("/api/v1/stats/set-aside"),
        "lookup/stats-refusals.json": get("/api/v1/stats/refusals"),
        "lookup/stats-sources.json": get("/api/v1/stats/sources?period=DAY"),
    }


def curate() -> dict[str, Document]:
    """Requests to curate, in the order in which they must be sent."""
    desk, returns = "/api/v1/namespaces/shop-desk", "/api/v1/namespaces/s3%3A%2F%2Fshop-desk/datasets/raw%2Freturns"
    job, run = f"{desk}/jobs/count_returns", f"/api/v1/jobs/runs/{story.COUNT_RUN}"
    alert = f"/api/v1/alerts/{FAILURE}"
    return {
        "curate/signed-in-put.json": by_person(writing("PUT", desk, {"ownerName": "desk"})),
        "curate/signed-in-post.json": by_person(writing("POST", f"{returns}/tags/GOLD")),
        "curate/signed-in-delete.json": by_person(writing("DELETE", f"{returns}/tags/GOLD")),
        "curate/put-namespace.json": writing("PUT", desk, {"ownerName": "desk", "description": "Returned goods"}),
        "curate/put-source.json": writing("PUT", "/api/v1/sources/shop-db", story.SHOP_DB),
        "curate/put-tag.json": writing("PUT", "/api/v1/tags/GOLD", {"description": "Fit for reports"}, ADMINISTRATOR),
        "curate/put-dataset.json": writing("PUT", returns, story.RETURNS),
        "curate/delete-tag.json": writing("DELETE", "/api/v1/tags/GOLD", None, ADMINISTRATOR),
        "curate/tag-dataset.json": writing("POST", f"{returns}/tags/GOLD"),
        "curate/tag-field.json": writing("POST", f"{returns}/fields/customer/tags/pii"),
        "curate/untag-field.json": writing("DELETE", f"{returns}/fields/customer/tags/pii"),
        "curate/untag-dataset.json": writing("DELETE", f"{returns}/tags/GOLD"),
        "curate/own-dataset.json": writing("PUT", f"{returns}/owners", {"owners": ["returns desk"]}),
        "curate/put-job.json": writing("PUT", job, story.COUNT_RETURNS),
        "curate/tag-job.json": writing("POST", f"{job}/tags/GOLD"),
        "curate/untag-job.json": writing("DELETE", f"{job}/tags/GOLD"),
        "curate/own-job.json": writing("PUT", f"{job}/owners", {"owners": ["returns desk"]}),
        "curate/put-settings.json": writing("PUT", "/api/v1/settings", story.SETTINGS, ADMINISTRATOR),
        "curate/acknowledge.json": writing("PUT", f"{alert}/acknowledgement", {"note": "on it"}),
        "curate/silence.json": writing("PUT", f"{alert}/silence", {"until": "2h", "note": "moving the cluster"}),
        "curate/end-silence.json": writing("DELETE", f"{alert}/silence"),
        "curate/take-back.json": writing("DELETE", f"{alert}/acknowledgement"),
        "curate/create-run.json": writing(
            "POST", f"{job}/runs", {"id": story.COUNT_RUN, "args": {"day": "2026-11-20"}}
        ),
        "curate/start-run.json": writing("POST", f"{run}/start?at=2026-11-20T08:10:00Z"),
        "curate/complete-run.json": writing("POST", f"{run}/complete?at=2026-11-20T08:10:04Z"),
        "curate/good-run.json": writing("PUT", f"{run}/good", {"note": "compared with the till"}),
        "curate/good-run-back.json": writing("DELETE", f"{run}/good"),
        "curate/delete-dataset.json": writing("DELETE", returns),
        "curate/clear-names.json": writing("DELETE", returns.removesuffix("/raw%2Freturns") + "?namedByOthers=true"),
        "curate/delete-job.json": writing("DELETE", job),
        "curate/delete-namespace.json": writing("DELETE", desk),
        "curate/refused.json": writing("PUT", desk, {"description": "Returned goods"}),
        "curate/not-allowed.json": writing("DELETE", desk, caller=CALLER),
        "curate/step-ended.json": notified(step_ended()),
    }


def catalog() -> dict[str, Document]:
    """The stream's records of the first run."""
    table = MemoryTable()
    texts = map(exact_json.dumps, (story.CLEAN_START, story.CLEAN_COMPLETE))
    fold([normalise_event(text, Naming()) for text in texts], GraphStore(table, RETENTION))
    items = [item for _, item in sorted(table.items.items()) if item.labels["kind"] in KINDS]
    return {"catalog/window.json": streamed(*((None, item) for item in items))}


def alerts() -> dict[str, Document]:
    """The stream's records of the second run, if the run failed and its events came late."""
    table = MemoryTable()
    started = {**story.REVENUE_COMPLETE, "eventType": "START", "eventTime": "2026-11-20T08:05:02.250Z"}
    failed = {**story.REVENUE_COMPLETE, "eventType": "FAIL"}
    received = [(started, RECEIVED_AT - timedelta(minutes=1)), (failed, RECEIVED_AT)]
    events = [normalise_event(exact_json.dumps(event), Naming(), instant_of(at)) for event, at in received]
    fold(events, GraphStore(table, RETENTION), Thresholds(500, {}))
    items = [item for _, item in sorted(table.items.items()) if item.labels["kind"] in ("run", "latency")]
    return {"alerts/failed-and-late.json": streamed(*((None, item) for item in items))}


def sweep() -> dict[str, Document]:
    return {"sweep/schedule.json": scheduled()}


def glue_import() -> dict[str, Document]:
    return {"glue_import/schedule.json": scheduled()}


def pickup() -> dict[str, Document]:
    """What S3 sends when the notifications of a bucket are turned on: it names no object."""
    return {
        "pickup/test-event.json": notified({"Service": "Amazon S3", "Event": "s3:TestEvent", "Bucket": "shop-drops"})
    }


def forward() -> dict[str, Document]:
    """For a target that this stack does not have (any more): its events are left out."""
    return {"forward/without-target.json": forwarded("marquez", story.CLEAN_START, story.CLEAN_COMPLETE)}


def connect() -> dict[str, Document]:
    return {"connect/schedule.json": scheduled()}


def registry() -> dict[str, Document]:
    return {"registry/schedule.json": scheduled()}


def web() -> dict[str, Document]:
    return {
        "web/page.json": get_file("/", "GET /"),
        "web/unknown-file.json": get_file("/assets/of-another-release.js", "GET /assets/{proxy+}"),
    }


def write(folder: Path) -> None:
    for name, sample in samples().items():
        file = folder / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(json.dumps(sample, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write(FOLDER)
