"""The source of a game that does not come with the arena: found and hashed, without
running any of it.
"""

import importlib.util
import os
from collections.abc import Iterator, Mapping
from hashlib import sha256
from importlib import metadata
from pathlib import Path

from khiva_arena.bots.sandbox import regular_files
from khiva_arena.common.handed import LIBRARY, GameSource
from khiva_arena.common.text import file_name, is_text
from khiva_arena.errors import ConfigError
from khiva_arena.games.registry import GROUP, NAMES, unknown

MOST_BYTES = 64 * 2**20
MOST_FILES = 5_000
GAME_FILE = "game.py"
"""The file that a folder holds which is no package: as ``khiva-arena new game`` makes
it.
"""
PACKED, WHOLE_FILE = "__init__.py", "sha256"
CACHE = "__pycache__"
"""The folder where Python leaves bytecode, which is never run for a game: see
``game_host.py``.
"""


def source_of(word: str) -> GameSource:
    """Return the source that ``word`` names: a file, a folder, or the entry point of an
    installed package. Raises ConfigError.
    """
    path = Path(word)
    if path.is_dir():
        if (path / PACKED).is_file():
            return _folder(path)
        path = path / GAME_FILE
        if not path.is_file():
            raise ConfigError(
                f"{word} is a folder without {PACKED} or {GAME_FILE}, one of which is a game's"
            )
    if path.is_file():
        return _file(path)
    if path.suffix == ".py" or os.sep in word:
        raise ConfigError(f"there is no file {word}")
    if word == LIBRARY:
        return _library()
    points = {point.name: point for point in metadata.entry_points(group=GROUP)}
    if word in points:
        return _package(points[word])
    raise ConfigError(
        f"{unknown(word, [*NAMES, LIBRARY, *points])} A game of your own is named by its "
        "file, as my_game.py"
    )


def _file(path: Path) -> GameSource:
    path = path.resolve()
    content = _read(path, path.parent)
    code, place = f"{WHOLE_FILE}:{sha256(content).hexdigest()}", str(path)
    return GameSource(place, path.name, code, _module_name(path.stem), place, place, content)


def _folder(path: Path) -> GameSource:
    path = path.resolve()
    files = _contents(path, path)
    code, place = f"folder:{_hash(files, path)}", str(path)
    return GameSource(
        place,
        path.name,
        code,
        _module_name(path.name),
        str(path / PACKED),
        place + os.sep,
        files=files,
    )


def _library() -> GameSource:
    """Return the source of OpenSpiel's games: rules of the library, whose version says
    enough. Raises ConfigError without OpenSpiel.
    """
    try:
        version = metadata.version("open_spiel")
    except metadata.PackageNotFoundError:
        raise ConfigError(
            f"{LIBRARY} needs OpenSpiel: pip install 'khiva-arena[openspiel]'"
        ) from None
    return GameSource(
        LIBRARY, f"OpenSpiel {version}", f"open_spiel-{version}", f"{__package__}.openspiel"
    )


def _module_name(stem: str) -> str:
    """Return a name for a module that no other module has."""
    return f"game_{''.join(sign if sign.isalnum() else '_' for sign in stem)}"


def _package(point: metadata.EntryPoint) -> GameSource:
    """Return the source of the package that an entry point is in: all of its outermost
    module, since its own imports are hashed, too.
    """
    top = point.module.partition(".")[0]
    spec = importlib.util.find_spec(top)  # this runs no code for an outermost module
    places = list(spec.submodule_search_locations or ()) if spec else []
    if spec is None or not (places or (spec.origin and os.path.isfile(spec.origin))):
        raise ConfigError(f"game {point.name}: its package has no module {top}")
    place = Path(places[0] if places else str(spec.origin)).resolve()
    files = _contents(place, None) if places else {str(place): _read(place, None)}
    digest = _hash(files, place) if places else sha256(files[str(place)]).hexdigest()
    package = f"{point.dist.name}-{point.dist.version}" if point.dist else top
    code, folder = f"{package.replace(':', '_')}:{digest}", f"{place}{os.sep if places else ''}"
    return GameSource(
        point.name,
        f"package {package}",
        code,
        point.module,
        "",
        folder,
        None,
        point.attr or "",
        files,
    )


def _contents(folder: Path, root: Path | None) -> dict[str, bytes]:
    """Return the contents of all files of a game in a folder, by path,
    sorted. ``root``: as for ``_read``. Raises ConfigError.
    """
    contents, room = dict[str, bytes](), MOST_BYTES
    for path in _files_of(folder):
        if len(contents) == MOST_FILES or path.stat().st_size > room:
            raise ConfigError(
                f"{folder} is no game: it holds more than {MOST_FILES:,} files or "
                f"{MOST_BYTES >> 20} MiB"
            )
        contents[str(path)] = _read(path, root)
        room -= len(contents[str(path)])
    return contents


def _read(path: Path, root: Path | None) -> bytes:
    """Return the bytes of a file. Raises ConfigError.

    root: the folder below which no link is followed; None: all links are, since pip may
        install a package as links
    """
    try:
        return regular_files.read(path, MOST_BYTES, root=root)
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}") from None


def _hash(contents: Mapping[str, bytes], folder: Path) -> str:
    """Return a hash over the names and contents of the files of a game in a folder."""
    total = sha256(b"khiva-game-1\0")
    for path, content in contents.items():
        total.update(
            f"{Path(path).relative_to(folder).as_posix()}\0".encode() + sha256(content).digest()
        )
    return total.hexdigest()


def _files_of(folder: Path) -> Iterator[Path]:
    """Yield the files of a game: all but files that Python and editors leave there.
    Raises ConfigError.
    """
    for path in sorted(folder.rglob("*"), key=lambda path: path.relative_to(folder).as_posix()):
        if any(part == CACHE or part.startswith(".") for part in path.relative_to(folder).parts):
            continue
        if not is_text(str(path)):
            raise ConfigError(
                f"{file_name(str(path))}: a file of the game has a name that is no UTF-8: "
                "give it another name"
            )
        if path.is_symlink() and path.is_dir():
            raise ConfigError(
                f"{path} is a link to a folder, of which nothing is hashed: copy the "
                "folder to that place"
            )
        if path.is_file():
            yield path
