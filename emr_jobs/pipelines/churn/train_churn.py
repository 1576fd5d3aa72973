"""customers (a table, as load_customers.py wrote it) -> a model that predicts whether a customer leaves.

spark-submit --py-files headwater_spark.zip train_churn.py --table lake.crm.customers --model s3://lake/models/churn \\
    --code https://github.com/shop/churn --code-version 4f2a91c
"""

import argparse
from dataclasses import asdict, dataclass

from pyspark.ml import Pipeline
from pyspark.ml.classification import LogisticRegression
from pyspark.ml.evaluation import BinaryClassificationEvaluator
from pyspark.ml.feature import VectorAssembler
from pyspark.sql import DataFrame, SparkSession

from headwater.spark import Code, Training, session, table, training

FEATURES = ["months", "support_calls"]


@dataclass(frozen=True)
class Parameters:
    regularisation: float
    iterations: int


def with_catalog(builder: SparkSession.Builder, name: str, warehouse: str | None) -> SparkSession.Builder:
    """Return a builder of a session with the catalog of a table."""
    if not warehouse:
        return builder
    catalog = f"spark.sql.catalog.{name.partition('.')[0]}"
    builder = builder.config(catalog, "org.apache.iceberg.spark.SparkCatalog")
    return builder.config(f"{catalog}.type", "hadoop").config(f"{catalog}.warehouse", warehouse)


def train(customers: DataFrame, path: str, parameters: Parameters, made: Training) -> None:
    """Fit a model, measure the model on its training data, and save the model."""
    regression = LogisticRegression(featuresCol="features", labelCol="churned")
    regression = regression.setRegParam(parameters.regularisation).setMaxIter(parameters.iterations)
    fitted = Pipeline(stages=[VectorAssembler(inputCols=FEATURES, outputCol="features"), regression]).fit(customers)
    evaluator = BinaryClassificationEvaluator(labelCol="churned")
    made.measured(areaUnderROC=evaluator.evaluate(fitted.transform(customers)))
    fitted.write().overwrite().save(path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--table", required=True, help="the table of customers, as catalog.database.table")
    parser.add_argument("--model", required=True, help="path that the model is saved to (replaced)")
    parser.add_argument("--regularisation", type=float, default=0.01, help="of the regression (default: %(default)s)")
    parser.add_argument("--iterations", type=int, default=10, help="at most so many (default: %(default)s)")
    parser.add_argument("--code", help="URL of the repository that this program is from")
    parser.add_argument("--code-version", default="unknown", help="commit of it that runs")
    parser.add_argument("--warehouse", help="folder of a Hadoop catalog; without it the cluster defines the catalog")
    arguments = parser.parse_args()
    parameters = Parameters(arguments.regularisation, arguments.iterations)
    code = Code(arguments.code, arguments.code_version) if arguments.code else None
    spark = session(with_catalog(SparkSession.builder, arguments.table, arguments.warehouse), "train_churn")
    try:
        data = [table(spark, arguments.table)]
        with training(spark, arguments.model, data=data, parameters=asdict(parameters), code=code) as made:
            train(spark.table(arguments.table), arguments.model, parameters, made)
    finally:
        spark.stop()


if __name__ == "__main__":
    main()
