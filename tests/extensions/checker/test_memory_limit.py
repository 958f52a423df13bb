"""Modules have as much memory where an event is played, where `verify` runs them again,
and in a page.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from arena import arena
from bundling import lines_of
from module_cup import OwnMachine, of_kind, play_cup
from once import made_once
from page_machine import page_machine
from tick_bots import bot
from wasm import uleb

from khiva_arena.arbiter.runners import line
from khiva_arena.bots.modules.runner.line import PAGE, module_pages
from khiva_arena.common.result import Verdict
from khiva_arena.competition.playing import starts
from khiva_arena.extensions.checker import in_page
from khiva_arena.interface.api.verify import verify
from khiva_arena.records.replay.record import Record, canonical

pytestmark = pytest.mark.slow

PAGES = 320
"""What a limit of 60 MiB leaves: the 40 MiB of the runner are taken off."""
GROWS = "loop i32.const 16 memory.grow i32.const -1 i32.ne br_if 0 end\n"
"""Pays for each growth, so ticks tell how far the memory has grown."""


def memory(pages: int) -> bytes:
    """The entry of a memory that begins with so many pages, and may have 4,096."""
    return b"\1" + uleb(pages) + uleb(4_096)


MODULES = {
    "grows": bot(at_the_start=GROWS, memory=memory(16)),
    "fits": bot(memory=memory(PAGES)),
    "large": bot(memory=memory(PAGES + 1)),
    "honest": bot(),
}


@made_once
def small_cup(folder: Path) -> None:
    """Play an event without a trial start, which would refuse "large", and write
    "cup.khiva".
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(starts, "start_once", lambda *_: None)
        play_cup(folder, "--limit", "memory=60M", modules=MODULES)


@made_once
def forged_cup(folder: Path) -> None:
    """Play an event whose organiser gives modules as much memory as the limit says, and
    write "cup.khiva".
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(line, "module_pages", lambda limit: limit // PAGE)
        play_cup(
            folder,
            "--limit",
            "memory=100M",
            modules={**MODULES, "large": MODULES["honest"] + b"\0\2\1x"},
        )


@pytest.fixture(params=["python", pytest.param("javascript", marks=pytest.mark.language)])
def machine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[in_page.Machine]:
    """The arena's own meter and runner, and those of a page."""
    if request.param == "python":
        yield OwnMachine()
    else:
        with page_machine(tmp_path) as opened:
            yield opened


def checked(bundle: Path, machine: in_page.Machine) -> list[dict[str, Any]]:
    """The events of a page's check."""
    events: list[dict[str, Any]] = []
    in_page.check(
        bundle.read_bytes(), machine, lambda event: events.append(json.loads(json.dumps(event)))
    )
    return events


def records(bundle: Path) -> dict[int, Record]:
    """The records of the one event, by ordinal."""
    matches = of_kind(lines_of(bundle), "match")
    return {
        match["ordinal"]: Record.from_json(canonical(match["record"]).decode()) for match in matches
    }


def names(record: Record) -> list[str]:
    """The names of its bots, by seat."""
    return [seat.name for seat in record.header.seats]


@pytest.mark.parametrize(
    ("memory", "pages"),
    [
        (0, 0),
        (41_943_040, 0),
        (42_008_575, 0),
        (42_008_576, 1),
        (60 << 20, PAGES),
        (100 << 20, 960),
        (1 << 30, 15_744),
    ],
)
def test_the_pages_are_those_of_the_protocol(memory: int, pages: int) -> None:
    assert module_pages(memory) == pages


def test_a_module_that_begins_with_more_memory_than_it_may_have_fails_to_start(
    small_cup: Path,
) -> None:
    for record in records(small_cup / "cup.khiva").values():
        expected = [
            Verdict.START_FAILED if name == "large" else Verdict.OK for name in names(record)
        ]
        assert [*record.verdicts] == expected


def test_an_honest_event_of_a_small_limit_is_sound_in_verify_and_equal_in_a_page(
    small_cup: Path, machine: in_page.Machine
) -> None:
    arena("verify", "cup.khiva", "--rerun-bots", cwd=small_cup)
    end = checked(small_cup / "cup.khiva", machine)[-1]
    assert end == {"kind": "end", "verdict": "equal", "problems": [], "unknown": []}


def test_an_event_that_gave_modules_more_is_not_sound_and_differs_in_a_page(
    forged_cup: Path, machine: in_page.Machine
) -> None:
    bundle = forged_cup / "cup.khiva"
    (report,) = verify(bundle, rerun_bots=True).events
    differ = [
        event["match"]
        for event in of_kind(checked(bundle, machine), "match")
        if event["verdict"] == "differs"
    ]
    with_grows = [
        ordinal for ordinal, record in records(bundle).items() if "grows" in names(record)
    ]
    assert sorted(report.unsound_matches) == differ == with_grows
