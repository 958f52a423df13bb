"""The short help of a command, by ``-h``: what it needs, what it does, two examples,
and its common options, a line each.
"""

import inspect
import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import click

WIDTH = 78
EXAMPLES = 2
HELP_NAMES = ("-h", "--help")
_LONG = f"{__name__}.long"
_SENTENCE = re.compile(r"(?<=\.) (?=\S)")
_DEFAULT = re.compile(r" \[default: [^\]]*\]")


class Brief(click.Command):
    """A command with a short help, by ``-h``, and a long one with all options and all
    about them, by ``--help``.
    """

    def __init__(self, name: str | None, *, needs: str = "", **how: Any) -> None:
        """``needs``: what the usage line shows; "" for the arguments and the options
        that are required.
        """
        super().__init__(name, **how)
        self.needs = needs

    def get_help_option_names(self, ctx: click.Context) -> list[str]:
        """Return the same names in every context: click keeps the option that it makes
        first, whatever a later context names.
        """
        return list(HELP_NAMES)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if "--help" in args or ("-h", "all") in pairwise(args):
            lengthen(ctx)  # before the option is read, which prints and ends
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            # not above: few words are mistaken
            from khiva_arena.interface.cli.guesses import meaning

            if text := meaning(ctx, error.option_name):
                raise click.UsageError(
                    f"No such option {error.option_name}: {text}.", ctx
                ) from None
            raise

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        params = self.get_params(ctx)
        arguments = [
            piece
            for one in params
            if isinstance(one, click.Argument)
            for piece in one.get_usage_pieces(ctx)
        ]
        options = [
            f"{max(one.opts, key=len)} {one.make_metavar(ctx)}"
            for one in params
            if _is_required_option(one)
        ]
        return [self.needs] if self.needs else [*arguments, *options]

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write_usage(
            ctx.command_path, " ".join([*self.collect_usage_pieces(ctx), "[OPTIONS]"])
        )

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        if is_long(ctx):
            super().format_help(ctx, formatter)
        else:
            # not above: most commands print no help
            from khiva_arena.interface.cli.examples import write_examples

            formatter.width = min(formatter.width, WIDTH)
            self.format_usage(ctx, formatter)
            formatter.write_paragraph()
            with formatter.indentation():
                formatter.write_text(inspect.cleandoc(self.help or "").partition("\n\n")[0])
            write_examples(ctx.command_path.partition(" ")[2], formatter, EXAMPLES)
            self.format_brief(ctx, formatter)
        formatter.write_paragraph()
        for line in last_lines(ctx):
            formatter.write(f"{line}\n")

    def brief_options(self, ctx: click.Context) -> Sequence[click.Option]:
        """Return the options that the short help shows, in their order."""
        return [
            param
            for param in self.get_params(ctx)
            if isinstance(param, click.Option) and not param.hidden
        ]

    def format_brief(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the common options and the last lines of the short help, below its
        examples.
        """
        with formatter.section("Options"):
            formatter.write_dl(
                [brief_row(option, ctx) for option in self.brief_options(ctx)], col_max=WIDTH
            )


def _is_required_option(param: click.Parameter) -> bool:
    return isinstance(param, click.Option) and param.required


def lengthen(ctx: click.Context) -> None:
    """Let the help of a context be the long one."""
    ctx.meta[_LONG] = True


def is_long(ctx: click.Context) -> bool:
    """Tell whether the long help is asked for."""
    return _LONG in ctx.meta


def first_sentence(text: str) -> str:
    """Return the first sentence of a command's or an option's text."""
    return _SENTENCE.split(" ".join(text.partition("\n\n")[0].split()), maxsplit=1)[0]


def brief_row(option: click.Option, ctx: click.Context) -> tuple[str, str]:
    """Return the words of an option, and the first sentence about it with its
    default.
    """
    words, text = option.get_help_record(ctx) or ("", "")
    if "--help" in option.opts:
        return words, "Show this help; --help shows all options."
    first, default = first_sentence(option.help or text), _DEFAULT.search(text)
    return words, first if default is None or default[
        0
    ] in first else f"{first.removesuffix('.')}{default[0]}."


def last_lines(ctx: click.Context) -> list[str]:
    """Return the last lines of each help: exit codes of its own, how to see all, and
    where the manual is.
    """
    # not above: most commands print no help
    from khiva_arena.common.exit_codes import has_own, short_line
    from khiva_arena.common.manual import where

    name, lines = ctx.command_path.partition(" ")[2], []
    if not is_long(ctx):
        lines = [
            *([short_line(name)] if has_own(name) else []),
            f"All options, in full: {ctx.command_path} --help",
        ]
    return [*lines, f"Manual: {where('command-line')}"]
