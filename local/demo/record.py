"""Re-records the events of `headwater demo`: `python -m local.demo.record`, in under a minute.

The pipeline emr_jobs/pipelines/orders runs twice in a real Spark with the OpenLineage listener, as in `make demo`, and
reports to `headwater serve`. Each job has an owner, as on a cluster: `spark.openlineage.job.owners.team`. In between,
the schema of the raw orders changes. The events are written as the server received them, in their order. Only the
folder of the lake and the user are renamed, so that they belong to nobody's machine.
"""

import gzip
import sys
from contextlib import closing
from dataclasses import replace
from getpass import getuser
from pathlib import Path
from socket import gethostname
from tempfile import TemporaryDirectory

from headwater.cli.demo.recording import FILE, LAKE
from headwater.cli.jvm.jars import LISTENER_PINS, jar_files
from headwater.cli.jvm.java import java_home
from headwater.cli.jvm.spark_submit import SparkSubmit
from headwater.ingest.event_files import event_of
from headwater.serve.server import Start, in_background
from headwater.store.messages import archive_line
from headwater.store.sqlite.home import SqliteHome
from local.demo.orders_pipeline import Lake, OrdersPipeline
from local.layout import Layout

OWNERS = {"clean_orders": "sales", "revenue_daily": "finance"}
"""The team of each program."""
USER = "spark"


class OwnedJobs(SparkSubmit):
    """A Spark that runs each program as a job of its team."""

    def run(self, program: Path, **arguments: object) -> Path:
        owner = {"spark.openlineage.job.owners.team": OWNERS[program.stem]}
        return SparkSubmit.run(replace(self, more_settings=owner), program, **arguments)


def main() -> int:
    with TemporaryDirectory() as folder:
        events = recorded(Path(folder))
    FILE.write_bytes(gzip.compress("".join(f"{event}\n" for event in events).encode(), 9, mtime=0))
    print(f"{len(events)} events in {FILE}")
    return 0


def recorded(folder: Path) -> list[str]:
    """The events of the pipeline before and after the change of the schema."""
    layout, lake, data = Layout.here(), Lake(folder / "lake"), folder / "lineage.db"
    java, jars = java_home(layout.state), jar_files(layout.state, LISTENER_PINS)
    with in_background(Start(data, "127.0.0.1", 0, is_open=True)) as served:
        spark = OwnedJobs(java, jars, served.url, "none", folder)
        pipeline = OrdersPipeline(layout.root / "emr_jobs" / "pipelines" / "orders", spark, lake, print)
        pipeline.run()
        pipeline.run("--drift")
    with closing(SqliteHome(data)) as home:
        received = list(home.archive.events())
    return [neutral(event_of(archive_line(event).decode()), lake) for event in received]


def neutral(event: str, lake: Lake) -> str:
    """An event that names no folder and no user of this machine. Raises ValueError if it still does."""
    named = event.replace(str(lake.root), LAKE).replace(f'"{getuser()}"', f'"{USER}"')
    if found := [word for word in (str(lake.root.parent), str(Path.home()), f'"{gethostname()}"') if word in named]:
        raise ValueError(f"an event names {found[0]}, which belongs to this machine: {named}")
    return named


if __name__ == "__main__":
    sys.exit(main())
