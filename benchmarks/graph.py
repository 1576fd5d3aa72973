"""A graph of jobs in layers, the same for the same seed.

A job writes one dataset, and reads two or three datasets of the previous layer, near its own place. Hence the graph
within a few hops of a node has the same size in a graph of 5,000 jobs as in a graph of 1,000 jobs, as in a company that
grows by another team; the graph within twenty hops has not. The jobs of the first layer read raw datasets, which no job
writes.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass

LAYERS = 10
REACH = 3
"""The largest distance between a job's place and the places of its inputs in the previous layer."""
COLUMNS = 15


@dataclass(frozen=True)
class LayerDataset:
    """The output of the job at a place of a layer. Datasets of layer 0 are raw."""

    layer: int
    place: int

    @property
    def name(self) -> str:
        zone = "raw" if self.layer == 0 else f"layer_{self.layer:02}"
        return f"warehouse/{zone}/table_{self.place:05}"


@dataclass(frozen=True)
class LayerFlow:
    """An output column, and the input columns that it is made of."""

    column: str
    sources: tuple[tuple[LayerDataset, str], ...]


@dataclass(frozen=True)
class Job:
    inputs: tuple[LayerDataset, ...]
    output: LayerDataset
    flows: tuple[LayerFlow, ...]

    @property
    def name(self) -> str:
        table = self.output.name.replace("/", "_")
        return f"build_{table}.execute_insert_into_hadoop_fs_relation_command.{table}"


@dataclass(frozen=True)
class LayeredGraph:
    jobs: tuple[Job, ...]

    def middle(self, count: int) -> list[Job]:
        """Jobs in the middle layer, evenly spread, without the jobs at its ends."""
        layers = sorted({job.output.layer for job in self.jobs})
        layer = [job for job in self.jobs if job.output.layer == layers[len(layers) // 2]]
        inner = layer[len(layer) // 4 : len(layer) - len(layer) // 4] or layer
        count = min(count, len(inner))
        return [inner[index * len(inner) // count] for index in range(count)]


def layered_graph(jobs: int, seed: int) -> LayeredGraph:
    """A graph of a number of jobs, in layers of equal width."""
    chance = random.Random(seed)  # noqa: S311 - makes test data
    layers = min(LAYERS, jobs)
    widths = [jobs // layers + (layer < jobs % layers) for layer in range(layers)]
    return LayeredGraph(tuple(_jobs(widths, chance)))


def columns(dataset: LayerDataset) -> list[str]:
    return [f"column_{dataset.layer:02}_{number:02}" for number in range(COLUMNS)]


def _jobs(widths: list[int], chance: random.Random) -> Iterator[Job]:
    for layer, width in enumerate(widths, start=1):
        before = widths[layer - 2] if layer > 1 else width
        for place in range(width):
            near = range(max(0, min(place, before - 1) - REACH), min(before, place + REACH + 1))
            chosen = chance.sample(near, min(len(near), chance.choice((2, 3))))
            inputs = tuple(LayerDataset(layer - 1, near_place) for near_place in sorted(chosen))
            output = LayerDataset(layer, place)
            yield Job(inputs, output, tuple(_flow(column, inputs, chance) for column in columns(output)))


def _flow(column: str, inputs: tuple[LayerDataset, ...], chance: random.Random) -> LayerFlow:
    made_of = chance.sample(inputs, min(len(inputs), chance.choice((1, 1, 2))))
    return LayerFlow(column, tuple((source, chance.choice(columns(source))) for source in made_of))
