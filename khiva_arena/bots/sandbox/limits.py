"""Limits on a bot's use of the machine, with defaults that suit a JVM and node, and
their names.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from khiva_arena.errors import ConfigError

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30
_SIZE = re.compile(r"(\d{1,18})(?:([KMG])(?:iB?)?)?")
_UNITS = {None: 1, "K": KIB, "M": MIB, "G": GIB}
MOST = 1 << 50


@dataclass(frozen=True, slots=True)
class Resources:
    """The most that one bot may use during one match, all of its processes together
    unless a field says otherwise.

    memory: bytes that no file backs
    processes: count, threads included
    file_size: bytes of each file
    open_files: count, of each process
    cpu: seconds of CPU time
    scratch: bytes of its own files
    """

    memory: int = GIB
    processes: int = 64
    file_size: int = 64 * MIB
    open_files: int = 256
    cpu: int = 3600
    scratch: int = 16 * MIB


# A build runs once, before any match, and compilers need much.
FOR_A_BUILD = Resources(
    memory=4 * GIB, processes=512, file_size=GIB, open_files=1024, cpu=3600, scratch=512 * MIB
)

DEFAULT = Resources()
LEAST = Resources(memory=16 * MIB, processes=4, file_size=0, open_files=16, cpu=1, scratch=64 * KIB)
SIZES = ("memory", "file_size", "scratch")
WORDS = {
    "memory": "memory",
    "processes": "processes",
    "file_size": "file size",
    "open_files": "open files",
    "cpu": "CPU time",
    "scratch": "scratch space",
}
"""The names of limits in the verdict ``resource``."""
MOST_FILES = 10_000
"""Most files in scratch: an empty file takes no space there, but memory of the
system's.
"""


def of_settings(settings: Mapping[str, Any], other_limits: Sequence[str] = ()) -> Resources:
    """Return the defaults with ``settings`` laid over them: sizes such as "512M" or
    bytes, counts, seconds.

    others: limits that there are elsewhere, for the message

    Raises ConfigError with every mistake.
    """
    problems: list[str] = []
    amounts: dict[str, int] = {}
    for key, value in settings.items():
        if key not in WORDS:
            problems.append(f"{key}: no such limit; there are {', '.join((*WORDS, *other_limits))}")
            continue
        try:
            amounts[key] = _number(key, value)
        except ValueError as error:
            problems.append(f"{key}: {error}")
    if problems:
        raise ConfigError(problems)
    return Resources(**amounts)


def _number(key: str, value: object) -> int:
    number = amount(value, size=key in SIZES, of=" of seconds" if key == "cpu" else "")
    if number < getattr(LEAST, key):
        raise ValueError(
            f"from {in_words(key, getattr(LEAST, key))} on"
            + (f", not {in_words(key, number)}" if number >= -MOST else "")
        )
    if number > MOST:  # which may be too much to be written out
        raise ValueError(
            f"{in_words(key, MOST)} at most"
            + (f", not {in_words(key, number)}" if number <= MOST << 10 else "")
        )
    return number


def amount(value: object, *, size: bool, of: str = "") -> int:
    """Read a whole number, or a ``size`` such as "512M". ``of``: the thing counted, for
    the message. Raises ValueError.
    """
    if isinstance(value, str) and size and (match := _SIZE.fullmatch(value)):
        return int(match[1]) * _UNITS[match[2]]
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    expected = "size; write 512M or 1G" if size else f"whole number{of}"
    raise ValueError(f"{value!r} is not a {expected}")


def in_words(key: str, number: float) -> str:
    """Format an amount in words: "512 MiB", "64", "3 s"."""
    if key == "cpu":
        return f"{number:.1f}".removesuffix(".0") + " s"
    return size_in_words(number) if key in SIZES else f"{number:.0f}"


def too_much(key: str, amount: float, resources: Resources) -> str:
    """Format the excess over a limit: "memory: 1.2 GiB of 1 GiB"."""
    return f"{WORDS[key]}: {in_words(key, amount)} of {in_words(key, getattr(resources, key))}"


def at_limit(key: str, resources: Resources) -> str:
    """Format that a limit was reached, if it is not known by how much it was
    exceeded.
    """
    return f"{WORDS[key]}: it reached the limit of {in_words(key, getattr(resources, key))}"


def size_in_words(number: float) -> str:
    """Format bytes in words: "512 MiB"."""
    for unit, name in ((GIB, "GiB"), (MIB, "MiB"), (KIB, "KiB")):
        if number >= unit:
            return f"{number / unit:.4g} {name}"
    return f"{number:.0f} bytes"


def plain(resources: Resources) -> dict[str, int]:
    """Return the limits as plain values, for a definition."""
    return asdict(resources)


def describe(resources: Resources) -> str:
    """Format all limits in a line."""
    return ", ".join(
        f"{WORDS[f.name]} {in_words(f.name, getattr(resources, f.name))}" for f in fields(resources)
    )
