"""A stream of files comes out as it went in, and nothing that a stranger packs leads
out of a folder or beyond a bound.
"""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from uploads import TOML, folder_of_files, packed_by_hand, stream
from wording import pattern

from khiva_arena.common.shipped import bots as shipped_bots
from khiva_arena.entrants import archive, packing
from khiva_arena.entrants.archive import LENGTH_BYTES, MAGIC, MOST_BYTES, MOST_FILES, check_packed
from khiva_arena.entrants.bots import load
from khiva_arena.entrants.packing import pack
from khiva_arena.entrants.unpacking import unpack
from khiva_arena.errors import ConfigError


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    """A folder with a file in a folder, and one that may be run."""
    folder = tmp_path / "bot"
    (folder / "lib").mkdir(parents=True)
    (folder / "bot.toml").write_text(TOML)
    (folder / "main.py").write_text("print()")
    (folder / "lib" / "a.bin").write_bytes(bytes(range(256)))
    (folder / "run.sh").write_text("#!/bin/sh")
    (folder / "run.sh").chmod(0o700)
    return folder


def test_what_is_unpacked_is_the_bot_that_was_packed(bot: Path, tmp_path: Path) -> None:
    packed = pack(load(str(bot)))
    assert pack(load(str(bot))) == packed
    unpack(packed, tmp_path / "there")
    assert load(str(tmp_path / "there")).identity == load(str(bot)).identity
    assert os.access(tmp_path / "there" / "run.sh", os.X_OK)
    assert not os.access(tmp_path / "there" / "main.py", os.X_OK)


def test_a_module_alone_becomes_a_folder_of_the_same_identity(tmp_path: Path) -> None:
    module = tmp_path / "my bot.wasm"
    module.write_bytes(b"\0asm\1\0\0\0")
    packed = pack(load(str(module)))
    unpack(packed, tmp_path / "there")
    assert load(str(tmp_path / "there")).identity == load(str(module)).identity


def test_hidden_files_and_those_that_files_leaves_out_stay_at_home(bot: Path) -> None:
    (bot / ".secret").write_text("secret")
    (bot / "notes.txt").write_text("secret")
    (bot / "bot.toml").write_text(f'{TOML}files = ["**/*.py"]\n')
    assert b"secret" not in pack(load(str(bot)))


def test_a_bare_command_is_not_packed() -> None:
    with pytest.raises(ConfigError) as caught:
        pack(load("true"))
    assert "a league takes bots that are folders with a bot.toml, and modules" in str(caught.value)


@pytest.mark.parametrize("word", shipped_bots())
def test_a_bot_with_a_kit_beside_its_folder_brings_the_kit_and_keeps_its_identity(
    word: str, tmp_path: Path
) -> None:
    (tmp_path / "there.entry").write_bytes(pack(load(word)))
    there = load(str(tmp_path / "there.entry"))
    assert pack(there) == (tmp_path / "there.entry").read_bytes()
    assert (there.identity, there.games, there.author) == (
        load(word).identity,
        load(word).games,
        "",
    )
    assert there.reports == load(word).reports


def test_a_link_out_of_the_folder_is_not_followed(bot: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.py").write_text("secret")
    (bot / "link.py").symlink_to(tmp_path / "secret.py")
    with pytest.raises(ConfigError, match=pattern("entrants", "link-not-followed", path="link.py")):
        pack(load(str(bot)))


def test_too_large_a_bot_is_refused_before_it_is_read(
    bot: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (bot / "weights").open("wb") as file:
        file.truncate(MOST_BYTES)
    monkeypatch.setattr(packing, "_read", None)
    with pytest.raises(
        ConfigError, match="its files have more than 64 MiB, which a league does not take"
    ):
        pack(load(str(bot)))


def test_the_largest_bot_that_is_taken_and_one_byte_more() -> None:
    most = MOST_BYTES - len(TOML)
    check_packed(folder_of_files({"main.py": bytes(most)}))
    with pytest.raises(ConfigError):
        check_packed(folder_of_files({"main.py": bytes(most), "more": b"1" * archive.MOST_HEAD}))


def test_the_most_files_that_are_taken_and_one_more() -> None:
    files = {f"{number}": "" for number in range(MOST_FILES - 2)}
    check_packed(folder_of_files(files))
    with pytest.raises(
        ConfigError, match=pattern("entrants", "archive-files", count="501", most="500")
    ):
        check_packed(folder_of_files({**files, "one": ""}))


def test_an_existing_folder_is_never_unpacked_into(tmp_path: Path) -> None:
    with pytest.raises(FileExistsError):
        unpack(folder_of_files({}), tmp_path)
    assert list(tmp_path.iterdir()) == []


# --- anything ---

NAMES = st.one_of(
    st.text(max_size=210),
    st.text(alphabet="ab./\\ ~-", max_size=12),
    st.sampled_from(
        [
            "bot.toml",
            "../x",
            "/tmp/x",
            "a/../../x",
            "a",
            "A",
            "a/b",
            "a/b/c",
            ".",
            "..",
            "a//b",
            "bot.toml/x",
        ]
    ),
)
FILES = st.lists(st.tuples(NAMES, st.binary(max_size=20)), max_size=6)


def unpacks_or_refuses(packed: bytes, home: Path) -> None:
    """Whatever it is: files in the new folder alone, no more bytes than came, or
    nothing at all and a ConfigError.
    """
    folder = home / "in" / "bot"
    folder.parent.mkdir(exist_ok=True)
    before = sorted(home.rglob("*"))
    try:
        unpack(packed, folder)
    except ConfigError:
        assert sorted(home.rglob("*")) == before
        return
    made = [path for path in home.rglob("*") if path not in before]
    assert all(path.is_relative_to(folder) and not path.is_symlink() for path in made)
    assert sum(path.stat().st_size for path in made if path.is_file()) <= len(packed)
    assert (folder / "bot.toml").is_file()
    os.rename(folder, home / f"kept-{len(before)}")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=300)
@given(files=FILES, with_manifest=st.booleans())
def test_files_of_any_name(
    files: list[tuple[str, bytes]], with_manifest: bool, tmp_path: Path
) -> None:
    unpacks_or_refuses(
        packed_by_hand([*files, ("bot.toml", b"")] if with_manifest else files), tmp_path
    )


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=300)
@given(head=st.binary(max_size=60), data=st.binary(max_size=60))
def test_a_head_of_any_bytes(head: bytes, data: bytes, tmp_path: Path) -> None:
    unpacks_or_refuses(stream(head, data), tmp_path)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=300)
@given(
    place=st.integers(0, 10**6),
    bits=st.integers(1, 255),
    cut=st.integers(0, 30),
    more=st.binary(max_size=8),
)
def test_a_damaged_stream(place: int, bits: int, cut: int, more: bytes, tmp_path: Path) -> None:
    packed = bytearray(folder_of_files({"lib/a.bin": bytes(range(30))}))
    packed[place % len(packed)] ^= bits
    unpacks_or_refuses(bytes(packed[: len(packed) - cut]) + more, tmp_path)


@given(length=st.integers(0, 2 ** (8 * LENGTH_BYTES) - 1))
def test_a_length_that_lies_costs_nothing(length: int) -> None:
    with pytest.raises(ConfigError):
        check_packed(MAGIC + length.to_bytes(LENGTH_BYTES) + b"\x90")
