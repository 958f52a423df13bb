"""The folders of bots that a page plays: written, packed as an interpreter reads them,
saved in a zip, and opened from one.

A stranger may have made what is opened: it is bounded, and nothing of it is played or
written.
"""

import io
import os
import shutil
import zipfile
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from khiva_arena import __version__
from khiva_arena.arbiter.start_problem import with_hint
from khiva_arena.common.text import file_name
from khiva_arena.entrants import manifest, sources
from khiva_arena.entrants.archive import MANIFEST, MOST_DEPTH, MOST_FILES, StreamFile, check_files
from khiva_arena.entrants.archived import exactly, plain_files
from khiva_arena.entrants.bots import Bot
from khiva_arena.entrants.hints.failed_start import hint_of
from khiva_arena.entrants.loading import AS_IT_IS
from khiva_arena.entrants.payloads import packed
from khiva_arena.entrants.unpacking import write
from khiva_arena.errors import BotError, ConfigError
from khiva_arena.extensions.checker.workbench.typed import AUTHOR

TOP = "khiva-workbench"
"""The only folder at the top of what is saved."""
MOST_PACKED, MOST_UNPACKED = 4 << 20, 16 << 20
"""The bytes of a zip that is opened, and of its files."""
RESERVED = 20
"""The files that the opponent and the README of a saved zip may have."""
MOST_LISTED = 20_000
"""The files of a folder of which the page names the paths; few of them are read."""
_EPOCH = (1980, 1, 1, 0, 0, 0)
_PLAIN_FILE = 0o100644 << 16
_README = """# {author} against {opponent}

Install Khiva Arena, with the interpreters of bots:

    pip install 'khiva-arena[ticks]'

Type this line beside this file:

    {line}

Leave `--trust-bots` out if somebody else wrote one of the bots: the matches stay the same.

Version {version} plays the matches of the page, with the same event and the same run digest. \
`{opponent}` is a copy of the bot of
that name as the page had it.
"""


def write_folder(folder: Path, files: Mapping[str, str]) -> None:
    """Write the files of a bot into a new folder, in place of an older one. Raises
    ConfigError for a hostile name.
    """
    data = {name: _bytes(text) for name, text in files.items()}
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
    """Return what the interpreter of a bot reads: the files that ``files`` of its
    bot.toml names. Raises BotError, with the command's hint.
    """
    assert bot.interpreted is not None
    with TemporaryDirectory() as staged:
        for name, source in bot.sources:
            place = Path(staged, name)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, place)
        try:
            return packed(bot.name, bot.interpreted, Path(staged), bot.largest_payload)
        except BotError as error:
            did = "its files copied, and its build done"
            advice = hint_of(bot, did, str(error), confined=False)
            raise BotError(with_hint(str(error), advice)) from None


def saved(line: str, files: Mapping[str, str], opponent: str, others: Mapping[str, str]) -> bytes:
    """Return a zip with both bots and a page on how to play them. Raises ConfigError
    for a hostile name.

    line: plays them.
    opponent, others: the opponent's folder, and its files.
    """
    readme = _README.format(author=AUTHOR, opponent=opponent, line=line, version=__version__)
    contents = {f"{TOP}/README.md": readme}
    for folder, of_bot in ((AUTHOR, files), (opponent, others)):
        contents |= {f"{TOP}/{folder}/{name}": text for name, text in of_bot.items()}
    check_files([StreamFile(name, len(text), runs=False) for name, text in contents.items()])
    if (size := sum(len(text) for text in contents.values())) > MOST_UNPACKED:
        raise ConfigError(
            f"both bots have {size >> 20} MiB, and a zip that this page opens again has "
            f"{MOST_UNPACKED >> 20} at most"
        )
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in sorted(contents.items()):
            info = zipfile.ZipInfo(name, _EPOCH)
            info.create_system, info.external_attr, info.compress_type = (
                3,
                _PLAIN_FILE,
                zipfile.ZIP_DEFLATED,
            )
            archive.writestr(info, _bytes(text))
    if len(out.getvalue()) > MOST_PACKED:
        raise ConfigError(
            f"the zip would have more than {MOST_PACKED >> 20} MiB, and this page would "
            "not open it again"
        )
    return out.getvalue()


def from_zip(data: bytes) -> dict[str, str]:
    """Return the author's files in a zip. Raises ConfigError if it breaks a bound, or
    is damaged.
    """
    if len(data) > MOST_PACKED:
        raise ConfigError(f"this zip has more than {MOST_PACKED >> 20} MiB")
    entries = plain_files(data, is_zip=True)
    _check(
        "this zip",
        [StreamFile("/".join(parts), entry.size, entry.runs) for parts, entry in entries],
    )
    home = _home([parts for parts, _ in entries])
    own = {
        "/".join(parts[len(home) :]): entry
        for parts, entry in entries
        if parts[: len(home)] == home
    }
    _check_room(own)
    return {name: _text(name, b"".join(exactly(entry))) for name, entry in own.items()}


def from_folder(contents: Mapping[str, bytes]) -> dict[str, str]:
    """Return the files that the bot.toml of a folder names, of those that a browser has
    read. Raises ConfigError if they break a bound, and with the mistakes of the
    bot.toml.
    """
    if MANIFEST not in contents:
        raise ConfigError(f"this folder has no {MANIFEST}")
    names = wanted([*contents], contents[MANIFEST])
    _check("this folder", [StreamFile(name, len(contents[name]), runs=False) for name in names])
    _check_room(names)
    return {name: _text(name, contents[name]) for name in names}


def wanted(names: Sequence[str], bot_toml: bytes) -> list[str]:
    """Return the files that a bot.toml names among those of its folder, itself first.
    Raises ConfigError with its mistakes.
    """
    if len(names) > MOST_LISTED:
        raise ConfigError(
            f"this folder has {len(names):,} files, {MOST_LISTED:,} at most: open the "
            "folder of one bot"
        )
    with TemporaryDirectory() as empty:
        home = Path(empty, AUTHOR)
        for name in names:
            place = Path(os.path.normpath(home / name))
            if place.is_relative_to(home) and not any(
                part.startswith(".") for part in place.relative_to(home).parts
            ):
                with suppress(
                    OSError, ValueError
                ):  # no file of a bot has a name that none can have here
                    place.parent.mkdir(parents=True, exist_ok=True)
                    place.touch()
        (home / MANIFEST).write_bytes(bot_toml)
        try:
            globs = manifest.read(home / MANIFEST, {}).files
            found = sources.sources(home, home / MANIFEST, globs, (), AS_IT_IS)
        except ConfigError as error:
            raise ConfigError(
                [problem.replace(f"{empty}/", "") for problem in error.problems]
            ) from None
    return list(dict.fromkeys((MANIFEST, *(name for name, _ in found))))


def _check(what: str, files: Sequence[StreamFile]) -> None:
    check_files(files)
    if sum(file.size for file in files) > MOST_UNPACKED:
        raise ConfigError(f"the files of {what} have more than {MOST_UNPACKED >> 20} MiB")
    parents = {str(parent) for file in files for parent in PurePosixPath(file.name).parents}
    if len({parent.casefold() for parent in parents}) < len(parents):
        raise ConfigError(f"two folders of {what} have names that differ only in case")


def _check_room(names: Collection[str]) -> None:
    """Raise ConfigError for files that could be played, and not be saved beside an
    opponent and opened again.
    """
    if len(names) > MOST_FILES - RESERVED:
        raise ConfigError(
            f"this bot has {len(names)} files, and a page takes {MOST_FILES - RESERVED} at most"
        )
    if deep := [name for name in names if name.count("/") >= MOST_DEPTH - 2]:
        raise ConfigError(
            f"{file_name(deep[0])}: a path has {MOST_DEPTH - 2} parts at most in a page"
        )


def _home(paths: Iterable[Sequence[str]]) -> tuple[str, ...]:
    """Return the folder of the author's bot: that of this name if there are several.
    Raises ConfigError if there is none.
    """
    homes = [tuple(parts[:-1]) for parts in paths if parts[-1] == MANIFEST]
    own = [home for home in homes if home[-1:] == (AUTHOR,)] or homes
    if len(own) != 1:
        raise ConfigError(
            f"this zip has {len(own)} folders with a {MANIFEST}; take one with one bot, or "
            "one that this page saved"
        )
    return own[0]


def _bytes(text: str) -> bytes:
    return text.encode(errors="replace")  # an editor may hold half of a character


def _text(name: str, data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise ConfigError(
            f"{file_name(name)} is no text in UTF-8, and this page edits nothing else"
        ) from None
