"""Admission: how much of an event the queue gets, by the namespaces that the principal may write.

A producer may say anything about its own jobs and datasets. About other people's datasets it may say one thing: that
its job reads or writes them. The edge is true, and the owner should know of it. Anything beyond the name is set aside
before the event is queued. So the archive and the fold have only what a producer may say, and the law of the fold needs
no exception.

Example: the key `team-a` writes the namespaces `team-a` and `s3://a-lake`, and sends

    job team-a/report    parent prod/nightly                        set aside: run.facets.parent
    input s3://b-lake/orders      facets schema, ownership          set aside: inputs[0].facets
    output s3://a-lake/revenue    facets schema, columnLineage,     kept: the names in a column lineage are edges
                                  symlinks to glue/b.revenue        set aside: outputs[0].facets.symlinks
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from headwater.access.principal import Principal, Scope
from headwater.graph.facets.curation import FOREIGN, FOREIGN_SOURCES, JUDGEMENT, PREFIX, RESERVED, SET_ASIDE
from headwater.graph.facets.dataset_reference import named as name_in
from headwater.graph.facets.explicit_lineage import dataset_of, sources_of_target
from headwater.graph.facets.long_facet import COLUMN_LINEAGE
from headwater.graph.names.naming import Naming
from headwater.graph.producers import producer_name
from headwater.graph.producers.event_normalisation import undeclared_inputs
from headwater.openlineage.event import MAX_NAME_LENGTH, AnyEvent, DatasetEvent, Name, RunEvent
from headwater.openlineage.faults import Fault, InvalidRequest
from headwater.openlineage.nameless import NamedDatasets
from headwater.openlineage.wire import PARENT_ALIAS, read_event

MAX_PATHS = 20
"""Paths of an event that an answer lists."""
MEMBERS_BESIDE_NAME = ("facets", "inputFacets", "outputFacets")

Document = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Admitted:
    """An event as the principal may send it. `set_aside` has the paths of the members that were removed.

    The document is the same object as before if nothing was changed.
    """

    document: Document
    set_aside: tuple[str, ...] = ()


def admitted_event(named: NamedDatasets, event: AnyEvent, principal: Principal, naming: Naming) -> Admitted:
    """The event as the principal may send it. `event` is the event in the document.

    Raises InvalidRequest (403) if the event is about the job or dataset of another namespace, or curates without the
    scope.
    """
    document = named.document
    admission = _Admission(principal, naming, [*named.faults])
    if isinstance(event, DatasetEvent):
        principal.require_writing(admission.namespace_of(event.dataset.name), "dataset.namespace")
    else:
        principal.require_writing(event.job.name.namespace, "job.namespace")
    admitted = document if principal.writes_everything else admission.without_set_aside(document, event)
    if not admission.is_changed:
        return Admitted(document)
    return Admitted(admission.noted(admitted), tuple(first_paths(admission.paths)))


def first_paths(paths: list[str]) -> list[str]:
    """The first paths, and the number of further paths."""
    more = len(paths) - MAX_PATHS
    return paths if more <= 0 else [*paths[:MAX_PATHS], f"and {more} more"]


@dataclass
class _Admission:
    """The admission of one event. `paths` collects what is set aside."""

    principal: Principal
    naming: Naming
    paths: list[str] = field(default_factory=list)
    names_foreign: bool = False

    @property
    def is_changed(self) -> bool:
        return bool(self.paths) or self.names_foreign

    def namespace_of(self, dataset: Name) -> str:
        """The namespace of the dataset that a name means: `s3a://lake` is `s3://lake`."""
        if dataset.namespace in RESERVED or self.principal.writes_all_namespaces:
            return dataset.namespace
        return self.naming.identify(dataset).identity.namespace

    def without_set_aside(self, document: Document, event: AnyEvent) -> Document:
        """The event without what is set aside. Members that an event of its kind does not have are left as they are."""
        if isinstance(event, DatasetEvent):
            dataset = self._own_dataset(document["dataset"], "dataset")
            return {**document, "dataset": self._with_foreign_sources(dataset)}
        admitted = dict(document)
        if isinstance(event, RunEvent):
            admitted["run"] = self._run(document["run"])
        for member in ("inputs", "outputs"):
            if document.get(member):
                admitted[member] = list(self._references(document[member], member))
        admitted["job"], sources, targets = self._job(document["job"])
        for member, names in (("inputs", sources), ("outputs", targets)):
            if names:
                admitted[member] = [*(admitted.get(member) or []), *map(_foreign, names)]
        return self._with_undeclared_inputs(admitted)

    def _with_undeclared_inputs(self, event: Document) -> Document:
        """The event. If only its column lineage names inputs, and some belong to others, these become inputs, too."""
        if self.principal.writes_all_namespaces:
            return event
        outputs = event.get("outputs") or []
        if not any(COLUMN_LINEAGE in (output.get("facets") or {}) for output in outputs):
            return event
        undeclared = _short(undeclared_inputs(read_event(event), self.naming))
        if all(map(self._writes, undeclared)):
            return event
        self.names_foreign = True
        added = [name.as_json() if self._writes(name) else _foreign(name) for name in undeclared]
        return {**event, "inputs": [*(event.get("inputs") or []), *added]}

    def _writes(self, dataset: Name) -> bool:
        return self.principal.may_write(self.namespace_of(dataset))

    def noted(self, event: Document) -> Document:
        """The event with a note of what was set aside, on its job or dataset: the doctor and statistics read it."""
        if not self.paths:
            return event
        subject = "job" if isinstance(event.get("job"), dict) else "dataset"
        tool = producer_name(event["producer"])
        note = {"paths": first_paths(self.paths), "key": self.principal.key_id, "producer": tool}
        facets = {**(event[subject].get("facets") or {}), SET_ASIDE: note}
        return {**event, subject: {**event[subject], "facets": facets}}

    def _run(self, run: Document) -> Document:
        """The run; without its parent or root, if that is a run of another's job."""
        facets = run.get("facets") or {}
        self._require_right_to_curate(facets.keys() & {JUDGEMENT})
        kept = facets
        for name in ("parent", PARENT_ALIAS):
            kept = self._with_own_parent(kept, name)
        return run if kept is facets else {**run, "facets": kept}

    def _with_own_parent(self, facets: Document, name: str) -> Document:
        parent = facets.get(name)
        if not isinstance(parent, dict):
            return facets
        if not self._writes_job(parent):
            return self._without(facets, [name], "run.facets")
        if not self._writes_job(parent.get("root")):
            return {**facets, name: self._without(parent, ["root"], f"run.facets.{name}")}
        return facets

    def _writes_job(self, holder: Any) -> bool:
        """Whether the principal may write the job that a parent facet or its root names. A job without a namespace
        names nothing."""
        job = holder.get("job") if isinstance(holder, dict) else None
        namespace = job.get("namespace") if isinstance(job, dict) else None
        return not isinstance(namespace, str) or self.principal.may_write(namespace)

    def _references(self, datasets: list[Document], member: str) -> Iterator[Document]:
        for index, dataset in enumerate(datasets):
            path = f"{member}[{index}]"
            namespace = self._namespace(dataset)
            if not self.principal.may_name(namespace):
                self.paths.append(path)
            elif self.principal.may_write(namespace):
                yield self._own_dataset(dataset, path)
            else:
                yield self._foreign_dataset(dataset, path)

    def _foreign_dataset(self, dataset: Document, path: str) -> Document:
        """Only the name of the dataset, marked as foreign."""
        self.names_foreign = True
        self.paths += [f"{path}.{member}" for member in MEMBERS_BESIDE_NAME if dataset.get(member)]
        return _foreign(Name(dataset["namespace"], dataset["name"]))

    def _own_dataset(self, dataset: Document, path: str) -> Document:
        """The dataset without symlinks to datasets of others, without a rename of theirs, and without their data
        source."""
        facets, at = dataset.get("facets") or {}, f"{path}.facets"
        self._require_right_to_curate(facets)
        kept = self._with_own_symlinks(facets, at)
        source = kept.get("dataSource")
        if isinstance(source, dict) and not self._writes_source(source.get("name")):
            kept = self._without(kept, ["dataSource"], at)
        change = kept.get("lifecycleStateChange")
        if isinstance(change, dict) and not self._is_own(change.get("previousIdentifier")):
            own = self._without(change, ["previousIdentifier"], f"{at}.lifecycleStateChange")
            kept = {**kept, "lifecycleStateChange": own}
        if isinstance(kept.get("lineage"), dict):
            kept = {**kept, "lineage": self._nameable_inputs(kept["lineage"], f"{at}.lineage")}
        return dataset if kept is facets else {**dataset, "facets": kept}

    def _with_foreign_sources(self, dataset: Document) -> Document:
        """The dataset of a DatasetEvent; marked with the datasets of others that it is made of, if there are any."""
        facets = dataset.get("facets") or {}
        foreign = sorted({name for name in sources_of_target(facets.get("lineage")) if not self._writes(name)})
        self.names_foreign |= bool(foreign)
        return {**dataset, "facets": {**facets, FOREIGN_SOURCES: foreign}} if foreign else dataset

    def _with_own_symlinks(self, facets: Document, at: str) -> Document:
        facet = facets.get("symlinks")
        entries = facet.get("identifiers") if isinstance(facet, dict) else None
        if not isinstance(facet, dict) or not isinstance(entries, list):
            return facets
        own = self._kept(entries, f"{at}.symlinks.identifiers", self._is_own)
        return facets if len(own) == len(entries) else {**facets, "symlinks": {**facet, "identifiers": own}}

    def _writes_source(self, name: Any) -> bool:
        return not isinstance(name, str) or not name or self.principal.may_write(name)

    def _job(self, job: Document) -> tuple[Document, list[Name], list[Name]]:
        """The job, and the foreign datasets that its `lineage` facet says it reads, and writes: their edges are
        kept."""
        facets = job.get("facets") or {}
        self._require_right_to_curate(facets)
        facet = facets.get("lineage")
        entries = facet.get("entries") if isinstance(facet, dict) else None
        if not isinstance(facet, dict) or not isinstance(entries, list):
            return job, [], []
        at = "job.facets.lineage.entries"
        foreign = [entry for entry in entries if not self._is_own(entry) and self._is_nameable(entry)]
        targets = [name for entry in foreign if (name := dataset_of(entry))]
        nameable = [self._nameable_inputs(entry, f"{at}[{index}]") for index, entry in enumerate(entries)]
        own = self._kept(nameable, at, self._is_own)
        sources = {name: None for entry in own for name in sources_of_target(entry) if not self._writes(name)}
        self.names_foreign |= bool(sources)
        return {**job, "facets": {**facets, "lineage": {**facet, "entries": own}}}, _short(sources), _short(targets)

    def _nameable_inputs(self, holder: Any, at: str) -> Any:
        """An entry of a `lineage` facet, without inputs in reserved namespaces."""
        if not isinstance(holder, dict):
            return holder
        kept = dict(holder)
        if isinstance(holder.get("inputs"), list):
            kept["inputs"] = self._kept(holder["inputs"], f"{at}.inputs", self._is_nameable)
        if isinstance(holder.get("fields"), dict):
            columns = holder["fields"].items()
            kept["fields"] = {name: self._nameable_inputs(column, f"{at}.fields.{name}") for name, column in columns}
        return kept

    def _is_own(self, entry: Any) -> bool:
        """Whether the principal may write the dataset that an entry names. An entry without a name is inert."""
        return not _is_named(entry) or self.principal.may_write(self._namespace(entry))

    def _is_nameable(self, entry: Any) -> bool:
        return not _is_named(entry) or self.principal.may_name(self._namespace(entry))

    def _namespace(self, dataset: Mapping[str, Any]) -> str:
        return self.namespace_of(Name(dataset["namespace"], dataset["name"]))

    def _require_right_to_curate(self, facets: Iterable[str]) -> None:
        """Raises InvalidRequest (403) for a curation facet without the scope: such a facet deletes and tags like the
        routes of curation."""
        for facet in facets:
            if facet.startswith(PREFIX) and not self.principal.may(Scope.ADMIN):
                reason = f"facets of this name require the scope {Scope.ADMIN}; send a key with this scope"
                raise InvalidRequest(Fault(f"facets.{facet}", reason), status=403)

    def _kept(self, entries: list[Any], at: str, is_kept: Callable[[Any], bool]) -> list[Any]:
        """The entries that are kept; the paths of the others are noted."""
        kept = []
        for index, entry in enumerate(entries):
            if is_kept(entry):
                kept.append(entry)
            else:
                self.paths.append(f"{at}[{index}]")
        return kept

    def _without(self, holder: Document, members: list[str], at: str) -> Document:
        self.paths += [f"{at}.{member}" for member in members]
        return {name: value for name, value in holder.items() if name not in members}


def _is_named(entry: Any) -> bool:
    return name_in(entry) is not None


def _short(names: Iterable[Name]) -> list[Name]:
    """The names that an event may have."""
    return [name for name in names if max(map(len, name)) <= MAX_NAME_LENGTH]


def _foreign(name: Name) -> Document:
    """A dataset that the producer only names."""
    return {**name.as_json(), "facets": {FOREIGN: {}}}
