"""The stream of a bot as a file: `submit` sends it as it is, and one that a stranger
made leads nowhere.
"""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from arena import arena
from cases import cases
from fake_league import SENT, TOKEN, FakeLeague, fake_league
from hostile_uploads import HEADS, PATHS, STREAMS, HostileUpload
from uploads import TOML

from khiva_arena.entrants.bots import load
from khiva_arena.entrants.packing import pack
from khiva_arena.errors import ConfigError

FORGED = [*STREAMS, *HEADS, *PATHS]


@pytest.fixture
def league() -> Iterator[FakeLeague]:
    """One without TLS, on this machine."""
    with fake_league() as served:
        yield served


def test_submit_sends_the_bytes_of_a_file(league: FakeLeague, tmp_path: Path) -> None:
    files = {
        "bot.toml": f'{TOML}files = ["*.py"]\n'.replace('"a"', '"crow"'),
        "main.py": "print()",
        "notes.txt": "not sent",
    }
    (tmp_path / "crow").mkdir()
    for name, text in files.items():
        (tmp_path / "crow" / name).write_text(text)
    (tmp_path / "saved.entry").write_bytes(pack(load(str(tmp_path / "crow"))))
    league.answers((202, SENT))
    env = {"KHIVA_ARENA_TOKEN": TOKEN, "XDG_STATE_HOME": str(tmp_path / "state")}
    out = arena("submit", "saved.entry", "--to", league.url, cwd=tmp_path, env=env).stdout
    (asked,) = league.asked
    assert (asked.path, out) == ("/api/submit?name=crow", "entry 7 of spring: crow is waiting\n")
    assert asked.body == (tmp_path / "saved.entry").read_bytes()


@cases("upload", FORGED, ids=[upload.about for upload in FORGED])
def test_a_forged_file_is_refused_and_leaves_nothing(
    upload: HostileUpload, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path_factory.mktemp("forged")
    (home / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(home / "temporary"))
    (home / "forged.entry").write_bytes(upload.make())
    with pytest.raises(ConfigError) as refused:
        load(str(home / "forged.entry"))
    assert all(line.isprintable() for line in str(refused.value).splitlines())
    assert not [path for path in home.rglob("*") if path.is_file() and path.name != "forged.entry"]
