"""Strangers without a token at the door where relays arrive: bounds, the oldest goes
first, known names keep their place.
"""

import os
import socket
import threading
import time
from contextlib import ExitStack
from pathlib import Path

import pytest
import trio
from relaying import HONEST, SECONDS, blamed, hub, match, relay, until_here, wire_between

from khiva_arena.arbiter.pool import play_one
from khiva_arena.extensions.seats import relays


def test_strangers_are_few_and_leave_room_for_the_relay(script: Path) -> None:
    with hub() as (one, port):
        others = [socket.create_connection(("127.0.0.1", port), SECONDS) for _ in range(40)]
        for stranger in others[:8]:
            stranger.sendall(os.urandom(5000))
        for stranger in others:
            stranger.close()
        with relay(script, port, *HONEST):
            until_here(one)
            assert blamed(play_one(match())) == ("ok", "")


@pytest.mark.soak
def test_silent_strangers_do_not_keep_a_relay_out_that_comes_back(script: Path) -> None:
    """Hundreds that connect again whenever they are closed."""
    full, over = threading.Event(), threading.Event()
    with (
        hub(reconnect=3.0) as (one, port),
        wire_between(port) as (between, cut),
        relay(script, between, *HONEST),
    ):
        until_here(one)

        def keeps_many() -> None:
            held: list[socket.socket] = []
            while not over.is_set():
                held = [stranger for stranger in held if _is_open(stranger)]
                held += [
                    socket.create_connection(("127.0.0.1", port), SECONDS)
                    for _ in range(100 - len(held))
                ]
                full.set()
                over.wait(0.02)
            for stranger in held:
                stranger.close()

        thread = threading.Thread(target=keeps_many)
        thread.start()
        try:
            assert full.wait(SECONDS)
            cut(True)
            outcome = play_one(match(turn_ms=20_000, startup_ms=20_000))
        finally:
            over.set()
            thread.join()
        assert blamed(outcome) == ("ok", "")


def _is_open(stranger: socket.socket) -> bool:
    """Whether the arena has not closed it yet; else it is closed here, too."""
    stranger.setblocking(False)
    try:
        while stranger.recv(4096):
            pass
    except BlockingIOError:
        return True
    except OSError:
        pass  # by a reset
    stranger.close()
    return False


@pytest.mark.slow
def test_a_stranger_has_two_seconds_for_its_first_byte() -> None:
    with hub() as (_, port), socket.create_connection(("127.0.0.1", port), SECONDS) as silent:
        began = time.monotonic()
        while silent.recv(4096):
            pass
        assert 1.5 < time.monotonic() - began < 8.0  # as the machine has time for it


def test_the_oldest_stranger_goes_first_and_those_of_one_address_before_others() -> None:
    async def arrive() -> None:
        waiting = relays.Strangers()
        with ExitStack() as order:

            def arrived(*hosts: str) -> list[trio.CancelScope]:
                return [order.enter_context(waiting.arrived(host, 60.0)) for host in hosts]

            of_one = arrived(*["2001:db8::1"] * relays.STRANGERS_OF_AN_ADDRESS)
            waiting.keep(of_one[1])
            others = arrived("10.0.0.1", "10.0.0.2")
            arrived("2001:db8::2", "2001:db8::3")  # of the same provider's half
            assert [number for number, scope in enumerate(of_one) if scope.cancel_called] == [0]
            arrived(*(f"10.1.0.{number % 250}" for number in range(relays.STRANGERS_MOST)))
            assert all(scope.cancel_called for scope in (*of_one[2:], *others))
            assert not of_one[1].cancel_called

    trio.run(arrive)
