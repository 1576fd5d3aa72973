"""The polls of a function end before the function does, and say which source waits for the next one."""

import pytest

from headwater.access.principal import Principal, Scope
from headwater.graph.names.naming import Naming
from headwater.log import FunctionLog
from headwater.sources.poller import POSTPONED
from headwater.sources.registry.registries import FollowedRegistry
from headwater.sources.scheduled import LAST_SECONDS, ScheduledPolls, SourcesUnreachable
from headwater.store.graph_store import GraphReader
from headwater.store.memory import MemoryTable
from tests.fakes import FakeBucket, FakeQueue
from tests.sources.registry.conftest import KAFKA, record
from tests.sources.registry.fake_registry import run_registry


class KeptLog(FunctionLog):
    def __init__(self) -> None:
        self.faults: list[str] = []

    def __call__(self, message: str, error: BaseException, /, *, run: str | None = None) -> None:
        self.faults.append(f"{message}: {error}")


@pytest.mark.parametrize("has_time", [True, False])
def test_a_source_for_which_the_invocation_has_no_time_is_named(has_time: bool) -> None:
    queue, log = FakeQueue(), KeptLog()
    ourselves = Principal("registry", frozenset({Scope.INGEST}), ("*",))
    polls = ScheduledPolls(ourselves, GraphReader(MemoryTable()), queue, FakeBucket(), Naming(), log)
    with run_registry() as registry:
        registry.register("orders-value", record("id:long"))
        source = FollowedRegistry("shop", registry.source(), KAFKA)
        polled = polls.poll([source], (LAST_SECONDS + (60 if has_time else 0)) * 1_000)
    assert len(queue.sent) == has_time
    if has_time:
        assert (polled.answer(), log.faults) == ({"sent": 1}, [])
    else:
        assert log.faults == [f"nothing could be read of shop: {POSTPONED}"]
        with pytest.raises(SourcesUnreachable, match=r"^shop$"):
            polled.answer()
