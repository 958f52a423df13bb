"""The layout of each command's ``-h``: groups of options, their order, and the options that only ``-h all`` shows."""

import shlex
from itertools import pairwise

import click

from khiva_arena.competition.settings.table import TABLE, TEST_TABLE
from khiva_arena.interface.cli.examples import write_examples

_SETTINGS = "(settings)"
_PAGE, _TABLE, _LEAGUE = "The page", "The table", "The league"
_MOVED = {"--out": _PAGE, "--wait": _LEAGUE, "--ca": _LEAGUE}
"""Options whose group changes beside others: in ``report`` ``--out`` is the file of a page."""
_LAYOUT = {
    "Bots": (_SETTINGS, "--lost", "--seat", "--shipped", "--search"),
    "What is played": ("--from", "--step", "--choice", "--try", "--until", _SETTINGS, "--quick", "--sample"),
    "Modules": ("--rerun-bots", "--take-unconfirmed", "--modules", "--module", "--with-modules"),
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
    _PAGE: ("--title", "--replays", "--matches", "--names", "--for-authors", "--check"),
    _LEAGUE: (
        *("--to", "--token-file", "--author", "--name", "--status", "--forget", "--batches", "--new-terms", "--top", "--why"),
        *("--publish-bots", "--agree"),
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
OPPONENT = "shipped:python/random"
"""The bot against which a bot that was named alone may play: it plays every game."""
MANY = 22
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
        typed = list(args)  # which is used up
        try:
            return super().parse_args(ctx, args)
        except click.UsageError:
            if line := self._with_flags(ctx, typed):
                raise click.UsageError(f"bots are named by --bot, as in `{line}`.", ctx) from None
            raise

    def _with_flags(self, ctx: click.Context, typed: list[str]) -> str:
        """Return a command whose bots are named by ``--bot``, for words that name them without; "" if no word names one."""
        options = {name for option in options_of(self, ctx) for name in option.opts}
        if "--bot" not in options:
            return ""
        try:
            values, extra, _ = self.make_parser(ctx).parse_args(typed)
        except click.UsageError:
            return ""
        from khiva_arena.entrants.bot_words import meant_bot  # not above: few words are mistaken

        places = [values.get(param.name or "") for param in self.params if isinstance(param, click.Argument)]
        words = [word for word in (*places, *extra) if isinstance(word, str)]
        no_settings = [word for word in words if word.endswith("bot.toml") or not word.endswith(".toml")]
        bots = {word: bot for word in no_settings if (bot := meant_bot(word))}
        others = [shlex.quote(word) for word in words if word not in bots]
        seated = [*(bots[word] for word in words if word in bots), *(values.get("bots") or ())]
        if len(seated) == 1 and not others:
            seated.append(OPPONENT)  # nobody plays alone
        seats = ["--seats 2"] if len(seated) == 2 and not others and "--seats" in options and "seats" not in values else []
        return " ".join([ctx.command_path, *others, *(f"--bot {shlex.quote(bot)}" for bot in seated), *seats]) if bots else ""

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
