"""Datasets with the names that the Spark listener gives them: both report the same dataset."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from openlineage.client.facet_v2 import DatasetFacet, dataset_type_dataset, dataset_version_dataset, symlinks_dataset
from pyspark.sql import SparkSession

ONE_STORE = {"s3a": "s3", "s3n": "s3"}


@dataclass(frozen=True)
class Dataset:
    """A dataset: its OpenLineage namespace and name, and its facets."""

    namespace: str
    name: str
    facets: Mapping[str, DatasetFacet] = field(default_factory=dict)


def folder(uri: str) -> Dataset:
    """Files, by a path or URI as in Spark: `s3://lake/orders`, `hdfs://namenode:8020/orders`, `/data/orders`."""
    parts = urlsplit(uri)
    if parts.scheme in ("", "file"):
        return Dataset("file", parts.path.rstrip("/") or "/")
    scheme = ONE_STORE.get(parts.scheme, parts.scheme)
    path = parts.path.rstrip("/") if scheme == "hdfs" else parts.path.strip("/")
    return Dataset(f"{scheme}://{parts.netloc}", path or "/")


def topic(bootstrap: str, name: str) -> Dataset:
    """A Kafka topic. The first bootstrap server is the name of the cluster, as in the listener."""
    kind = dataset_type_dataset.DatasetTypeDatasetFacet(datasetType="TOPIC", subType="kafka")
    return Dataset(f"kafka://{re.split(r'[,;]', bootstrap)[0].strip()}", name, {"datasetType": kind})


def table(spark: SparkSession, name: str) -> Dataset:
    """A table by its name, for instance `lake.shop.orders`. The dataset is the table's location."""
    described = {row["col_name"]: row["data_type"] for row in spark.sql(f"DESCRIBE TABLE EXTENDED {name}").collect()}
    if not described.get("Location"):
        raise ValueError(f"{name} has no location: use folder() with the path of its files")
    return folder(described["Location"])


def model(uri: str, version: str | None = None) -> Dataset:
    """A saved model, by its path. The folder with the model's metadata, which Spark reads first, is a symlink of the
    model."""
    files = folder(uri)
    metadata = symlinks_dataset.Identifier(files.namespace, f"{files.name}/metadata", "LOCATION")
    facets: dict[str, DatasetFacet] = {
        "datasetType": dataset_type_dataset.DatasetTypeDatasetFacet(datasetType="MODEL", subType="spark-ml"),
        "symlinks": symlinks_dataset.SymlinksDatasetFacet(identifiers=[metadata]),
    }
    if version:
        facets["version"] = dataset_version_dataset.DatasetVersionDatasetFacet(datasetVersion=version)
    return Dataset(files.namespace, files.name, facets)
