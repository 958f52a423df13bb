"""A store that was changed or damaged: ``verify`` names what differs, the other
commands refuse it in one line.

Most changes here are made as a forger makes them, with all sums worked out again:
something else must give them away.
"""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from arena import arena, bots
from forging import forge
from once import made_once
from stores import FORFEITS, RANDOM, STRIKES, TRUSTED
from wording import sentence

from khiva_arena.records.store.db import Store

pytestmark = pytest.mark.slow

SEEDS = 2
# What is left of an event that was interrupted in its second seed.
UNFINISHED = """
DELETE FROM seats WHERE ordinal > 7; DELETE FROM matches WHERE ordinal > 7;
DELETE FROM reveals WHERE seed <> 0; DELETE FROM conclusions;
"""
VOID = (
    "INSERT INTO voids SELECT id, {ordinal}, {attempt}, {seed}, {lineup}, '{bots}', 'host', "
    "'[]', '', '' FROM events"
)


@made_once
def store(folder: Path) -> None:
    """12 matches of three bots: one has a strike in each of its matches, one
    forfeits.
    """
    words = [*bots(RANDOM, STRIKES, FORFEITS), *TRUSTED, "--rule", "max_turns=6"]
    arena(
        "run",
        *words,
        "--seats",
        "2",
        "--seeds",
        str(SEEDS),
        "--seed",
        "demo",
        "--out",
        "out",
        cwd=folder,
    )


def damaged(store: Path, tmp_path: Path, statements: str, *, forged: bool = True) -> Path:
    """A copy of the store with these statements run on it; ``forged``: and all sums
    worked out again.
    """
    copy = tmp_path / "copy"
    copy.mkdir()
    source = sqlite3.connect(store / "out" / "arena.db")
    target = sqlite3.connect(copy / "arena.db")
    source.backup(target)
    source.close()
    if forged:
        forge(target, statements)
    else:
        target.executescript(statements)
    target.close()
    return copy


def void(ordinal: int, attempt: int, seed: int, lineup: int, sits: str) -> str:
    return VOID.format(ordinal=ordinal, attempt=attempt, seed=seed, lineup=lineup, bots=sits) + ";"


def seated(store: Path, ordinal: int) -> str:
    """Who sits at a match, as the voids table has it."""
    connection = sqlite3.connect(store / "out" / "arena.db")
    found = connection.execute(
        "SELECT bot FROM seats WHERE ordinal = ? ORDER BY seat", (ordinal,)
    ).fetchall()
    connection.close()
    return json.dumps([row[0] for row in found])


def test_what_was_not_changed_is_sound(store: Path, tmp_path: Path) -> None:
    assert (
        "12 of 12 matches are sound"
        in arena("verify", str(damaged(store, tmp_path, "")), cwd=tmp_path).stdout
    )


NAMED = {
    "a score": (
        (
            "UPDATE matches SET record = replace(record, '\"scores\":[', '\"scores\":[1') "
            "WHERE ordinal = 2"
        ),
        "match 1/2",
    ),
    "a record with spaces": (
        "UPDATE matches SET record = replace(record, ',', ', ') WHERE ordinal = 2",
        "not canonical text",
    ),
    "a record nested too deep": (
        "UPDATE matches SET record = replace(hex(zeroblob(50000)), '0', '[') WHERE ordinal = 2",
        "match 1/2",
    ),
    "a record without a choice": (
        (
            "UPDATE matches SET record = json_set(record, '$.steps[0][0][2]', json('[]')) "
            "WHERE ordinal = 2"
        ),
        "not a record",
    ),
    "another digest of a match": ("UPDATE matches SET digest = 'x' WHERE ordinal = 1", "match 1/1"),
    "another req": ("UPDATE matches SET req_start = req_start + 1 WHERE ordinal = 1", "match 1/1"),
    "a match of another seed": ("UPDATE matches SET seed = 1 WHERE ordinal = 0", "match 1/0"),
    "another attempt": (
        "UPDATE matches SET attempt = 2 WHERE ordinal = 0",
        "match 1/0: recorded at attempt 2, but 0 attempts were void",
    ),
    "another ordinal": ("UPDATE matches SET ordinal = 99 WHERE ordinal = 0", "match 1/99"),
    "ranks swapped": ("UPDATE seats SET rank = 3 - rank WHERE ordinal = 3", "match 1/3"),
    "a seat of an unknown bot": ("UPDATE seats SET bot = 9 WHERE ordinal = 0", "match 1/0"),
    "a seat is missing": ("DELETE FROM seats WHERE ordinal = 2 AND seat = 1", "match 1/2"),
    "a start fault too many": (
        """UPDATE seats SET faults = '[["start_failed","x",0]]' WHERE bot = 1 AND ordinal = 0""",
        "the stored faults",
    ),
    "no illegal faults": (
        "UPDATE seats SET faults = '[]' WHERE faults LIKE '%illegal%'",
        "the stored faults",
    ),
    "no crashed faults": (
        "UPDATE seats SET faults = '[]' WHERE faults LIKE '%crashed%'",
        "the stored faults",
    ),
    "a fault at another step": (
        "UPDATE seats SET faults = replace(faults, ', 2]', ', 3]')",
        "the stored faults",
    ),
    "faults that are no JSON": ("UPDATE seats SET faults = 'x' WHERE ordinal = 0", "match 1/0"),
    "another secret of a seed": (
        "UPDATE reveals SET secret = zeroblob(32) WHERE seed = 1",
        sentence("audit", "revealed-secret-seed") + " 1",
    ),
    "a secret of an unknown seed": (
        "INSERT INTO reveals SELECT id, 7, secret, '' FROM events",
        sentence("audit", "no-such-seed"),
    ),
    "a secret of a seed below zero": (
        "INSERT INTO reveals SELECT id, -7, secret, '' FROM events",
        sentence("audit", "no-such-seed"),
    ),
    "another secret of the run": (
        "UPDATE events SET secret = zeroblob(32)",
        sentence("replay", "not-open-commitment"),
    ),
    "a definition with another policy": (
        "UPDATE events SET definition = replace(definition, 'lenient', 'strict')",
        sentence("events", "definition-commitment-hash"),
    ),
    "a definition that is no JSON": (
        "UPDATE events SET definition = 'x'",
        sentence("store", "definition-damaged"),
    ),
    "a definition that is a list": (
        "UPDATE events SET definition = '[]'",
        sentence("store", "definition-damaged"),
    ),
    "a definition with seeds that are no number": (
        "UPDATE events SET definition = json_set(definition, '$.seeds', 'x')",
        sentence("store", "definition-damaged"),
    ),
    "another identity of a bot": (
        "UPDATE bots SET identity = 'x' WHERE position = 1",
        sentence("events", "bots-not-those-definition"),
    ),
    "a bot is missing": (
        "DELETE FROM bots WHERE position = 2",
        sentence("events", "bots-not-those-definition"),
    ),
    "a match is missing": (
        "DELETE FROM seats WHERE ordinal = 5; DELETE FROM matches WHERE ordinal = 5",
        "seed 0: 1 match is missing",
    ),
    "half of the matches are missing": (
        "DELETE FROM seats WHERE ordinal > 5; DELETE FROM matches WHERE ordinal > 5",
        "seed 1: 6 matches are missing",
    ),
    "a secret is not revealed": (
        "DELETE FROM reveals WHERE seed = 1",
        "seed 1: all matches are recorded, but its secret is not revealed",
    ),
    "the secret of the run is not revealed": (
        "DELETE FROM reveals WHERE seed = -1",
        "the event is over, but",
    ),
    "no conclusion": ("DELETE FROM conclusions", "the event is over, but"),
    "another run digest": (
        "UPDATE conclusions SET digest = 'x'",
        sentence("audit", "run-digest") + " x",
    ),
    "a void of an unknown match": (void(99, 1, 0, 0, "[0, 1]"), "void 1/99"),
    "a void of a match that was played": (void(0, 1, 0, 0, "[0, 1, 2]"), "void 1/0"),
    "a void of three line-ups": (void(0, 1, 0, 0, "x"), "void 1/0"),
    "a void of an unfinished match": (UNFINISHED + void(9, 1, 0, 0, "[0, 1]"), "void 1/9"),
    "a second void without a first": (
        UNFINISHED + void(9, 2, 1, 1, "{9}"),
        "void 1/9: attempt 2 is at place 1",
    ),
    "a match that counts no void": (
        void(7, 1, 1, 0, "{7}"),
        "match 1/7: recorded at attempt 1, but 1 attempts were void",
    ),
}


@pytest.mark.parametrize(("statements", "said"), NAMED.values(), ids=NAMED)
def test_verify_names_what_was_changed(
    store: Path, tmp_path: Path, statements: str, said: str
) -> None:
    copy = damaged(
        store,
        tmp_path,
        statements.replace("{7}", seated(store, 7)).replace("{9}", seated(store, 9)),
    )
    done = arena("verify", str(copy), cwd=tmp_path, code=1)
    assert "first that differs: " in done.stdout
    assert said in done.stdout
    assert done.stderr.startswith(f"{copy}: " + sentence("audit", "why-not-sound", problem=""))
    assert done.stderr.count("\n") == 1


def test_an_unfinished_event_is_sound_and_checked_with_private_secrets(
    store: Path, tmp_path: Path
) -> None:
    statements = (
        UNFINISHED + void(9, 1, 1, 1, seated(store, 9)) + void(9, 2, 1, 1, seated(store, 9))
    )
    said = arena("verify", str(damaged(store, tmp_path, statements)), cwd=tmp_path).stdout
    assert "8 of 12 matches are sound, 4 are not played yet" in said
    assert (
        "2 of them were checked with the store's private secrets, which are not revealed yet"
        in said
    )


REFUSED = {
    "a bot is missing": (
        "DELETE FROM bots WHERE position = 2",
        sentence("events", "bots-not-those-definition"),
    ),
    "a seat of an unknown bot": (
        "UPDATE seats SET bot = 9 WHERE ordinal = 0",
        "match 1/0 is damaged",
    ),
    "a seat that the table does not have": (
        "UPDATE seats SET seat = 5 WHERE ordinal = 0 AND seat = 1",
        "match 1/0 is damaged",
    ),
    "another rotation": (
        "UPDATE matches SET rotation = 1 WHERE ordinal = 0",
        "match 1/0 is damaged",
    ),
    "a definition that is no JSON": (
        "UPDATE events SET definition = 'x'",
        sentence("store", "definition-damaged"),
    ),
    "a definition with NaN": (
        "UPDATE events SET definition = '{\"seats\":NaN}'",
        sentence("store", "definition-damaged"),
    ),
}


@pytest.mark.parametrize(
    "words", [["standings"], ["show"], ["show", "1/0"], ["match", "1/0"]], ids=" ".join
)
@pytest.mark.parametrize(("statements", "said"), REFUSED.values(), ids=REFUSED)
def test_the_others_refuse_it_in_one_line(
    store: Path, tmp_path: Path, words: list[str], statements: str, said: str
) -> None:
    copy = damaged(store, tmp_path, statements)
    command = (
        ["match", "--from", str(copy), words[1]]
        if words[0] == "match"
        else [words[0], str(copy), *words[1:]]
    )
    error = arena(*command, cwd=tmp_path, code=2).stderr
    assert said in error
    assert "khiva-arena verify" in error
    assert error.count("\n") == 1


def test_a_match_is_shown_though_another_one_is_damaged(store: Path, tmp_path: Path) -> None:
    """Only the one that was named is read: at 62,000 matches it takes no longer."""
    said = arena("show", str(store / "out"), "1/3", cwd=tmp_path).stdout
    copy = damaged(store, tmp_path, "UPDATE seats SET bot = 9 WHERE ordinal = 0")
    shown = arena("show", str(copy), "1/3", cwd=tmp_path).stdout
    assert shown.replace(str(copy), "") == said.replace(str(store / "out"), "")
    with Store.read(copy) as opened:
        match = opened.match(opened.events()[0].id, 3)
    assert match is not None
    assert arena("show", str(copy), match.id[:6], cwd=tmp_path).stdout == shown


@pytest.mark.parametrize(
    "statements",
    [
        """UPDATE seats SET faults = '[["sneezed","x",0]]' WHERE ordinal = 3""",
        "UPDATE seats SET faults = 'x' WHERE ordinal = 3",
        void(99, 1, 0, 0, "[0, 1]"),
        void(3, 1, 0, 1, "[0]"),
        void(3, 1, 0, 1, "[0, 7]"),
    ],
)
def test_standings_refuse_faults_and_voids_that_cannot_be(
    store: Path, tmp_path: Path, statements: str
) -> None:
    error = arena(
        "standings", str(damaged(store, tmp_path, statements)), cwd=tmp_path, code=2
    ).stderr
    assert "is damaged" in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(("attempts", "incomplete", "set_aside"), [(1, 1, 0), (2, 0, 1)])
def test_one_void_is_to_be_played_again_two_set_a_table_aside(
    store: Path, tmp_path: Path, attempts: int, incomplete: int, set_aside: int
) -> None:
    voids = "".join(void(9, attempt + 1, 1, 1, seated(store, 9)) for attempt in range(attempts))
    copy = damaged(store, tmp_path, UNFINISHED.replace("> 7", "= 9") + voids)
    left_out = json.loads(arena("standings", str(copy), "--json", cwd=tmp_path).stdout)[
        "standings"
    ][0]["left_out"]
    assert (len(left_out["incomplete"]), len(left_out["set_aside"])) == (incomplete, set_aside)


@pytest.mark.parametrize(
    "statements",
    ["DELETE FROM seats; DELETE FROM matches; DELETE FROM reveals; DELETE FROM conclusions", None],
)
def test_a_store_without_a_match_has_nothing_to_verify(
    store: Path, tmp_path: Path, statements: str | None
) -> None:
    if statements is None:
        copy = tmp_path / "copy"
        Store.write(copy).close()
    else:
        copy = damaged(store, tmp_path, statements)
    for words in ([], ["--json"]):
        done = arena("verify", str(copy), *words, cwd=tmp_path, code=2)
        assert done.stdout == ""
        assert done.stderr.count("\n") == 1
        assert sentence("audit", "nothing-verify-no-match", named="of it") in done.stderr


def test_a_void_that_was_changed_is_named(store: Path, tmp_path: Path) -> None:
    """Its sum alone can tell: the schedule and the attempts are right."""
    copy = damaged(
        store,
        tmp_path,
        void(9, 1, 1, 1, seated(store, 9)) + "UPDATE matches SET attempt = 2 WHERE ordinal = 9",
    )
    assert "12 of 12 matches are sound" in arena("verify", str(copy), cwd=tmp_path).stdout
    with closing(sqlite3.connect(copy / "arena.db")) as connection, connection:
        connection.execute("UPDATE voids SET why = 'x'")
    assert (
        "first that differs: void 1/9: " + sentence("shards", "changed-since-written-2")
        in arena("verify", str(copy), cwd=tmp_path, code=1).stdout
    )
