"""The folders of bots that a page plays: written, and packed as an interpreter reads them."""

import shutil
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from khiva_arena.entrants.archive import StreamFile, check_files
from khiva_arena.entrants.bots import Bot
from khiva_arena.entrants.payloads import packed
from khiva_arena.entrants.unpacking import write
from khiva_arena.errors import ConfigError


def write_folder(folder: Path, files: Mapping[str, str]) -> None:
    """Write the files of a bot into a new folder, in place of an older one. Raises ConfigError for a hostile name."""
    data = {name: text.encode() for name, text in files.items()}
    listed = [StreamFile(name, len(content), runs=False) for name, content in data.items()]
    try:
        check_files(listed)
    except ConfigError as error:
        raise ConfigError(f"{folder.name}: {error}") from None
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for file in listed:
        write(folder, file, [data[file.name]])


def payload_of(bot: Bot) -> bytes:
    """Return what the interpreter of a bot reads: the files that ``files`` of its bot.toml names. Raises BotError."""
    assert bot.interpreted is not None
    with TemporaryDirectory() as staged:
        for name, source in bot.sources:
            place = Path(staged, name)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, place)
        return packed(bot.name, bot.interpreted, Path(staged), bot.largest_payload)
