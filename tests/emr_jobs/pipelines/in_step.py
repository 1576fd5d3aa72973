"""Runs a pipeline whose queries wait for the listener: it gives a write the newest snapshot of when it handles its end.

spark-submit in_step.py --pipeline=customers_iceberg.py --raw=s3://lake/raw ...
"""

import runpy
import sys
from typing import Any

from pyspark.sql import SparkSession

MILLISECONDS = 60_000

sql = SparkSession.sql


def waited(session: Any, *arguments: Any, **more: Any) -> Any:
    answer = sql(session, *arguments, **more)
    session.sparkContext._jsc.sc().listenerBus().waitUntilEmpty(MILLISECONDS)
    return answer


if __name__ == "__main__":
    SparkSession.sql = waited  # type: ignore[assignment]
    _, program, *sys.argv[1:] = sys.argv
    runpy.run_path(program.removeprefix("--pipeline="), run_name="__main__")
