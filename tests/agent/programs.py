"""What a person might write in PySpark, without pandas: each function makes a table of its name."""

import sys
from collections.abc import Iterator

from pyspark.sql import Column, DataFrame, Row, SparkSession
from pyspark.sql import functions as fn

lake = sys.argv[1]
spark = SparkSession.builder.getOrCreate()
made = ("id", "concat('n', id) AS name", "id * 2.5D AS cost", "id % 3 AS k", "concat('c', id % 2) AS city")
spark.range(12).selectExpr(*made, "concat(id, ',', id + 1) AS tags").write.parquet(f"{lake}/people")
placed = ("id AS oid", "id % 12 AS pid", "id * 1.0D AS amount", "concat('x', id) AS note")
spark.range(20).selectExpr(*placed).write.parquet(f"{lake}/orders")
people, orders = spark.read.parquet(f"{lake}/people"), spark.read.parquet(f"{lake}/orders")
people.createOrReplaceTempView("people")
orders.createOrReplaceTempView("orders")


@fn.udf("string")
def shout(text: str) -> str:
    return text.upper()


@fn.udf("double")
def net(cost: float, k: int) -> float:
    return cost * (1 + k)


@fn.udf("string")
def nowhere() -> str:
    return "x"


@fn.udtf(returnType="word string, size int")  # type: ignore[arg-type]
class Words:
    def eval(self, text: str) -> Iterator[tuple[str, int]]:
        for word in text.split(","):
            yield word, len(word)


@fn.udtf(returnType="total double")  # type: ignore[arg-type]
class Total:
    def __init__(self) -> None:
        self.total = 0.0

    def eval(self, row: Row) -> None:
        self.total += row["amount"]

    def terminate(self) -> Iterator[tuple[float]]:
        yield (self.total,)


spark.udf.register("shout", shout)
spark.udtf.register("words", Words)  # type: ignore[arg-type]
spark.udtf.register("total", Total)  # type: ignore[arg-type]


def arguments() -> DataFrame:
    return people.select(net("cost", "k").alias("net"), net("cost", fn.lit(2)).alias("fixed"), nowhere().alias("x"))


def nested() -> DataFrame:
    return spark.sql("SELECT shout(shout(concat(name, city))) AS loud, k FROM people WHERE cost > 3")


def totalled() -> DataFrame:
    return people.groupBy("city").agg(fn.sum(net("cost", "k")).alias("total"))


def joined() -> DataFrame:
    same: Column = shout(fn.col("name")) == shout(fn.concat(fn.lit("n"), fn.col("pid")))
    return people.join(orders, same).select("name", "amount")


def united() -> DataFrame:
    return people.select("name").union(orders.select(shout("note")))


def laterally() -> DataFrame:
    return spark.sql("SELECT p.id, w.word, w.size FROM people p, LATERAL words(p.tags) w")


def of_a_table() -> DataFrame:
    return spark.sql("SELECT * FROM total(TABLE(SELECT pid, amount FROM orders))")


def rolled_up() -> DataFrame:
    return people.rollup("city", "k").agg(fn.sum("cost").alias("cost"))


def grouped_in_sets() -> DataFrame:
    return spark.sql(
        "SELECT upper(city) AS town, k, count(*) AS n FROM people GROUP BY GROUPING SETS ((upper(city)), (k))"
    )


for make in (arguments, nested, totalled, joined, united, laterally, of_a_table, rolled_up, grouped_in_sets):
    make().write.parquet(f"{lake}/{make.__name__}")
spark.stop()
