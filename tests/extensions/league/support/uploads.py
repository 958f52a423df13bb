"""What authors send to a league: streams that are packed by hand, with whatever is in
them, and a league that takes them.
"""

import secrets
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec
from arena import arena

from khiva_arena.common.say import say_nothing
from khiva_arena.entrants.archive import LENGTH_BYTES, MAGIC
from khiva_arena.extensions.league.settings import League, league_of
from khiva_arena.extensions.league.submissions.limits import UploadLimits

MUCH = UploadLimits(10**6, 10**6, 0.0, 10**6)
"""Limits that nobody reaches."""
TOML = 'name = "a"\nrun = "{python} main.py"\n'


def stream(head: bytes, data: bytes = b"") -> bytes:
    """A stream with any head."""
    return MAGIC + len(head).to_bytes(LENGTH_BYTES) + head + data


def packed_by_hand(files: Iterable[tuple[str, bytes]], runs: bool = False) -> bytes:
    """A stream of these files, in this order, under these names, as ``pack`` would
    refuse to make it.
    """
    files = list(files)
    head = msgspec.msgpack.encode([[name, len(data), runs] for name, data in files])
    return stream(head, b"".join(data for _, data in files))


def folder_of_files(files: Mapping[str, str | bytes], toml: str | bytes = TOML) -> bytes:
    """The stream of a bot's folder with a bot.toml."""
    whole = {"bot.toml": toml, "main.py": "", **files}
    return packed_by_hand(
        (name, data.encode() if isinstance(data, str) else data) for name, data in whole.items()
    )


def one_of_its_own() -> bytes:
    """The stream of a bot that no other one equals."""
    return folder_of_files({"main.py": f"# {secrets.token_hex(8)}"})


def new_league(folder: Path, *words: str, settings: str = "") -> League:
    """A new league for two, with shipped anchors. ``settings``: lines for the end of
    its file, which is the table [league].
    """
    arena("league", "new", str(folder), "--seats", "2", *words, cwd=folder.parent)
    if settings:
        file = folder / "league.toml"
        keys = {line.partition(" = ")[0] for line in settings.splitlines()}
        kept = [
            line for line in file.read_text().splitlines() if line.partition(" = ")[0] not in keys
        ]
        file.write_text("\n".join([*kept, settings, ""]))
    return league_of(folder, {}, say_nothing)


def files_below(folder: Path) -> list[str]:
    """The paths of all that is in a folder, without the queue's own files and what is
    in ``bots``.
    """
    paths = (path.relative_to(folder) for path in folder.rglob("*"))
    return sorted(
        str(path)
        for path in paths
        if not path.name.startswith("queue.db") and "bots" not in path.parts[:-1]
    )
