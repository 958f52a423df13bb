"""Commands that are given where strangers' files lie, and definitions that no run could
have made.
"""

import fcntl
import os
import subprocess
import sys
from pathlib import Path

import pytest
from arena import arena, bots
from msgspec import structs
from stores import NAIVE, RANDOM
from wording import pattern, sentence

from khiva_arena.competition.events.stored import check_definition
from khiva_arena.errors import ConfigError, StoreError
from khiva_arena.records.replay import seeds
from khiva_arena.records.replay.definition import text_digest
from khiva_arena.records.replay.record import canonical
from khiva_arena.records.store.db import EventRow, Store
from khiva_arena.records.store.new_file import new_file

pytestmark = pytest.mark.slow

TWO = bots(RANDOM, NAIVE)
SCRIPT = str(Path(sys.executable).parent / "khiva-arena")


@pytest.mark.soak
def test_no_module_of_the_folder_we_stand_in_is_run(tmp_path: Path) -> None:
    """As in a folder of submissions: workers and the screen are Python, too."""
    for name in ("msgspec", "trio", "rich", "select", "numpy"):
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'taken')!r}, 'w').close()\n")
    words = [
        SCRIPT,
        "run",
        *TWO,
        "--isolation",
        "trusted",
        "--seats",
        "2",
        "--seeds",
        "2",
        "-j",
        "2",
        "--out",
        "out",
    ]
    done = subprocess.run(
        words, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "taken").exists()


@pytest.fixture(scope="module")
def event(tmp_path_factory: pytest.TempPathFactory) -> EventRow:
    folder = tmp_path_factory.mktemp("store")
    arena(
        "run",
        *TWO,
        "--isolation",
        "trusted",
        "--seats",
        "2",
        "--seeds",
        "1",
        "--out",
        "out",
        cwd=folder,
    )
    with Store.read(folder / "out") as store:
        return store.events()[0]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"anchor": "nobody"}, "its anchor is not one of its bots"),
        ({"bots": [{"name": "random\x1b[31m", "identity": "a"}]}, "cannot be printed"),
        ({"bots": [{"name": "random", "identity": "a", "author": "\x07"}]}, "cannot be printed"),
        (
            {"bots": [{"name": "random", "identity": "a"}, {"name": "random", "identity": "b"}]},
            "one name",
        ),
        (
            {"bots": [{"name": "random", "identity": "a"}, {"name": "naive", "identity": "a"}]},
            "are the same",
        ),
        ({"format": "sprt"}, sentence("replay", "hypotheses-belong-sequential-test")),
        ({"format": "ladder"}, sentence("store", "definition-damaged")),
    ],
)
def test_a_definition_that_no_run_makes(
    event: EventRow, change: dict[str, object], said: str
) -> None:
    check_definition(event)
    changed = canonical({**event.definition.plain(), **change}).decode()
    known = seeds.event_id(text_digest(changed), event.commitment)
    with pytest.raises(StoreError, match=pattern("store", "definition-damaged")) as caught:
        check_definition(structs.replace(event, text=changed, id=known))
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("macos", "refused", "asked"),
    [(False, False, ["plain"]), (True, False, ["full"]), (True, True, ["full", "plain"])],
)
def test_a_new_file_is_on_the_disk_before_it_has_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, macos: bool, refused: bool, asked: list[str]
) -> None:
    """On macOS the disk is asked in another way, which not every file system there
    has.
    """
    done: list[str] = []

    def control(_descriptor: int, command: int) -> None:
        assert command == 51
        done.append("full")
        if refused:
            raise OSError("not on this file system")

    monkeypatch.setattr(fcntl, "fcntl", control)
    monkeypatch.setattr(os, "fsync", lambda _descriptor: done.append("plain"))
    monkeypatch.delattr(fcntl, "F_FULLFSYNC", raising=False)
    if macos:
        monkeypatch.setattr(fcntl, "F_FULLFSYNC", 51, raising=False)
    with new_file(tmp_path / "out") as file:
        file.write(b"x")
        assert not done
    assert done == asked
    assert (tmp_path / "out").read_bytes() == b"x"


def test_a_new_file_follows_no_link_and_overwrites_nothing(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("precious")
    (tmp_path / "out.part").symlink_to("mine")
    with pytest.raises(ConfigError, match="cannot be written"), new_file(tmp_path / "out") as file:
        file.write(b"new")
    assert (tmp_path / "mine").read_text() == "precious"
    (tmp_path / "out.part").unlink()
    (tmp_path / "out.part").write_text("left by a kill")
    with new_file(tmp_path / "out") as file:
        file.write(b"new")
    assert (tmp_path / "out").read_text() == "new"
    assert not (tmp_path / "out.part").exists()
