"""The layout of each command's help: groups of options, their order, and the options
that only ``--help`` shows.
"""

import json
import os
import shlex
from typing import Any

import click

from khiva_arena.common import exit_codes
from khiva_arena.competition.settings.table import TABLE, TEST_TABLE
from khiva_arena.errors import ConfigError
from khiva_arena.interface.cli.brief import Brief, first_sentence

_SETTINGS = "(settings)"
_PAGE, _TABLE, _LEAGUE = "The page", "The table", "The league"
_MOVED = {"--matches": _PAGE, "--out": _PAGE, "--wait": _LEAGUE, "--ca": _LEAGUE}
"""Options whose group changes beside others: in ``report`` ``--out`` is the file of a
page.
"""
_LAYOUT = {
    "Bots": (
        "--against",
        _SETTINGS,
        "--lost",
        "--models",
        "--shipped",
        "--search",
        "--language",
        "--seal",
    ),
    "What is played": (
        *("--seed-file", "--from", "--step", "--seat", "--choice", "--try", "--until"),
        *(_SETTINGS, "--quick", "--sample"),
    ),
    "Modules": ("--rerun-bots", "--take-unconfirmed", "--modules", "--module", "--with-modules"),
    "The test": (_SETTINGS,),
    "Time and faults": (_SETTINGS, "--wait"),
    "Isolation": (_SETTINGS,),
    "The run": (
        "--for",
        "--matches",
        _SETTINGS,
        "--budget",
        "--spend",
        "--web",
        "--commit",
        "--public",
        "--any-engine",
        "--new-event",
        "--yes",
    ),
    "Many machines": ("--plan", "--from-plan", "--shard", "--event"),
    _TABLE: (
        "--events",
        "--only",
        "--exclude",
        "--season",
        "--most-lots",
        "--contrast",
        "--anchor",
        "--section",
        "--effects",
        "--wide",
        "--error",
        "--gap",
        "--power",
    ),
    _PAGE: ("--title", "--replays", "--names", "--for-authors", "--check"),
    _LEAGUE: (
        *(
            "--to",
            "--token-file",
            "--author",
            "--name",
            "--status",
            "--forget",
            "--batches",
            "--new-terms",
            "--top",
            "--why",
        ),
        *("--publish-bots", "--agree"),
        *(
            "--beacon",
            "--clock-is-right",
            "--seen",
            "--since",
            "--user",
            "--behind-proxy",
            "--page",
        ),
    ),
    "The bytes": ("--hex", "--to-bot", "--to-arbiter"),
    "Remote bots": (_SETTINGS, "--token", "--ca", "--tls", "--keep", "--at-most", "--copy"),
    "A cluster": (_SETTINGS,),
    "Your seat": ("--hints", "--terminal", "--mcp", "--port", "--open"),
    "Output": (
        *(
            "--trace",
            "--notes",
            "--by-function",
            "--points",
            "--capture",
            "--header",
            "--accept",
            "--fail-on-fault",
        ),
        *("--transcript", "--with-transcripts"),
        *("--quiet", "--full", "--json", "--results", "--junit", "--version", "--help"),
    ),
}
"""The options that are not settings, by heading, and the place of the settings' options
among them.
"""


def _with_settings(heading: str, names: tuple[str, ...]) -> tuple[str, ...]:
    settings = [row.option for row in (*TABLE, *TEST_TABLE) if row.heading == heading]
    return tuple(word for name in names for word in (settings if name == _SETTINGS else [name]))


GROUPS = {heading: _with_settings(heading, names) for heading, names in _LAYOUT.items()}
"""Every option of every command by its long name, under its heading, in the order in
which they are shown.
"""
OTHERS = "Options"
FEW = 7
"""The number of options up to which no headings are needed."""
OPPONENT = "shipped:python/random"
"""The bot against which a bot that was named alone may play: it plays every game."""
MANY = 12
"""The number of options up to which the short help shows all, rare ones among them."""


class Rare(click.Option):
    """An option that few uses of a command need: only ``--help`` shows it, if the
    command has many options.
    """


class Verb(Brief):
    """A command whose options stand in groups in its long help, with all examples
    behind them.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        typed = list(args)  # which is used up
        try:
            return super().parse_args(ctx, args)
        except click.MissingParameter:
            raise click.UsageError(self._with_missing(ctx, typed), ctx) from None
        except click.BadOptionUsage as error:
            for option in options_of(self, ctx):
                if error.option_name in option.opts and not option.is_flag:
                    raise click.UsageError(
                        f"a word is missing: {' '.join(self._usage_of(option, ctx))}", ctx
                    ) from None
            raise
        except click.UsageError:
            if advice := self._with_flags(ctx, typed):
                raise click.UsageError(advice, ctx) from None
            raise

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except ConfigError as error:
            if not any(
                "--bot" in option.opts for option in options_of(self, ctx)
            ):  # its bot is no option
                error.problems = tuple(problem.removeprefix("--bot ") for problem in error.problems)
            raise

    def _with_missing(self, ctx: click.Context, typed: list[str]) -> str:
        """Return the message that names all that is missing, the command with it, and
        one that can be typed.
        """
        # not above: few commands are mistyped
        from khiva_arena.interface.cli.examples import examples_of

        values, _, _ = self.make_parser(ctx).parse_args(list(typed))
        given = {
            name
            for name, value in values.items()
            if value and isinstance(value, str | tuple | list)
        }
        lacking = [
            one
            for one in self.params
            if one.required and one.name not in given and not one.resolve_envvar_value(ctx)
        ]
        words = [" ".join(self._usage_of(one, ctx)) for one in lacking]
        line = " ".join([ctx.command_path, *map(shlex.quote, typed), *words])
        example = next(iter(examples_of(ctx.command_path.partition(" ")[2])), "")
        missing = (
            f"{' and '.join(words)} {'are' if len(words) > 1 else 'is'} missing. Type `{line}`"
        )
        return missing + (f", for example `{example}`." if example else ".")

    @staticmethod
    def _usage_of(param: click.Parameter, ctx: click.Context) -> list[str]:
        option = [long_name(param)] if isinstance(param, click.Option) else []
        return [*option, param.make_metavar(ctx).strip("[]")]

    def _with_flags(self, ctx: click.Context, typed: list[str]) -> str:
        """Return how to name by ``--bot`` or by a settings file the bots that words
        name without; "" if no word names one.
        """
        options = {name for option in options_of(self, ctx) for name in option.opts}
        if "--bot" not in options:
            return ""
        try:
            values, extra, _ = self.make_parser(ctx).parse_args(typed)
        except click.UsageError:
            return ""
        # not above: few words are mistaken
        from khiva_arena.entrants.bot_words import FEW, meant_bot

        places = [
            values.get(param.name or "")
            for param in self.params
            if isinstance(param, click.Argument)
        ]
        words = [word for word in (*places, *extra) if isinstance(word, str)]
        no_settings = [
            word for word in words if word.endswith("bot.toml") or not word.endswith(".toml")
        ]
        bots = {word: bot for word in no_settings if (bot := meant_bot(word))}
        others = [shlex.quote(word) for word in words if word not in bots]
        seated = [*(bots[word] for word in words if word in bots), *(values.get("bots") or ())]
        if len(bots) > FEW:  # as a shell makes of entries/*
            pattern = json.dumps(
                os.path.join(os.path.dirname(min(bots).rstrip("/")), "*"), ensure_ascii=False
            )
            return (
                f"name each bot by a --bot of its own, or {len(seated)} at once by a settings "
                f"file with bots = [{pattern}]."
            )
        if len(seated) == 1 and not others:
            seated.append(OPPONENT)  # nobody plays alone
        seats = (
            ["--seats 2"]
            if len(seated) == 2 and not others and "--seats" in options and "seats" not in values
            else []
        )
        line = " ".join(
            [ctx.command_path, *others, *(f"--bot {shlex.quote(bot)}" for bot in seated), *seats]
        )
        return f"bots are named by --bot, as in `{line}`." if bots else ""

    def brief_options(self, ctx: click.Context) -> list[click.Option]:
        options = options_of(self, ctx)
        shown = {
            long_name(one): one
            for one in options
            if len(options) <= MANY or not isinstance(one, Rare)
        }
        return [shown[name] for names in laid_out(list(shown)).values() for name in names]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        rows = {
            long_name(option): row
            for option in options_of(self, ctx)
            if (row := option.get_help_record(ctx))
        }
        for heading, names in laid_out(list(rows)).items():
            with formatter.section(heading):
                formatter.write_dl([rows[name] for name in names])

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        from khiva_arena.interface.cli.examples import write_examples  # as in ``Brief``

        name = ctx.command_path.partition(" ")[2]
        write_examples(name, formatter)
        if exit_codes.has_own(name):
            with formatter.section("Exit codes"):
                rows = [
                    (str(row.code), f"{exit_codes.full_meaning(row)}.")
                    for row in exit_codes.rows_of(name)
                ]
                formatter.write_dl(rows)
        super().format_epilog(ctx, formatter)


class Verbs(Brief, click.Group):
    """A command of several verbs, each with its first sentence in the list of them."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            verbs = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
            formatter.write_dl(
                [(name, first_sentence(verb.help or "")) for name, verb in verbs if verb]
            )

    def format_brief(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        self.format_commands(ctx, formatter)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        from khiva_arena.interface.cli.examples import write_examples  # as in ``Brief``

        write_examples(ctx.command_path.partition(" ")[2], formatter)
        super().format_epilog(ctx, formatter)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in self.commands and not ctx.resilient_parsing:
            # not above: few words are mistaken
            from khiva_arena.interface.cli.guesses import meaning

            if text := meaning(ctx, args[0]):
                ctx.fail(f"No such command {args[0]!r}: {text}.")
        return super().resolve_command(ctx, args)


def options_of(command: click.Command, ctx: click.Context) -> list[click.Option]:
    """Return the options of a command that help and TAB show."""
    return [
        param
        for param in command.get_params(ctx)
        if isinstance(param, click.Option) and not param.hidden
    ]


def long_name(option: click.Option) -> str:
    """Return the long name of an option: ``--jobs`` of ``-j``, ``--jobs``."""
    return max(option.opts, key=len)


def laid_out(names: list[str]) -> dict[str, list[str]]:
    """Return the options of a command under their headings; options of no group stand
    last, under OTHERS.
    """
    if len(names) <= FEW:
        return {OTHERS: names}
    headings = {
        heading: [name for name in members if name in names] for heading, members in GROUPS.items()
    }
    listed_names = [name for members in headings.values() for name in members]
    for moved, heading_now in _MOVED.items():
        if headings[heading_now] and moved in names:
            headings = {
                heading: [name for name in members if name != moved]
                for heading, members in headings.items()
            }
            headings[heading_now].insert(0, moved)
    headings[OTHERS] = [name for name in names if name not in listed_names]
    return {heading: members for heading, members in headings.items() if members}
