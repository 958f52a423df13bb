"""A league's beacon: rounds, lines and waiting for them, and what an organiser can do
with it and without it.
"""

import os
import re
import shlex
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from leagues import enter, league_in, player_of_names
from made_league import BEACON, MadeLeague, Shape, line_of_round
from msgspec import structs
from wording import pattern, sentence

from khiva_arena.common.say import say_nothing
from khiva_arena.errors import ConfigError, RecordError
from khiva_arena.extensions.league import beacon as beacons
from khiva_arena.extensions.league.audit import audit_chain
from khiva_arena.extensions.league.beacon import NoLine, line_of, wait_for_line
from khiva_arena.extensions.league.chain.follow import follow
from khiva_arena.extensions.league.chain.links import (
    FIRST,
    Beacon,
    Drawn,
    Founded,
    LeagueTerms,
    Over,
    Renewed,
    read_link,
    text_of,
)
from khiva_arena.extensions.league.chain.stored_chain import by_this_clock, links_of, next_place
from khiva_arena.extensions.league.league_options import LeagueOptions
from khiva_arena.extensions.league.player import final
from khiva_arena.extensions.league.player.final import FinalShape, play_final
from khiva_arena.extensions.league.player.refusals import HowLong
from khiva_arena.interface.api.verify import verify
from khiva_arena.records.replay import seeds
from khiva_arena.records.store.db import Store
from khiva_arena.rng import Stream

BEGINS = datetime(2026, 1, 1, tzinfo=UTC)
DAILY = Beacon("lottery", BEGINS.isoformat(), 86_400, 3_600)
OPTIONS = LeagueOptions(
    retry_minutes=0,
    beacon="dice",
    beacon_begins=BEGINS.isoformat(),
    beacon_seconds=1,
    beacon_ahead=0,
)


# --- rounds ---


@given(st.integers(-(10**9), 10**10), st.integers(1, 10**7), st.integers(0, 10**7))
def test_a_link_names_the_first_round_that_comes_late_enough(
    after: int, seconds: int, ahead: int
) -> None:
    beacon, at = (
        Beacon("dice", BEGINS.isoformat(), seconds, ahead),
        BEGINS + timedelta(seconds=after),
    )
    number = beacon.round_after(at)
    assert number >= 1
    assert beacon.moment_of(number) >= at + timedelta(seconds=ahead)
    assert number == 1 or beacon.moment_of(number - 1) < at + timedelta(seconds=ahead)


@pytest.mark.parametrize("begins", ["", "yesterday", "2026-01-01", "2026-01-01T00:00:00"])
def test_a_beacon_begins_at_a_time_with_its_offset(begins: str) -> None:
    with pytest.raises(ValueError, match="a beacon that begins at no time: "):
        Beacon("dice", begins, 1, 0)


@pytest.mark.parametrize(
    "options",
    [
        {"beacon": "dice"},
        {"beacon_seconds": 3},
        {"beacon": "dice", "beacon_begins": "noon", "beacon_seconds": 3},
    ],
)
def test_settings_name_a_beacon_whole_or_not(tmp_path: Path, options: dict) -> None:
    with pytest.raises(ConfigError, match=r"league\.toml: "):
        _ = league_in(tmp_path, options=LeagueOptions(**options)).terms


# --- lines ---


def python(*lines: str) -> str:
    """A command that runs lines of Python, in which ``n`` is the number of the
    round.
    """
    text = "; ".join(["import sys, time", "n = sys.argv[1]", *lines])
    return f"{sys.executable} -c '{text}'"


def test_a_line_is_what_the_command_prints_of_the_round() -> None:
    assert line_of(BEACON, 17) == line_of_round(17)
    assert line_of(python('print("a b", n)'), 3) == "a b 3"


@pytest.mark.parametrize(
    ("command", "why"),
    [
        (python("sys.exit(3)"), "it ended with exit code 3"),
        (python("pass"), "1,000 printable characters"),
        (python('print("a\\nb")'), "1,000 printable characters"),
        (python('print("\\x1b[2J")'), "1,000 printable characters"),
        ("/no/such/program", pattern("league", "beacon-not-run", error="")),
        ("'", pattern("league", "beacon-not-run", error="")),
    ],
)
def test_anything_but_one_line_is_refused(command: str, why: str) -> None:
    with pytest.raises(NoLine, match=f"--beacon .*: round 5: .*{why}"):
        line_of(command, 5)


def test_a_command_that_hangs_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beacons, "SECONDS", 0.3)
    with pytest.raises(NoLine, match="no line within"):
        line_of(python("time.sleep(60)"), 5)


def test_a_flood_is_refused_and_not_kept() -> None:
    with pytest.raises(NoLine, match="it printed more than 65,536 bytes"):
        line_of(python("while True: print(n * 1000)").replace("; while", "\nwhile"), 5)


def is_there(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize("ends", ["", "; exit 3", "; exec sleep 60"])
def test_no_process_of_the_command_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ends: str
) -> None:
    """The line is taken when the command itself ends, though a child of it keeps the
    pipe open.
    """
    monkeypatch.setattr(beacons, "SECONDS", 0.5 if "exec" in ends else 30)
    child, began = tmp_path / "child", time.monotonic()
    command = shlex.join(["sh", "-c", f"sleep 60 & echo $! > {child}; echo line{ends}"])
    if ends:
        with pytest.raises(NoLine):
            line_of(command, 5)
    else:
        assert line_of(command, 5) == "line"
    assert time.monotonic() - began < 20
    while is_there(int(child.read_text())):  # init reaps it, if this process does not
        assert time.monotonic() - began < 20
        time.sleep(0.01)


def test_a_player_looks_about_while_the_command_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beacons, "NAP_SECONDS", 0.02)
    looks: list[None] = []
    assert line_of(python("time.sleep(0.5)", "print(n)"), 5, lambda: looks.append(None)) == "5"
    assert len(looks) > 2


def test_a_player_waits_for_a_round_and_asks_again_until_it_has_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(beacons, "PAUSES", (0.0, 0.0))
    said: list[str] = []
    looks: list[datetime] = []
    asked = tmp_path / "asked"
    fails_twice = f'sys.exit(len(open("{asked}").read()) < 3)'
    command = python(
        f'f = open("{asked}", "a")', 'f.write("x")', "f.close()", 'print("six")', fails_twice
    )
    soon = Beacon("dice", (datetime.now(UTC) + timedelta(seconds=1)).isoformat(), 60, 0)
    line = wait_for_line(
        command,
        soon,
        1,
        lambda text, **_: said.append(text),
        lambda: looks.append(datetime.now(UTC)),
    )
    assert line == "six"
    assert datetime.now(UTC) >= soon.moment_of(1)
    assert looks
    assert asked.read_text() == "xxx"
    assert "round 1 of dice comes at " in said[0]
    assert len(said) == 3


# --- a league that has one ---


def test_deals_of_a_league_follow_from_the_line_and_anybody_can_compare_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    played = player_of_names(monkeypatch)
    league = league_in(tmp_path, options=OPTIONS)
    enter(league, "ann", "quick")
    played(league, 2, beacon=BEACON)
    with Store.read(tmp_path) as store:
        links, events = links_of(store), store.events()
    drawn, overs = ([link for link in links if isinstance(link, kind)] for kind in (Drawn, Over))
    assert (
        [over.public for over in overs]
        == [event.public for event in events]
        == [line_of_round(one.round) for one in drawn]
    )
    for event in events:
        assert event.seed_secret(0) != seeds.seed_secret(event.secret, 0)
    result = verify(tmp_path)
    assert result.sound
    assert (
        "2 lines of the beacon, not compared with the beacon (--beacon COMMAND does)"
        in result.chain
    )
    assert (
        "2 lines of the beacon, " + sentence("league", "compared")
        in verify(tmp_path, beacon=BEACON).chain
    )
    false = verify(tmp_path, beacon="echo other")
    assert not false.sound
    assert len(false.problems) == 2
    assert sentence("league", "compared") not in false.chain.replace("0 of them equal", "")
    unanswered = verify(tmp_path, beacon="false")
    assert unanswered.sound  # a command without a line accuses nobody, and throws no verdict away
    assert not unanswered.confirmed
    assert [re.sub("round .*", "", one) for one in unanswered.not_compared] == [
        f"not compared: batch {batch}: --beacon false: " for batch in (1, 2)
    ]
    assert unanswered.why.startswith("unconfirmed: not compared: batch 1")
    with pytest.raises(ConfigError, match=pattern("league", "beacon-not-run", error="")):
        verify(tmp_path, beacon="/no/such/program")


def test_a_command_that_cannot_be_run_is_refused_before_anything_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    played = player_of_names(monkeypatch)
    league = league_in(tmp_path, options=OPTIONS)
    for command in ("'", " ", "/no/such/program"):
        with pytest.raises(ConfigError, match=pattern("league", "beacon-not-run", error="")):
            played(league, beacon=command)
    with Store.read(tmp_path) as store:
        assert store.links() == []


def test_a_beacon_of_new_terms_is_checked_beside_that_of_the_open_batch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    played = player_of_names(monkeypatch)
    league = league_in(tmp_path, options=LeagueOptions(retry_minutes=0))
    enter(league, "ann", "quick")
    with monkeypatch.context() as killed:
        killed.setattr(
            "khiva_arena.extensions.league.player.player.Player._play_batch",
            lambda *_: kill("", 0, None),
        )
        with pytest.raises(Killed):
            played(league)
    renewed = league._replace(options=OPTIONS)
    with pytest.raises(ConfigError, match=pattern("league", "beacon-needed", name="dice")):
        played(renewed, 2, new_terms=True)
    with pytest.raises(
        ConfigError, match=pattern("league", "beacon-unused", settings="league.toml")
    ):
        played(renewed, 1, new_terms=True, beacon=BEACON)
    played(renewed, 2, new_terms=True, beacon=BEACON)
    result = verify(tmp_path)
    assert result.sound
    assert "1 line of the beacon" in result.chain
    assert sentence("league", "without-beacon") + "batch 1" in result.chain
    assert [line["batch"] for line in result.beacon] == [2]


def test_a_player_without_the_command_or_without_a_beacon_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    played = player_of_names(monkeypatch)
    with pytest.raises(ConfigError, match=pattern("league", "beacon-needed", name="dice")):
        played(league_in(tmp_path, options=OPTIONS))
    with pytest.raises(
        ConfigError, match=pattern("league", "beacon-unused", settings="league.toml")
    ):
        played(league_in(tmp_path), beacon=BEACON)
    with Store.read(tmp_path) as store:
        assert store.links() == []


class Killed(Exception):
    """The end of a player that has drawn a batch and waits for its line."""


def kill(_command: str, _number: int, _look: object) -> str:
    raise Killed


def test_a_batch_that_was_drawn_gets_its_line_after_a_kill(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    played = player_of_names(monkeypatch)
    league = league_in(tmp_path, options=OPTIONS)
    enter(league, "ann", "quick")
    with monkeypatch.context() as killed:
        killed.setattr(beacons, "line_of", kill)
        with pytest.raises(Killed):
            played(league, beacon=BEACON)
    with Store.read(tmp_path) as store:
        [event] = store.events()
    assert event.public is None
    played(league, beacon=BEACON)
    with Store.read(tmp_path) as store:
        assert [event.public for event in store.events()] == [
            line_of_round(links_of(store)[-2].round)
        ]
    assert verify(tmp_path).sound


def test_a_final_that_has_begun_keeps_to_the_beacon_of_its_link(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    league, beacon = league_in(tmp_path / "league"), Beacon("dice", BEGINS.isoformat(), 1, 0)
    with MadeLeague(league.folder, Shape(beacon=beacon)) as made:
        for bot in (1, 2, 3):
            made.enter(f"bot {bot}", bot, bot)
        made.batch()
        number = made.decide().round
        made.add(
            Renewed(**next_place(made.chain), terms=structs.replace(made.chain.terms, beacon=None))
        )
    lines: list[str | None] = []

    class FinalRun:
        def __init__(self, *words: Any) -> None:
            lines.append(words[2].public)

        def play(self) -> None: ...

    monkeypatch.setattr(final, "Run", FinalRun)
    monkeypatch.setattr(final, "_player", lambda *_: None)
    monkeypatch.setattr(final, "_publish", lambda *_: None)
    shape = FinalShape(3, 1, None)
    with pytest.raises(ConfigError, match=pattern("league", "beacon-needed", name="dice")):
        play_final(league, shape, HowLong(), say_nothing)
    play_final(league, shape, HowLong(beacon=BEACON), say_nothing)
    assert lines == [line_of_round(number)]


# --- what an organiser can do ---

TRIES, BATCHES = 12, 400


def worth_of(secret: bytes, public: str | None) -> float:
    """What a deal is worth to the organiser's friend, between 0 and 1: any function of
    the deal, here its first draw.
    """
    return Stream(seeds.seed_secret(secret, 0, public), "deal").below(10**6) / 10**6


@pytest.mark.parametrize("has_beacon", [False, True])
def test_an_organiser_who_tries_secrets_gains_nothing_with_a_beacon(has_beacon: bool) -> None:
    """The best of twelve secrets is worth 12 / 13 to a friend; once a line that came
    later is mixed in, one half, like any.
    """
    gains = []
    for batch in range(BATCHES):
        tried = [
            bytes([1, *batch.to_bytes(2, "big"), number, *[0] * 28]) for number in range(TRIES)
        ]
        best = max(tried, key=lambda secret: worth_of(secret, None))
        gains.append(worth_of(best, line_of_round(batch + 1) if has_beacon else None))
    mean, spread = (
        (0.5, 1 / 12)
        if has_beacon
        else (TRIES / (TRIES + 1), TRIES / ((TRIES + 1) ** 2 * (TRIES + 2)))
    )
    assert abs(fmean(gains) - mean) < 4 * (spread / BATCHES) ** 0.5


@pytest.mark.parametrize(("hours", "witnessed"), [(-1, True), (1, False), (None, False)])
def test_a_batch_is_witnessed_if_somebody_had_its_link_before_the_round(
    tmp_path: Path, hours: int | None, witnessed: bool
) -> None:
    """Who draws late dates the link back, and nobody outside had it in time."""
    with MadeLeague(tmp_path / "league", Shape(beacon=DAILY)) as made:
        made.enter("bot", 1)
        made.batch()
        links, events = links_of(made.store), made.store.events()
    [drawn] = [link for link in links if isinstance(link, Drawn)]
    receipt = tmp_path / "receipt.txt"
    at = DAILY.moment_of(drawn.round) + timedelta(hours=hours or 0)
    noted = f" commitment - at {at.isoformat(timespec='seconds')} from x" if hours else ""
    receipt.write_text(f"link {drawn.number} {drawn.digest}{noted}\n")
    audit = audit_chain(links, events, {}, [receipt])
    assert audit.problems == []
    assert audit.deals.witnessed == ({("batch", 1)} if witnessed else set())
    assert (sentence("league", "witnessed", events="batch 1") in audit.says) == witnessed
    assert (sentence("league", "unwitnessed") in audit.says) == (not witnessed)


@pytest.mark.parametrize("other", [-1, 1, None])
def test_a_link_names_the_round_that_follows_from_its_time(
    tmp_path: Path, other: int | None
) -> None:
    with MadeLeague(tmp_path / "league", Shape(beacon=DAILY)) as made:
        made.enter("bot", 1)
        chain, event = made.chain, made.draw()
        [drawn] = [link for link in links_of(made.store) if isinstance(link, Drawn)]
    assert event.public == line_of_round(drawn.round)
    assert follow(chain, drawn).open == drawn
    wrong = structs.replace(drawn, round=drawn.round + other if other else None)
    with pytest.raises(
        RecordError, match=pattern("league", "other-round", number=".*", expected=str(drawn.round))
    ):
        follow(chain, wrong)


@pytest.mark.parametrize("public", ["line 0", None])
def test_another_line_than_that_of_the_event_is_found(tmp_path: Path, public: str | None) -> None:
    with MadeLeague(tmp_path / "league", Shape(beacon=DAILY)) as made:
        made.enter("bot", 1)
        made.batch()
        links, events = links_of(made.store), made.store.events()
    audit = audit_chain([*links[:-1], structs.replace(links[-1], public=public)], events, {})
    words = (
        r"it says that .* was mixed into the deals, and event 1 has .*"
        if public
        else "it has a beacon's line that it should not have, or lacks one"
    )
    assert re.search(words, audit.problems[0])


def test_a_text_that_is_mixed_in_without_a_beacon_is_found(tmp_path: Path) -> None:
    with MadeLeague(tmp_path / "league") as made:
        made.enter("bot", 1)
        made.batch()
        links, events = links_of(made.store), made.store.events()
    audit = audit_chain(links, [structs.replace(events[0], public="dice")], {})
    assert any(
        "a text was mixed into its draw, and the league has no beacon" in problem
        for problem in audit.problems
    )


def test_a_link_with_a_beacon_of_no_time_is_not_read() -> None:
    terms = LeagueTerms(
        {"game": "khiva"}, 3, 1, None, authors_apart=True, versions=2, anchor="random", beacon=DAILY
    )
    founded = Founded(
        number=0,
        before=FIRST,
        at=DAILY.begins,
        league="1" * 16,
        name="spring",
        terms=terms,
        anchors=(),
    )
    assert read_link(text_of(founded)) == founded
    with pytest.raises(RecordError):
        read_link(text_of(founded).replace(DAILY.begins, "2026-99-01T00:00:00+00:00"))


# --- clocks ---


def test_a_link_is_never_earlier_than_the_one_before_unless_the_clock_is_said_to_be_right(
    tmp_path: Path,
) -> None:
    with MadeLeague(tmp_path / "league") as made:
        soon = (datetime.now(UTC) + timedelta(minutes=50)).isoformat(timespec="seconds")
        year = (datetime.now(UTC) + timedelta(days=365)).isoformat(timespec="seconds")
        for at in (soon, year):
            ahead = structs.replace(made.chain, made=datetime.fromisoformat(at))
            assert next_place(ahead)["at"] == at
            assert next_place(by_this_clock(ahead))["at"] < soon


def test_a_clock_that_steps_back_during_a_batch_publishes_nothing_early(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with MadeLeague(tmp_path / "league", Shape(reveal_hours=1)) as made:
        made.enter("bot", 1)
        event = made.draw()
        drawn = made.chain.made
        past = (drawn - timedelta(hours=5)).isoformat(timespec="seconds")
        monkeypatch.setattr("khiva_arena.extensions.league.chain.stored_chain.now", lambda: past)
        made.end(made.play(event))
        assert made.chain.revealed(drawn + timedelta(minutes=59)) == 0
        assert made.chain.revealed(drawn + timedelta(minutes=61)) == 1


def test_a_player_whose_clock_was_a_year_ahead_refuses_until_a_flag_says_that_it_is_right(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    played = player_of_names(monkeypatch)
    league = league_in(tmp_path)
    enter(league, "ann", "quick")
    with monkeypatch.context() as ahead:
        later = (datetime.now(UTC) + timedelta(days=365)).isoformat(timespec="seconds")
        ahead.setattr("khiva_arena.extensions.league.chain.stored_chain.now", lambda: later)
        played(league)
    with pytest.raises(
        ConfigError,
        match=(
            r"the newest link is of .*, .* ahead of this machine's clock: set the clock; if it is "
            r"right and that link was made by a wrong one, --clock-is-right goes on"
        ),
    ):
        played(league)
    played(league, clock_is_right=True)
    result = verify(tmp_path)
    assert result.sound  # a time proves nothing, so no time is a cheat
    assert "is of an earlier time than the one before" in result.chain
    assert "is of a time still to come" in result.chain
