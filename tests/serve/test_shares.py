"""A key has its share of the process: while it asks for much, others are answered."""

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest

from headwater.serve import shares as module
from headwater.serve.precedence import SECONDS as RANK_SECONDS
from headwater.serve.shares import Shares, ShareUsed
from tests.serve.process import SECONDS

AT_ONCE, MOST_WAITING = 2, 9


class Work:
    """Pieces of work that last until they are let go. `begun` lists them in the order of their beginning."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self._go: dict[str, threading.Event] = {}

    def named(self, name: str) -> Callable[[], str]:
        gone = self._go.setdefault(name, threading.Event())

        def work() -> str:
            self.begun.append(name)
            assert gone.wait(SECONDS)
            return name

        return work

    def let_go(self, *names: str) -> None:
        for name in names or list(self._go):
            self._go[name].set()


def computed_for_long() -> str:
    began = time.thread_time()
    while time.thread_time() - began <= RANK_SECONDS[0]:
        pass
    return "long"


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(SECONDS):
        while not condition():  # noqa: ASYNC110 - a thread makes it true
            await asyncio.sleep(0.001)


@asynccontextmanager
async def asked(shares: Shares, work: Work, *names: str) -> AsyncIterator[list[asyncio.Task[str]]]:
    """Requests `a1`, `a2`, ... of a key `a`, in their order; all of them are let go at the end."""
    tasks = []
    for name in names:
        tasks.append(asyncio.create_task(shares.run(name[0], work.named(name))))
        await asyncio.sleep(0)
    try:
        yield tasks
    finally:
        work.let_go()
        await asyncio.gather(*tasks, return_exceptions=True)


@pytest.fixture
def work() -> Work:
    return Work()


def test_a_key_has_its_first_request_answered_whatever_others_ask_for(work: Work) -> None:
    async def scene() -> None:
        shares = Shares("test", 8, AT_ONCE, MOST_WAITING)
        async with asked(shares, work, "a1", "a2", "a3", "a4", "b1", "c1") as (*_, b, c):
            await until(lambda: {"a1", "a2", "b1", "c1"} == set(work.begun))
            work.let_go("b1", "c1")
            assert [await b, await c] == ["b1", "c1"]
            assert "a3" not in work.begun
        shares.close()

    asyncio.run(scene())


def test_a_key_that_is_alone_has_every_place(work: Work) -> None:
    async def scene() -> None:
        shares = Shares("test", 8, AT_ONCE, MOST_WAITING)
        async with asked(shares, work, "a1", "a2", "a3"):
            await until(lambda: work.begun[:2] == ["a1", "a2"] or work.begun[:2] == ["a2", "a1"])
        assert work.begun[2:] == ["a3"]
        shares.close()

    asyncio.run(scene())


def test_a_key_has_one_place_while_another_asks_now_and_then(work: Work) -> None:
    """A client that waits for each answer before it asks anew has no request here in between."""

    async def scene() -> None:
        shares = Shares("test", 8, AT_ONCE, MOST_WAITING, quiet=SECONDS)
        assert await shares.run("b", lambda: "answered") == "answered"
        async with asked(shares, work, "a1", "a2", "a3"):
            for ended, next_one in [("a1", "a2"), ("a2", "a3")]:
                await until(lambda expected=ended: work.begun[-1:] == [expected])  # type: ignore[misc]
                work.let_go(ended)
                await until(lambda expected=next_one: work.begun[-1] == expected)  # type: ignore[misc]
        assert work.begun == ["a1", "a2", "a3"]
        shares.close()

    asyncio.run(scene())


def test_a_key_has_every_place_again_once_the_others_have_been_quiet(work: Work) -> None:
    async def scene() -> None:
        shares = Shares("test", 8, AT_ONCE, MOST_WAITING, quiet=0.2)
        assert await shares.run("b", lambda: "answered") == "answered"
        async with asked(shares, work, "a1", "a2", "a3", "a4"):
            await until(lambda: "a1" in work.begun)
            await asyncio.sleep(0.2)
            work.let_go("a1")
            await until(lambda: {"a2", "a3"} <= set(work.begun))
            assert "a4" not in work.begun
        shares.close()

    asyncio.run(scene())


def test_keys_with_long_requests_take_turns_and_others_wait_for_none_of_them(
    work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scene() -> None:
        shares = Shares("test", 8, AT_ONCE, MOST_WAITING)
        monkeypatch.setattr(module, "LONG_SECONDS", RANK_SECONDS[0])
        assert [await shares.run(key, computed_for_long) for key in "abc"] == ["long"] * 3
        async with asked(shares, work, "a1", "b1", "c1", "d1"):
            await until(lambda: {"a1", "d1"} == set(work.begun))
            for ended, next_one in [("a1", "b1"), ("b1", "c1")]:
                work.let_go(ended)
                await until(lambda expected=next_one: work.begun[-1] == expected)  # type: ignore[misc]
            async with asked(shares, work, "a2"):
                await until(lambda: work.begun[-1] == "a2")
        shares.close()

    asyncio.run(scene())


def test_requests_that_wait_come_in_the_order_of_their_key_and_the_keys_in_turn(work: Work) -> None:
    async def scene() -> None:
        shares = Shares("test", 8, AT_ONCE, MOST_WAITING)
        async with asked(shares, work, "a1", "b1", "a2", "a3", "b2"):
            await until(lambda: len(work.begun) == 2)
            for ended, next_one in [("a1", "a2"), ("b1", "b2"), ("b2", "a3")]:
                work.let_go(ended)
                await until(lambda expected=next_one: work.begun[-1] == expected)  # type: ignore[misc]
        shares.close()

    asyncio.run(scene())


def test_too_many_that_wait_are_refused_and_others_are_not(work: Work) -> None:
    async def scene() -> None:
        shares = Shares("test", 8, AT_ONCE, most_waiting=1)
        async with asked(shares, work, "a1", "a2", "a3", "a4", "b1") as tasks:
            with pytest.raises(ShareUsed):
                await tasks[3]
            await until(lambda: "b1" in work.begun)
        assert [await task for task in tasks if task is not tasks[3]] == ["a1", "a2", "a3", "b1"]
        assert await shares.run("a", lambda: "again") == "again"
        shares.close()

    asyncio.run(scene())


def test_work_that_fails_gives_its_place_back() -> None:
    def fail() -> str:
        raise ValueError

    async def scene() -> None:
        shares = Shares("test", 8, 1, MOST_WAITING)
        failing = [asyncio.create_task(shares.run("a", fail)) for _ in range(3)]
        assert [type(each) for each in await asyncio.gather(*failing, return_exceptions=True)] == [ValueError] * 3
        assert await shares.run("a", lambda: "then") == "then"
        shares.close()

    asyncio.run(scene())


def test_what_has_no_key_does_not_wait_for_a_key(work: Work) -> None:
    async def scene() -> None:
        shares = Shares("test", 8, AT_ONCE, MOST_WAITING)
        async with asked(shares, work, "a1", "a2", "a3"):
            assert await shares.run(None, lambda: "health") == "health"
        shares.close()

    asyncio.run(scene())


def test_a_request_that_is_cancelled_while_it_waits_takes_no_place(work: Work) -> None:
    async def scene() -> None:
        shares = Shares("test", 4, AT_ONCE, MOST_WAITING)
        async with asked(shares, work, "a1", "a2", "a3", "a4") as tasks:
            await until(lambda: len(work.begun) == AT_ONCE)
            tasks[2].cancel()
            await asyncio.sleep(0)
            work.let_go("a1", "a2")
            await until(lambda: "a4" in work.begun)
            work.let_go("a4")
            await asyncio.gather(*tasks, return_exceptions=True)
            async with asked(shares, work, "a5", "a6"):
                await until(lambda: work.begun[-2:] in (["a5", "a6"], ["a6", "a5"]))
        shares.close()

    asyncio.run(scene())
