"""A dataset that only the jobs of others have named is in no list, search or count of its namespace."""

from headwater.access.principal import Principal
from tests import factory
from tests.access.teams import B_ADMIN, B_LAKE, ROOT, A, B, Stack, event, two_teams

GHOSTS = [factory.dataset(f"ghost_{number}", B_LAKE) for number in range(50)]
OWN = factory.run_id(77)


def haunted() -> Stack:
    stack = two_teams()
    assert stack.post(A, event("COMPLETE", factory.run_id(70), "team-a", "haunt", inputs=GHOSTS)).status == 201
    return stack


def listed(stack: Stack, caller: Principal) -> list[str]:
    return [entry["name"] for entry in stack.get(caller, f"namespaces/{B_LAKE}/datasets").body["datasets"]]


def found(stack: Stack, caller: Principal, word: str) -> list[str]:
    return [hit["name"] for hit in stack.get(caller, "search", q=word).body["results"]]


def test_ghosts_are_in_no_list_search_or_count_of_the_owner() -> None:
    stack, before = haunted(), two_teams()
    assert listed(stack, B) == listed(before, B)
    assert found(stack, B, "ghost") == []
    total = f"namespaces/{B_LAKE}/datasets"
    assert stack.get(B, total).body["totalCount"] == before.get(B, total).body["totalCount"]
    assert listed(stack, ROOT) == listed(before, ROOT)


def test_an_edge_to_a_ghost_stays_and_the_owner_may_clear_it() -> None:
    stack = haunted()
    path = f"namespaces/{B_LAKE}/datasets/ghost_7"
    assert stack.get(B, path).status == 200
    node = "job:team-a:haunt"
    names = [each["data"]["name"] for each in stack.get(A, "lineage", nodeId=node).body["graph"]]
    assert "ghost_7" in names
    assert stack.write(B_ADMIN, "DELETE", path).status == 200
    assert stack.get(B, path).status == 404


def test_a_ghost_that_its_owner_names_is_a_dataset_like_any_other() -> None:
    stack = haunted()
    stack.post(B, event("COMPLETE", OWN, "team-b", "real", seconds=-500, outputs=[factory.dataset("ghost_7", B_LAKE)]))
    assert "ghost_7" in listed(stack, B)
    assert found(stack, B, "ghost") == ["ghost_7"]


def test_a_dataset_that_others_name_first_and_the_same_job_owns_later_is_found() -> None:
    stack = haunted()
    stack.post(ROOT, event("COMPLETE", factory.run_id(71), "team-a", "haunt", seconds=99, inputs=GHOSTS[:1]))
    assert "ghost_0" in listed(stack, B)
    assert found(stack, B, "ghost") == ["ghost_0"]
