"""What a declaration refers to has to be there, as in Marquez: a data source, datasets, a run.

A fault names the member of the body, with the status 404. Of what the caller may not read, nothing is asked.
"""

from collections.abc import Iterable

from headwater.curate.curator import Curator
from headwater.graph.facets.curation import SOURCES
from headwater.graph.names.identity import NodeKind
from headwater.graph.states.run import Run
from headwater.http.subjects import known_namespaces
from headwater.openlineage.event import Name
from headwater.openlineage.faults import Fault, InvalidRequest
from headwater.read.name_resolution import NamedNode, resolve
from headwater.read.namespace_details import heads_in


def require_source(curator: Curator, name: str, dataset: Name) -> None:
    """Raises InvalidRequest (404) for an unknown data source. A dataset that names no source has its namespace as its
    source, so a known namespace counts as one."""
    reader = curator.before
    if name != dataset.namespace and not heads_in(reader, SOURCES, [name]) and not known_namespaces(reader, [name]):
        raise _unknown("sourceName", f"Source '{name}' not found.")


def require_datasets(curator: Curator, member: str, names: Iterable[Name]) -> None:
    """Raises InvalidRequest (404) for the first dataset that no event has named, or that is deleted."""
    for index, name in enumerate(names):
        is_hidden = not curator.caller.may_read(name.namespace)
        if not is_hidden and resolve(curator.before, [NamedNode(NodeKind.DATASET, name)]) is None:
            raise _unknown(f"{member}[{index}]", f"Dataset '{name.name}' not found.")


def known_run(curator: Curator, run_id: str, job: Name | None = None) -> Run:
    """The run of an id. Raises InvalidRequest (404) for an unknown run, or a run of another job than this."""
    run = curator.reader().run(run_id)
    if run is None or job not in (None, run.job):
        raise _unknown("runId", f"Run '{run_id}' not found.")
    return run


def _unknown(member: str, message: str) -> InvalidRequest:
    return InvalidRequest(Fault(member, message), status=404)
