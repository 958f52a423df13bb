"""Settings for reading bots from the disk: the bounds for a stranger's folder, and the
runtimes that it may name.

Bounds are set by ``--limit``, like the resources of a match, but are not part of an
event. They say which bots are accepted, not how the event is played.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
from msgspec import structs

from khiva_arena.bots.sandbox.limits import GIB, KIB, MIB, MOST, amount, size_in_words
from khiva_arena.entrants import runtimes
from khiva_arena.entrants.runtimes import Interpreted, Runtime
from khiva_arena.errors import ConfigError


class Bounds(msgspec.Struct, frozen=True):
    """The most that one bot may have on the disk.

    bot_files: files.
    bot_depth: folders inside of each other.
    bot_file_size, bot_size: bytes of each file, and of all.
    build_size: bytes after its build, everything included.
    payload_size: bytes that a module reads from descriptor 3.
    """

    bot_files: int = 10_000
    bot_depth: int = 64
    bot_file_size: int = 256 * MIB
    bot_size: int = GIB
    build_size: int = 2 * GIB
    payload_size: int = 4 * MIB


DEFAULT = Bounds()
MOST_PAYLOAD = 32 * MIB
"""The most bytes of a payload, whatever the settings: those of a table go to its runner
at once.
"""
ANY_SIZE = Bounds(**dict.fromkeys(Bounds.__struct_fields__, MOST))
"""Bounds that nothing exceeds, for a bot that was measured before."""
LEAST = Bounds(
    bot_files=1, bot_depth=1, bot_file_size=KIB, bot_size=KIB, build_size=KIB, payload_size=KIB
)
SIZES = ("bot_file_size", "bot_size", "build_size", "payload_size")
MOST_FILES = 10_000_000
WORDS = {
    "bot_files": "files of a bot",
    "bot_depth": "folders within folders of a bot",
    "bot_file_size": "each file of a bot",
    "bot_size": "all files of a bot",
    "build_size": "a bot when it is built",
    "payload_size": "the payload of a module",
}


def refuse_include(bot_toml: Path, paths: Sequence[str]) -> None:
    """Refuse the files that a bot.toml includes from outside of its folder: a stranger
    wrote it. Raises ConfigError.
    """
    problem = f"{bot_toml}: include takes {', '.join(paths)}, outside of the bot's folder"
    advice = (
        "add: --allow-include (or type the command once at a terminal, which asks and remembers)"
    )
    raise ConfigError(f"{problem}; copy it into the folder, or if you trust the bot, {advice}")


def allow_include(bot_toml: Path, paths: Sequence[str]) -> None:
    """Permit the files that a bot.toml includes from outside of its folder, as the user
    has said by a flag.
    """


class Interpreters(msgspec.Struct, frozen=True):
    """Which interpreters run the bots of a competition.

    pins: by word, the hash of the module that the word means; None for those that are
        installed.
    unreleased: whether one may be taken that no release has.
    """

    pins: Mapping[str, str] | None = None
    unreleased: bool = False

    def named(self, wish: Interpreted) -> Interpreted:
        """Return what a bot.toml asks for, with the module that the word means here.
        Raises ConfigError for a word without a pin, where words are pinned.
        """
        if self.pins is not None and wish.word not in self.pins:
            known = ", ".join(self.pins) or "none"
            raise ConfigError(
                f"interpreter {wish.word}: this league pins no such interpreter; it has {known}"
            )
        return structs.replace(
            wish, pin=(self.pins or {}).get(wish.word, ""), unreleased=self.unreleased
        )


class Loading(msgspec.Struct, frozen=True):
    """The settings for reading bots.

    bounds: how large a bot may be.
    runtimes: by name, the runtimes that bots may use.
    include: called with a bot.toml and the paths that it includes from outside of its
        folder; raises ConfigError to refuse them.
    interpreters: which interpreters run bots.
    """

    bounds: Bounds = DEFAULT
    runtimes: Mapping[str, Runtime] = {}
    include: Callable[[Path, Sequence[str]], None] = refuse_include
    interpreters: Interpreters = Interpreters()


AS_IT_IS = Loading()


def bounds_of_settings(limits: Mapping[str, Any]) -> Bounds:
    """Return the default bounds with the bounds among the ``limits`` limits laid over
    them. Raises ConfigError with every mistake.
    """
    problems: list[str] = []
    numbers: dict[str, int] = {}
    for key in WORDS:
        try:
            if key in limits:
                numbers[key] = _number(key, limits[key])
        except ValueError as error:
            problems.append(f"{key}: {error}")
    if problems:
        raise ConfigError(problems)
    return Bounds(**numbers)


def _number(key: str, value: object) -> int:
    number = amount(value, size=key in SIZES)
    limit = MOST_PAYLOAD if key == "payload_size" else MOST if key in SIZES else MOST_FILES
    if not getattr(LEAST, key) <= number <= limit:
        raise ValueError(f"{in_words(key, getattr(LEAST, key))} to {in_words(key, limit)}")
    return number


def in_words(key: str, number: int) -> str:
    """Format an amount in words: "256 MiB", "10,000"."""
    return size_in_words(number) if key in SIZES else f"{number:,}"


def valid_part_of(settings: Mapping[str, Any]) -> Loading:
    """Return how bots are read by the valid part of raw settings.

    Mistakes in them are reported when the settings are checked, and nothing is played
    then. Bots that need a wrong runtime are not blamed in addition.
    """
    bounds, by_name = DEFAULT, dict[str, Runtime]()
    limits, named = settings.get("limits"), settings.get("runtimes")
    if isinstance(limits, Mapping):
        with suppress(ConfigError):
            bounds = bounds_of_settings(limits)
    for name, place in named.items() if isinstance(named, Mapping) else ():
        try:
            by_name |= runtimes.of_settings({name: place})
        except ConfigError:
            # A stand-in for the wrong runtime, while bots that name it are read.
            by_name[name] = Runtime(name, sys.executable, sys.prefix)
    include = allow_include if settings.get("allow_include") is True else refuse_include
    return Loading(
        bounds,
        by_name,
        include,
        Interpreters(unreleased=settings.get("unreleased_interpreters") is True),
    )
