"""Writes the samples: `PYTHONPATH=layers/headwater python -m events.generate`."""

import json
from collections.abc import Mapping
from pathlib import Path

from events import story
from events.envelopes import (
    BEARER,
    KEY,
    Document,
    asked_of_the_authoriser,
    get,
    get_by_iam,
    post,
    post_gzip,
    queued,
)

FOLDER = Path(__file__).parent
REVENUE_NODE = "s3%3A%2F%2Fshop-lake:revenue_daily"


def samples() -> Mapping[str, Document]:
    """Every sample by its file, `function/name.json`."""
    return authorise() | ingest() | normalise() | lookup()


def authorise() -> dict[str, Document]:
    return {
        "authorise/bearer.json": asked_of_the_authoriser(BEARER),
        "authorise/x-api-key.json": asked_of_the_authoriser({"x-api-key": KEY}),
        "authorise/without-key.json": asked_of_the_authoriser({}),
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
    return {
        "normalise/two-runs.json": queued(story.CLEAN_START, story.CLEAN_COMPLETE, story.REVENUE_COMPLETE),
    }


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
        "lookup/signed-with-iam.json": get_by_iam("/api/v1/namespaces"),
    }


def write(folder: Path) -> None:
    for name, sample in samples().items():
        file = folder / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(json.dumps(sample, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write(FOLDER)
