"""A dataset that only the jobs of others have named is in no list, search or count of its namespace."""

import pytest

from headwater.access.principal import Principal
from tests import factory
from tests.access.teams import A_ADMIN, B_ADMIN, B_LAKE, ROOT, A, B, Stack, event, two_teams

GHOSTS = [factory.dataset(f"ghost_{number}", B_LAKE) for number in range(50)]
OWN = factory.run_id(77)
ALL = {"namedByOthers": "true"}


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
    names = [each["data"]["name"] for each in stack.get(A, "lineage", nodeId="job:team-a:haunt").body["graph"]]
    assert "ghost_7" in names
    assert stack.write(B_ADMIN, "DELETE", path).status == 200
    assert stack.get(B, path).status == 404


def test_the_owner_sees_ghosts_apart_and_clears_them_together() -> None:
    stack, path = haunted(), f"namespaces/{B_LAKE}/datasets"
    answer = stack.get(B, path, namedByOthers="true", limit="20")
    assert answer.body["totalCount"] == len(GHOSTS)
    assert [entry["name"] for entry in answer.body["datasets"]] == sorted(ghost["name"] for ghost in GHOSTS)[:20]
    assert answer.secrets(("haunt", "team-a")) == []
    rest = stack.get(B, path, namedByOthers="true", cursor=answer.body["cursor"])
    assert len(rest.body["datasets"]) == len(GHOSTS) - 20
    assert stack.get(A, path, namedByOthers="true").status == 403

    for caller in (B, A_ADMIN):
        assert stack.write(caller, "DELETE", path, query=ALL).status == 403
    assert stack.write(B_ADMIN, "DELETE", path).status == 400
    own = listed(stack, B)
    assert stack.write(B_ADMIN, "DELETE", path, query=ALL).body == {"totalCount": len(GHOSTS)}
    stack.post(A, event("COMPLETE", factory.run_id(72), "team-a", "haunt", seconds=9_000, inputs=GHOSTS))
    assert stack.get(B, path, namedByOthers="true").body["datasets"] == []
    assert (listed(stack, B), stack.get(B, f"{path}/ghost_7").status) == (own, 404)
    stack.post(B, event("COMPLETE", OWN, "team-b", "real", seconds=9_001, outputs=GHOSTS[7:8]))
    assert stack.get(B, f"{path}/ghost_7").status == 200


def test_a_deleted_namespace_has_no_ghosts() -> None:
    stack = haunted()
    assert stack.write(B_ADMIN, "DELETE", f"namespaces/{B_LAKE}").status == 200
    assert stack.get(B, f"namespaces/{B_LAKE}/datasets", namedByOthers="true").body["datasets"] == []


@pytest.mark.parametrize("is_real_later", [False, True])
def test_a_namespace_that_only_others_name_is_none_of_the_owner(is_real_later: bool) -> None:
    """It is in no list; what others name there is found by whoever asks for it."""
    stack, ghost = two_teams(), factory.dataset("ghost", "s3://b-invented")
    stack.post(A, event("COMPLETE", factory.run_id(70), "team-a", "haunt", inputs=[ghost]))
    if is_real_later:
        stack.post(B, event("COMPLETE", OWN, "team-b", "real", seconds=-500, outputs=[ghost]))
    names = [each["name"] for each in stack.get(B, "namespaces").body["namespaces"]]
    assert ("s3://b-invented" in names) == is_real_later
    path = "namespaces/s3://b-invented/datasets"
    assert stack.get(B, path).status == (200 if is_real_later else 404)
    if not is_real_later:
        assert stack.get(B, path, namedByOthers="true").body["totalCount"] == 1
        assert stack.write(B_ADMIN, "DELETE", path, query=ALL).body == {"totalCount": 1}


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
