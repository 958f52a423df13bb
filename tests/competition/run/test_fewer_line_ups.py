"""What ``plan`` and ``--budget`` make of the design effect of shared deals: more
line-ups on the same deals, or more deals.
"""

import shlex
from pathlib import Path

import pytest
from arena import ROOT, C, arena, bots
from once import made_once
from stores import GREEDY, NAIVE, RANDOM
from wording import sentence

from khiva_arena.bots.sandbox.level import TRUSTING
from khiva_arena.competition.events.durations import MatchTime
from khiva_arena.competition.run.budget import _choose, _Time
from khiva_arena.competition.run.budget_try import MeasuredTime
from khiva_arena.competition.settings.define import definition_of
from khiva_arena.competition.settings.settings import settings_from
from khiva_arena.entrants.bots import load
from khiva_arena.errors import ConfigError
from khiva_arena.interface.commands.more_seeds import fewer_line_ups
from khiva_arena.rating.ratings.sharing import SharedDeals
from khiva_arena.records.store.db import Store

ALIKE, APART = SharedDeals(4.5, 3.0, 6.0, 6.0), SharedDeals(1.02, 0.9, 1.2, 6.0)
FIFTH = str(ROOT / "bots" / "c" / "greedy")
HOW = ["--seats", "3", "--isolation", "trusted"]

pytestmark = pytest.mark.slow


@made_once
def folder(folder: Path) -> None:
    """Five bots at three seats: ten line-ups, of which ``auto`` takes five."""
    arena(
        "run",
        *bots(C, RANDOM, NAIVE, GREEDY, FIFTH),
        *HOW,
        "--seeds",
        "5",
        "--out",
        "out",
        cwd=folder,
    )


@pytest.mark.soak
def test_a_plan_names_fewer_line_ups_only_where_the_matches_on_a_deal_are_alike(
    folder: Path,
) -> None:
    with Store.read(folder / "out") as store:
        events = store.events()
    assert fewer_line_ups(Path("out"), events, None, 30) is None
    assert fewer_line_ups(Path("out"), events, APART, 30) is None
    found = fewer_line_ups(Path("out"), events, ALIKE, 30)
    assert found is not None
    assert found.line_ups == 5
    assert found.seeds == pytest.approx(30 * (0.7 + 0.3 / 3) / (0.7 + 0.3 / 6), abs=1)
    assert found.matches == found.seeds * found.line_ups * 3 < 0.9 * 30 * 30
    words = shlex.split(found.command)
    assert words[words.index("--lineups") + 1] == "auto"
    assert words[words.index("--seeds") + 1] == str(found.seeds)


@pytest.mark.soak
def test_a_budget_takes_fewer_line_ups_where_more_deals_tell_clearly_more(folder: Path) -> None:
    """Both leave room for ten seeds and more."""
    with Store.read(folder / "out") as store:
        [event] = store.events()
    settings = settings_from({"bots": [RANDOM, C], "seats": 3})
    took = MatchTime(1.0, 0.1, "a test")
    tables = int(3000 / took.high / 3)
    measured, there = MeasuredTime(took, 1), _Time(3060, 60, "--jobs")
    chosen = {
        deals: _choose(settings, event.definition, measured, there, deals)
        for deals in (None, ALIKE, APART)
    }
    assert chosen[None] == chosen[APART]
    assert (chosen[None][0].seeds, chosen[None][1]) == (tables // 10, 10)
    assert (chosen[ALIKE][0].seeds, chosen[ALIKE][1]) == (tables // 5, 5)
    assert chosen[None][0].seeds > 10


@pytest.mark.parametrize(
    ("there", "is_played"),
    [
        (_Time(45, 40, "--jobs"), True),  # of which a seed takes twenty, were there no try
        (_Time(15, 5, "--jobs"), False),
        (_Time(15, 16, "--jobs", is_used_up=True), True),
        (_Time(15, 16, "--jobs"), False),
    ],
)
def test_a_budget_is_refused_only_if_one_seed_takes_longer_than_all_of_it(
    there: _Time, is_played: bool
) -> None:
    bots = (RANDOM, C)
    settings = settings_from({"bots": bots, "seats": 2})
    definition = definition_of(settings, [load(name) for name in bots], TRUSTING)
    measured = MeasuredTime(MatchTime(10.0, 1.0, "a test"), 1)
    if is_played:
        chosen, line_ups = _choose(settings, definition, measured, there, None)
        assert (chosen.seeds, line_ups) == (1, 1)
    else:
        with pytest.raises(ConfigError):
            _choose(settings, definition, measured, there, None)


@pytest.mark.soak
def test_plan_and_standings_show_what_the_table_itself_has_measured(folder: Path) -> None:
    said = sentence("report", "design-effect-shared-deals") + ": "
    assert said in arena("standings", "out", cwd=folder).stdout
    assert said in arena("plan", "out", "--error", "50", cwd=folder).stdout
