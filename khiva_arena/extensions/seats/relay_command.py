"""The work of ``khiva-arena relay``: a bot of this machine plays at a table
elsewhere.
"""

import re
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from shlex import quote
from typing import Any

from khiva_arena.common import shipped
from khiva_arena.common.text import harmless
from khiva_arena.display.terminal.console import say
from khiva_arena.entrants.bot_words import commit_word, is_archive
from khiva_arena.entrants.unconfined import Start, unconfined
from khiva_arena.errors import ConfigError
from khiva_arena.extensions.seats import relay as one_file

_FUTURE = "from __future__ import annotations\n"
_IMPORT = re.compile(
    r"^from khiva_arena\.extensions\.seats\.(\w+) import (?:\(.*?\)|[^\n]*)\n",
    re.DOTALL | re.MULTILINE,
)


def relay(where: str, name: str, command: Sequence[str], **options: Any) -> int:
    """Serve a bot until the arena no longer needs it, and return the exit
    code. ``options``: those of ``extensions.seats.relay.relay``.
    """
    words = list(command)
    if not words:
        raise ConfigError(
            "relay: name the bot behind --, as: khiva-arena relay HOST:PORT NAME -- ./my-bot"
        )
    with ExitStack() as stack:
        start: Start | None = None
        if len(words) == 1 and _is_staged(words[0]):
            start = stack.enter_context(unconfined(words[0]))
        argv, folder, environment = start or (words, None, None)
        try:
            return one_file.relay(
                where, name, argv, **options, folder=folder, environment=environment
            )
        except OSError as error:
            raise ConfigError(
                f"relay: {error.filename or where}: {error.strerror or error}"
            ) from None
        except ValueError as error:
            raise ConfigError(f"relay: {error}") from None


def _is_staged(word: str) -> bool:
    """Tell whether a word names a bot whose files are copied before it starts, and no
    command.
    """
    return (
        word.startswith(shipped.WORD)
        or Path(word).is_dir()
        or is_archive(word)
        or commit_word(word) is not None
    )


def copy(file: Path) -> int:
    """Write the relay as one file, for a machine without the arena. Returns the exit
    code.
    """
    try:
        with file.open("x", encoding="utf-8") as new:
            new.write(as_one_file())
    except OSError as error:
        raise ConfigError(f"--copy {file}: {error.strerror}") from None
    say(
        harmless(
            f"{file}: needs Python 3.9 or newer and nothing else; python3 {quote(str(file))} -h"
        )
    )
    return 0


def as_one_file() -> str:
    """Return the relay's source with each of its modules in place of the first import
    of it.
    """
    modules: set[str] = set()

    def with_imports(module: str) -> str:
        modules.add(module)
        return _IMPORT.sub(
            lambda match: "" if match[1] in modules else after_future(with_imports(match[1])),
            _text(module),
        )

    def after_future(text: str) -> str:
        return text.split(_FUTURE)[1]

    return with_imports("relay")


def _text(module: str) -> str:
    return Path(one_file.__file__).with_name(f"{module}.py").read_text(encoding="utf-8")
