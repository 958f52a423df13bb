"""The bots that an event was to have, in a file beside the store that may be lost."""

from pathlib import Path

from khiva_arena.records.store import not_played
from khiva_arena.records.store.files import NOT_PLAYED
from khiva_arena.records.store.rows import NotPlayed, Why

ANN = NotPlayed(
    "ann", "entries/ann", Why.UNBUILT, "its build failed", "its build failed:\nno compiler"
)
ZIP = NotPlayed("bob.zip", "entries/bob.zip", Why.NO_BOT, "an archive")


def test_each_event_has_its_own_and_the_newest_count(tmp_path: Path) -> None:
    assert not_played.read(tmp_path) == {}
    not_played.write(tmp_path, "one", [])
    assert not (tmp_path / NOT_PLAYED).exists()
    not_played.write(tmp_path, "one", [ANN, ZIP])
    not_played.write(tmp_path, "two", [ZIP])
    assert not_played.read(tmp_path) == {"one": [ANN, ZIP], "two": [ZIP]}
    not_played.write(tmp_path, "one", [])
    assert not_played.read(tmp_path) == {"two": [ZIP]}
    assert (tmp_path / NOT_PLAYED).stat().st_mode & 0o077 == 0, "it may repeat what a bot wrote"


def test_a_file_that_is_not_understood_is_none(tmp_path: Path) -> None:
    for data in (b"", b"[]", b'{"one": [{"name": "ann"}]}', b"[" * 100_000, b"\xff"):
        (tmp_path / NOT_PLAYED).write_bytes(data)
        assert not_played.read(tmp_path) == {}
    not_played.write(tmp_path, "one", [ANN])
    assert not_played.read(tmp_path) == {"one": [ANN]}
    (tmp_path / "copy").mkdir()
    (tmp_path / "copy" / NOT_PLAYED).symlink_to(tmp_path / NOT_PLAYED)
    assert not_played.read(tmp_path / "copy") == {}


def test_a_long_report_keeps_its_end(tmp_path: Path) -> None:
    not_played.write(
        tmp_path, "one", [NotPlayed("a", "a", Why.UNBUILT, "b", "x" * 100_000 + "end")]
    )
    ((bot,),) = not_played.read(tmp_path).values()
    assert len(bot.report) < 10_000
    assert bot.report.endswith("xend")
