"""Files that a stranger may have named are opened by one function: no link below the
trusted folder, no pipe, no device.
"""

import os
import time
import tracemalloc
from contextlib import suppress
from pathlib import Path

import pytest
from wording import sentence

from khiva_arena.bots.sandbox import regular_files, system

SECRET = "not for strangers"


def tree(tmp_path: Path) -> Path:
    """Return a folder that a stranger may write: root/sub/file. A secret lies
    beside.
    """
    root = tmp_path / "root"
    (root / "sub").mkdir(parents=True)
    (root / "sub" / "file").write_text("theirs")
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "file").write_text(SECRET)
    return root


def read(path: Path, root: Path) -> str:
    return regular_files.read(path, 1_000, root=root).decode()


def test_a_file_is_read_below_a_folder_that_may_be_a_link_itself(tmp_path: Path) -> None:
    root = tree(tmp_path)
    (tmp_path / "latest").symlink_to(root)
    assert read(root / "sub" / "file", root) == "theirs"
    assert read(tmp_path / "latest" / "sub" / "file", tmp_path / "latest") == "theirs"
    assert read(root / "sub" / "file", tmp_path) == "theirs"


@pytest.mark.parametrize("part", ["sub/file", "sub"])
def test_a_link_at_any_part_below_the_folder_is_refused(tmp_path: Path, part: str) -> None:
    root = tree(tmp_path)
    (root / "sub" / "file").unlink()
    if part == "sub":
        (root / "sub").rmdir()
    (root / part).symlink_to(tmp_path / "home" / ("file" if part == "sub/file" else ""))
    with pytest.raises(OSError, match=sentence("sandbox", "link-not-followed-here")) as refusal:
        read(root / "sub" / "file", root)
    assert refusal.value.filename == str(root / "sub" / "file")
    assert (
        regular_files.read(root / "sub" / "file", 1_000) == SECRET.encode()
    )  # as this user would by a path typed here


def test_a_path_out_of_the_folder_is_refused(tmp_path: Path) -> None:
    root = tree(tmp_path)
    for path in (root / ".." / "home" / "file", tmp_path / "home" / "file", root):
        with pytest.raises((ValueError, OSError)):
            read(path, root)


def test_a_pipe_and_a_device_are_refused_at_once(tmp_path: Path) -> None:
    root = tree(tmp_path)
    os.mkfifo(root / "pipe")
    began = time.monotonic()
    with pytest.raises(OSError, match="it is a pipe, not a file"):
        read(root / "pipe", root)
    assert time.monotonic() - began < 1.0
    with pytest.raises(OSError, match="it is a device, not a file"):
        read(Path("/dev/null"), Path("/dev"))


def test_a_read_takes_memory_for_the_file_and_not_for_the_limit(tmp_path: Path) -> None:
    """Where address space is limited, a gigabyte cannot be had."""
    file = tmp_path / "file"
    file.write_bytes(b"abc")
    tracemalloc.start()
    assert regular_files.read(file, 1 << 30) == b"abc"
    assert tracemalloc.get_traced_memory()[1] < 1 << 24
    tracemalloc.stop()


def test_a_file_that_is_longer_than_its_size_said_is_read_to_its_end() -> None:
    """As a file that grows: those of the system say that they are empty."""
    path = "/proc/self/status" if system.PROC else __file__
    assert regular_files.read(path, 1 << 20).startswith(b"Name:" if system.PROC else b'"""')


def test_no_descriptor_stays_open(tmp_path: Path) -> None:
    root = tree(tmp_path)
    before = len(os.listdir("/proc/self/fd"))
    for name in ("sub/file", "sub/none", "none/file"):
        with suppress(OSError):
            read(root / name, root)
    assert len(os.listdir("/proc/self/fd")) == before
