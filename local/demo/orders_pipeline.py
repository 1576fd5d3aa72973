"""Runs the orders pipeline of emr_jobs: raw orders -> orders_clean -> revenue_daily."""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from headwater.cli.jvm.spark_submit import SparkSubmit
from headwater.cli.machine.progress import Say


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


@dataclass(frozen=True)
class OrdersPipeline:
    """The pipeline of the folder `programs` on `lake`; `spark` runs it and `say` prints its steps."""

    programs: Path
    spark: SparkSubmit
    lake: Lake
    say: Say

    def run(self, *options: str) -> list[Path]:
        """Generate raw orders, run the two jobs on them one after the other, and return the logs of the jobs.

        `options` are those of generate_orders.py.
        """
        self.generate(*options)
        self.say("spark-submit clean_orders.py: raw orders -> orders_clean")
        columns = (self.lake.raw / "_columns.ddl").read_text(encoding="utf-8").strip()
        clean = self.programs / "clean_orders.py"
        cleaned = self.spark.run(clean, raw=self.lake.raw, clean=self.lake.clean, columns=columns)
        self.say("spark-submit revenue_daily.py: orders_clean -> revenue_daily")
        revenue = self.programs / "revenue_daily.py"
        return [cleaned, self.spark.run(revenue, clean=self.lake.clean, revenue=self.lake.revenue)]

    def generate(self, *options: str) -> None:
        command: list[str | Path] = [
            sys.executable,
            self.programs / "generate_orders.py",
            "--output",
            self.lake.raw,
            *options,
        ]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
