"""The way of a game that does not come with the arena to a worker.

Its files travel by their hash; of a package only the name does, and the package has to
be there. Nothing of a game is run for that: the worker's own processes for games run
it, and those can be ended.
"""

import os
import tempfile
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from khiva_arena.arbiter.handed_games import source_of
from khiva_arena.entrants import staging
from khiva_arena.errors import ConfigError
from khiva_arena.extensions.cluster.bot_transfer import unpack
from khiva_arena.extensions.cluster.worker_messages import PackedFile, PackedGame
from khiva_arena.games.base import Game


def pack(game: Game) -> PackedGame | None:
    """Pack a game for its way to a worker; None if it comes with the arena. Raises
    ConfigError if it was changed since it was read.
    """
    if not game.outside:
        return None
    source = source_of(game.word)
    path = Path(source.path)
    if not source.path:
        packed_game = PackedGame(source.word, source.code, False, None)
    elif source.content is not None:
        packed_game = PackedGame(
            path.name, source.code, True, [PackedFile(path.name, False, source.content)]
        )
    else:
        folder = path.parent
        files = [
            (Path(name).relative_to(folder.parent).as_posix(), content)
            for name, content in source.files.items()
        ]
        packed_files = [PackedFile(name, False, content) for name, content in files]
        packed_game = PackedGame(folder.name, source.code, True, packed_files)
    if not game.rules_version.endswith(packed_game.code):
        raise ConfigError(f"--game {game.word}: it was changed since it was read")
    return packed_game


def lies_here(code: str) -> bool:
    """Tell whether a game is in this machine's cache."""
    return _place(code).is_dir()


def install(game: PackedGame) -> str:
    """Keep a game on this machine, so that it can be run. Returns the word that names
    it here.

    Raises ConfigError if it is another game here, or cannot be kept.
    """
    place = _place(game.code)
    if game.files is not None and not place.is_dir():
        _keep(game.files, place)
    word = str(place / game.word) if game.travels else game.word
    try:
        code = source_of(word).code
    except ConfigError as error:
        raise ConfigError(f"game {game.word}: {error}") from None
    if code != game.code:
        raise ConfigError(f"game {game.word} has another version there: {code.partition(':')[0]}")
    return word


def _keep(files: Sequence[PackedFile], place: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".new-", dir=place.parent) as folder:
        for file in files:
            unpack(file, f"{folder}/game")
        try:
            os.rename(f"{folder}/game", place)
        except OSError:
            if not place.is_dir():  # else another process was quicker
                raise


def _place(code: str) -> Path:
    return staging.cache_folder() / "games" / sha256(code.encode()).hexdigest()
