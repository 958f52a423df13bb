"""The seal of a ladder: a file with the hash of each other file in its folder, as
``sha256sum`` writes it.

The hash of the seal is the hash of the ladder. It is printed with each mark, so that a
course can publish it.
"""

import os
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path

from khiva_arena.bots.sandbox import regular_files
from khiva_arena.common.text import file_name
from khiva_arena.errors import ConfigError
from khiva_arena.words import count

SEAL = "ladder.sha256"
MOST_FILES = 10_000
MOST_BYTES = 1 << 30
LONGEST_SEAL = 4 << 20
SHOWN = 5


def write_seal(folder: Path) -> str:
    """Write the seal of a folder anew and return the hash of the ladder. Raises
    ConfigError.
    """
    text = "".join(f"{digest}  {name}\n" for name, digest in sorted(_hashes(folder).items()))
    place, draft = folder / SEAL, folder / f"{SEAL}.part"
    try:
        draft.unlink(missing_ok=True)
        draft.write_bytes(text.encode("utf-8", "surrogateescape"))
        draft.replace(place)
    except OSError as error:
        raise ConfigError(f"{place}: cannot be written: {error.strerror or error}") from None
    return check_seal(folder)


def check_seal(folder: Path) -> str:
    """Return the hash of a ladder. Raises ConfigError that names each file that is not
    as the seal has it.
    """
    place = folder / SEAL
    try:
        text = regular_files.read(place, LONGEST_SEAL, follow=False)
    except OSError as error:
        reason = error.strerror or error
        raise ConfigError(
            f"{place}: cannot be read: {reason}; `khiva-arena new ladder FOLDER` makes a ladder"
        ) from None
    if problems := list(_differences(_entries(place, text), _hashes(folder))):
        others = (
            [f"and {count(len(problems) - SHOWN, 'other file')}"] if len(problems) > SHOWN else []
        )
        way = f"if you changed the ladder on purpose: khiva-arena grade {folder} --seal"
        raise ConfigError([f"{folder}: {problem}" for problem in (*problems[:SHOWN], *others, way)])
    return sha256(text).hexdigest()


def _entries(place: Path, text: bytes) -> dict[str, str]:
    """Return the hash of each file by its name, as the seal has them. Raises
    ConfigError.
    """
    entries: dict[str, str] = {}
    for line in text.decode("utf-8", "surrogateescape").split("\n")[:-1]:
        digest, separator, name = line.partition("  ")
        if not separator or len(digest) != 64 or name in entries:
            raise ConfigError(
                f"{place}: a line is no hash with the name of a file; seal the ladder again"
            )
        entries[name] = digest
    return entries


def _differences(sealed: Mapping[str, str], there: Mapping[str, str]) -> Iterator[str]:
    """Yield a line for each file that the seal has otherwise than the folder."""
    for name in sorted(sealed.keys() | there.keys()):
        if name not in there:
            yield f"{file_name(name)} is missing"
        elif name not in sealed:
            yield f"{file_name(name)} is not in {SEAL}"
        elif sealed[name] != there[name]:
            yield f"{file_name(name)} was changed since the ladder was sealed"


def _hashes(folder: Path) -> dict[str, str]:
    """Return the hash of each file of a folder but the seal, by its path. Raises
    ConfigError for links and other odd files.
    """
    hashes: dict[str, str] = {}
    left = MOST_BYTES
    for name in _names(folder):
        if len(hashes) == MOST_FILES:
            raise ConfigError(f"{folder}: a ladder has at most {MOST_FILES:,} files")
        try:
            with regular_files.open_file(folder / name, follow=False, root=folder) as file:
                hashes[name] = regular_files.digest_of(file, left, folder / name)
                left -= file.tell()
        except OSError as error:
            raise ConfigError(
                f"{file_name(str(folder / name))}: cannot be read: {error.strerror or error}"
            ) from None
    return hashes


def _names(folder: Path) -> Iterator[str]:
    """Yield the path of each entry of a folder that is no folder. A link is one of
    them, wherever it leads.

    Python writes ``__pycache__`` when somebody runs a rung by hand. It is left out, as
    no bot gets it.
    """

    def fail(error: OSError) -> None:
        raise ConfigError(
            f"{file_name(str(error.filename))}: cannot be read: {error.strerror or error}"
        ) from None

    for place, folders, files in os.walk(folder, onerror=fail):
        folders[:] = [
            name
            for name in folders
            if name != "__pycache__" or os.path.islink(os.path.join(place, name))
        ]
        links = [name for name in folders if os.path.islink(os.path.join(place, name))]
        for name in (*files, *links):
            path = os.path.relpath(os.path.join(place, name), folder)
            if "\n" in path:
                raise ConfigError(
                    f"{folder}: {file_name(path)}: no name in a ladder has a line end"
                )
            if path not in (SEAL, f"{SEAL}.part"):
                yield path
