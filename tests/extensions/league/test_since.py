"""What ``verify --since`` finds in batches that it does not replay: an organiser
changed old rows and made every sum anew.
"""

import json
import re
import shutil
import sqlite3
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import msgspec
import pytest
from forging import forge
from made_league import MadeLeague, Shape
from wording import pattern, sentence

from khiva_arena.extensions.league.chain.links import Drawn
from khiva_arena.extensions.league.chain.stored_chain import links_of
from khiva_arena.interface.api.verify import verify
from khiva_arena.records.replay.record import Record, canonical, run_digest
from khiva_arena.records.store import sums
from khiva_arena.records.store.db import Store
from khiva_arena.records.store.files import FILE

BATCHES = 3


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A league of three batches."""
    with MadeLeague(tmp_path_factory.mktemp("made") / "league", Shape(seeds=1)) as league:
        for number in range(2):
            league.enter(f"bot {number}", number, number)
        for _ in range(BATCHES):
            league.batch()
    return league.folder


@pytest.fixture
def league(made: Path, tmp_path: Path) -> Path:
    """A copy of the league for each test."""
    return Path(shutil.copytree(made, tmp_path / "league"))


def last_draw(folder: Path) -> int:
    with Store.read(folder) as store:
        return max(link.number for link in links_of(store) if isinstance(link, Drawn))


def problems_of(folder: Path, *events: int, since: int | None = None) -> list[str]:
    result = verify(folder, *events, since=since)
    return [*result.problems, *(problem for report in result.events for problem in report.problems)]


def test_what_was_not_replayed_is_said(league: Path) -> None:
    result = verify(league, since=last_draw(league))
    assert result.sound
    assert [report.number for report in result.events] == [BATCHES]
    assert sentence("league", "drawn-again", batches="1-3") in result.chain
    why = sentence("league", "drawn-before", link=last_draw(league))
    assert (
        sentence("league", "not-replayed", why=why, matches="18 matches", events="1-2")
        in result.chain
    )
    named, why = verify(league, 2), sentence("league", "others-named")
    assert (
        sentence("league", "not-replayed", why=why, matches="18 matches", events="1, 3")
        in named.chain
    )
    assert "not replayed" not in verify(league).chain


# --- rows of a batch that is over ---


def first_event(connection: sqlite3.Connection) -> str:
    return str(connection.execute("SELECT id FROM events WHERE number = 1").fetchone()[0])


def exchange_two_seats(connection: sqlite3.Connection, event: str) -> None:
    where = "event = ? AND ordinal = 0 AND seat = ?"
    rows = [
        connection.execute(f"SELECT rank, score FROM seats WHERE {where}", (event, seat)).fetchone()
        for seat in range(3)
    ]
    for seat, (rank, score) in enumerate([*rows[1:], rows[0]]):
        connection.execute(
            f"UPDATE seats SET rank = ?, score = ? WHERE {where}", (rank, score, event, seat)
        )


def exchange_two_matches(connection: sqlite3.Connection, event: str) -> None:
    for table in ("seats", "matches"):
        for old, new in ((0, 99), (1, 0), (99, 1)):
            connection.execute("PRAGMA defer_foreign_keys = ON")
            connection.execute(
                f"UPDATE {table} SET ordinal = ? WHERE event = ? AND ordinal = ?", (new, event, old)
            )


def write_another_result(connection: sqlite3.Connection, event: str) -> None:
    """Make match 0 end otherwise, with all digests that follow."""
    where = "event = ? AND ordinal = 0"
    plain = json.loads(
        connection.execute(f"SELECT record FROM matches WHERE {where}", (event,)).fetchone()[0]
    )
    plain["scores"], plain["ranks"] = [9, 8, 7], [1, 2, 3]
    record = msgspec.convert(plain, Record)
    connection.execute(
        f"UPDATE matches SET record = ?, digest = ? WHERE {where}",
        (record.to_json(), record.digest, event),
    )
    for seat, (rank, score) in enumerate(zip(record.ranks, record.scores, strict=True)):
        connection.execute(
            f"UPDATE seats SET rank = ?, score = ? WHERE {where} AND seat = ?",
            (rank, score, event, seat),
        )
    digests = [
        row[0]
        for row in connection.execute(
            "SELECT digest FROM matches WHERE event = ? ORDER BY ordinal", (event,)
        )
    ]
    connection.execute(
        "UPDATE conclusions SET digest = ? WHERE event = ?", (run_digest(digests), event)
    )


def write_another_result_and_its_link(connection: sqlite3.Connection, event: str) -> None:
    write_another_result(connection, event)
    (digest,) = connection.execute(
        "SELECT digest FROM conclusions WHERE event = ?", (event,)
    ).fetchone()
    before = ""
    for number, text in connection.execute(
        "SELECT number, text FROM links ORDER BY number"
    ).fetchall():
        plain = json.loads(text)
        plain |= {"before": before or plain["before"]}
        plain |= (
            {"run_digest": digest} if (plain["kind"], plain.get("event")) == ("over", event) else {}
        )
        new = canonical(plain)
        total = sums.row_sum("links", {"number": number, "text": new.decode()})
        connection.execute(
            "UPDATE links SET text = ?, sum = ? WHERE number = ?", (new.decode(), total, number)
        )
        before = sha256(b"khiva-link-1\0" + new).hexdigest()


def take_a_match_out(connection: sqlite3.Connection, event: str) -> None:
    for table in ("seats", "matches"):
        connection.execute(f"DELETE FROM {table} WHERE event = ? AND ordinal = 4", (event,))


def take_all_matches_out(connection: sqlite3.Connection, event: str) -> None:
    for table in ("seats", "matches"):
        connection.execute(f"DELETE FROM {table} WHERE event = ?", (event,))


def set_a_table_aside(connection: sqlite3.Connection, event: str) -> None:
    connection.execute("INSERT INTO set_aside VALUES (?, 0, 1, '')", (event,))


def exchange_a_definition(connection: sqlite3.Connection, event: str) -> None:
    """Let batch 1 have the definition of batch 2."""
    definition = "SELECT definition FROM events WHERE number = 2"
    connection.execute(f"UPDATE events SET definition = ({definition}) WHERE id = ?", (event,))


def forget_the_run_digest(connection: sqlite3.Connection, event: str) -> None:
    connection.execute("DELETE FROM conclusions WHERE event = ?", (event,))


CHEATS: dict[Callable[[sqlite3.Connection, str], None], str] = {
    exchange_two_seats: "match 1/0 .*: its places, points or verdicts are not those of its record",
    exchange_two_matches: "match 1/0 .*: it is not where the schedule has it",
    write_another_result: pattern(
        "league", "other-run-digest", digest="[0-9a-f]+", event="1", of_matches="[0-9a-f]+"
    ),
    write_another_result_and_its_link: pattern("league", "other-before"),
    take_a_match_out: "1 match is missing",
    take_all_matches_out: pattern("audit", "event-stored-end", value="not over", value_2=""),
    set_a_table_aside: pattern("league", "other-set-aside", event="1"),
    exchange_a_definition: pattern("events", "definition-commitment-hash"),
    forget_the_run_digest: pattern("audit", "event-stored-end", value="over", value_2="not "),
}


@pytest.mark.parametrize("cheat", CHEATS, ids=lambda cheat: cheat.__name__)
def test_old_rows_that_were_changed_are_found_without_a_replay(
    league: Path, cheat: Callable[[sqlite3.Connection, str], None]
) -> None:
    connection = sqlite3.connect(league / FILE)
    cheat(connection, first_event(connection))
    connection.commit()
    forge(connection)
    connection.close()
    for problems in (problems_of(league, since=last_draw(league)), problems_of(league, BATCHES)):
        assert any(re.search(CHEATS[cheat], problem) for problem in problems), problems
    assert problems_of(league)
