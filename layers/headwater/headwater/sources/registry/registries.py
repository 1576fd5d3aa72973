"""The schema registries that a deployment follows, by its settings.

    {"shop": {"urls": ["https://registry-1:8081"], "kafka": "broker-1:9092", "topics": {"com.acme.Order": ["orders"]}},
     "msk": {"glue": "shop-registry", "kafka": "b-1.shop.kafka.eu-west-1.amazonaws.com:9092"}}

The name of a registry is in the facet of its topics. A secret may have the header `Authorization` for each registry, by
the same names, or an API key of Confluent Cloud: `{"shop": {"key": "...", "secret": "..."}}`.
"""

import base64
import json
from collections.abc import Callable, Mapping
from typing import Any

from headwater.graph.names.naming import kafka_namespace
from headwater.sources.registry.confluent import ConfluentRegistry, RegistryUrl
from headwater.sources.registry.glue import GlueRegistry
from headwater.sources.registry.poll import FollowedRegistry

_MEMBERS = frozenset({"urls", "glue", "kafka", "topics"})


def read_registries(
    settings: Mapping[str, Mapping[str, Any]], secret: str, glue: Callable[[], Any]
) -> list[FollowedRegistry]:
    """The registries; `glue` makes a client of Glue. Raises ValueError, which names the wrong member and repeats no
    secret."""
    headers = _headers(secret)
    return [_registry(name, members, headers.get(name, ""), glue) for name, members in settings.items()]


def _registry(name: str, members: Mapping[str, Any], authorization: str, glue: Callable[[], Any]) -> FollowedRegistry:
    if unknown := sorted(members.keys() - _MEMBERS):
        raise ValueError(f"{name}.{unknown[0]}: expected no other members than urls or glue, kafka, and topics")
    kafka, topics = members.get("kafka"), _topics(name, members.get("topics", {}))
    if not isinstance(kafka, str) or not kafka_namespace(kafka):
        raise ValueError(f"{name}.kafka: expected the bootstrap server of the topics, such as broker-1:9092")
    namespace = kafka_namespace(kafka)
    match members:
        case {"glue": str(registry)} if registry and "urls" not in members:
            return FollowedRegistry(name, GlueRegistry(glue(), registry), namespace, topics, is_named_after_topic=True)
        case {"urls": [_, *_] as urls} if "glue" not in members and all(isinstance(url, str) for url in urls):
            return FollowedRegistry(name, ConfluentRegistry(_urls(name, urls, authorization)), namespace, topics)
    raise ValueError(f"{name}: expected urls, an array of URLs, or glue, the name of a registry")


def _urls(name: str, urls: list[str], authorization: str) -> list[RegistryUrl]:
    try:
        return [RegistryUrl.of(url, authorization) for url in urls]
    except ValueError as error:
        raise ValueError(f"{name}.urls: {error}") from None


def _topics(name: str, topics: Any) -> Mapping[str, list[str]]:
    is_whole = isinstance(topics, dict) and all(
        isinstance(of, list) and all(isinstance(topic, str) and topic for topic in of) for of in topics.values()
    )
    if not is_whole:
        raise ValueError(f"{name}.topics: expected arrays of topics, by the names of subjects")
    return dict(topics)


def _headers(secret: str) -> Mapping[str, str]:
    """The header Authorization of each registry."""
    try:
        document = json.loads(secret)
    except ValueError:
        document = None
    if not isinstance(document, dict):
        raise ValueError("the secret is no JSON object by the names of registries")  # noqa: TRY004 - a wrong value
    return {name: _header(credentials) for name, credentials in document.items()}


def _header(credentials: Any) -> str:
    match credentials:
        case str():
            return credentials
        case {"key": str(key), "secret": str(secret)}:
            return f"Basic {base64.b64encode(f'{key}:{secret}'.encode()).decode()}"
    raise ValueError("the secret has neither a header nor a key and a secret for each registry")
