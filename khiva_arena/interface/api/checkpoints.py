"""Checkpoints of a training, as bots that a competition can seat."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from khiva_arena.errors import BotError, ConfigError
from khiva_arena.interface.api.keywords import as_path, text, whole

FOLDER = "checkpoint"
"""The folder of a checkpoint's files, inside the folder of its bot."""
LISTING = "checkpoint.json"
_CHECKED = """if not callable(choose):
    sys.exit(f"load(path) must return a function choose(decide, match), but returned \
{choose!r:.200}")"""


@dataclass(frozen=True)
class Checkpoint:
    """A bot at one point of its training: ``load(path)`` returns its ``choose(decide,
    match)``.

    load: called with the path of a copy, in the process that plays, before the match.
    path: of a file, or of a folder with all files of the checkpoint.
    step: how far the training was; by default the last number in the name of ``path``.
    name: of the bot; by default the name of ``path`` without its ending.

    The bot is known by the code of ``load`` and the contents of the files: equal ones
    are the same bot, wherever the files lie.

    Raises ConfigError for values of another type.
    """

    load: Callable[[Path], Callable[..., int]]
    path: Path
    step: int = -1
    name: str = ""

    def __post_init__(self) -> None:
        if not callable(self.load):
            raise ConfigError(f"load: {self.load!r:.200} is not a function load(path)")
        path, step = as_path("path", self.path), whole("step", self.step)
        numbers = re.findall(r"\d+", path.stem)
        set_field = object.__setattr__  # a frozen value, made whole
        set_field(self, "path", path)
        set_field(self, "name", text("name", self.name) or path.stem)
        set_field(self, "step", int(numbers[-1]) if step < 0 and numbers else step)

    def files(self) -> dict[str, bytes]:
        """Return the bytes of each file by its path in the folder of the bot, and of a
        listing of the names. The listing is there since a hash of contents alone has no
        names in it. Raises BotError if a file cannot be read, or there is none.
        """
        try:
            is_folder = self.path.is_dir()
            paths = (
                sorted(path for path in self.path.rglob("*") if path.is_file())
                if is_folder
                else [self.path]
            )
            names = [path.relative_to(self.path.parent).as_posix() for path in paths]
            contents = {
                f"{FOLDER}/{name}": path.read_bytes()
                for name, path in zip(names, paths, strict=True)
            }
        except OSError as error:
            raise BotError(f"{self.name}: the checkpoint cannot be read: {error}") from None
        if not contents:
            raise BotError(f"{self.name}: there is no file in the checkpoint {self.path}")
        return {LISTING: json.dumps(names).encode(), **contents}

    @property
    def opened(self) -> str:
        """The Python code that a bot's program has after the name of its function. The
        code calls ``load`` and ends the program if ``load`` returns no function.
        """
        return f"(Path(__file__).with_name({FOLDER!r}) / {self.path.name!r})\n{_CHECKED}"
