"""A file that somebody sent in place of a store: refused before its first query, in one
line, in bounded time and memory.
"""

import json
import shutil
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from types import FrameType

import pytest
from forging import forge
from published import published

from khiva_arena.errors import StoreError
from khiva_arena.interface.cli.main import run
from khiva_arena.records.store import file_errors, files, queries
from khiva_arena.records.store.db import FILE, Store

ENDLESS = "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n)"
COLUMNS = (
    "1 AS event, i AS ordinal, 'x' AS id, 0 AS seed, 0 AS lineup, 0 AS rotation, '' AS digest, "
    "'' AS record, '' AS sum"
)
ESCAPE = "\x1b]0;owned\x07\u202e\n"
INTO_SCHEMA = (
    "PRAGMA writable_schema = ON; INSERT INTO sqlite_master VALUES ('table', '{name}', "
    "'{name}', {root}, '{sql}');"
)
STRANGE = {
    "view for a table": (
        f"DROP TABLE matches; CREATE VIEW matches AS {ENDLESS} SELECT {COLUMNS} FROM n"
    ),
    "view for the events": (
        f"DROP TABLE events; CREATE VIEW events AS {ENDLESS} SELECT {COLUMNS} FROM n"
    ),
    "view beside": f"CREATE VIEW more AS {ENDLESS} SELECT i FROM n",
    "trigger": (
        f"CREATE TRIGGER t AFTER INSERT ON matches BEGIN DELETE FROM bots WHERE ({ENDLESS} "
        "SELECT sum(i) FROM n); END"
    ),
    "index": "CREATE INDEX more ON matches (abs(ordinal))",
    "table": "CREATE TABLE more (x)",
    "missing table": "DROP TABLE reveals",
    "other column": (
        "ALTER TABLE seats ADD COLUMN more TEXT GENERATED ALWAYS AS (hex(zeroblob(100))) VIRTUAL"
    ),
    "virtual table": INTO_SCHEMA.format(
        name="more", root=0, sql="CREATE VIRTUAL TABLE more USING nothing()"
    ),
    "name with escapes": f'CREATE TABLE "{ESCAPE}" (x)',
    "malformed with escapes": INTO_SCHEMA.format(name=ESCAPE, root=7, sql="CREATE TABLE x"),
    "endless name": f'CREATE TABLE "{"x" * 90_000}" (x)',
}


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return published("khiva-round-robin", tmp_path_factory.mktemp("sound"))


@pytest.fixture
def store(sound: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(sound, tmp_path / "store"))


def change(store: Path, statements: str, *, forged: bool = False) -> None:
    connection = sqlite3.connect(store / FILE, isolation_level=None)
    if forged:
        forge(connection, statements)
    else:
        connection.executescript(statements)
    connection.close()


def one_line(text: str) -> str:
    assert text.endswith("\n")
    assert text[:-1].isprintable(), repr(text)
    assert len(text) < 1000
    return text


@pytest.mark.parametrize("statements", STRANGE.values(), ids=STRANGE)
def test_what_is_no_table_of_ours_is_refused_in_one_line(
    store: Path, capsys: pytest.CaptureFixture[str], statements: str
) -> None:
    change(store, statements)
    for words in (
        ["standings"],
        ["show"],
        ["verify"],
        ["export", "--format", "csv"],
        ["plan", "--error", "5"],
    ):
        assert run([words[0], str(store), *words[1:]]) == 2, words
        out, err = capsys.readouterr()
        assert out == ""
        line = one_line(err)
        assert "its tables are not those of a store" in line or "malformed" in line
    with pytest.raises(StoreError):
        Store.check(store)
    with pytest.raises(StoreError):
        Store.write(store)


def test_comments_in_the_schema_may_differ(store: Path) -> None:
    """A later version may word them otherwise, and they change nothing."""
    rewrite = (
        "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = replace(sql, '-- ', '-- "
        "once more: ')"
    )
    change(store, rewrite)
    with Store.read(store) as opened:
        assert opened.events()


def test_an_interrupt_ends_a_query_that_does_not_end(store: Path) -> None:
    def interrupt(_number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    connection = files.open_to_read(store)
    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        with pytest.raises(KeyboardInterrupt), file_errors.explain_errors(store):
            connection.execute(f"{ENDLESS} SELECT sum(i) FROM n").fetchall()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        connection.close()


LONG = 64 * 2**20
MEASURED = """
import resource, sys
from khiva_arena.interface.cli.main import run
code = run(sys.argv[1:])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
sys.exit(code)
"""


def peak(*words: str) -> tuple[int, subprocess.CompletedProcess[str]]:
    """The most memory that a command took, in bytes, and what it said."""
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, *words],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    *_, last = done.stdout.splitlines()
    return int(last) * 1024, done


@pytest.mark.soak
def test_a_record_as_large_as_memory_is_refused_in_little_of_it(sound: Path, store: Path) -> None:
    change(
        store,
        f"UPDATE matches SET record = replace(hex(zeroblob({LONG // 2})), '00', '[[') "
        "WHERE ordinal = 2",
    )
    usual, _ = peak("standings", str(sound))
    most, done = peak("standings", str(store))
    assert done.returncode == 2
    assert (
        "string or blob too big; a row of it is larger than any that an arbiter writes"
        in one_line(done.stderr)
    )
    assert most < usual + LONG // 2
    most, done = peak("verify", str(store), "--json")
    assert done.returncode == 1
    found = json.loads(done.stdout.splitlines()[0])["events"][0]
    assert found["unsound_matches"] == [2]
    assert found["sound"] == found["planned"] - 1
    assert most < usual + LONG // 2


def test_a_match_id_of_escape_sequences_is_printed_harmless(
    store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    change(store, f"UPDATE matches SET id = '{ESCAPE}' WHERE ordinal = 2", forged=True)
    for words in (
        ["show"],
        ["verify"],
        ["export", "--format", "csv"],
        ["export", "--format", "jsonl"],
        ["show", "--json"],
    ):
        run([words[0], str(store), *words[1:]])
        out, err = capsys.readouterr()
        assert (out + err).replace("\n", "").isprintable(), words
        assert "owned" in out or "its record is that of another match" in err, words
        assert not any(line.startswith("owned") for line in out.splitlines())


def test_rows_without_end_are_given_up(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As pages can give them that lead to each other."""
    monkeypatch.setattr(queries, "MOST_BYTES", 1000)
    with (
        Store.read(store) as opened,
        pytest.raises(
            StoreError, match="it is damaged: its rows are larger than any that an arbiter writes"
        ),
    ):
        opened.digests(opened.events()[0].id)
