"""Consumer groups of applications are jobs that read topics; groups of engines that tell of themselves are not."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta

import pytest

from headwater.graph.names.naming import Naming
from headwater.read.reader import Reader
from headwater.rest import Unreachable
from headwater.retry import Deadline
from headwater.sources.connect.clusters import ConnectCluster
from headwater.sources.connect.consumer_groups import ConsumerGroup, ConsumerGroups
from headwater.sources.poller import poll as poll_once
from headwater.sources.scheduled import StoredGraph
from tests.sources.connect.conftest import KAFKA, TOPICS, World
from tests.sources.connect.recorded_worker import RecordedWorker


@dataclass
class Broker:
    """A broker with these groups; while it is away, with none."""

    known: dict[str, ConsumerGroup] = field(default_factory=dict)
    is_away: bool = False

    def groups(self) -> tuple[str, Sequence[ConsumerGroup]]:
        if self.is_away:
            raise Unreachable("away")
        return "kafka-1", list(self.known.values())

    def have(self, group: str, state: str = "Stable", protocol: str = "consumer", **offsets: int) -> None:
        committed = {(topic, 0): offset for topic, offset in offsets.items()}
        self.known[group] = ConsumerGroup(group, protocol, state, committed)


@pytest.fixture
def broker() -> Broker:
    broker = Broker()
    broker.have("billing", orders=3, items=1)
    return broker


@pytest.fixture
def world() -> World:
    return World(RecordedWorker())


def poll(world: World, broker: Broker) -> dict[str, str]:
    world.now += timedelta(minutes=1)
    reader = Reader(world.store.for_one_request(), Naming())
    world.sent = []

    def send(events: Sequence[object]) -> None:
        world.sent = list(events)  # type: ignore[arg-type]
        world.fold(*world.sent)

    poll_once(ConnectCluster(TOPICS, ConsumerGroups(broker), KAFKA), StoredGraph(reader, send), world.now, Deadline())
    jobs = world.client("jobs")["jobs"]
    return {job["name"]: job["latestRun"]["state"] for job in jobs}


def test_a_group_reads_the_topics_whose_offsets_it_commits(world: World, broker: Broker) -> None:
    assert poll(world, broker) == {"billing": "RUNNING"}
    (job,) = world.client("jobs")["jobs"]
    assert [topic["name"] for topic in job["inputs"]] == ["items", "orders"]
    assert job["facets"]["jobType"]["jobType"] == "CONSUMER_GROUP"
    assert (poll(world, broker), world.sent) == ({"billing": "RUNNING"}, [])


def test_offsets_are_progress_and_the_last_member_ends_the_run(world: World, broker: Broker) -> None:
    poll(world, broker)
    broker.have("billing", orders=4, items=1)
    poll(world, broker)
    assert world.told() == [("billing", "RUNNING")]
    broker.have("billing", "PreparingRebalance", orders=4, items=1)
    assert (poll(world, broker), world.sent) == ({"billing": "RUNNING"}, [])
    broker.have("billing", "Empty", orders=4, items=1)
    assert poll(world, broker) == {"billing": "ABORTED"}
    broker.have("billing", orders=4, items=1)
    assert poll(world, broker) == {"billing": "RUNNING"}


def test_a_broker_that_is_away_ends_no_run_and_an_expired_group_does(world: World, broker: Broker) -> None:
    poll(world, broker)
    broker.is_away = True
    with pytest.raises(Unreachable):
        poll(world, broker)
    broker.is_away = False
    broker.known.clear()
    assert poll(world, broker) == {"billing": "ABORTED"}


@pytest.mark.parametrize(
    ("group", "state", "protocol"),
    [
        ("connect-write-orders", "Stable", "consumer"),
        ("spark-kafka-source-1a2b", "Stable", "consumer"),
        ("console-consumer-4711", "Stable", "consumer"),
        ("connect", "Stable", "connect"),
        ("flink-job", "Empty", "consumer"),
    ],
)
def test_groups_of_engines_are_not_told(world: World, group: str, state: str, protocol: str) -> None:
    broker = Broker()
    broker.have(group, state, protocol, orders=1)
    assert poll(world, broker) == {}


def test_a_group_that_has_committed_nothing_reads_nothing(world: World) -> None:
    broker = Broker()
    broker.have("billing")
    assert poll(world, broker) == {}
