"""The pace of a league: windows of the day over midnight, batches of a day, and a clock
that steps back.
"""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

import pytest
from cases import cases
from leagues import ChainAlone, Played, enter, league_in
from msgspec import structs
from public_league import league_folder, write_public

from khiva_arena.errors import ConfigError
from khiva_arena.extensions.league import status
from khiva_arena.extensions.league.chain import stored_chain
from khiva_arena.extensions.league.chain.links import Drawn
from khiva_arena.extensions.league.chain.stored_chain import links_of
from khiva_arena.extensions.league.folder import PUBLIC
from khiva_arena.extensions.league.league_options import LeagueOptions
from khiva_arena.extensions.league.pace import Hours, Pace, hours_of
from khiva_arena.extensions.league.player import player
from khiva_arena.extensions.league.routes import pages
from khiva_arena.extensions.league.routes.public_folder import PublicFolder
from khiva_arena.extensions.league.routes.view import LeagueView
from khiva_arena.extensions.league.status import status_of
from khiva_arena.records.store.db import Store

NOON = datetime(2027, 3, 1, 12, tzinfo=UTC)
MINUTE, DAY = timedelta(minutes=1), timedelta(days=1)


def hour_texts(draw: Random) -> tuple[int, int]:
    """Return two times of a day in minutes that differ, often midnight or one minute
    apart.
    """
    begin = draw.choice([0, 1, 719, 720, 1439, draw.randrange(1440)])
    end = draw.choice([0, (begin + 1) % 1440, (begin - 1) % 1440, draw.randrange(1440)])
    return (begin, end) if begin != end else (begin, (begin + 1) % 1440)


def written(minutes: int) -> str:
    return f"{minutes // 60:02}:{minutes % 60:02}"


@cases("seed", range(40))
def test_the_hours_are_those_minutes_that_a_clock_shows_between_their_ends(seed: int) -> None:
    """Against an oracle that walks round the dial minute by minute."""
    draw = Random(seed)
    begin, end = hour_texts(draw)
    hours = hours_of(f"{written(begin)}-{written(end)}")
    assert hours is not None
    within, at = set(), begin
    while at != end:
        within.add(at)
        at = (at + 1) % 1440
    day = NOON.replace(hour=0)
    assert {minute for minute in range(1440) if hours.hold(day + minute * MINUTE)} == within
    for minute in (draw.randrange(1440) for _ in range(40)):
        moment = (
            day
            + minute * MINUTE
            + timedelta(seconds=draw.randrange(60), microseconds=draw.randrange(10**6))
        )
        coming = hours.next_begin(moment)
        if minute in within:
            assert coming == moment
        else:
            wait = next(wait for wait in range(1, 1441) if (minute + wait) % 1440 in within)
            assert coming == moment.replace(second=0, microsecond=0) + wait * MINUTE


@cases("seed", range(40))
def test_the_next_batch_begins_at_the_first_moment_that_is_allowed(seed: int) -> None:
    draw = Random(seed)
    begin, end = hour_texts(draw)
    hours = draw.choice([None, hours_of(f"{written(begin)}-{written(end)}")])
    pace = Pace(draw.choice([0, 1, 3]), hours)
    for _ in range(40):
        newest = NOON + timedelta(minutes=draw.randrange(-3000, 3000), seconds=draw.randrange(60))
        now = newest + timedelta(minutes=draw.choice([0, -50, -1500, draw.randrange(3000)]))
        drawn = draw.randrange(4)
        coming = pace.next_begin(now, newest, drawn)

        def may(moment: datetime, newest: datetime = newest, drawn: int = drawn) -> bool:
            is_full = bool(pace.a_day) and moment.date() == newest.date() and drawn >= pace.a_day
            return not is_full and (pace.hours is None or pace.hours.hold(moment))

        assert may(coming)
        assert coming >= max(now, newest)  # a clock that has stepped back makes nobody wait twice
        assert coming - max(now, newest) < 2 * DAY
        steps = range(int((coming - max(now, newest)) / MINUTE))
        assert not any(may(max(now, newest) + step * MINUTE) for step in steps)
        assert pace.next_begin(coming, newest, drawn) == coming


def test_without_a_pace_a_batch_begins_at_once() -> None:
    assert Pace().next_begin(NOON, NOON - DAY, 1_000) == NOON


NO_HOURS = [
    "20-6",
    "20:00",
    "24:00-06:00",
    "20:60-06:00",
    "20:00-06:00 ",
    "20:00 - 06:00",
    "aa:bb-cc:dd",
    "٢٠:00-06:00",
]


@pytest.mark.parametrize("text", NO_HOURS)
def test_hours_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(
        ConfigError, match=r"hours = .*: write two times of day in UTC, as 20:00-06:00"
    ):
        hours_of(text)


def test_hours_that_end_when_they_begin_are_refused() -> None:
    with pytest.raises(
        ConfigError,
        match=r"hours = .*: they end when they begin; leave hours out for the whole day",
    ):
        hours_of("6:00-06:00")
    assert hours_of("") is None
    assert hours_of("6:00-06:01") == Hours(timedelta(hours=6), timedelta(hours=6, minutes=1))


class Clock(datetime):
    """A clock that a test sets, and that a pause of the player moves on."""

    at = NOON

    @classmethod
    def now(cls, tz: object = None) -> datetime:  # type: ignore[override]
        return cls.at


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> type[Clock]:
    monkeypatch.setattr(Clock, "at", NOON)
    monkeypatch.setattr(status, "datetime", Clock)
    monkeypatch.setattr(stored_chain, "now", lambda: Clock.at.isoformat(timespec="seconds"))

    def sleep(_seconds: float) -> None:
        Clock.at += timedelta(minutes=30)

    monkeypatch.setattr(player.time, "sleep", sleep)
    monkeypatch.setattr(player, "refuse_early", lambda *_: None)
    return Clock


def drawn_at(folder: Path) -> list[datetime]:
    with Store.read(folder) as store:
        return [
            datetime.fromisoformat(link.at) for link in links_of(store) if isinstance(link, Drawn)
        ]


@pytest.mark.usefixtures("clock")
def test_batches_begin_in_their_hours_and_only_so_many_a_day(
    tmp_path: Path, played: Played
) -> None:
    league = league_in(
        tmp_path, options=LeagueOptions(retry_minutes=0, hours="20:00-06:00", batches_a_day=2)
    )
    enter(league, "ann", "quick")
    played(league, 5)
    evening = NOON.replace(hour=20)
    second, third = (evening.replace(day=day, hour=0) for day in (2, 3))
    assert drawn_at(tmp_path) == [evening, evening, second, second, third]


@pytest.mark.usefixtures("clock")
def test_a_batch_that_has_begun_ends_whatever_the_hour(
    tmp_path: Path, played: Played, monkeypatch: pytest.MonkeyPatch
) -> None:
    league = league_in(tmp_path, options=LeagueOptions(retry_minutes=0))
    enter(league, "ann", "quick")

    def stops(ordinal: int, _attempt: int) -> bool:
        if ordinal == 4:
            raise KeyboardInterrupt
        return False

    with pytest.raises(KeyboardInterrupt):
        played(league, 1, fails=stops)
    paced = league._replace(options=structs.replace(league.options, hours="20:00-06:00"))
    waits: list[int] = []
    monkeypatch.setattr(ChainAlone, "look", lambda _public: waits.append(1))
    monkeypatch.setattr(player.time, "sleep", lambda _seconds: pytest.fail("it waits"))
    played(paced, 1)
    assert len(drawn_at(tmp_path)) == 1
    assert waits


def test_the_front_page_says_when_the_next_batch_begins(tmp_path: Path) -> None:
    league = write_public(league_folder(tmp_path / "spring"))
    folder = PublicFolder(tmp_path / "spring" / PUBLIC)
    for over_at, coming in (("", False), ("2026-03-20T06:00:00+00:00", True)):
        newest = structs.replace(league.batches[-1], over_at=over_at)
        paced = structs.replace(
            league, batches=(*league.batches[:-1], newest), next_begin="2026-03-20T20:00+00:00"
        )
        page = pages.standings(LeagueView(paced, folder, {}, ()))
        assert ("begins at 2026-03-20 20:00 UTC" in page.main) == coming


@pytest.mark.usefixtures("clock")
def test_a_player_ends_if_no_batch_begins_before_its_end(tmp_path: Path, played: Played) -> None:
    league = league_in(tmp_path, options=LeagueOptions(retry_minutes=0, hours="20:00-06:00"))
    enter(league, "ann", "quick")
    played(league, 1)
    Clock.at = NOON + DAY
    played(league, None, until=Clock.at + timedelta(hours=1))
    assert len(drawn_at(tmp_path)) == 1
    assert Clock.at == NOON + DAY


def test_the_status_says_when_the_next_batch_begins_and_how_long_one_takes(
    tmp_path: Path, played: Played, clock: type[Clock]
) -> None:
    league = league_in(tmp_path, options=LeagueOptions(retry_minutes=0))
    enter(league, "ann", "quick")
    played(league, 1)
    assert status_of(tmp_path).next_begin == ""
    (tmp_path / "league.toml").write_text('[league]\nhours = "20:00-06:00"\n')
    standing = status_of(tmp_path)
    assert standing.next_begin == NOON.replace(hour=20).isoformat(timespec="minutes")
    assert standing.takes.endswith("the matches of batch 1")
    clock.at = NOON.replace(hour=23)
    assert status_of(tmp_path).next_begin == ""
