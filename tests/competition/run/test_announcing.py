"""The lines before a start: which line-ups are played, whether all bots meet, and
whether bots start slower than they need.
"""

from pathlib import Path

import pytest
from arena import arena, bots
from msgspec.structs import replace
from stores import GREEDY, NAIVE, STAGES, TRUSTED
from synthesised import planned
from wording import sentence

from khiva_arena.bots.modules.meter import prices
from khiva_arena.bots.sandbox import launch
from khiva_arena.competition.run.announcing import _slow_decision, _some_line_ups
from khiva_arena.interface.commands.more_seeds import commands
from khiva_arena.native import build
from khiva_arena.rating.schedule.timetable import Timetable
from khiva_arena.records.replay.conditions import TimeLimits
from khiva_arena.records.replay.definition import spellings


def said(**what: object) -> str:
    event = planned(**what)  # type: ignore[arg-type]
    drawn = Timetable(event.terms()).round(0)
    assert drawn is not None
    return _some_line_ups(event.definition, drawn)


@pytest.mark.parametrize(
    ("what", "line"),
    [
        ({"bots": 6, "seats": 2, "lineups": 15, "draw": "all-meet"}, ""),
        (
            {"bots": 6, "seats": 3, "lineups": 6, "draw": "all-meet"},
            sentence(
                "competition",
                "possible-line-ups-lineups",
                total="20",
                played=sentence("competition", "balanced-set-played", line_ups="6")
                + ", in which all 15 pairs meet",
            ),
        ),
        (
            {"bots": 6, "seats": 2, "lineups": 9},
            sentence(
                "competition",
                "possible-line-ups-lineups",
                total="15",
                played=sentence("competition", "balanced-set-played", line_ups="9")
                + ": 6 of 15 pairs of "
                + sentence("competition", "bots-do-not-meet"),
            ),
        ),
        (
            {"bots": 34, "seats": 2},
            sentence(
                "competition",
                "possible-line-ups-lineups",
                total="561",
                played=sentence("competition", "balanced-set-played", line_ups="500")
                + ": 61 of 561 pairs of "
                + sentence("competition", "bots-do-not-meet"),
            ),
        ),
        (
            {"bots": 6, "seats": 2, "lineups": 3, "format": "gauntlet"},
            sentence(
                "competition",
                "possible-line-ups-lineups",
                total="5",
                played=sentence("competition", "balanced-set-played", line_ups="3"),
            ),
        ),
    ],
)
def test_a_line_says_whether_all_meet(what: dict[str, object], line: str) -> None:
    assert said(**what) == line


@pytest.mark.parametrize(("bank", "minutes"), [(10_000, ""), (11_000, ""), (59_000, "50 minutes")])
def test_a_line_says_what_a_decision_in_ticks_may_take(bank: int, minutes: str) -> None:
    definition = replace(planned().definition, time=TimeLimits(10_000, 1_000, bank))
    line = (
        f"one decision may take {minutes} of CPU at worst, since turn and bank are 60 s of ticks "
        f"and the dearest tick lasts {prices.WORST_NANOSECONDS} ns; a smaller --bank or --turn "
        "makes that less"
    )
    assert _slow_decision(definition) == (line if minutes else "")


def test_what_auto_defined_until_0_2_is_known_beside_what_it_defines_now() -> None:
    now = planned(bots=12, seats=3, lineups=24, draw="all-meet").definition
    assert [(one.lineups, one.draw) for one in spellings(now)] == [(24, "all-meet"), (12, "")]
    assert '"draw"' not in spellings(now)[1].text
    plain = planned(bots=12, seats=3, lineups=24).definition
    assert spellings(plain) == [plain]


def test_the_commands_for_more_seeds_say_auto_where_all_meet() -> None:
    for draw, typed in (("all-meet", "auto"), ("", 24)):
        event = planned(bots=12, seats=3, lineups=24, draw=draw)
        (command,) = commands(Path("out"), [event], 2)
        assert f"--lineups {typed} " in command


@pytest.mark.slow
@pytest.mark.parametrize("is_built", [True, False])
def test_a_run_says_once_that_bots_start_slower(
    is_built: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where it plays several events."""
    if not is_built:
        monkeypatch.setattr(build, "program", lambda name: "")
    (tmp_path / "cup.toml").write_text(STAGES)
    said = arena(
        "run", "cup.toml", *bots(NAIVE, GREEDY), *TRUSTED, "--out", "out", cwd=tmp_path
    ).stderr
    assert said.count("commitment") == 2
    assert said.count(launch.SLOW) == (not is_built or not launch.program())
