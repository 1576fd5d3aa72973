"""What a million events of Spark cost on AWS, and a month of a stack: `python -m benchmarks.cost --help`.

Recorded programs run again and again, and their events are folded into a table in memory that counts calls, units and
bytes by DynamoDB's rules (capacity.py). The dollars follow from the dated price file, which names the page of each
figure; figures without a page are listed. How long items are kept, and which alarms there are, is read from
template.yaml and samconfig.toml: the table is full, so each event takes the place of one that expires. Not measured
are the milliseconds of the functions on Lambda and the length of the API's log lines: both are assumed, and the
milliseconds are shown as such. Requests of the archive are left out: Firehose writes objects of megabytes.
"""

import argparse
import json
import tomllib
from collections.abc import Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

from benchmarks.capacity import TEMPLATE, MeteredTable
from benchmarks.log_lines import log_bytes
from benchmarks.recurring import recurring
from benchmarks.stream import MeteredStream
from headwater.fold.fold import fold
from headwater.graph.names.naming import Naming
from headwater.graph.producers.event_normalisation import normalise_event
from headwater.graph.states.normalised_event import NormalisedEvent
from headwater.openlineage import exact_json
from headwater.openlineage.instant import Instant
from headwater.store.aws.firehose import Archive
from headwater.store.bulk import Retention
from headwater.store.graph_store import GraphStore
from headwater.store.messages import ReceivedMessage
from local.deploy.template import read_template
from tests.fakes import FakeBucket

PRICES = Path(__file__).with_name("prices-2026-11.json")
KNOWN, MEASURED = range(4), range(4, 24)
DAY, MONTH = timedelta(days=1), timedelta(days=365 / 12)
CLASSES = {
    "STANDARD": "gigabyte_month_of_s3",
    "STANDARD_IA": "gigabyte_month_of_s3_infrequent",
    "GLACIER_IR": "gigabyte_month_of_s3_glacier",
}
"""The price of each storage class of the archive."""
AS_LONG_AS_EVENTS = {"event", "day"}
"""The kinds of items that are kept as long as events; the others that grow, runs and writes, as long as runs."""
FREE_ALARMS = 10
PER_DAY = (100_000, 5_000_000, 200_000_000)
RECEIVED_AT = Instant("2026-11-20T08:00:00.000000000Z")
GIGABYTE = 1e9
INGEST_MILLISECONDS, NORMALISE_MILLISECONDS, EVENT_MILLISECONDS, AUTHORISE_MILLISECONDS = 12, 30, 8, 4
"""Assumed, of functions with 1 GB: of ingest for an event, of normalise for a batch, and for each event of it; and of
authorise, which has half a GB, for a request."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--batches", type=int, nargs="+", default=[1, 7], help="events a batch (default: %(default)s)")
    parser.add_argument("--prices", type=Path, default=PRICES)
    parser.add_argument("--stage", choices=["dev", "prod"], default="prod", help="of samconfig.toml (default: prod)")
    options = parser.parse_args()
    kept, archived = retention(options.stage), archive_days(options.stage)
    noted = json.loads(options.prices.read_text())
    prices = {name: figure["amount"] for name, figure in noted["figures"].items()}
    idle = idle_month(prices)
    marquez = 2 * prices["small_instance_month"] + prices["load_balancer_month"]
    marquez += prices["small_postgres_month"] + prices["postgres_storage_month"]
    for size in options.batches:
        dollars = of_a_million(size, prices, kept, archived)
        million = sum(dollars.values())
        print(f"\na million events in batches of {size}, {noted['region']}, prices of {noted['noted']}")
        for name, amount in [*dollars.items(), ("all", million)]:
            print(f"  {name:<60}{amount:6.2f} $")
        for events in PER_DAY:
            print(f"  a month of {events:,} events a day {idle + million * events * 30 / 1e6:12,.2f} $")
        print(f"  the smallest Marquez costs as much as {(marquez - idle) / million / 30 * 1e6:,.0f} events a day")
    print(f"\nan idle month: {idle:.2f} $ ({alarm_metrics()} metrics of alarms, {FREE_ALARMS} of them free; a secret)")
    print(f"the smallest always-on Marquez: {marquez:.2f} $ a month (two small instances, a balancer, PostgreSQL)")
    unfound = [name for name, figure in noted["figures"].items() if figure["page"] is None]
    print(f"prices for which no page was found: {', '.join(unfound)}")


def retention(stage: str) -> Retention:
    """How long a deployment of this stage keeps runs and events."""
    runs, events = (timedelta(days=_days(stage, name)) for name in ("RunRetentionDays", "EventRetentionDays"))
    return Retention(runs=runs, events=events)


def archive_days(stage: str) -> dict[str, int]:
    """The days that an event of a deployment of this stage is in each storage class of the archive."""
    rules = read_template(TEMPLATE)["Resources"]["ArchiveBucket"]["Properties"]["LifecycleConfiguration"]["Rules"]
    (rule,) = [rule for rule in rules if rule.get("Prefix") == "events/"]
    moves = [(0, "STANDARD"), *((each["TransitionInDays"], each["StorageClass"]) for each in rule["Transitions"])]
    ends = [day for day, _ in moves[1:]] + [_days(stage, rule["ExpirationInDays"]["Ref"])]
    return {storage: end - begin for (begin, storage), end in zip(moves, ends, strict=True)}


def _days(stage: str, parameter: str) -> int:
    deployed = tomllib.loads((TEMPLATE.parent / "samconfig.toml").read_text())[stage]["deploy"]["parameters"]
    given = dict(each.split("=", 1) for each in deployed["parameter_overrides"])
    return int(given.get(parameter, read_template(TEMPLATE)["Parameters"][parameter]["Default"]))


def alarm_metrics() -> int:
    """The metrics for which the alarms of a stack are billed that has no more than it needs: each alarm's one, or those
    of its expression."""
    resources = read_template(TEMPLATE)["Resources"].values()
    alarms = [each for each in resources if each["Type"] == "AWS::CloudWatch::Alarm" and "Condition" not in each]
    return sum(sum("MetricStat" in metric for metric in _metrics(alarm["Properties"])) for alarm in alarms)


def _metrics(alarm: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    return alarm.get("Metrics") or [{"MetricStat": alarm["MetricName"]}]


def idle_month(prices: Mapping[str, float]) -> float:
    return max(0, alarm_metrics() - FREE_ALARMS) * prices["alarm_month"] + prices["secret_month"]


def of_a_million(
    size: int, prices: Mapping[str, float], kept: Retention, archived: Mapping[str, int]
) -> dict[str, float]:
    """The dollars of a million events, by service. `archived` are the days in each storage class of the archive."""
    texts = [line for run in MEASURED for line in recurring(run)]
    table, before = _folded(size, texts, kept)
    count = len(texts)
    stored, recovered = ((now - then) / count for now, then in zip(_byte_months(table, kept), before, strict=True))
    logged = log_bytes(size)
    records = _records(texts, size)
    archive_price = sum(days * DAY / MONTH * prices[CLASSES[storage]] for storage, days in archived.items())
    seconds = INGEST_MILLISECONDS + EVENT_MILLISECONDS + NORMALISE_MILLISECONDS / size
    seconds += AUTHORISE_MILLISECONDS / 2 / size
    return {
        f"DynamoDB, {table.write_units / count:.2f} write units an event": (
            table.write_units / count * prices["million_write_units"]
        ),
        f"DynamoDB, {table.read_units / count:.2f} read units an event": (
            table.read_units / count * prices["million_read_units"]
        ),
        f"DynamoDB, {stored:.0f} bytes, times months that they are kept": (
            stored * 1e6 / GIGABYTE * prices["gigabyte_month_of_table"]
        ),
        f"DynamoDB, {recovered:.0f} of these for point-in-time recovery": (
            recovered * 1e6 / GIGABYTE * prices["gigabyte_month_of_recovery"]
        ),
        "API Gateway": prices["million_http_requests"] / size,
        "SQS: send, receive, delete": 3 * prices["million_fifo_requests"] / size,
        "Lambda, requests: authorise, ingest, normalise": 3 * prices["million_lambda_requests"] / size,
        f"Lambda, {seconds:.0f} ms of a GB an event (assumed)": seconds * 1e3 * prices["gigabyte_second_of_lambda_arm"],
        "Firehose": _billed_by_firehose(records, int(prices["firehose_record_kilobytes"]) * 1024)
        / count
        * 1e6
        / GIGABYTE
        * prices["gigabyte_of_firehose"],
        f"S3, {sum(records) / count:.0f} bytes an event, for {sum(archived.values())} days in the archive": (
            sum(records) / count * 1e6 / GIGABYTE * archive_price
        ),
        f"logs, {logged:.0f} bytes an event": logged * 1e6 / GIGABYTE * prices["gigabyte_of_logs"],
    }


def _records(texts: Sequence[str], size: int) -> Sequence[int]:
    """The bytes of each record of the archive."""
    stream = MeteredStream()
    archive_in_batches(texts, size, stream)
    return stream.records


def _billed_by_firehose(records: Sequence[int], step: int) -> int:
    """The bytes for which Firehose bills: each record is rounded up to the next step."""
    return sum(-(-record // step) * step for record in records)


def archive_in_batches(texts: Sequence[str], size: int, stream: MeteredStream) -> None:
    """Archives events in batches, as normalise does."""
    archive = Archive(stream, "stream", FakeBucket())
    for start in range(0, len(texts), size):
        archive.put([ReceivedMessage(text, RECEIVED_AT) for text in texts[start : start + size]])


def _byte_months(table: MeteredTable, kept: Retention) -> tuple[float, float]:
    """The stored bytes of each item, and those that recovery bills, times the months for which its kind is kept."""
    stored, recovered = (
        sum(
            of_kind * ((kept.events if kind in AS_LONG_AS_EVENTS else kept.runs) / MONTH)
            for kind, of_kind in table.bytes_by_kind(recovered=recovered).items()
        )
        for recovered in (False, True)
    )
    return stored, recovered


def _folded(size: int, texts: Sequence[str], kept: Retention) -> tuple[MeteredTable, tuple[float, float]]:
    """A table after the events, with the counts of these alone, and the byte months of the table before."""
    table = MeteredTable(FakeBucket())
    store = GraphStore(table, kept)
    _fold(store, [as_event(line) for run in KNOWN for line in recurring(run)], size)
    before = _byte_months(table, kept)
    table.forget()
    _fold(store, [as_event(text) for text in texts], size)
    return table, before


def _fold(store: GraphStore, events: Sequence[NormalisedEvent], size: int) -> None:
    for start in range(0, len(events), size):
        fold(events[start : start + size], store)


def as_event(text: str) -> NormalisedEvent:
    return normalise_event(exact_json.dumps(exact_json.loads(text)), Naming())


if __name__ == "__main__":
    main()
