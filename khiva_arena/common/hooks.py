"""Hooks: the places of the core that an extension fills, and the refusal of things
whose extension is not installed.

The core knows no extension. ``khiva_arena.extensions`` lists the rows of all that are
installed. A row is data, so that flags, help and TAB need no code of an extension. The
code is imported when a hook is used.
"""

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Generic, NamedTuple, TypeVar, cast

from khiva_arena.common.setting_row import Setting
from khiva_arena.errors import ConfigError

H = TypeVar("H")
_LIST = "khiva_arena.extensions"


class Hook(Generic[H]):
    """A place of the core that one extension fills. The module that calls it defines
    it, with the Protocol ``H`` beside it.
    """

    def __init__(self, extension: str) -> None:
        """Name the extension that fills the hook."""
        self._extension = extension

    def filled(self, by: H) -> "FilledHook":
        """Return the hook with its object, for the ``EXTENSION`` of an extension."""
        return FilledHook(self, by)

    def get(self, purpose: str) -> H:
        """Return the object that fills the hook. ``purpose``: the thing that needs it,
        in words, for the message.

        Raises ConfigError if the extension or a package that it needs is not installed.
        """
        check_installed(self._extension, purpose)
        row = next(row for row in rows() if row.name == self._extension)
        if row.extra:
            row.extra.check_installed()
        return cast(H, next(filled.by for filled in row.load() if filled.hook is self))


class AbsentNameError(ConfigError, AttributeError):
    """A public name of ``khiva_arena`` whose extension is not installed, so that
    ``hasattr`` and ``help`` take it for no name.
    """


class FilledHook(NamedTuple):
    """A hook, and the object of an extension that fills it."""

    hook: Hook[Any]
    by: object


class ExtensionCommand(NamedTuple):
    """A command of an extension.

    name: the word that users type.
    heading: of ``-h``, below which it stands, behind the command ``after``.
    text: its line in ``-h``.
    load: imports it, a command of click.
    """

    name: str
    heading: str
    after: str
    text: str
    load: Callable[[], Any]


class Flag(NamedTuple):
    """A flag that an extension adds to commands of the core. It takes a value if it has
    a metavar, a file if ``is_file``.

    example: a line to type.
    hidden_in: the commands whose ``-h`` does not show it, since they take it only to
        say why they have it not.
    """

    parameter: str
    commands: tuple[str, ...]
    help: str
    metavar: str = ""
    is_file: bool = False
    example: str = ""
    hidden_in: tuple[str, ...] = ()


class Extra(NamedTuple):
    """The packages beyond the arena's own that an extension needs.

    name: of the extra of the arena's package.
    modules: that it brings, all of which are imported.
    needs: the beginning of the message if one is missing.
    """

    name: str
    modules: tuple[str, ...]
    needs: str

    def check_installed(self) -> None:
        """Raise ConfigError, with the line to type, if a module is missing."""
        extra = self.name
        if not all(map(find_spec, self.modules)):
            raise ConfigError(
                f"{self.needs}, which are not installed: pip install 'khiva-arena[{extra}]'"
            )


class ExtensionRow(NamedTuple):
    """An extension. It is installed if it is listed and all that it needs is installed.

    name: of its folder in ``khiva_arena/extensions``.
    load: imports its code. Returns the ``EXTENSION`` of its module ``extension``: the
        hooks that it fills.
    commands, flags, settings: that it adds to the arena's.
    names: that it adds to ``import khiva_arena``, each with a function that imports it.
    guesses: what to type, by a word that people try for a command ("serve"), or by a
        command and an option ("play --seats").
    extra: the packages that it needs.
    needs: the names of the extensions whose modules it imports.
    """

    name: str
    load: Callable[[], tuple[FilledHook, ...]]
    commands: tuple[ExtensionCommand, ...] = ()
    flags: tuple[Flag, ...] = ()
    settings: tuple[Setting, ...] = ()
    names: Mapping[str, Callable[[], object]] = {}
    guesses: Mapping[str, str] = {}
    extra: Extra | None = None
    needs: tuple[str, ...] = ()


OWNERS: Mapping[str, tuple[str, ...]] = {
    "checker": ("page",),
    "cluster": (
        "dask",
        "dask_tls",
        "dask_open_to_all",
        "dask_wait",
        "dask_rerun_bots",
        "dask_take_unconfirmed",
    ),
    "grading": ("grade",),
    "league": ("league", "submit"),
    "own_games": (),
    "seats": (
        "play",
        "relay",
        "listen",
        "tls_cert",
        "tls_key",
        "tokens",
        "reconnect",
        "link_allowance",
        "kept",
    ),
    "serve": ("web",),
    "spending": ("most_lots", "spend", "models", "transcripts", "transcript", "with_transcripts"),
    "shards": ("merge", "plan", "from_plan", "shard"),
}
"""The commands, flags and settings of each extension, by which one that is not
installed is named to the user who needs it.
"""


def _listed() -> dict[str, ExtensionRow]:
    """Return the rows of the list by name: none in the page that checks bundles, which
    carries no list of them.
    """
    try:
        listed = import_module(_LIST)  # by name: the core imports no extension
    except ModuleNotFoundError as error:
        if error.name != _LIST:
            raise
        return {}
    return {row.name: row for row in listed.ROWS}


def _missing(extension: str, listed: Mapping[str, ExtensionRow]) -> str:
    """Return the extension for want of which one is not installed: itself, or one that
    it needs. "" if it is installed.
    """
    if extension not in listed:
        return extension
    return next(
        (missing for need in listed[extension].needs if (missing := _missing(need, listed))), ""
    )


def rows() -> tuple[ExtensionRow, ...]:
    """Return the row of each installed extension."""
    listed = _listed()
    return tuple(row for name, row in listed.items() if not _missing(name, listed))


def row_of(extension: str) -> ExtensionRow | None:
    """Return the row of an extension, None if it is not installed."""
    return next((row for row in rows() if row.name == extension), None)


def check_installed(extension: str, purpose: str) -> None:
    """Raise ConfigError if an extension is not installed. ``purpose``: the thing that
    needs it, in words, for the message.
    """
    if row_of(extension) is None:
        raise ConfigError(f"{purpose}: {absent(extension)}")


def public_name(extension: str, name: str) -> object:
    """Return the object that an extension adds to ``khiva_arena`` by a name. Raises
    AbsentNameError if it is not installed.
    """
    row = row_of(extension)
    if row is None:
        raise AbsentNameError(f"khiva_arena.{name}: {absent(extension)}")
    return row.names[name]()


def settings() -> Iterator[Setting]:
    """Yield the settings that the installed extensions add."""
    for row in rows():
        yield from row.settings


def flags(command: str) -> Iterator[Flag]:
    """Yield the flags that installed extensions add to a command."""
    for row in rows():
        yield from (flag for flag in row.flags if command in (*flag.commands, *flag.hidden_in))


def absent(extension: str) -> str:
    """Return the message for an extension that is not installed."""
    missing = _missing(extension, _listed())
    because = f": it needs the extension {missing}" if missing not in ("", extension) else ""
    return f"needs the extension {extension}, which is not installed here{because}"


def why_unknown(word: str) -> str:
    """Return the reason why a command, flag or setting is unknown, if an extension that
    is not installed has it; else "".
    """
    key = word.lstrip("-").replace("-", "_")
    owner = next((name for name, words in OWNERS.items() if key in words), "")
    return absent(owner) if owner and row_of(owner) is None else ""
