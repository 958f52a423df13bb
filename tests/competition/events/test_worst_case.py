"""How long an event takes at worst, and by the trials of its bots: by arithmetic, and
beside matches that were played.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from arena import arena, bots
from quick_bots import GREEDY, NAIVE, RANDOM
from stores import TRUSTED
from trial_bots import write
from wording import pattern

from khiva_arena.common.time_in_words import in_time
from khiva_arena.competition.events import worst_case
from khiva_arena.competition.events.trial_times import of_trials
from khiva_arena.competition.events.worst_case import (
    GAMES,
    RandomGames,
    random_games,
    seconds_of,
    worst_line,
)
from khiva_arena.errors import GameFault
from khiva_arena.games import registry
from khiva_arena.games.base import Decision, Event, Game, Pending, State
from khiva_arena.records.replay.conditions import TimeLimits
from khiva_arena.records.store import trial_results
from khiva_arena.records.store.db import Store
from khiva_arena.records.store.rows import Times
from khiva_arena.records.store.trial_results import TrialResult

LIMITS = TimeLimits(startup_ms=2_000, turn_ms=500, bank_ms=3_000)
TWO = [["a"], ["b"]]


class Turns(State):
    """A match in which these seats are asked in each step."""

    def __init__(self, steps: list[tuple[int, ...]]) -> None:
        self.steps = list(steps)

    def pending(self) -> Pending:
        return {seat: Decision("turn", TWO) for seat in self.steps[0]} if self.steps else {}

    def apply(self, choices: Mapping[int, int]) -> list[Event]:
        assert choices.keys() == self.pending().keys()
        assert all(choice in (0, 1) for choice in choices.values())
        self.steps.pop(0)
        return []

    def view(self, seat: int) -> dict[str, Any]:
        return {}

    @property
    def is_over(self) -> bool:
        return not self.steps

    @property
    def scores(self) -> list[int]:
        return [0, 0]


class Matches(Game):
    """A game whose matches are these, one after another, and the last one again and
    again.
    """

    name = title = "turns"
    rules_version = "1"
    seats = (2,)

    def __init__(self, *matches: list[tuple[int, ...]]) -> None:
        self.matches = list(matches)

    def new(self, seats: int, rules: Mapping[str, Any], secret: bytes) -> tuple[State, list[Event]]:
        return Turns(self.matches.pop(0) if len(self.matches) > 1 else self.matches[0]), []


def test_a_step_counts_once_whether_it_asks_one_seat_or_all() -> None:
    turns, at_once = [(0,), (1,)] * 3, [(0, 1)] * 6
    assert random_games(Matches(turns), 2, {}) == RandomGames(GAMES, 6, 3, 1.0)
    assert random_games(Matches(at_once), 2, {}) == RandomGames(GAMES, 6, 6, 2.0)


def test_the_longest_game_counts() -> None:
    found = random_games(Matches([(0,)], [(0,), (1,), (1,)], [(1,)]), 2, {})
    assert found is not None
    assert (found.games, found.steps, found.decisions) == (GAMES, 3, 2)


def test_games_that_take_long_are_few_and_none_tells_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seconds = iter(range(10**6))
    monkeypatch.setattr(worst_case.time, "process_time", lambda: next(seconds))
    monkeypatch.setattr(worst_case, "MOST_SECONDS", 25)
    assert random_games(Matches([(0,)] * 10), 2, {}) == RandomGames(2, 10, 10, 1.0)
    assert random_games(Matches([(0,)] * 100), 2, {}) is None
    assert random_games(Matches([]), 2, {}) is None, "nobody is asked"


def test_a_game_that_breaks_tells_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise GameFault("broken")

    monkeypatch.setattr(Turns, "apply", fail)
    assert random_games(Matches([(0,)]), 2, {}) is None


@pytest.mark.parametrize("name", registry.NAMES)
def test_each_game_of_the_arena_has_twenty_random_games_in_the_time(name: str) -> None:
    game = registry.get(name)
    for seats in game.seats:
        found = random_games(game, seats, game.rules({}))
        assert found is not None
        assert 1 <= found.at_once <= seats
        assert found.steps >= found.decisions >= found.steps / seats / 2


def test_a_match_costs_its_start_its_steps_and_each_bank() -> None:
    games = RandomGames(20, 10, 6, 1.5)
    assert games.match_seconds(LIMITS, 3) == 2 + 10 * 0.5 + 3 * 3 + worst_case.EXIT_GRACE
    assert games.seconds_of_one(LIMITS) == 2 + 6 * 0.5 + 3 + worst_case.EXIT_GRACE


def test_a_round_waits_for_the_one_before_it() -> None:
    assert seconds_of([10], 4, 2.0) == 3 * 2.0
    assert seconds_of([4, 2, 1], 4, 2.0) == 3 * 2.0
    assert seconds_of([0, 1], 4, 2.0) == 2.0


def test_a_short_event_has_no_line() -> None:
    games = RandomGames(20, 10, 6, 1.0)
    seconds = games.match_seconds(LIMITS, 2)
    matches = int(60 / seconds) + 1
    assert worst_line(games, LIMITS, 2, [matches - 1], 1) == ""
    assert in_time(matches * seconds) in worst_line(games, LIMITS, 2, [matches], 1)


# --- beside matches that were played ---


def played(folder: Path, *words: str, doing: str) -> tuple[Store, str]:
    """Play a small cup of bots that do so before each decision."""
    write(folder / "entries", ann=doing, bob=f"{doing}  # bob")
    named = bots(str(folder / "entries" / "ann"), str(folder / "entries" / "bob"))
    said = arena(
        "run", *named, "--seats", "2", "--seed", "x", "--out", "out", *words, *TRUSTED, cwd=folder
    ).stderr
    return Store.read(folder / "out"), said


def test_bots_that_use_all_of_their_time_end_within_the_worst_case(tmp_path: Path) -> None:
    """They sleep for most of a turn before each decision, and for most of the bank
    before the first. The time counts that their limits allow them: this machine may be
    busy, and add some of its own.
    """
    doing = "time.sleep(0.15 + 0.028 if times == 1 else 0.028)"
    limits = ("--turn", "40ms", "--bank", "200ms", "--start", "3s", "--seeds", "2")
    store, _ = played(tmp_path, *limits, doing=doing)
    with store:
        (event,) = store.events()
        rows = list(store.matches(event.id))
    games = random_games(registry.get("khiva"), 2, event.definition.rules)
    assert games is not None
    allowed = [seconds_allowed(row.times, event.definition.time) for row in rows]
    worst = games.match_seconds(event.definition.time, 2)
    assert len(rows) == 4
    assert all(worst / 8 < seconds < worst for seconds in allowed)


def seconds_allowed(times: Times | None, limits: TimeLimits) -> float:
    """Return the seconds that bots took for their decisions: of turns once in a step,
    of each bank what there is.
    """
    assert times is not None
    steps: dict[int, float] = {}
    banks = 0.0
    for decisions in times:
        taken = {step: microseconds / 1e6 for step, microseconds in decisions}
        steps = {
            step: max(steps.get(step, 0.0), min(taken.get(step, 0.0), limits.turn))
            for step in {*steps, *taken}
        }
        banks += min(
            sum(max(0.0, seconds - limits.turn) for seconds in taken.values()),
            limits.bank_ms / 1000,
        )
    return sum(steps.values()) + banks


def test_trials_tell_how_long_a_match_takes(tmp_path: Path) -> None:
    store, said = played(tmp_path, "--probation", "--seeds", "3", doing="time.sleep(0.03)")
    with store:
        (event,) = store.events()
        seconds = store.seconds(event.id)
    trials = list(trial_results.read(tmp_path / "out").values())
    took = of_trials(trials, 2, random_games(registry.get("khiva"), 2, event.definition.rules))
    assert took is not None
    assert len(trials) == 2
    assert sum(seconds) / len(seconds) == pytest.approx(took.seconds, rel=0.5)
    assert re.search(rf"; estimated time: about .*{re.escape(took.source)}$", said, re.MULTILINE)


def trial(**values: Any) -> TrialResult:
    return TrialResult("a" * 64, "b" * 64, name="ann", seed="x", **values)


def test_a_trial_against_a_quick_bot_counts_for_all_seats() -> None:
    """A seat that thinks for a second in each of its 10 decisions, of 20 steps, in
    matches of 12 seconds: 2 s are left over.
    """
    turns = RandomGames(20, 20, 10, 1.0)
    took = of_trials([trial(seconds=12.0, steps=20, decisions=10, mean=1.0)], 2, turns)
    assert took is not None
    assert took.seconds / 1.2 == pytest.approx(2 + 20)
    copies = of_trials([trial(seconds=22.0, steps=20, decisions=20, mean=1.0)], 2, turns)
    assert copies is not None
    assert copies.seconds == pytest.approx(took.seconds), "a copy of the bot sat at the other seat"
    at_once = of_trials(
        [trial(seconds=12.0, steps=10, decisions=10, mean=1.0)], 2, RandomGames(20, 10, 10, 2.0)
    )
    assert at_once is not None
    assert at_once.seconds / 1.2 == pytest.approx(2 + 10)


def test_trials_that_were_not_played_tell_nothing() -> None:
    assert of_trials([trial(), trial(seconds=9.0, steps=3, void="the host")], 2, None) is None


# --- by the command line ---

FORMATS = {
    "round-robin": (["--seeds", "2"], [12]),
    "gauntlet": (["--seeds", "2", "--format", "gauntlet", "--candidate", "random"], [8]),
    "swiss": (["--seeds", "1", "--format", "swiss", "--rounds", "2"], [2, 2]),
    "knockout": (["--seeds", "1", "--format", "knockout"], [2, 2]),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", FORMATS)
def test_each_format_says_what_it_costs_at_worst(name: str, tmp_path: Path) -> None:
    words, matches = FORMATS[name]
    run = (
        "run",
        *bots(RANDOM, NAIVE, GREEDY),
        "--seats",
        "2",
        "--jobs",
        "2",
        "--bank",
        "50s",
        *TRUSTED,
    )
    said = arena(*run, *words, "--out", "out", cwd=tmp_path).stderr
    game = registry.get("khiva")
    games = random_games(game, 2, game.rules({}))
    assert games is not None
    limits = TimeLimits(startup_ms=10_000, turn_ms=1_000, bank_ms=50_000)
    seconds = sum(-(-of_a_round // 2) for of_a_round in matches) * (
        10 + games.steps + 2 * 50 + worst_case.EXIT_GRACE
    )
    assert worst_line(games, limits, 2, matches, 2) in said.splitlines()
    line = pattern("events", "worst-case", seconds=in_time(seconds), games=f".*{GAMES}.*")
    assert re.search(f"^{line}$", said, re.MULTILINE)


@pytest.mark.slow
def test_a_resumed_event_says_what_is_left(tmp_path: Path) -> None:
    run = ("run", *bots(RANDOM, NAIVE), "--seats", "2", *TRUSTED, "--out", "out")
    arena(*run, "--seeds", "1", cwd=tmp_path)
    said = arena(*run, "--seeds", "2", cwd=tmp_path).stderr
    game = registry.get("khiva")
    games = random_games(game, 2, game.rules({}))
    assert games is not None
    assert (
        worst_line(games, TimeLimits(startup_ms=10_000, turn_ms=1_000, bank_ms=10_000), 2, [2], 1)
        in said.splitlines()
    )
