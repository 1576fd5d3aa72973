"""What the graph store says of topics: the memory of the poll."""

from collections.abc import Mapping
from dataclasses import dataclass

from headwater.graph.facets.register import values
from headwater.openlineage.event import Name
from headwater.read.reader import Reader
from headwater.sources.registry.topic import ToldTopic, told_topics


@dataclass(frozen=True)
class StoredTopics:
    """`TopicGraph` over the graph store."""

    reader: Reader

    def told_topics(self, namespace: str) -> Mapping[str, ToldTopic]:
        """A topic that was deleted through the API is known, too: what has not changed does not bring it back."""
        identity = self.reader.naming.identify(Name(namespace, "_")).identity.namespace
        ids = [entry.id for entry in self.reader.store.datasets_in(identity).entries()]
        heads = self.reader.datasets(ids, deleted=True).values()
        return told_topics((head.facts.name.name, values(head.facts.own)) for head in heads)
