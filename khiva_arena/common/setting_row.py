"""The row of a setting in ``table.TABLE``, and the form that a value of each kind must
have.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from enum import Enum, auto
from pathlib import Path
from typing import Any, NamedTuple

from khiva_arena.common.text import is_text
from khiva_arena.words import meant

_DURATION = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)")
_MS = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
LONGEST_MS = 24 * 60 * 60_000
_SIZE = re.compile(r"(\d{1,4})(MB|GB)")
_MEGABYTES = {"MB": 1, "GB": 1000}


class Kind(Enum):
    """The kind of value that a setting takes."""

    NUMBER = auto()  # a whole number, or one of the row's words
    DECIMAL = auto()  # any number
    SIZE = auto()  # "200MB" or "1GB"
    TIME = auto()  # "1s", "500ms" or "2m"
    NAME = auto()  # a word that is looked up by whoever uses it
    CHOICE = auto()  # one of the row's words
    TEXT = auto()
    SWITCH = auto()  # true or false; one that is true by default has a flag --no-NAME
    NAMES = auto()  # a list; its flag is repeated
    BOTS = (
        auto()
    )  # a list of folders and commands; its flag is repeated, and is not read from the environment
    FILE = auto()
    FOLDER = auto()
    TABLE = auto()  # a table of values; its flag is repeated as KEY=VALUE
    PATHS = auto()  # a table of files or folders; its flag is repeated as NAME=DIR


LISTS, TABLES = (Kind.NAMES, Kind.BOTS), (Kind.TABLE, Kind.PATHS)
_WRITTEN = (Kind.TEXT, Kind.FILE, Kind.FOLDER, *LISTS)
_METAVARS = {
    Kind.NUMBER: "N",
    Kind.DECIMAL: "FLOAT",
    Kind.SIZE: "SIZE",
    Kind.TIME: "TIME",
    Kind.NAME: "NAME",
    Kind.NAMES: "NAME",
    Kind.BOTS: "BOT",
    Kind.TEXT: "TEXT",
    Kind.FILE: "FILE",
    Kind.FOLDER: "DIR",
    Kind.TABLE: "KEY=VALUE",
    Kind.PATHS: "NAME=DIR",
}


class Setting(NamedTuple):
    """A setting of a competition.

    name: its key in a settings file, and its field of ``Settings`` if it goes there as
        it is.
    kind: the kind of its values.
    default: its value if nobody sets it; None: nothing.
    heading: below which its flag stands in ``-h``.
    help: its text in help and in a new settings file, whose first sentence is its line
        in ``-h``; help adds the default unless this names it, and that the flag of a
        list or table is repeated.
    of_a_league: whether a league has it; for each setting that it does not have, the
        extension ``league`` says what to do instead.
    in_a_trial: whether bots are started once beside a mistake in the settings though it
        is set. False if it gives bots more than their folder and the cores of this
        machine, since it may be the mistake, or the user may still have to agree to it.
    example: the value that a new settings file shows behind "#" if there is no default.
    of: the kind of thing its values are, in words, for messages and ``-h``.
    shape: the placeholder for a value in ``-h`` if it is not that of its kind.
    words: the values to choose from, which TAB offers; called only when needed.
    least, most: bounds of a number, of a time in ms, or of a size in MB.
    flag: its flag if that is not its name; for a list or table the flag gives one item.
    old_name: its former name, which files, the environment and, after --, flags may
        still say.
    short: one letter, for a short flag.
    common: whether ``-h`` of a command with many options shows it; ``--help`` shows
        all.
    of_a_match: whether a match alone has it, too.
    of_a_stage: whether a ``[[stage]]`` may have one of its own.
    opens: the effect of a value on this machine for which a settings file or a plan
        needs its user's word; "" for none.
    harmless: whether a value opens nothing after all, as the default never does.
    private: whether its value is a file or folder that no bot may read.
    elsewhere: whether it is about another place than this machine, where matches are
        played.
    needs: the setting without which a flag of this one is refused; "" for none.
    """

    name: str
    kind: Kind
    default: Any
    heading: str
    help: str
    of_a_league: bool
    in_a_trial: bool
    example: Any = None
    of: str = ""
    shape: str = ""
    words: Callable[[], Iterable[str]] = tuple
    least: int = 1
    most: int | None = None
    flag: str = ""
    old_name: str = ""
    short: str = ""
    common: bool = False
    of_a_match: bool = False
    of_a_stage: bool = False
    opens: str = ""
    harmless: Callable[[Any], bool] = lambda _value: False
    private: bool = False
    elsewhere: bool = False
    needs: str = ""

    @property
    def option(self) -> str:
        """The flag as it is typed: "--trust-bots"."""
        return f"--{self.flag or self.name.replace('_', '-')}"

    @property
    def parameter(self) -> str:
        """The name among the parameters of a command, and in the environment as
        KHIVA_ARENA_RUN_<parameter>.
        """
        return self.flag if self.kind in TABLES else self.name

    @property
    def metavar(self) -> str:
        """The placeholder that ``-h`` shows for a value."""
        return self.shape or (self.of.upper() if self.kind is Kind.CHOICE else _METAVARS[self.kind])

    def mistakes(self, value: object) -> list[str]:
        """Return the mistakes in a value, as far as they can be seen without looking at
        anything else.
        """
        if value is None and self.default is None:
            return []
        problems = [mistake] if (mistake := _CHECKS[self.kind](self, value)) else []
        texts = value if isinstance(value, list | tuple) else [value]
        if self.kind in _WRITTEN:
            bad_words = [word for word in texts if isinstance(word, str) and not is_text(word)]
            problems += [
                f"{word!r} is not valid Unicode text, or has a NUL in it" for word in bad_words
            ]
        return problems


def renamed(old: str, new: str) -> str:
    """Return the line for a user who has written the old name of a setting. Both names
    are given as they are written there.
    """
    return f"warning: {old} is now called {new}; the old name is taken until version 1.0"


def duration_ms(text: object, longest: int = LONGEST_MS) -> int:
    """Return the milliseconds of "1s", "500ms", "1.5s", "2m", "8h". Raises
    ValueError.
    """
    match = _DURATION.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        raise ValueError(f'{text!r} is not a time; write "1s", "500ms" or "2m"')
    ms = float(match[1]) * _MS[match[2]]
    if ms > longest:
        raise ValueError(
            f"{str(text)[:40]!r} is longer than {'a day' if longest == LONGEST_MS else 'a year'}"
        )
    return round(ms)


def megabytes(text: object) -> int:
    """Return the megabytes of "200MB" or "1GB". Raises ValueError."""
    match = _SIZE.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        raise ValueError(f'{text!r} is not a size; write "200MB" or "1GB"')
    return int(match[1]) * _MEGABYTES[match[2]]


def number_mistake(value: object, minimum: int = 1, maximum: int | None = None) -> str:
    """Return the mistake in a whole number, "" for none."""
    if not isinstance(value, int) or isinstance(value, bool) or value < minimum:
        return f"{value!r} is not a whole number of at least {minimum}"
    return f"{maximum:,} at most, not {value}" if maximum is not None and value > maximum else ""


def _number(row: Setting, value: object) -> str:
    return (
        ""
        if isinstance(value, str) and value in row.words()
        else number_mistake(value, row.least, row.most)
    )


def _decimal(_row: Setting, value: object) -> str:
    return (
        ""
        if isinstance(value, int | float) and not isinstance(value, bool)
        else f"{value!r} is not a number"
    )


def _time(row: Setting, value: object) -> str:
    try:
        return (
            "" if duration_ms(value) >= row.least else f"a {row.name} takes at least {row.least}ms"
        )
    except ValueError as error:
        return str(error)


def _size(row: Setting, value: object) -> str:
    try:
        size = megabytes(value)
    except ValueError as error:
        return str(error)
    fits = row.least <= size <= (row.most or size)
    return "" if fits else f"{row.least}MB to {row.most}MB, not {value}"


def _choice(row: Setting, value: object) -> str:
    words = tuple(row.words())
    choices = (" and " if len(words) == 2 else ", ").join(words)
    return (
        ""
        if value in words
        else f"{value!r} is not a {row.of}{meant(value, words)}; there are {choices}"
    )


def _list(row: Setting, value: object) -> str:
    words = isinstance(value, list | tuple) and all(isinstance(word, str) for word in value)
    return "" if words else f"a list of {row.of} is expected"


def _is_a(*types: type, phrase: str) -> Callable[[Setting, object], str]:
    return lambda row, value: (
        "" if isinstance(value, types) else f"{phrase.format(row.of)} is expected"
    )


_CHECKS: dict[Kind, Callable[[Setting, object], str]] = {
    Kind.NUMBER: _number,
    Kind.DECIMAL: _decimal,
    Kind.SIZE: _size,
    Kind.TIME: _time,
    Kind.NAME: _is_a(str, phrase="a name"),
    Kind.CHOICE: _choice,
    Kind.TEXT: lambda _row, value: "" if isinstance(value, str) and value else "a text is expected",
    Kind.SWITCH: _is_a(bool, phrase="true or false"),
    Kind.NAMES: _list,
    Kind.BOTS: _list,
    Kind.FILE: _is_a(str, Path, phrase="a file"),
    Kind.FOLDER: _is_a(str, Path, phrase="a folder"),
    Kind.TABLE: _is_a(Mapping, phrase="a table of {}"),
    Kind.PATHS: _is_a(Mapping, phrase="a table of {}"),
}
