"""Rebuilds the table from the archive: compares it with a table, writes it into one, or writes what DynamoDB imports.

    python -m emr_jobs.rebuild ARCHIVE --verify TABLE
    python -m emr_jobs.rebuild ARCHIVE --into TABLE --write-units 1000
    python -m emr_jobs.rebuild ARCHIVE --import-format s3://BUCKET/PREFIX

ARCHIVE is a folder or s3://BUCKET with events/ and bodies/ below it: the archive bucket of a deployed stack, or what
`headwater export` writes. TABLE is a table of DynamoDB, or the file of `headwater serve`. The variables of
docs/environment.md set retention, aliases and thresholds; the defaults are those of template.yaml.
"""

import argparse
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import replace
from datetime import date
from math import inf

from pyspark import RDD, SparkConf, SparkContext

from emr_jobs.archive.events import Bounds, LineFault, read_archive
from emr_jobs.rebuild.import_format import write_objects
from emr_jobs.rebuild.namespace import items_of_namespace
from emr_jobs.rebuild.settings import RebuildSettings
from emr_jobs.rebuild.table import rebuilt
from emr_jobs.rebuild.target import Target
from emr_jobs.rebuild.verify import differences, items_in
from emr_jobs.rebuild.write import ItemWriter, without_silent_run
from headwater.openlineage.instant import NEVER, Instant, parse_instant, to_datetime
from headwater.process_settings import read_settings
from headwater.store.archive_location import S3, Location
from headwater.store.aws.client import translated_errors
from headwater.store.bulk import Item, Key
from headwater.store.errors import StorageError
from headwater.store.sqlite.database import RefusedDatabase, sole_use

SHOWN_FAULTS = 100
WRITE_UNITS = 500.0


class Refused(Exception):
    """The rebuild does not go on. The message says why."""


def parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="rebuild", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("archive", metavar="ARCHIVE", type=Location)
    does = parser.add_mutually_exclusive_group(required=True)
    does.add_argument("--verify", metavar="TABLE", help="compare with a table, and write nothing")
    does.add_argument("--into", metavar="TABLE", help="write into a table what it lacks")
    does.add_argument("--import-format", metavar="DIR|s3://...", type=Location, help="write what ImportTable reads")
    parser.add_argument("--bucket", help="has the long documents of the table's items (default: that of ARCHIVE)")
    parser.add_argument("--from", dest="start", type=instant, default="", metavar="TIME", help="of receipt, included")
    parser.add_argument("--to", dest="end", type=instant, default="", metavar="TIME", help="of receipt, excluded")
    parser.add_argument("--namespace", help="only the items of this namespace's jobs and datasets")
    parser.add_argument("--before", type=int, metavar="VERSION", help="with --into: only items of an older form")
    parser.add_argument("--write-units", type=positive, default=WRITE_UNITS, help="a second (default: %(default)s)")
    parser.add_argument("--strict", action="store_true", help="stop if anything in the archive cannot be read")
    return parser


def instant(text: str) -> Instant:
    """Read a day, or a time with an offset; no text is no bound."""
    if not text:
        return NEVER
    try:
        return parse_instant(f"{date.fromisoformat(text)}T00:00:00Z")
    except ValueError:
        return parse_instant(text)


def positive(text: str) -> float:
    """Read a number above 0. Raises ValueError."""
    if not 0 < (number := float(text)) < inf:
        raise ValueError(text)
    return number


def main(arguments: list[str] | None = None) -> int:
    """Return 1 if a table differs or something could not be read with --strict, else 0."""
    options = parser().parse_args(arguments)
    context = spark()
    try:
        return run(context, options)
    except (Refused, RefusedDatabase, StorageError) as refused:
        print(f"failed: {refused}", file=sys.stderr)
        return 1


MEMORY = "2g"
END_WITHOUT_MEMORY = "-XX:+ExitOnOutOfMemoryError"
"""Without this, a Spark of this process waits forever after Java has had no memory in a thread that writes to Python. A
cluster ends such an executor."""


def spark() -> SparkContext:
    """The Spark of spark-submit; without it, a Spark of this process that uses this Python."""
    settings = SparkConf().setAppName("headwater-rebuild")
    if not settings.contains("spark.master"):
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        settings.setMaster("local[*]").set("spark.ui.enabled", "false").set("spark.log.level", "ERROR")
        settings.set("spark.ui.showConsoleProgress", str(sys.stderr.isatty()).lower())
        settings.set("spark.driver.memory", MEMORY).set("spark.driver.extraJavaOptions", END_WITHOUT_MEMORY)
    return SparkContext.getOrCreate(settings)


def run(context: SparkContext, options: argparse.Namespace) -> int:
    """Read the archive, and do what the options say. Raises Refused, RefusedDatabase or StorageError."""
    refuse_nonsense(options)
    archive = options.archive
    bucket = options.bucket or archive.bucket
    target = Target(options.verify or options.into or "", bucket)
    settings = rebuild_settings(options.end, target.forms)
    table = rebuilt(read_archive(context, archive, Bounds(options.start, options.end)), settings)
    tell_faults(table.faults, is_strict=options.strict)
    print(f"{table.events.count():,} distinct events", flush=True)
    items = dict(table.items)
    if options.namespace:
        of_namespace = items_of_namespace(context.union([*items.values()]), options.namespace)
        wanted = of_namespace.coalesce(table.events.getNumPartitions()).cache()
        if wanted.isEmpty() and not options.verify:
            raise Refused(f"--namespace: the archive has no job and no dataset in {options.namespace}")
        items = {kind: wanted.filter(_of_kind(kind)) for kind in items}
    if options.verify:
        return verify(context, items, target, settings.now, options.namespace)
    if options.into:
        into(items, target, settings, options)
    else:
        export(items, options.import_format, Location(f"{S3}{bucket}") if bucket else archive)
    return 0


def refuse_nonsense(options: argparse.Namespace) -> None:
    """Raises Refused for options that cannot mean anything together, and if there is no table."""
    if options.end and options.start >= options.end:
        raise Refused("--from is not before --to")
    if options.before is not None and not options.into:
        raise Refused("--before is for --into")
    if table := options.verify or options.into:
        target = Target(table, options.bucket or options.archive.bucket)
        if options.verify and target.file and not target.file.is_file():
            raise Refused(f"--verify {table}: there is no such file")
        if not target.file:
            with translated_errors():
                target.table().read([Key("?", "?")])  # the driver asks first: executors would fail with a trace of Java


def rebuild_settings(end: Instant, forms: int) -> RebuildSettings:
    """The settings of the fold; with an end in the past, what had expired by then has expired."""
    read, now = read_settings(), time.time()
    until = min(now, to_datetime(end).timestamp()) if end else now
    retention = replace(read.retention, forms=forms)
    return RebuildSettings(dict(read.namespace_aliases), retention, read.emission_latency, until)


def tell_faults(faults: RDD[LineFault], *, is_strict: bool) -> None:
    """List what could not be read. Raises Refused if that is not allowed."""
    number = faults.count()
    for fault in faults.take(SHOWN_FAULTS):
        print(f"could not be read: {fault.place}: {fault.reason}", file=sys.stderr)
    if number:
        print(f"{number:,} lines or objects could not be read; all others count", file=sys.stderr)
    if number and is_strict:
        raise Refused("--strict: nothing was written or compared")


def verify(
    context: SparkContext, items: Mapping[str, RDD[Item]], target: Target, now: float, namespace: str | None
) -> int:
    """Print how a table differs. Return 1 if it does."""
    stored = items_in(context, target, now)
    stored = items_of_namespace(stored, namespace) if namespace else stored
    made = context.union([*items.values()])
    if made.isEmpty() and stored.isEmpty():
        raise Refused("there is nothing to compare: neither the archive nor the table has such items")
    found = differences(made, stored)
    for difference in found:
        print(f"{difference.kind}: {difference.number:,} {difference.what}")
        for example in difference.examples:
            print(f"    {example}")
    print("the table differs from the archive" if found else "the table is that of the archive, item for item")
    return 1 if found else 0


def into(
    items: Mapping[str, RDD[Item]], target: Target, settings: RebuildSettings, options: argparse.Namespace
) -> None:
    """Write what a table lacks, kind by kind. Raises RefusedDatabase if the file is served."""
    with sole_use(target.file) if target.file else nullcontext():
        target.table()
        for kind, made in items.items():
            tasks = min(made.context.defaultParallelism, made.getNumPartitions())
            writer = ItemWriter(
                target.table, settings.retention, options.write_units / tasks, time.time(), options.before
            )
            outcome = made.mapPartitions(writer.write).fold(Counter(), lambda left, right: left + right)
            done = ", ".join(f"{outcome[what]:,} {what}" for what in ("written", "joined", "same"))
            print(f"{kind}: {done}", flush=True)


def export(items: Mapping[str, RDD[Item]], to: Location, bodies: Location) -> None:
    """Write what DynamoDB imports."""
    for kind, made in items.items():
        print(f"{kind}: {made.mapPartitionsWithIndex(_objects(kind, to, bodies)).sum():,} items", flush=True)


def _of_kind(kind: str) -> Callable[[Item], bool]:
    return lambda item: item.labels["kind"] == kind


def _objects(kind: str, to: Location, bodies: Location) -> Callable[[int, Iterable[Item]], Iterator[int]]:
    now = time.time()

    def objects(number: int, items: Iterable[Item]) -> Iterator[int]:
        return write_objects(number, kind, (without_silent_run(item, now) for item in items), to, bodies)

    return objects


if __name__ == "__main__":
    sys.exit(main())
