"""The stream has every change of a schema, even if one batch of messages has several."""

from headwater.fold.split_on_schema_change import split_on_schema_change
from tests import factory
from tests.factory import Document

A, B = factory.schema("id:long"), factory.schema("id:string")


def writes(number: int, *outputs: Document, inputs: tuple[Document, ...] = ()) -> Document:
    return factory.run_event("COMPLETE", run=number, seconds=number, inputs=[*inputs], outputs=[*outputs])


def sizes(*documents: Document) -> list[int]:
    return [len(group) for group in split_on_schema_change(factory.received(*documents))]


def test_events_that_say_the_same_are_folded_together() -> None:
    assert sizes(*(writes(number, factory.dataset("a", schema=A)) for number in range(10))) == [10]


def test_a_schema_that_goes_and_comes_back_is_folded_in_three_steps() -> None:
    assert sizes(
        *(writes(number, factory.dataset("a", schema=schema)) for number, schema in enumerate([A, A, B, A]))
    ) == [2, 1, 1]


def test_other_datasets_and_events_without_a_schema_do_not_split_a_batch() -> None:
    first, second = factory.dataset("a", schema=A), factory.dataset("b", schema=B)
    assert sizes(writes(1, first), writes(2, second), writes(3, factory.dataset("a")), writes(4, first)) == [4]


def test_equal_events_with_two_schemas_of_a_table_are_folded_together() -> None:
    merge = (factory.dataset("a", schema=A),), factory.dataset("a", schema=B)
    assert sizes(*(writes(number, merge[1], inputs=merge[0]) for number in range(3))) == [3]


def test_of_no_events_there_are_no_groups() -> None:
    assert sizes() == []


def test_a_schema_that_is_read_and_then_written_is_two_changes() -> None:
    table = factory.dataset("a", schema=A)
    assert sizes(writes(1, inputs=(table,)), writes(2, table)) == [1, 1]
