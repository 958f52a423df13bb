"""A small disk of one's own: a tmpfs, where the tests run as root."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tools import lacks, need


@contextmanager
def small_disk(where: Path, size: str) -> Iterator[Path]:
    """A tmpfs of this size. Where it cannot be mounted, a test is skipped with the
    reason.
    """
    need("mount")
    where.mkdir()
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", where],
        capture_output=True,
        check=False,
    )
    if done.returncode:
        lacks(f"a small disk cannot be mounted: {done.stderr.decode().strip()}")
    try:
        yield where
    finally:
        subprocess.run(["umount", "--lazy", where], check=True)


def remount(where: Path, options: str) -> None:
    """Make it larger, as "size=64m", or read-only, as "ro", or writable again, as
    "rw".
    """
    subprocess.run(["mount", "-o", f"remount,{options}", where], check=True)


def fill(where: Path, leave: int = 0) -> Path:
    """Fill a disk up to the last page, except ``leave`` bytes, with a file that is
    returned.
    """
    ballast = where / "ballast"
    with ballast.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(4096))
        except OSError:
            file.truncate(max(0, file.tell() - leave))
    return ballast
