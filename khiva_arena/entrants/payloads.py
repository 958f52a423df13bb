"""The payload of a bot that an interpreter runs: its files in one stream, behind a head
that names the one to begin with.
"""

import os
from pathlib import Path

from khiva_arena.bots.sandbox import regular_files
from khiva_arena.entrants.archive import PackedContent, stream_of
from khiva_arena.entrants.runtimes import Interpreted
from khiva_arena.errors import BotError, ConfigError

HEAD = b"khiva-interpreted-1\n"


def packed(bot: str, wish: Interpreted, folder: Path, most: int) -> bytes:
    """Return the payload of a bot: the file that is run, and the archive of all files,
    once they are built.

    folder: with the files; hidden ones, and those of caches, are left out
    most: the bytes that it may have

    Raises BotError.
    """
    contents: dict[str, PackedContent] = {}
    size = 0
    for place, folders, names in os.walk(folder):
        folders[:] = [
            name for name in folders if name != "__pycache__" and not name.startswith(".")
        ]
        for path in (Path(place, name) for name in names if not name.startswith(".")):
            try:
                data = regular_files.read(path, most, follow=False)
            except OSError as error:
                raise BotError(
                    f"{bot}: {path.relative_to(folder)}: {error.strerror or error}"
                ) from None
            size += len(data)
            if size > most:
                raise BotError(
                    f"{bot}: its files have more than {most:,} bytes, so they are no "
                    "payload; name fewer in files"
                )
            contents[path.relative_to(folder).as_posix()] = PackedContent(data)
    if wish.main not in contents:
        raise BotError(
            f"{bot}: its interpreter runs {wish.main}, which is not among its files; name "
            "it in files, or let build make it"
        )
    try:
        payload = HEAD + wish.main.encode() + b"\n" + stream_of(contents)
    except ConfigError as error:
        raise BotError(f"{bot}: its files are no payload: {error}") from None
    if len(payload) > most:
        raise BotError(
            f"{bot}: its payload has {len(payload):,} bytes, and {most:,} are the most; "
            "name fewer files"
        )
    return payload
