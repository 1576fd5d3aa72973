"""The history of a dataset, newest first: its versions, and the quality results of its data.

A dataset with several names has a time line under each of its ids. The time lines are merged.
"""

from collections.abc import Callable, Sequence
from itertools import islice
from typing import Generic, TypeVar

from headwater.graph.names.identity import DatasetId, QualityId, WriteId
from headwater.graph.states.dataset import DatasetHead
from headwater.graph.states.stored_states import DatasetWrite, QualityResult
from headwater.http.paging import Page, offset_too_large
from headwater.http.request import PageRequest
from headwater.openlineage.faults import NotFound
from headwater.read.name_resolution import NamedNode
from headwater.read.neighbourhood import NameSpan, Neighbourhood
from headwater.read.reader import Reader
from headwater.store.graph_store import GraphReader
from headwater.store.ranges import Position, TimeLine, just_behind, quality_position, write_position
from headwater.store.snapshot import ReadRequest

MAX_OFFSET = 10_000
"""The largest offset in a history under several ids: all entries before the offset are read and sorted."""

Id = TypeVar("Id")
State = TypeVar("State", bound=DatasetWrite | QualityResult)


def head_and_ids(reader: Reader, node: NamedNode) -> tuple[DatasetHead, list[DatasetId]]:
    """The head of a dataset, and the ids of all its names. Raises NotFound if the dataset is deleted."""
    head, neighbourhood = _found(reader, node)
    return head, sorted(neighbourhood.ids_of(neighbourhood.representative(node.dataset)))


def head_and_spans(reader: Reader, node: NamedNode) -> tuple[DatasetHead, list[NameSpan]]:
    """The head of a dataset, and its ids, each with the time in which it was the dataset's. Raises NotFound."""
    head, neighbourhood = _found(reader, node)
    return head, neighbourhood.spans_of(neighbourhood.representative(node.dataset))


def _found(reader: Reader, node: NamedNode) -> tuple[DatasetHead, Neighbourhood]:
    neighbourhood = reader.neighbourhood([node.dataset], ())
    representative = neighbourhood.representative(node.dataset)
    if representative not in neighbourhood.heads:
        raise NotFound(f"Dataset '{node.name.name}' not found.")
    return neighbourhood.heads[representative], neighbourhood


class DatasetHistory(Generic[Id, State]):
    """The time lines of one dataset, one for each of its ids.

    lines     the time lines
    read      returns the states with these ids that are still stored
    position  returns the position of a state in its time line
    """

    def __init__(
        self,
        lines: Sequence[TimeLine[Id]],
        read: Callable[[Sequence[Id]], list[State]],
        position: Callable[[State], Position],
    ) -> None:
        self._lines = lines
        self._read = read
        self._position = position

    def page(self, request: PageRequest) -> Page[State]:
        """A page: one query for each time line, and one read of the states.

        The first page reads all ids, for the total. A page after a cursor only reads its own ids.
        """
        return self._page_of_several_lines(request) if len(self._lines) > 1 else self._page_of_one_line(request)

    def newest(self) -> State | None:
        """The newest state of all time lines."""
        ids = [newest for line in self._lines for newest in islice(line.newest(limit=1), 1)]
        return max(self._read(ids), key=self._list_position, default=None)

    def _page_of_one_line(self, request: PageRequest) -> Page[State]:
        before = None if request.after is None else _position_of_cursor(request.after)
        (ids,) = self._ids(before, None if request.after is None else request.limit + 1)
        wanted = ids[request.offset :][: request.limit]
        is_last = request.offset + len(wanted) >= len(ids)
        return Page(self._read(wanted), _total(request, len(ids)), is_last, self._list_position)

    def _page_of_several_lines(self, request: PageRequest) -> Page[State]:
        """The newest states of all time lines are among the newest states of each time line.

        Two states have the same position if one run wrote the dataset under two names.
        """
        if request.offset > MAX_OFFSET:
            raise offset_too_large()
        most = request.offset + request.limit + 2
        before = None if request.after is None else just_behind(_position_of_cursor(request.after))
        ids = self._ids(before, None if request.after is None else most)
        states = self._read([state_id for of_line in ids for state_id in of_line[:most]])
        ordered = sorted(states, key=self._list_position, reverse=True)
        after = request.after
        remaining = [state for state in ordered if after is None or self._list_position(state) < after][
            request.offset :
        ]
        is_last = len(remaining) <= request.limit
        return Page(remaining[: request.limit], _total(request, sum(map(len, ids))), is_last, self._list_position)

    def _ids(self, before: str | None, most: int | None) -> list[list[Id]]:
        """The ids of each time line before a position, newest first."""
        return [list(islice(line.newest(before=before, limit=most), most)) for line in self._lines]

    def _list_position(self, state: State) -> str:
        """The position of a state among the states of all time lines, as a cursor holds it."""
        return f"{self._position(state)}#{state.id.dataset}"


def write_history(store: GraphReader, spans: Sequence[NameSpan]) -> DatasetHistory[WriteId, DatasetWrite]:
    """The versions of a dataset with these ids in their times."""

    def read(writes: Sequence[WriteId]) -> list[DatasetWrite]:
        snapshot = store.read(ReadRequest(writes=writes))
        return snapshot.writes.of(writes)

    return DatasetHistory(
        [store.writes_of(node).between(since, end) for node, since, end in spans], read, write_position
    )


def quality_history(store: GraphReader, spans: Sequence[NameSpan]) -> DatasetHistory[QualityId, QualityResult]:
    """The quality results of a dataset with these ids in their times."""

    def read(results: Sequence[QualityId]) -> list[QualityResult]:
        snapshot = store.read(ReadRequest(quality=results))
        return snapshot.quality.of(results)

    return DatasetHistory(
        [store.quality_of(node).between(since, end) for node, since, end in spans], read, quality_position
    )


def _position_of_cursor(cursor: str) -> str:
    return cursor.rpartition("#")[0]


def _total(request: PageRequest, count: int) -> int:
    return count if request.total is None else request.total
