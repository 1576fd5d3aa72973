"""Runs the orders pipeline of emr_jobs: raw orders -> orders_clean -> revenue_daily."""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from local.spark import Spark
from local.stack import Say


@dataclass(frozen=True)
class Lake:
    """The folders of the pipeline's datasets."""

    root: Path

    @property
    def raw(self) -> Path:
        return self.root / "raw" / "orders"

    @property
    def clean(self) -> Path:
        return self.root / "orders_clean"

    @property
    def revenue(self) -> Path:
        return self.root / "revenue_daily"


def run_pipeline(programs: Path, spark: Spark, lake: Lake, say: Say, *feed: str) -> list[Path]:
    """Make raw orders, run the two jobs on them one after the other, and return their logs.

    `feed` are more options for the program that makes the raw orders.
    """
    generate: list[str | Path] = [sys.executable, programs / "generate_orders.py", "--output", lake.raw, *feed]
    subprocess.run(generate, check=True, stdout=subprocess.DEVNULL)
    say("spark-submit clean_orders.py: raw orders -> orders_clean")
    columns = (lake.raw / "_columns.ddl").read_text(encoding="utf-8").strip()
    cleaned = spark.run(programs / "clean_orders.py", raw=lake.raw, clean=lake.clean, columns=columns)
    say("spark-submit revenue_daily.py: orders_clean -> revenue_daily")
    return [cleaned, spark.run(programs / "revenue_daily.py", clean=lake.clean, revenue=lake.revenue)]
