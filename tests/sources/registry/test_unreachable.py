"""A registry that gives no whole answer says nothing: no subject is deleted, and the reason has no credentials."""

import pytest

from headwater.rest import Unreachable
from headwater.retry import Deadline
from headwater.sources.registry.confluent import ConfluentRegistry, RegistryUrl
from tests.sources.registry.conftest import World, record
from tests.sources.registry.fake_registry import AUTHORIZATION, FakeRegistry

FAULTS = {
    "401": (401, b'{"error_code": 401, "message": "Unauthorized"}'),
    "403": (403, b'{"error_code": 40301, "message": "User is denied operation Read on Subject"}'),
    "429": (429, b'{"error_code": 429, "message": "slow down"}'),
    "500": (500, b'{"error_code": 50001, "message": "Error in the backend data store"}'),
    "503": (503, b""),
    "page": (404, b"<html>not found</html>"),
    "other": (404, b'{"error_code": 404, "message": "HTTP 404 Not Found"}'),
    "half": (200, b'["orders-val'),
    "object": (200, b"{}"),
    "empty": (200, b""),
}
LATEST, VERSIONS = "/subjects/orders-value/versions/latest", "/subjects/orders-value/versions"


@pytest.fixture(autouse=True)
def _told(world: World) -> None:
    world.registry.register("orders-value", record("id:long"))
    world.registry.register("carts-value", record("id:long"))
    world.poll()


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("path", ["/subjects", "/config"])
def test_a_faulty_answer_deletes_no_subject(world: World, path: str, fault: str) -> None:
    world.registry.faults[path] = FAULTS[fault]
    with pytest.raises(Unreachable):
        world.poll()
    assert world.sent == []
    world.registry.faults.clear()
    assert world.poll().sent == 0


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("path", [LATEST, "/config/orders-value"])
def test_a_subject_that_is_not_read_whole_is_left_as_it_is(world: World, path: str, fault: str) -> None:
    world.registry.register("orders-value", record("id:long", "email:string?"))
    world.registry.register("carts-value", record("id:long", "email:string?"))
    world.registry.faults[path] = FAULTS[fault]
    assert list(world.poll().skipped) == ["orders-value"]
    assert world.topics_told() == ["carts"]


@pytest.mark.parametrize("fault", FAULTS)
def test_a_subject_that_the_list_lacks_is_deleted_only_if_the_registry_says_so(world: World, fault: str) -> None:
    """A key of Confluent Cloud lists the subjects that it may read."""
    world.registry.faults = {"/subjects": (200, b'["carts-value"]'), VERSIONS: FAULTS[fault]}
    assert list(world.poll().skipped) == ["orders"]
    assert world.sent == []


def test_a_list_that_lacks_a_subject_which_is_there_deletes_nothing(world: World) -> None:
    world.registry.faults["/subjects"] = (200, b"[]")
    assert (world.poll().sent, world.sent) == (0, [])


@pytest.mark.parametrize("fault", ["401", "500", "half"])
def test_without_the_registrys_verdict_a_version_waits_for_the_next_poll(world: World, fault: str) -> None:
    check = "/compatibility/subjects/orders-value/versions/1?verbose=true"
    world.registry.register("orders-value", record("id:string"))
    world.registry.incompatible["orders-value"] = ["id"]
    world.registry.faults[check] = FAULTS[fault]
    assert list(world.poll().skipped) == ["orders"]
    world.registry.faults.clear()
    assert world.poll().sent == 1
    assert world.types() == ["Compatibility Broken"]


@pytest.mark.parametrize("status", [403, 422])
def test_where_the_registry_gives_no_verdict_the_columns_tell(world: World, status: int) -> None:
    """A key may not ask, or Apicurio cannot check beside a version with references."""
    for subject in ("orders-value", "carts-value"):
        check = f"/compatibility/subjects/{subject}/versions/1?verbose=true"
        world.registry.faults[check] = (status, b'{"error_code": %d01, "message": "no"}' % status)
    world.registry.register("orders-value", record("id:string"))
    world.registry.register("carts-value", record("id:long", "email:string?"))
    assert world.poll().sent == 2
    assert sorted(world.types()) == ["Compatibility Broken", "Dataset Schema Changed"]


def test_a_node_that_is_away_is_passed_over(world: World) -> None:
    assert world.poll(source=world.registry.source("http://127.0.0.1:1")).sent == 0


def test_credentials_are_sent_and_never_told(registry: FakeRegistry) -> None:
    address = RegistryUrl.of(registry.url.replace("//", "//reader:hunter2@"))
    ConfluentRegistry([address]).listed(Deadline())
    assert set(registry.headers) == {None, AUTHORIZATION}
    registry.faults["/subjects"] = FAULTS["401"]
    with pytest.raises(Unreachable) as error:
        ConfluentRegistry([address]).listed(Deadline())
    assert "hunter2" not in f"{error.value}{address}{ConfluentRegistry([address])}"
    assert str(error.value) == f"{registry.url}/subjects: the registry answered 401"
