"""A worker that gives no whole answer says nothing: no run is ended, and the reason has no credentials."""

import json

import pytest

from headwater.rest import Unreachable
from headwater.retry import Deadline
from headwater.sources.connect.worker import Workers, WorkerUrl
from tests.sources.connect.conftest import World
from tests.sources.connect.recorded_worker import LIST, recorded

PAGE = b"<html><body><h2>HTTP ERROR 404 Not Found</h2></body></html>"
"""The answer of a worker whose REST API is not there yet."""
HALF = json.dumps(recorded("running")[LIST][1]).encode()[:700]
STARTING = json.dumps({"read-orders": {"status": recorded("running")[LIST][1]["read-orders"]["status"]}}).encode()
"""A worker that is starting has states, and no configuration yet."""
FAULTS = {
    "401": (401, b'{"error_code": 401, "message": "no"}'),
    "500": (500, b""),
    "503": (503, b'{"error_code": 503, "message": "starting"}'),
    "rebalance": (409, b'{"error_code": 409, "message": "rebalance in process"}'),
    "page": (404, PAGE),
    "api-404": (404, b'{"error_code": 404, "message": "not here"}'),
    "half": (200, HALF),
    "array": (200, b"[]"),
    "empty": (200, b""),
}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("path", ["/", LIST])
def test_a_faulty_answer_ends_no_run(world: World, path: str, fault: str) -> None:
    world.poll()
    before = world.states()
    world.worker.faults[path] = FAULTS[fault]
    with pytest.raises(Unreachable):
        world.poll()
    assert (world.sent, world.states()) == ([], before)
    world.worker.faults.clear()
    assert world.poll().sent == 0


def test_a_worker_that_is_away_ends_no_run(world: World) -> None:
    world.poll()
    url, world.worker.url = world.worker.url, "http://127.0.0.1:1"
    with pytest.raises(Unreachable):
        world.poll()
    world.worker.url = url
    assert world.poll().sent == 0


def test_a_worker_that_is_starting_describes_connectors_in_part_and_ends_no_run(world: World) -> None:
    world.poll()
    before = world.states()
    world.worker.faults[LIST] = (200, STARTING)
    assert list(world.poll().skipped) == ["read-orders"]
    assert (world.sent, world.states()) == ([], before)


@pytest.mark.parametrize("fault", ["500", "half", "rebalance"])
@pytest.mark.parametrize("resource", ["topics", "offsets"])
def test_a_connector_that_is_described_in_part_is_left_as_it_is(world: World, resource: str, fault: str) -> None:
    world.poll()
    world.worker.faults[f"/connectors/write-all/{resource}"] = FAULTS[fault]
    world.worker.show("paused_and_stopped")
    result = world.poll()
    assert world.told() == [("read-orders", "RUNNING")]
    assert list(result.skipped) == ["write-all"]


def test_a_release_without_offsets_and_a_worker_that_tracks_no_topics_are_no_fault(world: World) -> None:
    names = recorded("running")["/connectors"][1]
    absent = (404, b'{"error_code": 404, "message": "HTTP 404 Not Found"}')
    world.worker.faults |= {f"/connectors/{name}/offsets": absent for name in names}
    untracked = (403, b'{"error_code": 403, "message": "Topic tracking is disabled."}')
    world.worker.faults |= {f"/connectors/{name}/topics": untracked for name in names}
    assert not world.poll().skipped
    assert world.jobs()["read-orders"]["outputs"][0]["name"] == "shop-orders", "by the settings alone"


def test_a_list_that_lacks_a_connector_is_no_deletion_if_the_connector_is_there(world: World) -> None:
    """A worker that has just started may list a part of its connectors."""
    world.poll()
    whole = recorded("running")[LIST][1]
    world.worker.faults[LIST] = (200, json.dumps({"read-orders": whole["read-orders"]}).encode())
    assert world.poll().sent == 0
    assert world.worker.waits == [5]


def test_connectors_of_another_kafka_cluster_at_the_address_end_no_run(world: World) -> None:
    world.poll()
    before = world.states()
    world.worker.answers = {"/": [200, {"kafka_cluster_id": "other"}], "/connectors": [200, []], LIST: [200, {}]}
    assert world.poll().sent == 0
    assert world.states() == before


def test_the_next_worker_is_asked_if_one_is_away(world: World) -> None:
    urls = [WorkerUrl.of("http://127.0.0.1:1"), *world.worker.workers().urls]
    assert len(Workers(urls).cluster(Deadline()).connectors) == 4


def test_credentials_in_a_url_are_sent_and_never_shown(world: World) -> None:
    world.poll(user="worker:hunter2@")
    assert set(world.worker.headers) == {"Basic d29ya2VyOmh1bnRlcjI="}
    assert "hunter2" not in repr(world.worker.workers(user="worker:hunter2@"))
    world.worker.faults["/"] = FAULTS["401"]
    with pytest.raises(Unreachable) as error:
        world.poll(user="worker:hunter2@")
    assert "hunter2" not in str(error.value)
    assert "answered 401" in str(error.value)


@pytest.mark.parametrize("url", ["connect-1:8083", "ftp://worker:hunter2@connect-1", "http://"])
def test_an_address_that_is_no_url_is_refused_without_repeating_it(url: str) -> None:
    with pytest.raises(ValueError, match="a worker has a URL") as error:
        WorkerUrl.of(url)
    assert "hunter2" not in str(error.value)
