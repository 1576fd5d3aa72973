"""Jobs that share no dataset with any other job, usually because two jobs name one dataset differently."""

from collections.abc import Iterator

from headwater.cli.doctor.arrivals import Arrivals, Document
from headwater.cli.doctor.finding import DoctorFinding, first_few


def isolated_jobs(arrivals: Arrivals) -> Iterator[DoctorFinding]:
    """Yield a finding if some jobs share datasets, and other jobs share none."""
    sizes = component_sizes([dataset_ids(job) for job in arrivals.jobs])
    alone = [job["name"] for job, size in zip(arrivals.jobs, sizes, strict=True) if size == 1 and job["outputs"]]
    if alone and max(sizes) > 1:
        fix = "another job may use a different name for the same dataset: see suspicious names, and docs/identity.md"
        yield DoctorFinding(f"islands, jobs whose data no other job uses: {first_few(alone)}", fix)


def dataset_ids(job: Document) -> set[tuple[str, str]]:
    return {(dataset["namespace"], dataset["name"]) for dataset in job["inputs"] + job["outputs"]}


def component_sizes(sets: list[set[tuple[str, str]]]) -> list[int]:
    """Return for each set the size of its connected component. Two sets with a common member are connected."""
    group = list(range(len(sets)))
    first: dict[tuple[str, str], int] = {}
    for index, members in enumerate(sets):
        for member in members:
            other = group[first.setdefault(member, index)]
            own = group[index]
            group = [other if number == own else number for number in group] if own != other else group
    return [group.count(number) for number in group]
