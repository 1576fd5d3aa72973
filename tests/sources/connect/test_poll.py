"""A poll of recorded answers of a real worker leaves the graph that a person would draw, and sends nothing twice."""

from itertools import pairwise

from tests import factory
from tests.sources.connect.conftest import TOPICS, World
from tests.sources.connect.recorded_worker import LIST

ORDERS = "dataset:file:/data/orders.txt"


def edges(world: World) -> set[str]:
    """The arrows of the graph: `orders.txt -> read-orders`."""
    graph = world.client("lineage", nodeId=ORDERS)["graph"]
    names = {node["id"]: node["data"]["name"] for node in graph}
    found = {(edge["origin"], edge["destination"]) for node in graph for edge in node["inEdges"] + node["outEdges"]}
    return {f"{names[origin]} -> {names[destination]}" for origin, destination in found}


def drawing(*chains: str) -> set[str]:
    return {f"{one} -> {other}" for chain in chains for one, other in pairwise(chain.split(" -> "))}


def test_connectors_are_jobs_between_files_and_the_topics_that_they_really_use(world: World) -> None:
    world.poll()
    assert edges(world) == drawing(
        "/data/orders.txt -> read-orders -> shop-orders -> write-orders -> /data/copy.txt",
        "shop-orders -> write-all -> /data/all.txt",
        "shop-orders -> write-nowhere -> /missing/orders.txt",
    )
    assert world.jobs()["read-orders"]["outputs"] == [{"namespace": TOPICS, "name": "shop-orders"}]
    assert world.jobs()["read-orders"]["type"] == "STREAM"


def test_a_failed_task_fails_the_run_though_the_connector_is_running(world: World) -> None:
    world.poll()
    assert world.states() == {
        "read-orders": "RUNNING",
        "write-orders": "RUNNING",
        "write-all": "RUNNING",
        "write-nowhere": "FAILED",
    }
    error = world.jobs()["write-nowhere"]["latestRun"]["facets"]["errorMessage"]
    assert error["message"] == "task 0 failed: java.nio.file.NoSuchFileException: /missing/orders.txt"
    assert "FileStreamSinkTask.start" in error["stackTrace"]


def test_a_poll_that_finds_nothing_new_sends_nothing(world: World) -> None:
    assert world.poll().sent == 5
    assert world.poll().sent == 0
    assert world.poll(minutes=5).sent == 0


def test_a_connector_that_is_alive_is_never_silent_for_long(world: World) -> None:
    """The sweep takes a run that is silent for a quarter of an hour for abandoned."""
    world.poll()
    world.poll(minutes=10)
    assert world.told() == [("read-orders", "RUNNING"), ("write-all", "RUNNING"), ("write-orders", "RUNNING")]


def test_offsets_are_the_progress_of_a_run(world: World) -> None:
    world.poll()
    offsets = world.worker.answers["/connectors/write-orders/offsets"][1]["offsets"]
    offsets[0]["offset"]["kafka_offset"] = 7
    world.poll()
    assert world.told() == [("write-orders", "RUNNING")]
    facet = world.jobs()["write-orders"]["latestRun"]["facets"]["kafka_run"]
    assert facet["offsets"] == offsets
    assert facet.keys() >= {"_producer", "_schemaURL"}


def test_a_pause_is_told_and_a_stop_ends_the_run(world: World) -> None:
    world.poll()
    world.worker.show("paused_and_stopped")
    world.poll()
    assert world.told() == [("read-orders", "RUNNING"), ("write-all", "ABORT")]
    assert world.jobs()["read-orders"]["latestRun"]["facets"]["kafka_run"]["state"] == "PAUSED"
    assert world.states()["write-all"] == "ABORTED"
    assert world.poll().sent == 0


def test_a_deleted_connector_is_aborted_and_a_restarted_task_is_a_new_run(world: World) -> None:
    world.poll()
    failed = world.jobs()["write-nowhere"]["latestRun"]["id"]
    world.worker.show("deleted_and_restarted")
    world.poll()
    assert world.told() == [("write-all", "ABORT"), ("write-nowhere", "START")]
    assert world.states()["write-all"] == "ABORTED"
    newest, before = world.jobs()["write-nowhere"]["latestRuns"]
    assert (newest["state"], before["state"], before["id"]) == ("RUNNING", "FAILED", failed)
    assert edges(world) >= drawing("shop-orders -> write-all -> /data/all.txt"), "the job keeps its datasets"
    assert world.poll().sent == 0


def test_another_configuration_is_another_run_with_its_own_datasets(world: World) -> None:
    world.poll()
    world.worker.answers[LIST][1]["write-orders"]["info"]["config"]["file"] = "/data/other.txt"
    world.poll()
    assert world.told() == [("write-orders", "COMPLETE"), ("write-orders", "START")]
    assert [output["name"] for output in world.jobs()["write-orders"]["outputs"]] == ["/data/other.txt"]


def test_a_failure_that_outlasts_its_configuration_for_a_moment_is_told_once(world: World) -> None:
    """The worker has the new configuration before it has restarted the failed task."""
    world.poll()
    world.worker.answers[LIST][1]["write-nowhere"]["info"]["config"]["file"] = "/data/there.txt"
    assert world.poll().sent == 0
    world.worker.answers[LIST][1]["write-nowhere"]["status"]["tasks"][0]["trace"] = "java.lang.Error: another"
    world.poll()
    assert world.told() == [("write-nowhere", "FAIL"), ("write-nowhere", "START")]


def test_a_stopped_connector_that_never_ran_is_a_job_without_a_run(world: World) -> None:
    world.worker.show("paused_and_stopped")
    world.poll()
    assert ("write-all", "JOB") in world.told()
    assert world.jobs()["write-all"]["latestRun"] is None
    assert world.poll().sent == 0


def test_a_poll_whose_events_are_still_on_their_way_sends_the_same_run_again(world: World) -> None:
    world.poll(folds=False)
    first = world.sent
    world.poll()
    assert [event["run"]["runId"] for event in world.sent] == [event["run"]["runId"] for event in first]
    world.fold(*first)
    assert {name: len(job["latestRuns"]) for name, job in world.jobs().items()} == dict.fromkeys(world.states(), 1)
    assert world.poll().sent == 0


def test_columns_of_a_known_schema_flow_through_the_transformations(world: World) -> None:
    topic = {"namespace": TOPICS, "name": "shop-orders", "facets": {"schema": factory.schema("id:int", "email:string")}}
    world.fold({"eventTime": factory.at(0), "producer": factory.PRODUCER, "schemaURL": "", "dataset": topic})
    config = world.worker.answers[LIST][1]["write-orders"]["info"]["config"]
    mask = {"type": "org.apache.kafka.connect.transforms.MaskField$Value", "fields": "email"}
    config |= {"transforms": "mask", **{f"transforms.mask.{key}": text for key, text in mask.items()}}
    world.poll()
    (output,) = next(event for event in world.sent if event["job"]["name"] == "write-orders")["outputs"]
    fields = output["facets"]["columnLineage"]["fields"]
    assert {name: field["inputFields"][0]["transformations"][0]["masking"] for name, field in fields.items()} == {
        "id": False,
        "email": True,
    }
