"""Both pollers do the same, and trio waits for both."""

import os
import select
from collections.abc import Iterator

import pytest
import trio
from tools import lacks

from khiva_arena.arbiter import poller
from khiva_arena.arbiter.poller import IN, NOTHING, OUT, EpollPoller, Poller, PollPoller
from khiva_arena.bots.sandbox import system


@pytest.fixture(params=[PollPoller, EpollPoller])
def made(request: pytest.FixtureRequest) -> Iterator[Poller]:
    if request.param is EpollPoller and not system.EPOLL:
        lacks("this system has no epoll", may=True)
    one = request.param()
    yield one
    one.close()
    one.close()


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    both = os.pipe()
    yield both
    for descriptor in both:
        try:
            os.close(descriptor)
        except OSError:
            continue  # the test has closed it


def waits(one: Poller, seconds: float = 5.0) -> bool:
    """Whether a wait ends by itself."""

    async def wait() -> bool:
        with trio.move_on_after(seconds):
            await one.wait()
            return True
        return False

    return trio.run(wait)


def test_what_comes_is_told_until_it_is_read(made: Poller, pipe: tuple[int, int]) -> None:
    reading, writing = pipe
    made.register(reading, IN)
    assert made.poll(0.0) == []
    assert not waits(made, 0.02)
    os.write(writing, b"x")
    assert waits(made)
    assert [made.poll(0.0), made.poll(5.0)] == [[(reading, IN)]] * 2
    os.read(reading, 1)
    assert made.poll(0.001) == []


def test_an_end_is_told(made: Poller, pipe: tuple[int, int]) -> None:
    reading, writing = pipe
    made.register(reading, IN)
    os.close(writing)
    assert waits(made)
    assert [descriptor for descriptor, _ in made.poll(0.0)] == [reading]


def test_room_is_told(made: Poller, pipe: tuple[int, int]) -> None:
    reading, writing = pipe
    os.set_blocking(writing, False)
    made.register(writing, OUT)
    assert waits(made)
    assert made.poll(0.0) == [(writing, OUT)]
    while made.poll(0.0):
        os.write(writing, bytes(select.PIPE_BUF))
    assert made.poll(0.0) == []
    assert not waits(made, 0.02)
    while not made.poll(0.0):
        os.read(reading, 65_536)


def test_what_is_not_wanted_is_not_told(made: Poller, pipe: tuple[int, int]) -> None:
    """As of a bot whose stderr is left alone for a while."""
    reading, writing = pipe
    made.register(reading, IN)
    os.write(writing, b"x")
    made.modify(reading, NOTHING)
    assert made.poll(0.0) == []
    assert not waits(made, 0.02)
    made.modify(reading, IN)
    assert made.poll(0.0) == [(reading, IN)]
    made.unregister(reading)
    assert made.poll(0.0) == []


def test_one_of_many_ends_a_wait(made: Poller, pipe: tuple[int, int]) -> None:
    others = [os.pipe() for _ in range(4)]
    for reading, _ in (*others, pipe):
        made.register(reading, IN)
    os.write(others[2][1], b"x")
    assert waits(made)
    assert made.poll(0.0) == [(others[2][0], IN)]
    for both in others:
        made.unregister(both[0])
        for descriptor in both:
            os.close(descriptor)
    assert not waits(made, 0.02)


def test_which_one_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    for there, kind in ((True, EpollPoller), (False, PollPoller)):
        monkeypatch.setattr(system, "EPOLL", there)
        one = poller.poller()
        assert type(one) is kind
        one.close()
