"""Options that several commands share; options of settings are made from the rows of
the settings table.
"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from khiva_arena.common import hooks
from khiva_arena.common.exit_codes import FORFEITED
from khiva_arena.common.setting_row import LISTS, TABLES, Kind, Setting, renamed
from khiva_arena.competition.settings.table import OF_A_MATCH as OF_A_MATCH
from khiva_arena.competition.settings.table import TABLE, TEST_TABLE
from khiva_arena.errors import ConfigError
from khiva_arena.interface.cli.completion import one_of
from khiva_arena.interface.cli.help import Rare

F = TypeVar("F", bound=Callable[..., Any])

ELSEWHERE = tuple(row.name for row in TABLE if row.elsewhere)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
full_option = click.option(
    "--full",
    "is_full",
    is_flag=True,
    help="Print all lines. Without it, at most 200 lines are printed; one of them says how many "
    "are left out in the middle.",
)
capture_option = click.option(
    "--capture",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Write the raw bytes of each seat to DIR. `khiva-arena decode` prints them.",
)
modules_option = click.option(
    "--modules",
    multiple=True,
    metavar="DIR",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="A folder with modules of these bots. It need not have modules that are in the results "
    "folder or built on this machine. Repeat for each.",
)


def among_options(command: F) -> F:
    """Add ``--only``, ``--exclude``, ``--events`` and ``--season``, which choose the
    bots and events that count.
    """
    only = click.option(
        "--only",
        multiple=True,
        metavar="BOT",
        help="Count only matches among these bots. Each seat has one of them; repeat for each.",
    )
    exclude = click.option(
        "--exclude",
        multiple=True,
        metavar="BOT",
        help="Leave out each match of this bot. It counts as if the bot had not entered; repeat "
        "for each.",
    )
    events = click.option(
        "--events",
        multiple=True,
        metavar="EVENT",
        help="Count this event, by number or id. It is the same as EVENT; repeat for each.",
    )
    season = click.option(
        "--season",
        metavar="NAME",
        help="Count only this season of a league. The season all is every one.",
    )
    return only(exclude(events(season(command))))


fault_option = click.option(
    "--fail-on-fault",
    cls=Rare,
    is_flag=True,
    help=f"End with exit code {FORFEITED} if a bot forfeited a match.",
)
yes_option = click.option("--yes", cls=Rare, is_flag=True, help="Answer each question with yes.")


def _hand_over(
    _context: click.Context, _parameter: click.Parameter, words: tuple[str, ...]
) -> None:
    if words:
        # not above: most games come with the arena
        from khiva_arena.arbiter.handed_games import offer, why_none
        from khiva_arena.display.terminal.console import say

        for word in words:
            try:
                offer([word])
            except ConfigError as error:
                if why_none() or os.sep in word or word.endswith(".py"):
                    raise
                say(
                    f"warning: {error}"
                )  # which one is needed, and of which hash, is said when it is


handed_games_option = click.option(
    "--game",
    multiple=True,
    metavar="GAME",
    expose_value=False,
    allow_from_autoenv=False,
    callback=_hand_over,
    help="The file of a game of your own. You can also name its folder or package. It runs only "
    "if its hash is the recorded one; repeat for each.",
)


class WholeNumber(click.ParamType[int]):
    """A whole number from ``least`` to ``most``, with messages in plain words."""

    name = "integer"

    def __init__(self, least: int = 0, most: int | None = None) -> None:
        self.least, self.most = least, most

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        try:
            number = int(value)
        except ValueError:
            self.fail(f"{value!r} is not a whole number", param, ctx)
        if number < self.least or (self.most is not None and number > self.most):
            bounds = (
                f"of at least {self.least}"
                if self.most is None
                else f"from {self.least:,} to {self.most:,}"
            )
            self.fail(f"it takes a whole number {bounds}, not {number}", param, ctx)
        return number


store_argument = click.argument("store", metavar="STORE", type=click.Path(path_type=Path))
ALL = tuple(row.name for row in TABLE)


def setting_options(*names: str, **helps: str) -> Callable[[F], F]:
    """Return a decorator that adds the flags of these settings. Unset flags are None or
    ().

    helps: a command's own words for a setting, or for a setting with another default in
        this command
    """

    def decorate(command: F) -> F:
        for row in reversed((*TABLE, *TEST_TABLE)):
            if row.name in names:
                command = setting_option(row, helps.get(row.name, row.help))(command)
        return command

    return decorate


def setting_option(row: Setting, text: str) -> Callable[[F], F]:
    """Return the decorator that adds a setting's flag, explained by ``text``."""
    attributes: dict[str, Any] = {
        "help": _with_default(row, text),
        "cls": click.Option if row.common else Rare,
    }
    if row.kind is Kind.SWITCH:
        both = f"{row.option}/--no-{row.option.removeprefix('--')}" if row.default else row.option
        return click.option(row.parameter, both, is_flag=True, default=None, **attributes)
    if row.kind is Kind.NUMBER:
        words = tuple(row.words())
        attributes |= {"callback": _number_or(words)} if words else {"type": int}
    if row.kind is Kind.DECIMAL:
        attributes["type"] = float
    if row.old_name:
        attributes["callback"] = _or_by_old_name(row)
    short = [f"-{row.short}"] if row.short else []
    option = click.option(
        row.parameter,
        *short,
        row.option,
        metavar=row.metavar,
        multiple=row.kind in (*LISTS, *TABLES),
        shell_complete=one_of(row.words, folders=row.kind is Kind.BOTS),
        allow_from_autoenv=row.kind is not Kind.BOTS,
        **attributes,
    )
    return (lambda command: option(_old_option(row)(command))) if row.old_name else option


def _old_option(row: Setting) -> Callable[[F], F]:
    """Return the flag of a setting's old name, which help and TAB do not show. It is
    read before the new flag.
    """
    return click.option(f"--{row.old_name}", hidden=True, is_eager=True)


def _or_by_old_name(
    row: Setting,
) -> Callable[[click.Context, click.Parameter, str | None], str | None]:
    """Return a callback that takes a value under the setting's old name, with a line
    about the new name.

    A flag wins over the environment.
    """

    def read(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
        flag = context.get_parameter_source(row.old_name) is ParameterSource.COMMANDLINE
        if (
            not flag
            and context.get_parameter_source(row.old_name) is not ParameterSource.ENVIRONMENT
        ):
            return value
        if not context.resilient_parsing:
            from khiva_arena.display.terminal.console import say

            prefix = f"{context.auto_envvar_prefix}_"
            old, new = row.old_name, row.name
            say(
                renamed(f"--{old}", row.option)
                if flag
                else renamed(f"{prefix}{old.upper()}", f"{prefix}{new.upper()}")
            )
        newer = value is not None and (
            not flag or context.get_parameter_source(row.name) is ParameterSource.COMMANDLINE
        )
        return value if newer else context.params[row.old_name]

    return read


def _with_default(row: Setting, text: str) -> str:
    """Return ``text`` with the default at its end, unless there is none or the text
    says it, and with a word on how a list or table is given.
    """
    if row.kind in (*LISTS, *TABLES):
        text, mark, rest = text.partition(" [default")
        return f"{text.removesuffix('.')}. Repeat for each{mark}{rest or '.'}"
    default = (row.name if row.default else None) if row.kind is Kind.SWITCH else row.default
    return (
        text
        if default in (None, (), {}) or "[default" in text
        else f"{text.removesuffix('.')} [default: {default}]."
    )


def _number_or(
    words: tuple[str, ...],
) -> Callable[[click.Context, click.Parameter, str | None], int | str | None]:
    def read(
        _context: click.Context, _parameter: click.Parameter, value: str | None
    ) -> int | str | None:
        if value is None or value in words:
            return value
        try:
            return int(value)
        except ValueError:
            raise click.BadParameter(
                f"{value!r} is neither a whole number nor {' or '.join(words)}"
            ) from None

    return read


def extension_options(name: str) -> Callable[[F], F]:
    """Return a decorator that adds the flags of installed extensions to a command."""

    def decorate(command: F) -> F:
        for flag in reversed(tuple(hooks.flags(name))):
            values: dict[str, Any] = (
                {"metavar": flag.metavar} if flag.metavar else {"is_flag": True}
            )
            values |= {"type": click.Path(path_type=Path)} if flag.is_file else {}
            command = click.option(
                f"--{flag.parameter.replace('_', '-')}",
                flag.parameter,
                cls=Rare,
                hidden=name in flag.hidden_in,
                help=flag.help,
                **values,
            )(command)
        return command

    return decorate


def draw_options(command: F) -> F:
    """Add ``--commit`` and ``--public``."""
    public = click.option(
        "--public",
        cls=Rare,
        metavar="TEXT",
        help="A text drawn in public after the commitment, as a lottery's. It is mixed into "
        "schedule and deals, and kept with the event. Before its first match only.",
    )
    commit = click.option(
        "--commit",
        cls=Rare,
        is_flag=True,
        help="Store the event and print its commitment; play nothing.",
    )
    return commit(public(command))
