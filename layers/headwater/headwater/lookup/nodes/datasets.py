"""Datasets, one by one and in lists, with what their jobs say of them."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet

from headwater.graph.dataset import DatasetHead
from headwater.graph.identity import NodeId, NodeKind
from headwater.graph.job import JobHead
from headwater.graph.neighbours import NOBODY, Neighbours, Side
from headwater.http.paging import next_page
from headwater.http.request import ApiRequest
from headwater.http.response import ApiResponse
from headwater.lookup import marquez_schema
from headwater.lookup.request_nodes import known_namespace, namespace_names, node_from_path, permit
from headwater.openlineage.event import Name
from headwater.openlineage.exact_json import JsonObject
from headwater.openlineage.instant import Instant
from headwater.read.reader import Neighbourhood, Reader
from headwater.store import item_codec, keys
from headwater.store.table import LOWEST

MAX_ASKED = 100
"""Jobs that are asked about a list of datasets, and columns' documents read for it: one BatchGetItem each."""


def datasets(reader: Reader, request: ApiRequest, path: str) -> ApiResponse:
    """The datasets of a namespace by name: four reads for a hundred."""
    page = request.page()
    names = namespace_names(path)
    for name in names:
        asked = page.offset + page.limit + 1
        entries, count = reader.table.page_with_count(keys.datasets_of(name), asked, after=page.after or LOWEST)
        if count:
            permit(request, name)
            found = [each for each in entries if each.place != page.after][page.offset :][: page.limit]
            total = count if page.total is None else page.total
            shown = _dataset_list(reader, [keys.node_of(each.key.pk) for each in found])
            return ApiResponse(200, {"totalCount": total, "datasets": shown, **next_page(page, found, total)})
    permit(request, known_namespace(reader, path))
    return ApiResponse(200, {"totalCount": 0, "datasets": []})


def dataset(reader: Reader, request: ApiRequest, path: str) -> ApiResponse:
    node = node_from_path(reader, request, NodeKind.DATASET, path)
    return ApiResponse(200, dataset_as_json(reader, node.id))


def dataset_as_json(reader: Reader, dataset: NodeId) -> JsonObject:
    """A dataset on its own: three reads, if it is not known by several names and its writers are not very many."""
    neighbourhood = reader.neighbourhood([dataset], (Side.WRITES,), MAX_ASKED)
    one = neighbourhood.same.get(dataset, dataset)
    head, asked = neighbourhood.heads[one], _to_ask(neighbourhood, one)
    ids = neighbourhood.ids_of(one)
    digests = {(each, digest) for each in ids for digest in _digests(head)}
    items = reader.table.read([*map(keys.job_head, asked), *(keys.column_lineage(*each) for each in digests)])
    jobs = {keys.node_of(key.pk): item_codec.read_job(item) for key, item in items.items() if key.sk == keys.HEAD}
    facets = {key.sk[2:]: item_codec.read_document(item) for key, item in items.items() if key.sk != keys.HEAD}
    writes, quality = _last_writes(jobs, ids), _last_check(jobs, ids)
    found = reader.table.read([*writes, *([quality] if quality else [])])
    last = max((found[key] for key in writes if key in found), key=lambda item: item.labels["at"], default=None)
    checked = found.get(quality) if quality else None
    said = [facets[digest] for digest in _newest_first(head, jobs, ids) if digest in facets]
    write = (keys.run_of(last.key.sk)[0], item_codec.read_write(last)) if last else None
    document = marquez_schema.dataset(head, _last_used(jobs.values(), ids), write, said)
    others = [each for each in ids if each != one]
    return document | {
        "aliases": [around_name.as_json() for around_name in _names_of(reader, others)],
        "dataQuality": marquez_schema.quality(checked) if checked else None,
    }


def _to_ask(neighbourhood: Neighbourhood, dataset: NodeId) -> list[NodeId]:
    """The jobs to ask about a dataset: its writers, and of very many readers some."""
    users: Neighbours = neighbourhood.users.get(dataset, NOBODY)
    first = [job for _, job in neighbourhood.heads[dataset].users]
    return list(dict.fromkeys([*sorted(users[Side.WRITES]), *first, *sorted(users[Side.READS])]))[:MAX_ASKED]


def _dataset_list(reader: Reader, ids: Sequence[NodeId]) -> list[JsonObject]:
    """Datasets with what their jobs say of them: three reads for a hundred. Of a long list, a few jobs of each."""
    heads = reader.datasets(ids)
    users = [[job for _, job in head.users] for head in heads.values()]
    asked = dict.fromkeys(job for rank in range(3) for of_one in users for job in of_one[rank : rank + 1])
    jobs = reader.jobs(list(asked)[:MAX_ASKED])
    newest = {each: _newest_first(head, jobs, {each}) for each, head in heads.items()}
    wanted = [(each, digest) for rank in range(3) for each, said in newest.items() for digest in said[rank : rank + 1]]
    facets = reader.column_lineage(wanted[: max(MAX_ASKED, len(heads))])
    return [
        marquez_schema.dataset(
            heads[each],
            _last_used(jobs.values(), {each}),
            None,
            [facets[each, digest] for digest in newest[each] if (each, digest) in facets],
        )
        for each in ids
        if each in heads
    ]


def _digests(head: DatasetHead) -> set[str]:
    own = head.column_lineage
    return {*head.columns.values(), *([own.value] if own else [])}


def _newest_first(head: DatasetHead, jobs: Mapping[NodeId, JobHead], ids: Collection[NodeId]) -> list[str]:
    """The digests of a dataset's column lineage, the newest first; last those of jobs that were not asked."""
    said = [register for job in jobs.values() for each in sorted(ids) if (register := job.column_lineage(each))]
    said += [own for own in [head.column_lineage] if own]
    newest = [register.value for register in sorted(said, key=lambda register: register.stamp, reverse=True)]
    return list(dict.fromkeys([*(each for each in newest if each in _digests(head)), *sorted(_digests(head))]))


def _last_used(jobs: Iterable[JobHead], ids: Collection[NodeId]) -> Instant | None:
    seen = [job.facts.usages[each].last for job in jobs for each in ids if each in job.facts.usages]
    return max(seen, default=None)


def _last_writes(jobs: Mapping[NodeId, JobHead], ids: AbstractSet[NodeId]) -> list[keys.Key]:
    """What each of a dataset's jobs wrote last, of those whose runs began last: of the versions of a dataset the newest
    is among them, though not always that whose run did. An application begins before its actions."""
    found = [(head.chosen, job, each) for job, head in jobs.items() for each in ids & head.chosen.output_ids]
    newest = sorted(found, key=lambda each: (each[0][:2], each[1:]), reverse=True)[:MAX_WRITES]
    return [keys.write(dataset, edges.run_id, job) for edges, job, dataset in newest]


def _last_check(jobs: Mapping[NodeId, JobHead], ids: AbstractSet[NodeId]) -> keys.Key | None:
    """The newest that was found out about a dataset's data."""
    seen = [
        (head.facts.usages[each].quality, job, each)
        for job, head in jobs.items()
        for each in ids & head.facts.usages.keys()
    ]
    found = [(quality, job, each) for quality, job, each in seen if quality]
    newest = max(found, default=None)
    return keys.quality(newest[2], newest[0].run_id, newest[1]) if newest else None


def _names_of(reader: Reader, ids: Collection[NodeId]) -> list[Name]:
    heads = reader.datasets(ids) if ids else {}
    return sorted(head.facts.name for head in heads.values())


MAX_WRITES = 20
