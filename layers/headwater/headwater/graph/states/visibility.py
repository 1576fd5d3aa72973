"""What a caller sees of the states, by the namespaces that the caller may read.

state                       of a namespace that the caller reads    of another namespace
job (its head)              whole                                   a hidden node: its edges to datasets that the caller
                                                                    reads, whether it only may use these, and nothing
                                                                    else
dataset (its head)          whole                                   the name by which a job of the caller named it, or a
                                                                    hidden node; and nothing else
run, version, event, alias  whole, without the names of others'     absent
                            jobs, and without what it says of
                            others' datasets beyond their names
column lineage              whole, but of another's dataset no      of no interest: its dataset has no column lineage
                            column: `*` stands for all

No walk continues past a job or dataset of another namespace: such a job has no sources, and such a dataset has no
neighbours. The store applies this to every state it reads for the caller, so no lookup can forget it.
"""

import hmac
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from headwater.graph.facets.curation import ALL_COLUMNS, FOREIGN, HIDDEN, RESERVED
from headwater.graph.facets.dataset_reference import SOURCES, IoDataset, IoDatasets, named, sources_of
from headwater.graph.facets.members import INPUTS
from headwater.graph.facets.register import Register, Stamp
from headwater.graph.names.identity import DatasetId, NodeId, dataset_id
from headwater.graph.names.naming import Naming
from headwater.graph.states.dataset import DatasetFacts, DatasetHead
from headwater.graph.states.edges import DatasetRef, DatasetUsage, Edges
from headwater.graph.states.generation import Generation, RunOfGeneration
from headwater.graph.states.job import JobFacts, JobHead
from headwater.graph.states.run import Run
from headwater.graph.states.stored_states import DatasetWrite, KnownAlias
from headwater.openlineage.event import Name
from headwater.openlineage.instant import NEVER


@dataclass(frozen=True, slots=True)
class Visibility:
    """What one caller sees, for the length of one request.

    may_read   whether the caller may read a namespace
    naming     the rules that say which dataset a name means
    seal       a secret that the caller does not know: hidden nodes have names that cannot be guessed, the same in every
               request of the caller
    named      the datasets of other namespaces that the caller's jobs named, by the jobs read so far
    """

    may_read: Callable[[str], bool]
    naming: Naming
    seal: str
    named: dict[DatasetId, Name] = field(default_factory=dict)

    def sees(self, namespace: str) -> bool:
        """Whether the caller reads a namespace. Descriptions of tags, sources and namespaces are found by routes that
        check the described namespace."""
        return self.may_read(namespace) or (namespace in RESERVED and namespace != HIDDEN)

    def job(self, head: JobHead) -> JobHead:
        if self.sees(head.facts.name.namespace):
            self._note(head.current.inputs + head.current.outputs)
            self._note(DatasetRef(node, usage.name) for node, usage in head.facts.usages.items())
            facts = self._own_facts(head.facts)
            return head if facts is head.facts else replace(head, facts=facts)
        seen = Generation((RunOfGeneration(self._edges(head)),))
        return JobHead(self._hidden_facts(head), generation=seen, is_foreign=True)

    def dataset(self, head: DatasetHead, dataset: DatasetId) -> DatasetHead:
        if self.sees(head.facts.name.namespace):
            return head
        name = self.named.get(dataset) or self.hidden_name(dataset)
        return DatasetHead(DatasetFacts(name, NEVER, NEVER, {}), is_foreign=True)

    def run(self, run: Run) -> Run | None:
        if not self.sees(run.job.namespace):
            return None
        self._note(DatasetRef(node, used.name) for node, used in {**run.inputs, **run.outputs}.items())
        children = tuple(child for child in run.failed_children if self.sees(child.job.namespace))
        inputs, outputs = self._io_datasets(run.inputs), self._io_datasets(run.outputs)
        return replace(run, failed_children=children, inputs=inputs, outputs=outputs)

    def write(self, write: DatasetWrite) -> DatasetWrite | None:
        return write if self.sees(write.output.name.namespace) else None

    def alias(self, alias: KnownAlias) -> KnownAlias | None:
        if not self.sees(alias.alias.dataset.namespace):
            return None
        writer = alias.writing
        return alias if writer is None or self.sees(writer.job.namespace) else alias._replace(writing=None)

    def event(self, event: dict[str, Any]) -> dict[str, Any] | None:
        if job := event.get("job"):
            return self._own_event(event) if self.sees(job["namespace"]) else None
        dataset = event["dataset"]
        return event if self._sees_dataset(Name(dataset["namespace"], dataset["name"])) else None

    def column_lineage(self, facet: Any) -> Any:
        """A columnLineage facet without the columns of datasets that the caller does not read."""
        if not isinstance(facet, dict) or all(map(self._sees_dataset, sources_of(facet))):
            return facet
        fields = facet.get("fields")
        columns = fields if isinstance(fields, dict) else {}
        seen = {name: self._seen_sources(column, "inputFields") for name, column in columns.items()}
        return self._seen_sources({**facet, "fields": seen}, "dataset")

    def _seen_sources(self, holder: Any, member: str) -> Any:
        entries = holder.get(member) if isinstance(holder, dict) else None
        if not isinstance(entries, list):
            return holder
        seen = [self._seen_source(entry) for entry in entries]
        return {**holder, member: [entry for at, entry in enumerate(seen) if entry not in seen[:at]]}

    def _seen_source(self, entry: Any) -> Any:
        name = named(entry)
        if name is None or self._sees_dataset(name):
            return entry
        dataset = dataset_id(self.naming.identify(name).shown)
        shown = self.named.get(dataset) or self.hidden_name(dataset)
        return {**shown.as_json(), "field": ALL_COLUMNS}

    def _own_event(self, event: dict[str, Any]) -> dict[str, Any]:
        """The event of a caller's job, with only the names of other people's datasets."""
        used = {member: list(map(self._own_reference, event.get(member) or ())) for member in ("inputs", "outputs")}
        return event | {member: datasets for member, datasets in used.items() if datasets}

    def _own_reference(self, dataset: dict[str, Any]) -> dict[str, Any]:
        name = Name(dataset["namespace"], dataset["name"])
        if self._sees_dataset(name):
            return dataset
        mark = {facet: value for facet, value in (dataset.get("facets") or {}).items() if facet == FOREIGN}
        return {**name.as_json(), "facets": mark}

    def _own_facts(self, facts: JobFacts) -> JobFacts:
        """The facts of a job of the caller, without what its events say of the datasets of others."""
        others = {node: usage for node, usage in facts.usages.items() if not self.sees(usage.name.namespace)}
        seen = {node: _only_used(usage) for node, usage in others.items()}
        return replace(facts, usages={**facts.usages, **seen}) if seen else facts

    def _io_datasets(self, used: IoDatasets) -> IoDatasets:
        """The inputs or outputs of a run, without what its events say of the datasets of others."""
        return {
            node: dataset if self.sees(dataset.name.namespace) else _only_named(dataset)
            for node, dataset in used.items()
        }

    def hidden_name(self, node: NodeId) -> Name:
        """The name of a node that the caller may not read and never named."""
        return Name(HIDDEN, hmac.digest(self.seal.encode(), node.encode(), "sha256").hex()[:24])

    def _sees_dataset(self, name: Name) -> bool:
        """Whether the caller reads the dataset of a name as it was sent."""
        return self.sees(self.naming.identify(name).identity.namespace)

    def _note(self, used: Iterable[DatasetRef]) -> None:
        self.named.update((dataset.id, dataset.name) for dataset in used if not self.sees(dataset.name.namespace))

    def _hidden_facts(self, head: JobHead) -> JobFacts:
        facts = head.facts
        usages = {node: _only_used(usage) for node, usage in facts.usages.items() if self.sees(usage.name.namespace)}
        name = self.hidden_name(facts.id)
        doubt = {INPUTS: Register(Stamp(""), {"runId": ""})} if head.reads_candidates else {}  # of the run of `_edges`
        return JobFacts(name, NEVER, NEVER, {}, doubt, None, usages, is_derivation=facts.is_derivation)

    def _edges(self, head: JobHead) -> Edges:
        """The edges to datasets that the caller reads. Each output has no sources, so that no walk continues."""
        edges, written = head.current, [node for node, usage in head.facts.usages.items() if usage.writes]
        inputs, outputs = self._seen(edges.inputs), self._seen(edges.outputs)
        sources = tuple((output, ()) for output in sorted({*written, *(output.id for output in outputs)}))
        seen = {dataset.id for dataset in inputs + outputs}
        return Edges(NEVER, "", inputs, outputs, sources, tuple(node for node in edges.foreign if node in seen))

    def _seen(self, used: Iterable[DatasetRef]) -> tuple[DatasetRef, ...]:
        return tuple(dataset for dataset in used if self.sees(dataset.name.namespace))


def _only_used(usage: DatasetUsage) -> DatasetUsage:
    """The usage without what the job said of the dataset, and without its time."""
    return DatasetUsage(usage.name, usage.reads, usage.writes, NEVER, {})


def _only_named(dataset: IoDataset) -> IoDataset:
    """The input or output with its name, and with the facets that say of which inputs an output is made."""
    facets = {name: register for name, register in dataset.facets.items() if name in (FOREIGN, SOURCES)}
    return IoDataset(dataset.name, dataset.first, facets, {})
