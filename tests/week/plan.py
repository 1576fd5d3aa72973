"""The events of four weeks, the last with incidents: recorded runs of Spark and dbt at new times, each day, a load that
runs each hour, and a loop of appends. What has to be told of the incidents is written beside them."""

import gzip
import json
import re
import uuid
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from headwater.cli.demo.recording import recording
from tests import factory
from tests.factory import Document

DAYS, WEEK = 28, 7
HOUR = timedelta(hours=1)
DBT = Path(__file__).parents[1] / "fixtures" / "producers" / "dbt" / "build.jsonl.gz"
_UUID = re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b")
_TIME = re.compile(r'(?<="eventTime": ")[^"]+|(?<="eventTime":")[^"]+')
LATE_LOAD = 20
"""The hour of Saturday at which the hourly load does not come."""


class Truth(NamedTuple):
    """What has to be told: the type of the alert, a part of its title, and the day, from Monday (0) on."""

    day: int
    alert: str
    title: str


TRUTH = (
    Truth(1, "Dataset Schema Changed", "status was removed"),
    Truth(1, "Volume Anomaly", "revenue_daily"),
    Truth(2, "Dataset Schema Changed", "status was added"),
    Truth(3, "Run Abandoned", "clean_orders"),  # revenue_daily waits for it, and gets no alert of its own
    Truth(4, "Run Missing", "dbt-run-shop"),
    Truth(5, "Run Missing", "load_hourly"),
    Truth(6, "Volume Anomaly", "orders_hourly"),
)


class Plan(NamedTuple):
    """Events in the order of their times, and when the week begins."""

    events: Sequence[Document]
    monday: datetime


def plan(now: datetime) -> Plan:
    """Four weeks that end on the midnight before a time. The days are called Monday to Sunday, whatever they are."""
    monday = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0) - timedelta(days=WEEK)
    events = [event for day in range(-(DAYS - WEEK), WEEK) for event in _of_day(day, monday + timedelta(days=day))]
    return Plan(sorted(events, key=lambda event: str(event["eventTime"])), monday)


def _of_day(day: int, midnight: datetime) -> Iterator[Document]:
    spark = recording(midnight)
    if day == 3:  # the driver is killed in the middle of its query: nothing more comes
        yield from again(spark.before[:3], midnight + 2 * HOUR)
    else:
        yield from again(spark.after if day == 1 else spark.before, midnight + 2 * HOUR)
    if day != 4:  # nobody started dbt
        yield from again(gzip.decompress(DBT.read_bytes()).decode().splitlines(), midnight + 4 * HOUR)
    if day == 0:
        yield from _loop(midnight + 10 * HOUR)
    for hour in range(24):
        if (day, hour) != (5, LATE_LOAD):
            yield from _load(midnight + hour * HOUR, rows=3 if (day, hour) == (6, 12) else 1000 + hour)


def again(texts: Sequence[str], start: datetime) -> list[Document]:
    """Recorded events once more, the first at a time, as runs of their own."""
    events = [json.loads(text) for text in texts]
    events = [event.get("event", event) for event in events]
    later = start - min(datetime.fromisoformat(event["eventTime"]) for event in events)

    def renewed(text: str) -> Document:
        moved = _TIME.sub(lambda time: (datetime.fromisoformat(time[0]) + later).isoformat(), text)
        document: Document = json.loads(_UUID.sub(lambda run: str(uuid.uuid5(uuid.UUID(run[0]), str(start))), moved))
        return document

    return [renewed(json.dumps(event)) for event in events]


def _load(start: datetime, rows: int) -> Iterator[Document]:
    statistics = {"outputStatistics": factory.facet(rowCount=rows, size=40 * rows)}
    for kind, after in (("START", 0), ("COMPLETE", 50)):
        seconds = (start - factory.EPOCH).total_seconds() + after
        output = {**factory.dataset("orders_hourly"), "outputFacets": statistics}
        yield factory.run_event(kind, seconds=seconds, run=int(start.timestamp()), job="load_hourly", outputs=[output])


def _loop(start: datetime) -> Iterator[Document]:
    """One application that appends the tables of twelve shops to one, a query each."""
    seconds = (start - factory.EPOCH).total_seconds()
    for shop in range(12):
        for kind, after in (("START", 0), ("COMPLETE", 5)):
            yield factory.run_event(
                kind,
                seconds=seconds + 10 * shop + after,
                run=10_000 + shop,
                job="shops.append.all_shops",
                inputs=[factory.dataset(f"shop_{shop}", schema=factory.schema("id:int", "amount:int"))],
                outputs=[factory.dataset("all_shops", schema=factory.schema("id:int", "amount:int"))],
                run_facets={"parent": factory.parent(9_999, "shops")},
            )
