"""Analyses the whole graph, on the tables of emr_jobs/lakehouse: work done twice, what most depends on, waste, drift,
skew, and where tagged columns flow.

    python -m emr_jobs.insights --warehouse /data/lake --report insights.html
    python -m emr_jobs.insights --warehouse s3://BUCKET/lake --report s3://BUCKET/insights/report.html --post

The result is in the tables `insights` and `criticality`, in a report, and with --post in the graph: as events to
HEADWATER_URL, with the key HEADWATER_API_KEY, or to the server that runs here (docs/command-line.md). Insights name
nodes of all namespaces, so the key needs the scope admin and all namespaces. docs/insights.md says what is found, and
how.
"""

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from functools import reduce
from pathlib import PurePosixPath
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as fn

from emr_jobs.insights.criticality import critical_insights, criticality
from emr_jobs.insights.drift import drift_insights
from emr_jobs.insights.duplicates import duplicate_insights
from emr_jobs.insights.events import NotPosted, criticality_event, insights_event, post
from emr_jobs.insights.frontier import frontier_of
from emr_jobs.insights.graph import Graph
from emr_jobs.insights.insight import COLUMNS, as_json
from emr_jobs.insights.report import Section, report
from emr_jobs.insights.sensitive import sensitive_insights
from emr_jobs.insights.skew import skew_insights
from emr_jobs.insights.waste import waste_insights
from emr_jobs.lakehouse.increment import create_tables as create_lakehouse
from emr_jobs.lakehouse.session import DATABASE, progress, session
from headwater.cli.api import Api
from headwater.cli.endpoint import api_of
from headwater.cli.failure import CommandFailure
from headwater.graph.facets.insights import InsightKind
from headwater.read.frontier import Frontier
from headwater.spark import lineage, table
from headwater.store.archive_location import Location
from headwater.store.aws.client import PATIENT_SECONDS, client, translated_errors

SHOWN = 100
"""Insights of a kind in the report and in the graph; the table has all."""
RANKED = 20
_WHOLE = Frontier()
CRITICALITY_COLUMNS = """
    as_of date,
    id string,
    type string,
    namespace string,
    name string,
    downstream_datasets bigint,
    downstream_jobs bigint,
    downstream_owners bigint,
    rank double,
    is_single_point boolean
"""


READ = ("runs", "jobs", "datasets", "links", "reads_writes", "column_edges", "schemas")
MADE = {"insights": COLUMNS, "criticality": CRITICALITY_COLUMNS}


def parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="insights", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--warehouse", required=True, metavar="DIR|s3://...", help="of the lakehouse")
    parser.add_argument("--report", metavar="FILE|s3://...", help="an HTML file to write (replaced)")
    parser.add_argument("--post", action="store_true", help="post the result as events")
    parser.add_argument("--url", help="to post to (default: as of every command: docs/command-line.md)")
    parser.add_argument("--key-secret", metavar="ARN", help="of the secret with the key (default: HEADWATER_API_KEY)")
    parser.add_argument("--unread-days", type=int, default=90, metavar="N", help="(default: %(default)s)")
    parser.add_argument("--tags", default="PII,SENSITIVE", help="of columns to follow (default: %(default)s)")
    return parser


def main(arguments: list[str] | None = None) -> int:
    """Return 1 if there is no lakehouse or events were not taken, else 0."""
    options = parser().parse_args(arguments)
    spark = session("headwater_insights", options.warehouse)
    try:
        if not spark.catalog.tableExists(f"{DATABASE}.runs"):
            print(f"failed: --warehouse {options.warehouse} has no tables of the lakehouse", file=sys.stderr)
            return 1
        create_lakehouse(spark, DATABASE)  # a table of the release before has columns to get
        graph = Graph(spark, DATABASE)
        create_tables(graph)
        read, made = ([table(spark, f"{DATABASE}.{name}") for name in names] for names in (READ, MADE))
        with lineage(spark, reads=read, writes=made):
            rated, found = analyse(graph, options.unread_days, options.tags.split(","))
        sections, frontier = sections_of(found), frontier_of(graph)
        if options.report:
            write_report(options.report, report(str(graph.as_of), sections, ranked_in(rated), frontier.sentence))
            progress(f"report: {options.report}")
        if options.post:
            progress(f"{post(server_of(options), events_of(rated, sections, frontier)):,} events posted")
    except CommandFailure as failure:
        print("failed: " + "\n".join(failure.lines()), file=sys.stderr)
        return 1
    except (NotPosted, OSError) as error:
        print(f"failed: {error}", file=sys.stderr)
        return 1
    finally:
        spark.stop()
    return 0


def analyse(graph: Graph, unread_days: int, tags: list[str]) -> tuple[DataFrame, DataFrame]:
    """Write the rows of the day of the graph into the tables `criticality` and `insights`, in place of earlier rows of
    that day, and return the rows."""
    rated = criticality(graph)
    progress(f"criticality of {rated.count():,} nodes")
    kinds: list[DataFrame] = [critical_insights(rated)]
    analyses: dict[str, Callable[[], DataFrame]] = {
        "work done twice": lambda: duplicate_insights(graph),
        "waste": lambda: waste_insights(graph, unread_days),
        "drift": lambda: drift_insights(graph),
        "skew": lambda: skew_insights(graph),
        "sensitive reach": lambda: sensitive_insights(graph, tags),
    }
    for name, found_by in analyses.items():
        kinds.append(found_by().localCheckpoint())
        progress(f"{name}: {kinds[-1].count():,}")
    found = reduce(DataFrame.union, kinds).select(fn.lit(graph.as_of).alias("as_of"), "*")
    found.writeTo(f"{graph.database}.insights").overwritePartitions()
    rated.drop("other").writeTo(f"{graph.database}.criticality").overwritePartitions()
    return rated, found


def create_tables(graph: Graph) -> None:
    """Make the tables of the result, unless they exist."""
    for name, columns in MADE.items():
        stored = f"{graph.database}.{name}"
        graph.spark.sql(f"CREATE TABLE IF NOT EXISTS {stored} ({columns}) USING iceberg PARTITIONED BY (as_of)")


def sections_of(found: DataFrame) -> list[Section]:
    """The first insights of each kind."""
    totals = {row["kind"]: row["count"] for row in found.groupBy("kind").count().collect()}
    kinds = [kind.value for kind in InsightKind]
    return [Section(kind, list(map(as_json, _first(found, kind))), totals.get(kind, 0)) for kind in kinds]


def _first(found: DataFrame, kind: str) -> list[dict[str, Any]]:
    first = found.where(fn.col("kind") == kind).orderBy(fn.desc("score"), "title").limit(SHOWN)
    return [row.asDict(recursive=True) for row in first.collect()]


def ranked_in(rated: DataFrame) -> list[tuple[str, float]]:
    downstream = (fn.col("downstream_datasets") + fn.col("downstream_jobs")).alias("downstream")
    first = rated.select("namespace", "name", downstream).orderBy(fn.desc("downstream"), "name").limit(RANKED)
    return [(f"{row['namespace']} {row['name']}", float(row["downstream"])) for row in first.collect()]


def events_of(rated: DataFrame, sections: Iterable[Section], frontier: Frontier = _WHOLE) -> Iterator[dict[str, Any]]:
    """The events, node by node: the rows come from the executors a partition at a time."""
    now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    yield from (insights_event(section.kind, section.insights, section.total, now, frontier) for section in sections)
    wide = rated.where("downstream_datasets + downstream_jobs > 0")
    yield from (criticality_event(row.asDict(), now) for row in wide.toLocalIterator())


def server_of(options: argparse.Namespace) -> Api:
    """The server to post to. Raises CommandFailure or StorageError."""
    server = api_of(options.url).patient()
    return replace(server, key=key_in(options.key_secret)) if options.key_secret else server


def key_in(secret: str) -> str:
    """The key in a secret, which is the whole text. Raises StorageError."""
    from botocore.session import Session  # noqa: PLC0415 - only a deployed stack has a secret

    with translated_errors():
        answer = client(Session(), "secretsmanager", seconds=PATIENT_SECONDS).get_secret_value(SecretId=secret)
    return str(answer["SecretString"]).strip()


def write_report(target: str, text: str) -> None:
    path = PurePosixPath(target.replace("s3://", "s3:/", 1))
    folder = str(path.parent).replace("s3:/", "s3://", 1)
    Location(folder).put(path.name, text.encode())


if __name__ == "__main__":
    sys.exit(main())
