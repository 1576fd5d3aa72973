"""What a person might write: Python functions, constants, and writes that fail. Run by spark-submit."""

import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

from pyspark.sql import DataFrame, SparkSession, functions

spark = SparkSession.builder.appName("programs").getOrCreate()
lake = sys.argv[1].partition("=")[2]
spark.range(6).selectExpr("id", "id * 2 AS cost", "concat('n', id) AS name", "id % 3 AS k").write.parquet(f"{lake}/raw")
raw = spark.read.parquet(f"{lake}/raw")
raw.createOrReplaceTempView("raw")


@functions.udf("double")
def discount(cost: int) -> float:
    return cost * 0.9


@functions.udf("string")
def boom(name: str) -> str:
    raise ValueError(f"boom: {len(name)}")


class Words:
    def eval(self, name: str) -> Iterator[Any]:
        yield (name,)


def write(name: str, make: Callable[[], DataFrame]) -> None:
    with suppress(Exception):
        make().write.parquet(f"{lake}/{name}")


words: Any = functions.udtf(Words, returnType="word string")
spark.udtf.register("words", words)
groups = raw.groupBy("k").agg(functions.max("name").alias("name"))
made = raw.select("id", discount("cost").alias("price"), functions.lit(1).alias("one"), functions.rand().alias("r"))
write("made", lambda: made)
write("words", lambda: spark.sql("SELECT raw.id, found.word FROM raw, LATERAL words(raw.name) found"))
write("piped", lambda: spark.sql("SELECT TRANSFORM(id, cost) USING 'cat' AS (a STRING, b STRING) FROM raw WHERE k > 0"))
write("from_rdd", raw.rdd.toDF)
write("late", lambda: groups.select("k", boom("name").alias("b")))
write("first", lambda: raw.select(boom("name").alias("b")))
with suppress(Exception):
    groups.select(boom("name")).collect()
spark.stop()
