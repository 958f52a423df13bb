"""No file of a store, or beside it, is opened through a link: what that leads to is
another's, or another file of one's own.
"""

import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from arena import arena, bots
from once import made_once
from stores import NAIVE, RANDOM
from wording import pattern, sentence

from khiva_arena.competition.run.store_log import StoreLog
from khiva_arena.display.page import html
from khiva_arena.display.page.folder import ReplayFolder
from khiva_arena.errors import ConfigError, StoreError
from khiva_arena.records.store import private
from khiva_arena.records.store import shard_note as note
from khiva_arena.records.store.db import FILE, Store
from khiva_arena.records.store.files import LOG
from khiva_arena.records.store.locks import LOCK
from khiva_arena.records.store.seal import SEAL

RUN = ["run", *bots(RANDOM, NAIVE), "--seats", "2", "--seed", "demo", "--out", "out", "--seeds"]
OF_SQLITE = [FILE, f"{FILE}-wal", f"{FILE}-shm", f"{FILE}-journal"]
OTHERS = [
    LOCK,
    LOG,
    SEAL,
    f"{SEAL}-new",
    f"{FILE}-new",
    f"{FILE}-new-wal",
    f"{FILE}-new-journal",
    note.NOTE,
]


@made_once
def played(folder: Path) -> None:
    arena(*RUN, "1", cwd=folder)


@pytest.fixture
def copy(played: Path, tmp_path: Path) -> Path:
    shutil.copytree(played / "out", tmp_path / "out")
    return tmp_path


def linked(folder: Path, name: str, kind: str) -> Path:
    """Put a link in the place of a file of a store. Returns what it leads to: a store
    of the same name, a text, or nothing.
    """
    elsewhere = folder / "elsewhere"
    path = folder / "out" / name
    if kind == "a store" and path.exists():
        path.replace(elsewhere)
    elif kind != "nothing":
        elsewhere.write_text("precious\n")
    path.unlink(missing_ok=True)
    path.symlink_to(elsewhere)
    return elsewhere


def content(path: Path) -> tuple[bytes, int] | None:
    return (path.read_bytes(), path.stat().st_mode) if path.exists() else None


@pytest.mark.soak
@pytest.mark.parametrize("kind", ["a store", "a text", "nothing"])
@pytest.mark.parametrize("name", [*OF_SQLITE, *OTHERS])
def test_no_link_in_a_store_is_followed(copy: Path, name: str, kind: str) -> None:
    elsewhere = linked(copy, name, kind)
    before = content(elsewhere)
    refused = name in (*OF_SQLITE, LOCK)
    for words in (
        ["standings", "out"],
        ["verify", "out"],
        [*RUN, "2"],
        ["close", "out", "1", "--yes"],
    ):
        done = arena(*words, cwd=copy, code=None)
        assert content(elsewhere) == before, words
        if refused and (name != LOCK or words[0] in ("run", "close")):
            assert done.returncode == 2, words
            assert sentence("competition", "link-not-followed") in done.stderr.splitlines()[-1]


def test_a_link_that_comes_between_the_look_and_the_opening_is_not_written_to(
    copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from khiva_arena.records.store import files

    real = files._connect
    before: list[object] = []

    def late(uri: str) -> object:
        if not (copy / "elsewhere").exists():
            before.append(content(linked(copy, FILE, "a store")))
        return real(uri)

    monkeypatch.setattr(files, "_connect", late)
    with pytest.raises(StoreError, match=pattern("competition", "link-not-followed")):
        Store.write(copy / "out")
    assert before == [content(copy / "elsewhere")]


def test_a_folder_that_is_a_link_is_the_users_own(copy: Path) -> None:
    (copy / "link").symlink_to("out")
    with Store.write(copy / "link") as store:
        assert len(store.events()) == 1


@pytest.mark.parametrize("name", [LOG, LOCK])
def test_nothing_but_a_file_is_opened(tmp_path: Path, name: str) -> None:
    """A FIFO would keep whoever opens it waiting."""
    os.mkfifo(tmp_path / name)
    with pytest.raises(OSError, match="it is a pipe, not a file"):
        private.open_file(tmp_path / name, os.O_RDWR)
    if name == LOG:
        with pytest.raises(OSError, match="it is a pipe, not a file"):
            StoreLog(tmp_path)


@pytest.mark.slow
def test_no_link_beside_a_store_is_followed(copy: Path) -> None:
    """Streams of events are added to; pages, exports and bundles are never written over
    what is there.
    """
    (copy / "mine").write_text("precious\n")
    arena(*RUN, "1", "--events-file", "stream.jsonl", cwd=copy)
    stream = (copy / "stream.jsonl").read_bytes()
    for name, target in (
        ("events", "stream.jsonl"),
        ("new", "nowhere"),
        ("x.html", "mine"),
        ("x.csv", "mine"),
        ("b", "mine"),
    ):
        (copy / name).symlink_to(target)
    for words in (
        [*RUN, "1", "--events-file", "events"],
        [*RUN, "1", "--events-file", "new"],
        ["report", "out", "--out", "x.html"],
        ["export", "out", "--format", "csv", "--out", "x.csv"],
        ["bundle", "out", "b"],
    ):
        assert "khiva-arena: error: " in arena(*words, cwd=copy, code=2).stderr, words
    assert (copy / "stream.jsonl").read_bytes() == stream
    assert (copy / "mine").read_text() == "precious\n"
    assert not (copy / "nowhere").exists()


def test_a_folder_of_replays_that_is_a_link_is_neither_filled_nor_swept(tmp_path: Path) -> None:
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs" / "1-seed-0.html").write_bytes(html.BEGINNING)
    (tmp_path / "page-replays").symlink_to("theirs")
    folder: Any = ReplayFolder(tmp_path / "page.html")
    folder.finish()
    folder._about, folder._matches = "a page", ["a match"]
    with pytest.raises(
        ConfigError,
        match="page-replays: cannot be made: " + pattern("competition", "link-not-followed"),
    ):
        folder.finish()
    assert [path.name for path in (tmp_path / "theirs").iterdir()] == ["1-seed-0.html"]


def test_what_the_system_names_by_links_stays_open(tmp_path: Path) -> None:
    """As ``--events-file >(jq .type)`` in a shell, or --events-file /dev/stdout into a
    file.
    """
    from khiva_arena.competition.run.events_file import EventsFile

    with (tmp_path / "out").open("ab") as file:
        opened = EventsFile.open(Path(f"/dev/fd/{file.fileno()}"))
        opened.write(b"x\n")
        opened.close()
    assert (tmp_path / "out").read_bytes() == b"x\n"
