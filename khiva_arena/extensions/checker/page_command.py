"""The work of ``khiva-arena page``: the page that checks bundles, in one file."""

from hashlib import sha256
from pathlib import Path

from khiva_arena.display.page.html import BEGINNING
from khiva_arena.display.terminal.console import say
from khiva_arena.errors import ArenaError, ConfigError
from khiva_arena.extensions.checker.checker import checker_page, costs
from khiva_arena.records.store.new_file import check_new_file, new_file


class OtherPage(ArenaError):
    """A page is not the one of this version."""

    exit_code = 1


def page(runtime: Path | None, out: Path | None, check: Path | None) -> None:
    """Build the page from a runtime, and write it, or compare it with one that is
    there, or both. The one that is compared has a runtime itself, whose hash is pinned.

    Raises ConfigError for files that cannot be read, OtherPage if the page that is
    there is another one.
    """
    if out is None and check is None:
        raise ConfigError(
            "the page needs a place: give --out FILE; or --check FILE to compare one that is there"
        )
    if out is not None:
        check_new_file(out, BEGINNING)
    if runtime is None and check is None:
        raise ConfigError(
            "--out needs --runtime FILE, which `make page` in a checkout fetches, or "
            "--check FILE, a page that has it"
        )
    theirs = _read("--check", check) if check is not None else b""
    data = _of_runtime(runtime) if runtime is not None else _of_page(check, theirs)
    digest = sha256(data).hexdigest()
    if check is not None:
        if theirs != data:
            raise OtherPage(
                f"{check} has the SHA-256 {sha256(theirs).hexdigest()}, and the page of "
                f"this version {digest}"
            )
        say(f"{check} is the page of this version: SHA-256 {digest}")
    if out is not None:
        with new_file(out, BEGINNING) as file:
            file.write(data)
        for name, size in sorted(costs(data.decode()).items(), key=lambda cost: -cost[1]):
            say(f"  {name:<19} {size:>12,} bytes")
        say(f"{out}: {len(data):,} bytes, SHA-256 {digest}")


def _read(option: str, path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise ConfigError(f"{option} {path}: {error.strerror}") from None


def _of_runtime(path: Path) -> bytes:
    archive = _read("--runtime", path)
    try:
        return checker_page(archive).encode()
    except ConfigError as error:
        raise ConfigError(
            f"--runtime {path}: {error}; `make page` in a checkout fetches the right one"
        ) from None


def _of_page(path: Path | None, theirs: bytes) -> bytes:
    try:
        return checker_page(theirs).encode()
    except ConfigError as error:
        raise OtherPage(f"{path}: {error}: this is not the page of this version") from None
