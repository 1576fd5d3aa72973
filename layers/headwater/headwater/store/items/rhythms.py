"""Rhythms of jobs."""

from itertools import accumulate, pairwise
from typing import Any

from headwater.graph.names.identity import job_id
from headwater.graph.states.rhythm import ID_DIGITS, Observation, Rhythm, at
from headwater.openlineage.instant import instant_of
from headwater.store import keys
from headwater.store.items.codec import Codec, Members
from headwater.store.items.runs import OPEN_IN
from headwater.store.items.values import array, name_of, number, optional, text
from headwater.store.table import Item

UNUSUAL = "unusual"
"""The label of a rhythm whose newest run wrote an unusual amount: only such a change goes from the stream to alerts."""


def encode(rhythm: Rhythm) -> Item:
    """The item of a rhythm, with the numbers of its observations side by side: a hundred of them take a kilobyte. Its
    label `at` is the time at which the next run is late, if the job has a timetable."""
    from headwater.graph.expectations.timetable import timetable  # noqa: PLC0415 - readers need no timetables
    from headwater.graph.expectations.usual import unusual  # noqa: PLC0415

    seen = rhythm.observations
    starts = [each.start for each in seen]
    document: dict[str, Any] = {
        "job": rhythm.job,
        "starts": [*starts[:1], *(later - earlier for earlier, later in pairwise(starts))],
        "runs": "".join(each.run for each in seen),
        "generations": {each.run: each.generation for each in seen if each.generation != each.run},
        "seconds": [each.seconds for each in seen],
        "failed": [number for number, each in enumerate(seen) if not each.is_good],
        "apart": [number for number, each in enumerate(seen) if not each.is_due],
        "rows": [each.rows for each in seen],
        "bytes": [each.size for each in seen],
    }
    found = timetable(rhythm) if rhythm.is_due else None
    slot = found.next_after(starts[-1]) if found else None
    due = {OPEN_IN: keys.due_jobs(rhythm.id), "at": instant_of(at(slot.latest))} if slot else {}
    strange = {UNUSUAL: "yes"} if unusual(seen) else {}
    return RHYTHM.item(keys.rhythm(rhythm.id), document, {**due, **strange})


def _decode(item: Item, members: Members) -> Rhythm:
    starts = list(accumulate(members.read("starts", array(number))))
    runs = members.read("runs", text)
    generations = members.read("generations", dict)
    failed, apart = (set(members.read(name, array(number))) for name in ("failed", "apart"))
    ids = [runs[start : start + ID_DIGITS] for start in range(0, len(runs), ID_DIGITS)]
    columns = zip(
        starts,
        ids,
        (text(generations.get(run, run)) for run in ids),
        members.read("seconds", array(number)),
        (place not in failed for place in range(len(ids))),
        members.read("rows", array(optional(number))),
        members.read("bytes", array(optional(number))),
        (place not in apart for place in range(len(ids))),
        strict=True,
    )
    return Rhythm(
        job=members.read("job", name_of(job_id, keys.rhythm_of(item.key))),
        observations=tuple(map(Observation._make, columns)),
    )


RHYTHM = Codec("rhythm", _decode, ())
