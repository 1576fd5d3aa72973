// What a person might write in spark-shell: each run() makes a table of its name.
import org.apache.spark.sql._
import org.apache.spark.sql.functions._
import org.apache.spark.sql.expressions.{Aggregator, Window}
import org.apache.spark.sql.streaming.{GroupState, GroupStateTimeout, OutputMode, Trigger}
import spark.implicits._
import scala.util.Try
case class Person(id: Long, name: String, cost: Double, k: Long, city: String)
case class Order(oid: Long, pid: Long, amount: Double, note: String)
case class Loud(id: Long, loud: String)
case class KC(k: Long, n: Long)
spark.range(12).selectExpr("id", "concat('n', id) AS name", "cast(id * 2.5 AS double) AS cost", "id % 3 AS k", "concat('c', id % 2) AS city").write.parquet(s"$lake/people")
spark.range(20).selectExpr("id AS oid", "id % 12 AS pid", "cast(id AS double) AS amount", "concat('x', id) AS note").write.parquet(s"$lake/orders")
val people = spark.read.parquet(s"$lake/people")
val orders = spark.read.parquet(s"$lake/orders")
def run(name: String)(f: => Dataset[_]): Unit = println("DONE " + name + " " + Try(f.write.mode("overwrite").parquet(s"$lake/$name")))
val shout = udf((s: String) => s.toUpperCase)
val net = udf((c: Double, k: Long) => c * (1 + k))
val boom = udf((s: String) => if (s != null) throw new IllegalStateException("boom") else s)
run("a01_udf")(people.select($"id", shout($"name").as("loud")))
run("a02_udf_two")(people.select(net($"cost", $"k").as("net")))
run("a03_map")(people.as[Person].map(p => Loud(p.id, p.name)))
run("a04_mappart")(people.as[Person].mapPartitions(it => it.map(_.cost)))
run("a05_flatmap")(people.as[Person].flatMap(p => Seq(p.name, p.city)))
run("a06_filter")(people.as[Person].filter(_.cost > 2))
run("a07_groups")(people.as[Person].groupByKey(_.k).mapGroups((k, it) => KC(k, it.size)))
run("a08_reduce")(people.as[Person].groupByKey(_.k).reduceGroups((a, b) => if (a.cost > b.cost) a else b).map(_._2.name))
run("a09_cogroup")(people.as[Person].groupByKey(_.id).cogroup(orders.as[Order].groupByKey(_.pid))((k, a, b) => Iterator(KC(k, b.size))))
object MyAvg extends Aggregator[Double, (Double, Long), Double] { def zero = (0.0, 0L); def reduce(b: (Double, Long), a: Double) = (b._1 + a, b._2 + 1); def merge(x: (Double, Long), y: (Double, Long)) = (x._1 + y._1, x._2 + y._2); def finish(b: (Double, Long)) = b._1 / b._2; def bufferEncoder = Encoders.product; def outputEncoder = Encoders.scalaDouble }
val myAvg = udaf(MyAvg)
run("a10_udaf")(people.groupBy("city").agg(myAvg($"cost").as("avg")))
run("a11_joinwith")(people.as[Person].joinWith(orders.as[Order], $"id" === $"pid").map(t => t._2.note))
run("a12_rdd")(people.rdd.map(r => (r.getLong(0), r.getString(1))).toDF("id", "name"))
run("a13_map_select")(people.as[Person].map(p => Loud(p.id, p.name)).join(orders, $"id" === $"pid").select($"loud", $"note"))
run("a14_todf")(Seq((1, "a")).toDF("x", "y"))
run("a15_window")(people.select($"id", sum(net($"cost", $"k")).over(Window.partitionBy("city")).as("s")))
object Longest extends Aggregator[Person, String, String] { def zero = ""; def reduce(b: String, a: Person) = if (a.name > b) a.name else b; def merge(x: String, y: String) = if (x > y) x else y; def finish(b: String) = b; def bufferEncoder = Encoders.STRING; def outputEncoder = Encoders.STRING }
run("a16_aggregator")(people.as[Person].groupByKey(_.city).agg(Longest.toColumn.name("longest")))
run("a17_cached")({ val kept = people.as[Person].map(p => Loud(p.id, p.name)).cache(); kept.count(); kept.select("loud") })
run("a18_checkpoint")(people.select("id").localCheckpoint())
val st = spark.readStream.schema(people.schema).parquet(s"$lake/people")
st.as[Person].groupByKey(_.k).mapGroupsWithState[Long, KC](GroupStateTimeout.NoTimeout)((k: Long, it: Iterator[Person], s: GroupState[Long]) => KC(k, it.size)).writeStream.outputMode("update").queryName("State By K").option("checkpointLocation", s"$lake/cp/s").trigger(Trigger.AvailableNow).foreachBatch((d: Dataset[KC], n: Long) => d.write.mode("append").parquet(s"$lake/t01")).start().awaitTermination()
import org.apache.spark.ml.{Pipeline, PipelineModel}
import org.apache.spark.ml.feature.VectorAssembler
import org.apache.spark.ml.regression.{DecisionTreeRegressor, LinearRegression}
val assembler = new VectorAssembler().setInputCols(Array("cost", "k")).setOutputCol("features")
val regression = new LinearRegression().setLabelCol("id").setMaxIter(3)
new Pipeline().setStages(Array(assembler, regression)).fit(people).write.overwrite().save(s"$lake/models/p")
val tree = new DecisionTreeRegressor().setLabelCol("id").setMaxDepth(2)
new Pipeline().setStages(Array(assembler, tree)).fit(people).write.overwrite().save(s"$lake/trees/0b5a2c1e-7f6d-4c3b-9a8d-112233445566/p")
regression.fit(assembler.transform(people)).write.overwrite().save(s"$lake/models/bare")
run("m01_scores")(PipelineModel.load(s"$lake/models/p").transform(people).select("id", "prediction"))
System.exit(0)
