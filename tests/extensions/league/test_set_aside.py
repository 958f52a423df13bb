"""Tables that are set aside for good: what a store and a bundle must show of them, and
forgeries that are named.
"""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from forging import forge
from leagues import enter, league_in
from wording import sentence

from khiva_arena.extensions.league.settings import League
from khiva_arena.interface.api.verify import verify
from khiva_arena.interface.commands.bundle import bundle
from khiva_arena.records.store.db import Store


def table(lineup: int) -> str:
    """A table of seed 0, as messages name it."""
    return f"table {lineup!s} of seed 0 is set aside for good"


@pytest.fixture
def league(tmp_path: Path, played: Callable[..., None]) -> Iterator[League]:
    """A league of two batches, of whose first one a table was set aside: match 4, the
    middle one of table 1, stayed void.
    """
    made = league_in(tmp_path / "spring")
    enter(made, "ann", "quick")
    enter(made, "bob", "slow")
    attempts: list[int] = []

    def fails(ordinal: int, _attempt: int) -> bool:
        attempts.extend([ordinal] * (ordinal == 4))
        return ordinal == 4 and len(attempts) <= 4

    played(made, 2, fails=fails)
    return made


def test_a_bundle_is_verified_with_a_table_set_aside(
    league: League, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "spring.bundle"
    bundle(league.folder, out, (), with_modules=False)
    result = verify(out)
    assert result.sound, [
        *result.problems,
        *(problem for event in result.events for problem in event.problems),
    ]
    assert result.events[0].left_out > 0
    assert (
        f"{result.events[0].left_out!s} are of tables set aside for good"
        in result.events[0].summary
    )


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            "DELETE FROM voids WHERE attempt > 3",
            f"{table(1)} after 3 void attempts, and it takes 4",
        ),
        ("UPDATE set_aside SET lineup = 0", f"{table(0)}, though all of its matches are recorded"),
        ("UPDATE set_aside SET lineup = 9", sentence("league", "no-such-table", name=table(9))),
    ],
)
def test_a_table_that_was_not_void_often_enough_is_not_set_aside(
    league: League, change: str, words: str
) -> None:
    with closing(sqlite3.connect(league.folder / "arena.db")) as connection:
        forge(connection, change)
        connection.commit()
    problems = verify(league.folder).events[0].problems
    assert any(words in problem for problem in problems), problems


def test_a_row_that_was_changed_is_named(league: League) -> None:
    with closing(sqlite3.connect(league.folder / "arena.db")) as connection:
        connection.execute("UPDATE set_aside SET lineup = 0")
        connection.execute("UPDATE links SET text = replace(text, 'slow v1', 'fast v1')")
        connection.commit()
    result = verify(league.folder)
    assert any("set_aside" in problem for problem in result.events[0].problems)
    assert any("link 2 was changed since it was written" in problem for problem in result.problems)


def test_a_conclusion_stays_with_its_event(league: League) -> None:
    with Store.read(league.folder) as store:
        first, second = store.events()
        assert store.conclusion(first.id)
        assert not store.changed(first.id)
        assert not store.changed(second.id)
        assert not store.damage()
