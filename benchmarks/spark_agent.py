"""What the jar beside Spark's listener costs a driver: `python -m benchmarks.spark_agent`, after `make agent`.

Applications without and with the jar take turns. Each runs the same queries, and counts the CPU time of the driver's
threads in which the listener and the jar work. CPU time hardly depends on what else runs on the machine, and these
threads run nothing of the queries: wall time differs by more than the jar costs.

    wide     a join of two tables with 60 columns and an aggregation, written to files
    small    ten rows, written nowhere
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as fn

COLUMNS = 60
OF_LISTENERS = ("spark-listener-group", "headwater-spark")
"""The beginnings of the names of the threads in which listeners are called, and in which the jar sends its events."""
MEGABYTE = 1024 * 1024
BEGIN = "measured: "


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3, help="applications of each kind (default: %(default)s)")
    parser.add_argument("--wide", type=int, default=20, help="wide queries (default: %(default)s)")
    parser.add_argument("--small", type=int, default=1_500, help="small queries (default: %(default)s)")
    parser.add_argument("--inside", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.inside:
        print(BEGIN + json.dumps(inside(Path(arguments.inside), arguments.wide, arguments.small)))
        return
    measured: dict[str, list[dict[str, float]]] = {"without": [], "with": []}
    for _ in range(arguments.rounds):
        for kind, results in measured.items():
            results.append(application(arguments, has_jar=kind == "with"))
            print(kind, results[-1], flush=True)
    for name in measured["with"][0]:
        shown = {kind: [round(each[name], 2) for each in results] for kind, results in measured.items()}
        print(f"{name}: median {median(shown['without'])} without, {median(shown['with'])} with; {shown}")


def application(arguments: argparse.Namespace, *, has_jar: bool) -> dict[str, float]:
    from headwater.cli.jvm.installed_spark import JAR, spark_home, spark_java  # noqa: PLC0415 - not in the driver
    from headwater.cli.jvm.jars import LISTENER_PINS, jar_files  # noqa: PLC0415
    from headwater.cli.jvm.spark_submit import driver_environment, engine_settings, listener_settings  # noqa: PLC0415
    from headwater.cli.machine.state import state_folder  # noqa: PLC0415

    jars = [*jar_files(state_folder(), LISTENER_PINS), *([JAR] if has_jar else [])]
    with tempfile.TemporaryDirectory() as folder:
        transport = {"type": "file", "location": f"{folder}/events.jsonl"}
        settings = engine_settings(jars) | listener_settings(transport)
        options = [option for name, value in settings.items() for option in ("--conf", f"{name}={value}")]
        counts = ["--wide", str(arguments.wide), "--small", str(arguments.small)]
        command = [str(spark_home() / "bin" / "spark-submit"), *options, __file__, "--inside", folder, *counts]
        environment = os.environ | driver_environment(spark_java(state_folder()))
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)  # noqa: S603
        lines = [line for line in done.stdout.splitlines() if line.startswith(BEGIN)]
        if not lines:
            sys.exit(f"{done.returncode}: {done.stdout[-500:]}{done.stderr[-3_000:]}")
        measured: dict[str, float] = json.loads(lines[0].removeprefix(BEGIN))
        return measured


def inside(folder: Path, wide: int, small: int) -> dict[str, float]:
    """Runs the queries in this application, and measures."""
    spark = SparkSession.builder.appName("cost").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    names = [f"c{number}" for number in range(COLUMNS)]
    spark.range(100).select("id", *(fn.col("id").alias(name) for name in names)).write.parquet(f"{folder}/facts")
    facts = spark.read.parquet(f"{folder}/facts")
    totals = [fn.sum(fn.col(f"a.{name}") + fn.col(f"b.{name}")).alias(name) for name in names]
    joined = facts.alias("a").join(facts.alias("b"), "id").groupBy("id").agg(*totals)
    tiny = spark.range(10)

    def run(query: DataFrame, form: str, count: int) -> Callable[[], None]:
        def write() -> None:
            for _ in range(count):
                query.write.mode("overwrite").format(form).save(f"{folder}/out")

        return write

    run(joined, "parquet", 10)()
    run(tiny, "noop", 100)()
    wide_millis = millis(spark, run(joined, "parquet", wide)) / wide
    heap_before = heap(spark)
    small_millis = millis(spark, run(tiny, "noop", small)) / small
    return {
        "CPU of listeners for a wide query, ms": wide_millis,
        "CPU of listeners for a small query, ms": small_millis,
        "growth of the heap by all small queries, MB": heap(spark) - heap_before,
        "jobs of Spark": float(scheduler(spark).nextJobId()),
    }


def millis(spark: SparkSession, work: Callable[[], None]) -> float:
    """The CPU time of the threads of listeners in some work, once they are idle."""
    before = cpu(spark)
    work()
    bus(spark).waitUntilEmpty()
    return cpu(spark) - before


def cpu(spark: SparkSession) -> float:
    threads = java(spark).lang.management.ManagementFactory.getThreadMXBean()
    named = [(thread, threads.getThreadInfo(thread)) for thread in threads.getAllThreadIds()]
    of_listeners = [thread for thread, info in named if info and info.getThreadName().startswith(OF_LISTENERS)]
    return sum(float(threads.getThreadCpuTime(thread)) for thread in of_listeners) / 1e6


def heap(spark: SparkSession) -> float:
    """Megabytes of the heap that are in use after a collection."""
    java(spark).lang.System.gc()
    return (
        float(java(spark).lang.management.ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed()) / MEGABYTE
    )


def java(spark: SparkSession) -> Any:
    return spark.sparkContext._jvm.java  # type: ignore[union-attr]


def scheduler(spark: SparkSession) -> Any:
    return spark.sparkContext._jsc.sc().dagScheduler()


def bus(spark: SparkSession) -> Any:
    return spark.sparkContext._jsc.sc().listenerBus()


if __name__ == "__main__":
    main()
