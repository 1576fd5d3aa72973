"""Jobs that hang together with no other by the data they use: mostly, one name is not what another calls it."""

from collections.abc import Iterator

from local.doctor.arrivals import Arrivals, Document
from local.doctor.finding import Finding, some


def islands(arrivals: Arrivals) -> Iterator[Finding]:
    """Jobs that share no dataset with any other, where several do."""
    groups = connected([dataset_ids(each) for each in arrivals.jobs])
    alone = [each["name"] for each, size in zip(arrivals.jobs, groups, strict=True) if size == 1 and each["outputs"]]
    if alone and max(groups) > 1:
        fix = "does the next job call the same data by another name? See suspicious names, and docs/identity.md"
        yield Finding(f"islands, jobs whose data no other uses: {some(alone)}", fix)


def dataset_ids(job: Document) -> set[tuple[str, str]]:
    return {(each["namespace"], each["name"]) for each in job["inputs"] + job["outputs"]}


def connected(sets: list[set[tuple[str, str]]]) -> list[int]:
    """For each set, how many sets hang together with it by common members, itself included."""
    group = list(range(len(sets)))
    first: dict[tuple[str, str], int] = {}
    for index, members in enumerate(sets):
        for member in members:
            other = group[first.setdefault(member, index)]
            mine = group[index]
            group = [other if each == mine else each for each in group] if mine != other else group
    return [group.count(each) for each in group]
