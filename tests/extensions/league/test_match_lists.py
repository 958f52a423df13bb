"""The lists of matches that a player publishes: of revealed batches alone, once each,
and no failure is an end of the league.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from made_league import MadeLeague, Shape
from msgspec import structs

from khiva_arena.errors import StoreError
from khiva_arena.extensions.league.folder import PUBLIC
from khiva_arena.extensions.league.player.match_lists import NEWEST_BATCHES, MatchLists
from khiva_arena.extensions.league.player.publish import Publisher
from khiva_arena.extensions.league.public_state import MATCHES, matches_in, read_state

pytestmark = pytest.mark.slow

SMALL = Shape(seats=2, seeds=1)


class Said(list[str]):
    def __call__(self, text: str, *, warning: bool = False) -> None:
        self.append(f"warning: {text}" if warning else text)


@pytest.fixture
def league(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[MadeLeague]:
    with MadeLeague(tmp_path / "spring", getattr(request, "param", SMALL)) as made:
        for number in (1, 2):
            made.enter(f"bot {number}", number, number)
        yield made


def write(league: MadeLeague) -> list[str]:
    """Publish as a player does that was just started, but for tables and pages. Return
    what was said.
    """
    said = Said()
    with Publisher(league.store, said) as public:
        public.write(league.chain)
    return said


def lists(league: MadeLeague) -> list[Path]:
    folder = league.folder / PUBLIC / MATCHES
    return sorted(folder.iterdir()) if folder.exists() else []


def test_a_list_has_every_match_of_a_batch_that_is_over(league: MadeLeague) -> None:
    event = league.batch()
    league.play(league.draw(), most=1)
    assert write(league) == []
    (path,) = lists(league)
    assert path.name == "1.json"
    assert path.stat().st_mode & 0o777 == 0o644
    listed = matches_in(path.read_bytes())
    assert listed.bots == tuple(bot.identity for bot in event.bots)
    stored = list(league.store.matches(event.id))
    assert [one.key for one in listed.matches] == [
        f"{event.number}/{row.ordinal}" for row in stored
    ]
    for one, row in zip(listed.matches, stored, strict=True):
        record = row.parsed()
        assert (one.ranks, one.scores) == (record.ranks, record.scores)
        assert [listed.bots[bot] for bot in one.bots] == [
            event.bots[seat.bot].identity for seat in row.seats
        ]


@pytest.mark.parametrize("league", [SMALL._replace(reveal_hours=1)], indirect=True)
def test_a_batch_that_is_not_revealed_has_no_list(league: MadeLeague) -> None:
    league.batch()
    write(league)
    assert lists(league) == []


def test_a_list_is_written_once_and_again_only_if_it_is_removed(league: MadeLeague) -> None:
    league.batch()
    write(league)
    (path,) = lists(league)
    written = path.stat().st_mtime_ns
    league.batch()
    write(league)
    assert path.stat().st_mtime_ns == written
    path.unlink()
    write(league)
    assert [one.name for one in lists(league)] == ["1.json", "2.json"]


def test_a_match_that_cannot_be_read_is_a_warning_and_no_end(
    league: MadeLeague, monkeypatch: pytest.MonkeyPatch
) -> None:
    league.batch()

    def damaged(*_: object, **__: object) -> None:
        raise StoreError("a row is damaged")

    monkeypatch.setattr(league.store, "matches", damaged)
    said = "the matches of batch 1 cannot be listed: a row is damaged"
    assert write(league) == [f"warning: {said}"]
    assert lists(league) == []
    state = read_state(league.folder)
    assert state
    assert state.batches[0].revealed


def test_only_the_newest_batches_are_looked_at(
    league: MadeLeague, monkeypatch: pytest.MonkeyPatch
) -> None:
    league.batch()
    write(league)
    state = read_state(league.folder)
    assert state
    asked = []
    made = MatchLists(league.store, Said())
    monkeypatch.setattr(
        made,
        "_matches_of",
        lambda batch: asked.append(batch) or matches_in(lists(league)[0].read_bytes()),
    )
    made.write(
        [
            structs.replace(state.batches[0], number=number)
            for number in range(1, NEWEST_BATCHES + 3)
        ]
    )
    assert [batch.number for batch in asked] == list(range(3, NEWEST_BATCHES + 3))
