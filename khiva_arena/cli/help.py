"""The layout of each command's ``-h``: groups of options, their order, and the options that only ``-h all`` shows."""

from itertools import pairwise

import click

from khiva_arena.cli.examples import write_examples
from khiva_arena.settings.table import TABLE, TEST_TABLE

_SETTINGS = "(settings)"
_PAGE, _TABLE, _LEAGUE = "The page", "The table", "The league"
_MOVED = {"--out": _PAGE, "--wait": _LEAGUE, "--ca": _LEAGUE}
"""Options whose group changes beside others: in ``report`` ``--out`` is the file of a page."""
_LAYOUT = {
    "Bots": (_SETTINGS, "--seat", "--shipped", "--search"),
    "What is played": ("--from", "--until", _SETTINGS, "--quick", "--sample"),
    "Modules": ("--rerun-bots", "--modules", "--module", "--with-modules"),
    "The test": (_SETTINGS,),
    "Time and faults": (_SETTINGS, "--wait"),
    "Isolation": (_SETTINGS,),
    "The run": (_SETTINGS, "--budget", "--web", "--commit", "--public", "--any-engine", "--new-event", "--yes"),
    "Many machines": ("--plan", "--from-plan", "--shard", "--event"),
    _TABLE: (
        "--events",
        "--only",
        "--exclude",
        "--season",
        "--contrast",
        "--anchor",
        "--section",
        "--effects",
        "--wide",
        "--error",
        "--gap",
        "--power",
    ),
    _PAGE: ("--title", "--replays", "--matches", "--names", "--for-authors"),
    _LEAGUE: (
        *("--to", "--token-file", "--author", "--name", "--status", "--forget", "--batches", "--new-terms", "--top", "--why"),
        *("--beacon", "--clock-is-right", "--seen", "--since", "--user", "--behind-proxy"),
    ),
    "The bytes": ("--hex", "--to-bot", "--to-arbiter"),
    "Remote bots": (_SETTINGS, "--token", "--ca", "--tls", "--keep", "--at-most", "--copy"),
    "A cluster": (_SETTINGS,),
    "Your seat": ("--hints", "--terminal", "--port", "--open"),
    "Output": ("--trace", "--notes", "--by-function", "--points", "--capture", "--header", "--json", "--version", "--help"),
}
"""The options that are not settings, by heading, and the place of the settings' options among them."""


def _with_settings(heading: str, names: tuple[str, ...]) -> tuple[str, ...]:
    settings = [row.option for row in (*TABLE, *TEST_TABLE) if row.heading == heading]
    return tuple(word for name in names for word in (settings if name == _SETTINGS else [name]))


GROUPS = {heading: _with_settings(heading, names) for heading, names in _LAYOUT.items()}
"""Every option of every command by its long name, under its heading, in the order in which they are shown."""
OTHERS = "Options"
FEW = 7
"""The number of options up to which no headings are needed."""
MANY = 21
"""The number of options beyond which a command has a short help and a long one."""
_ALL = f"{__name__}.all"


class Rare(click.Option):
    """An option that few uses of a command need: only ``-h all`` shows it, if the command has many options."""


class Verb(click.Command):
    """A command whose options stand in groups, with examples behind them.

    A command with many options shows the common ones and one example, unless it is asked with ``-h all``.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if any(word in ctx.help_option_names and after == "all" for word, after in pairwise(args)):
            ctx.meta[_ALL] = True  # before -h is read, which prints and ends
        return super().parse_args(ctx, args)

    def is_short(self, ctx: click.Context) -> bool:
        """Tell whether the help shows the common options alone."""
        return _ALL not in ctx.meta and len(options_of(self, ctx)) > MANY

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        options = options_of(self, ctx)
        if self.is_short(ctx):
            options = [option for option in options if not isinstance(option, Rare)]
        rows = {long_name(option): row for option in options if (row := option.get_help_record(ctx))}
        for heading, names in laid_out(list(rows)).items():
            with formatter.section(heading):
                formatter.write_dl([rows[name] for name in names])

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        is_short = self.is_short(ctx)
        write_examples(self.name or "", formatter, limit=1 if is_short else None)
        super().format_epilog(ctx, formatter)
        if is_short:
            formatter.write(f"\nEvery setting: {ctx.command_path} -h all\n")


def options_of(command: click.Command, ctx: click.Context) -> list[click.Option]:
    """Return the options of a command that help and TAB show."""
    return [param for param in command.get_params(ctx) if isinstance(param, click.Option) and not param.hidden]


def long_name(option: click.Option) -> str:
    """Return the long name of an option: ``--jobs`` of ``-j``, ``--jobs``."""
    return max(option.opts, key=len)


def laid_out(names: list[str]) -> dict[str, list[str]]:
    """Return the options of a command under their headings; options of no group stand last, under OTHERS."""
    if len(names) <= FEW:
        return {OTHERS: names}
    headings = {heading: [name for name in members if name in names] for heading, members in GROUPS.items()}
    listed_names = [name for members in headings.values() for name in members]
    for moved, heading_now in _MOVED.items():
        if headings[heading_now] and moved in names:
            headings = {heading: [name for name in members if name != moved] for heading, members in headings.items()}
            headings[heading_now].insert(0, moved)
    headings[OTHERS] = [name for name in names if name not in listed_names]
    return {heading: members for heading, members in headings.items() if members}
