"""Ids of nodes: 128 bits of a hash of kind, namespace and name, so that keys are short, spread and need no escaping."""

import hashlib
from typing import NewType

from headwater.openlineage.event import Name

NodeId = NewType("NodeId", str)
"""32 hex digits."""


def job_id(name: Name) -> NodeId:
    return _hash("job", *name)


def dataset_id(name: Name) -> NodeId:
    return _hash("dataset", *name)


def namespace_id(namespace: str) -> NodeId:
    return _hash("namespace", namespace)


def _hash(*parts: str) -> NodeId:
    """Each part is preceded by its length, so that no two different lists of parts spell the same."""
    text = "".join(f"{len(part)}:{part}" for part in parts)
    return NodeId(hashlib.sha256(text.encode()).hexdigest()[:32])
