"""Two modules in one runner that would talk: one does a thing or leaves it, the other
one asks for all that it may ask for. What the second one is told, does and pays is the
same to the bit, so it learns nothing.

``python -m tests.tools modules-soak`` tries 1,000 times.
"""

import os
import random
from collections.abc import Callable

import pytest
from module_matches import job, staged
from msgspec.structs import replace
from scripted_modules import PROBE, REQ, command, compiled, script, scripted
from second_vm import Part, overheard

from khiva_arena.bots.sandbox.command import Command
from khiva_arena.common.result import Clock
from khiva_arena.records.replay.record import RecordedSeat

pytestmark = [pytest.mark.language, pytest.mark.slow, pytest.mark.xdist_group("channels")]

TRIES = int(os.environ.get("TRIES", "100"))
ANSWER = command("a")
CRASHES = (script("t", command("u")), [script("t", command(letter, 3)) for letter in "xdbinr"])
WAYS: dict[str, tuple[bytes, list[bytes]]] = {
    "spending": (
        script("t", ANSWER),
        [script("t", command("s", number), ANSWER) for number in (1, 19)],
    ),
    "growth": (
        script("t", ANSWER),
        [script("t", command("g", number), ANSWER) for number in (0, 1)],
    ),
    "stderr": (
        script("t", ANSWER),
        [script("t", command("w", 2, b"x" * number), ANSWER) for number in (1, 60_000)],
    ),
    "calls": (
        script("t", ANSWER),
        [script("t", command("c"), command("o", 200), command("c"), ANSWER)],
    ),
    "descriptors": (
        script("t", ANSWER),
        [script("t", ANSWER, command("k", number)) for number in (2, 9)],
    ),
    "pieces": (script("t", ANSWER), [script("t", command("a", 1))]),
    "behind": (script("t", ANSWER), [script("t", *[ANSWER] * 3)]),
    "crashes": CRASHES,
}
"""By way: a script that does nothing, and scripts that look the same from outside and
do something.
"""
Stage = Callable[[bytes], Command]


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Stage:
    folder = tmp_path_factory.mktemp("channels")
    return lambda text: staged(folder, f"sender-{text.hex()[:40]}-{len(text)}", scripted(text))


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Command:
    return staged(tmp_path_factory.mktemp("reader"), "probe", compiled(PROBE))


def read(sender: Command, reader: Command, lots: int) -> Part:
    """The reader's part of a match, in which lots say who sits where."""
    number = random.Random(lots).randrange(2)
    made = job(
        [(sender, reader)[(seat + number) % 2] for seat in range(2)],
        Clock.TICKS,
        ordinal=lots,
        turn_ms=100,
    )
    seats = tuple(
        RecordedSeat("bot", "one" if seat == number else "other", made.header.seats[seat].number)
        for seat in range(2)
    )
    parts = overheard(
        replace(made, header=replace(made.header, seats=seats)), {"one": b"", "other": b""}
    )[1]
    return parts[1 - number]


@pytest.mark.parametrize("way", WAYS)
def test_a_neighbour_learns_nothing(way: str, stage: Stage, reader: Command) -> None:
    nothing, scripts = WAYS[way]
    for lots in range(max(1, TRIES // (2 * len(WAYS)))):
        silent = read(stage(nothing), reader, lots)
        assert len(silent.answers) > 2
        assert silent.notes
        assert read(stage(scripts[lots % len(scripts)]), reader, lots) == silent, (way, lots)


def test_the_reader_notices_what_everybody_may_see(stage: Stage, reader: Command) -> None:
    """Or else the tests above would show nothing."""
    other_choice = script("t", command("w", 1, _first_choice()))
    assert read(stage(other_choice), reader, 0) != read(stage(script("t", ANSWER)), reader, 0)


def _first_choice() -> bytes:
    act = b"\x83\xa4type\xa3act\xa3req\xd3" + REQ.to_bytes(8, "big") + b"\xa6choice\0"
    return len(act).to_bytes(4, "big") + act
