"""The Connect clusters that a deployment follows, by its settings.

    {"shop-connect": {"workers": ["http://connect-1:8083", "http://connect-2:8083"], "kafka": "broker-1:9092"}}

The name is the namespace of the jobs. A secret may have the header `Authorization` for the workers of each cluster, by
the same names.
"""

import json
from collections.abc import Mapping
from typing import Any

from headwater.connect.poll import ConnectCluster
from headwater.connect.worker import Workers, WorkerUrl


def read_clusters(settings: Mapping[str, Mapping[str, Any]], secret: str) -> list[ConnectCluster]:
    """The clusters. Raises ValueError, which names the wrong member and repeats no secret."""
    headers = _headers(secret)
    return [_cluster(namespace, members, headers.get(namespace, "")) for namespace, members in settings.items()]


def _headers(secret: str) -> Mapping[str, str]:
    try:
        document = json.loads(secret)
    except ValueError:
        document = None
    if not isinstance(document, dict) or not all(isinstance(text, str) for text in document.values()):
        raise ValueError("the secret is no JSON object of headers by the names of clusters")
    return document


def _cluster(namespace: str, members: Mapping[str, Any], authorization: str) -> ConnectCluster:
    match members:
        case {"workers": list() as urls} if urls and all(isinstance(url, str) for url in urls):
            pass
        case _:
            raise ValueError(f"{namespace}.workers: expected an array of URLs")
    kafka = members.get("kafka", "")
    if not namespace or not isinstance(kafka, str) or members.keys() - {"workers", "kafka"}:
        raise ValueError(f"{namespace}: expected the members workers and, as a text such as broker-1:9092, kafka")
    try:
        workers = [WorkerUrl.of(url, authorization) for url in urls]
    except ValueError as error:
        raise ValueError(f"{namespace}.workers: {error}") from None
    return ConnectCluster(namespace, Workers(workers), kafka)
