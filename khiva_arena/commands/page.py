"""The work of ``khiva-arena page``: the page that checks bundles, in one file."""

from hashlib import sha256
from pathlib import Path

from khiva_arena.errors import ArenaError, ConfigError
from khiva_arena.page.checker import checker_page
from khiva_arena.page.html import BEGINNING
from khiva_arena.store.new_file import check_new_file, new_file
from khiva_arena.terminal.console import say


class OtherPage(ArenaError):
    """A page is not the one of this version."""

    exit_code = 1


def page(runtime: Path, out: Path | None, check: Path | None) -> None:
    """Build the page from a runtime, and write it, or compare it with one that is there, or both.

    Raises ConfigError for files that cannot be read, OtherPage if the page that is there is another one.
    """
    if out is None and check is None:
        raise ConfigError("the page needs a place: give --out FILE; or --check FILE to compare one that is there")
    if out is not None:
        check_new_file(out, BEGINNING)
    data = checker_page(runtime).encode()
    digest = sha256(data).hexdigest()
    if check is not None:
        _compare(check, data, digest)
    if out is not None:
        with new_file(out, BEGINNING) as file:
            file.write(data)
        say(f"{out}: {len(data):,} bytes, SHA-256 {digest}")


def _compare(path: Path, data: bytes, digest: str) -> None:
    try:
        theirs = path.read_bytes()
    except OSError as error:
        raise ConfigError(f"--check {path}: {error.strerror}") from None
    if theirs != data:
        raise OtherPage(f"{path} has the SHA-256 {sha256(theirs).hexdigest()}, and the page of this version {digest}")
    say(f"{path} is the page of this version: SHA-256 {digest}")
