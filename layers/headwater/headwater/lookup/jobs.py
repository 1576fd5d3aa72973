"""Jobs, one by one and in lists."""

from collections.abc import Iterable, Sequence
from heapq import merge
from itertools import islice

from headwater.answers import Answer
from headwater.graph.identity import NodeId
from headwater.lookup import shapes
from headwater.lookup.asking import namespace_names, path_node, permit
from headwater.lookup.names import Kind
from headwater.lookup.paging import next_page
from headwater.lookup.question import Question
from headwater.lookup.reader import Reader
from headwater.lookup.shapes import Shape
from headwater.openlineage.faults import Fault, Refused
from headwater.store import keys
from headwater.store.table import HIGHEST, Listed

LATEST_RUNS = 10
READ_AT_A_TIME = 100
MAX_LOOKED_THROUGH = 5_000
"""Jobs that are looked at for those whose newest run is in a certain state."""
STATES = frozenset({"NEW", "RUNNING", "COMPLETED", "ABORTED", "FAILED", "OTHER"})


def jobs(reader: Reader, question: Question, path: str) -> Answer:
    names = namespace_names(path)
    if len(names) > 1:
        names = [name for name in names if keys.namespace(name) in reader.table.read(list(map(keys.namespace, names)))]
    for name in names[:1]:
        permit(question, name)
    return _job_list(reader, question, names[:1])


def all_jobs(reader: Reader, question: Question) -> Answer:
    return _job_list(reader, question, [name for name, _ in reader.namespaces() if question.principal.may_use(name)])


def _job_list(reader: Reader, question: Question, names: Sequence[str]) -> Answer:
    """The jobs of namespaces, those first of which something was heard last: four reads for one namespace."""
    states, page = _states(question), question.page()
    ahead = READ_AT_A_TIME if states else page.offset + page.limit
    lists = [
        reader.table.listed(keys.jobs_of(name), before=page.after or HIGHEST, newest_first=True, limit=max(ahead, 1))
        for name in names
    ]
    together = merge(*lists, key=lambda each: each.place, reverse=True)
    found = list(islice(_in_states(reader, together, states), page.offset, page.offset + page.limit))
    heads = reader.jobs([keys.node_of(each.key.pk) for each in found], seen=False)
    latest = reader.runs_of({job: head.latest.run_id for job, head in heads.items() if head.latest})
    order = [keys.node_of(each.key.pk) for each in found]
    listed = [shapes.job(heads[each], [latest[each]] if each in latest else []) for each in order if each in heads]
    total = sum(reader.table.count(keys.jobs_of(name)) for name in names) if page.total is None else page.total
    return Answer(200, {"totalCount": total, "jobs": listed, **next_page(page, found, total)})


def _in_states(reader: Reader, together: Iterable[Listed], states: frozenset[str]) -> Iterable[Listed]:
    """The jobs whose newest run is in one of some states; of a long list, its beginning is looked through."""
    entries = islice(together, MAX_LOOKED_THROUGH) if states else together
    while states and (chunk := list(islice(entries, READ_AT_A_TIME))):
        heads = reader.jobs([keys.node_of(each.key.pk) for each in chunk], seen=False)
        newest = {job: head.latest.state for job, head in heads.items() if head.latest}
        yield from (each for each in chunk if newest.get(keys.node_of(each.key.pk)) in states)
    yield from entries


def job(reader: Reader, question: Question, path: str) -> Answer:
    node = path_node(reader, question, Kind.JOB, path)
    return Answer(200, job_shape(reader, node.id))


def job_shape(reader: Reader, job: NodeId) -> Shape:
    """A job on its own: three reads."""
    head = reader.jobs([job])[job]
    return shapes.job(head, reader.read_runs(reader.newest_runs(job, LATEST_RUNS)))


def _states(question: Question) -> frozenset[str]:
    states = frozenset(each.upper() for each in question.values("lastRunStates"))
    if states - STATES:
        raise Refused(Fault("lastRunStates", f"expected some of {', '.join(sorted(STATES))}"))
    return states
