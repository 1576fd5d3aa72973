"""Splits an event with very many datasets into smaller events, which are folded one after the other.

A part has the digest and the times of its event, as if the producer had sent the datasets bit by bit. So the parts
leave the same items as the whole event, and folding one twice changes nothing.
"""

from collections.abc import Iterable
from dataclasses import replace

from headwater.graph.facets.dataset_reference import dataset_references
from headwater.graph.names.identity import dataset_id
from headwater.graph.states.normalised_event import NormalisedEvent
from headwater.openlineage.event import DatasetReference, EventType, RunEvent


def divide(normalised: NormalisedEvent, datasets: int) -> list[NormalisedEvent]:
    """The parts of an event, with at most so many datasets each. All mentions of a dataset, marked as foreign or not,
    are in one part.

    Only a RunEvent is divided: the datasets of its run are the union over the run's events. The datasets of a JobEvent
    replace those of an earlier JobEvent. A FAIL is not divided, because its alert names all outputs.
    """
    event = normalised.event
    if not isinstance(event, RunEvent) or event.type is EventType.FAIL:
        return [normalised]
    names = {reference.name: dataset_id(reference.name) for reference in dataset_references(event)}
    part_of = {dataset: number // datasets for number, dataset in enumerate(dict.fromkeys(names.values()))}
    if len(part_of) <= datasets:
        return [normalised]

    def only(references: Iterable[DatasetReference], part: int) -> tuple[DatasetReference, ...]:
        return tuple(reference for reference in references if part_of[names[reference.name]] == part)

    return [
        normalised._replace(event=replace(event, inputs=only(event.inputs, part), outputs=only(event.outputs, part)))
        for part in range(max(part_of.values()) + 1)
    ]
