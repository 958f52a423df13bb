"""What a gather and a start cost is counted in calls, which no busy machine changes."""

import pytest
import trio

from khiva_arena.arbiter import poller
from khiva_arena.arbiter.poller import PollPoller
from khiva_arena.arbiter.process import PATIENCE, Processes
from khiva_arena.bots.sandbox import cell, readable_paths, trusted
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.bots.sandbox.level import TRUSTING

CAT = Command(("cat",), "/")
LONG = 60.0


class Counted(PollPoller):
    """A poller that keeps for how long each poll would wait. A poll that would wait at
    all waits until something is there.
    """

    def __init__(self) -> None:
        super().__init__()
        self.waits: list[float] = []

    def poll(self, seconds: float, /) -> list[tuple[int, int]]:
        self.waits.append(seconds)
        return super().poll(LONG) if seconds else []


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Counted:
    one = Counted()
    monkeypatch.setattr(poller, "poller", lambda: one)
    return one


def test_one_poll_looks_and_waits_for_a_quick_answer(counted: Counted) -> None:
    async def ask() -> None:
        wire = Processes([CAT], alone=True)
        wire.send(0, b"word")
        assert [arrival.data for arrival in await wire.receive(trio.current_time() + LONG)] == [
            b"word"
        ]
        assert counted.waits == [PATIENCE]
        await wire.close(0.0)

    trio.run(ask)


def test_a_poll_at_the_deadline_waits_for_nothing(counted: Counted) -> None:
    async def ask() -> None:
        wire = Processes([CAT], alone=True)
        assert await wire.receive(trio.current_time()) == ()
        assert counted.waits == [0.0]
        await wire.close(0.0)

    trio.run(ask)


def test_the_end_of_a_bot_that_never_started_is_not_waited_for(counted: Counted) -> None:
    async def ask() -> None:
        wire = Processes([Command(("no-such-program",), "/"), CAT], alone=True)
        assert [arrival.seat for arrival in await wire.receive(trio.current_time() + LONG)] == [0]
        assert counted.waits == [0.0]
        await wire.close(0.0)

    trio.run(ask)


def test_a_start_at_trusted_looks_for_no_readable_path_and_once_for_each_tool(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr(readable_paths, "all_of")
    cell.cell(CAT, TRUSTING, "mark").clean()
    searches = trusted._tool.cache_info().misses
    cell.cell(CAT, TRUSTING, "mark").clean()
    assert trusted._tool.cache_info().misses == searches
