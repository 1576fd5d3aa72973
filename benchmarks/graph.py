"""A graph of jobs in layers, the same for the same seed.

A job reads two or three datasets that the layer before it wrote, near its own place, and writes one. So what is close
to a node is as large in a graph of 5,000 jobs as in one of 1,000, as it is in a company that grows by another team;
what is twenty hops away is not. The first layer reads raw datasets that no job writes.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass

LAYERS = 10
REACH = 3
"""How far from its own place a job reads in the layer before."""
COLUMNS = 15


@dataclass(frozen=True)
class Dataset:
    """What the job at this place of this layer wrote; those of layer 0 are raw."""

    layer: int
    place: int

    @property
    def name(self) -> str:
        zone = "raw" if self.layer == 0 else f"layer_{self.layer:02}"
        return f"warehouse/{zone}/table_{self.place:05}"


@dataclass(frozen=True)
class Flow:
    """A column, and the columns of the job's inputs that it is made of."""

    column: str
    sources: tuple[tuple[Dataset, str], ...]


@dataclass(frozen=True)
class Job:
    inputs: tuple[Dataset, ...]
    output: Dataset
    flows: tuple[Flow, ...]

    @property
    def name(self) -> str:
        table = self.output.name.replace("/", "_")
        return f"build_{table}.execute_insert_into_hadoop_fs_relation_command.{table}"


@dataclass(frozen=True)
class Graph:
    jobs: tuple[Job, ...]

    def middle(self, count: int) -> list[Job]:
        """Jobs spread evenly over the layer in the middle, away from its ends."""
        layers = sorted({job.output.layer for job in self.jobs})
        layer = [job for job in self.jobs if job.output.layer == layers[len(layers) // 2]]
        inner = layer[len(layer) // 4 : len(layer) - len(layer) // 4] or layer
        count = min(count, len(inner))
        return [inner[index * len(inner) // count] for index in range(count)]


def layered_graph(jobs: int, seed: int) -> Graph:
    """A graph of so many jobs, the layers as equal as can be."""
    chance = random.Random(seed)  # noqa: S311 - makes test data
    layers = min(LAYERS, jobs)
    widths = [jobs // layers + (layer < jobs % layers) for layer in range(layers)]
    return Graph(tuple(_jobs(widths, chance)))


def columns(dataset: Dataset) -> list[str]:
    return [f"column_{dataset.layer:02}_{number:02}" for number in range(COLUMNS)]


def _jobs(widths: list[int], chance: random.Random) -> Iterator[Job]:
    for layer, width in enumerate(widths, start=1):
        before = widths[layer - 2] if layer > 1 else width
        for place in range(width):
            near = range(max(0, min(place, before - 1) - REACH), min(before, place + REACH + 1))
            chosen = chance.sample(near, min(len(near), chance.choice((2, 3))))
            inputs = tuple(Dataset(layer - 1, each) for each in sorted(chosen))
            output = Dataset(layer, place)
            yield Job(inputs, output, tuple(_flow(column, inputs, chance) for column in columns(output)))


def _flow(column: str, inputs: tuple[Dataset, ...], chance: random.Random) -> Flow:
    made_of = chance.sample(inputs, min(len(inputs), chance.choice((1, 1, 2))))
    return Flow(column, tuple((source, chance.choice(columns(source))) for source in made_of))
