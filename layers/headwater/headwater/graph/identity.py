"""Ids of nodes: 128 bits of a hash of kind, namespace and name, so that keys are short, spread and need no escaping."""

import hashlib
import uuid
from enum import StrEnum
from functools import lru_cache
from typing import NewType

from headwater.graph.naming import Naming
from headwater.openlineage.event import Name

NodeId = NewType("NodeId", str)
"""32 hex digits."""

_PLAIN = Naming()


def job_id(name: Name) -> NodeId:
    return _hash("job", *name)


@lru_cache(maxsize=10_000)
def dataset_id(name: Name) -> NodeId:
    """The id of a dataset: one for all its spellings (`s3a://lake` and `s3://lake`)."""
    return _hash("dataset", *_PLAIN.identify(name).identity)


def derivation_id(dataset: Name) -> NodeId:
    """The id of what makes a dataset of others without a job: a view, or a derivation that a catalogue declares."""
    return _hash("derivation", *_PLAIN.identify(dataset).identity)


def sent_id(name: Name) -> NodeId:
    """The id of a name of a dataset exactly as it was sent."""
    return _hash("sent", *name)


def namespace_id(namespace: str) -> NodeId:
    return _hash("namespace", namespace)


def version_of_event(digest: str) -> str:
    """The id of the version that an event without a run makes of a dataset."""
    return str(uuid.UUID(digest[:32]))


def _hash(*parts: str) -> NodeId:
    """Each part is preceded by its length, so that no two different lists of parts spell the same."""
    text = "".join(f"{len(part)}:{part}" for part in parts)
    return NodeId(hashlib.sha256(text.encode()).hexdigest()[:32])


class NodeKind(StrEnum):
    """What a nodeId names."""

    JOB = "job"
    DATASET = "dataset"
    FIELD = "datasetField"


def node_id(kind: str, of: Name) -> str:
    return f"{kind}:{of.namespace}:{of.name}"


def version_of_schema(digest: str) -> str:
    """The id of the version of a dataset that is only known to have been read: that of its schema."""
    return str(uuid.UUID(digest[:32]))
