"""The command line: which command is in which file, and how every way to end becomes an
exit code of ``common.exit_codes``.
"""

import importlib
import os
import resource
import sys
from collections.abc import Sequence
from itertools import pairwise, takewhile
from typing import Any

import click

from khiva_arena.common.exit_codes import BAD_RESULT, BUG, DONE, INTERRUPTED, UNUSABLE
from khiva_arena.common.handed import forget
from khiva_arena.common.text import harmless, is_text
from khiva_arena.display.terminal import interrupts
from khiva_arena.display.terminal.console import harmless_streams, say, unwritten, watch_stdout
from khiva_arena.errors import ArenaError, ConfigError
from khiva_arena.interface.cli.brief import HELP_NAMES, Brief, is_long
from khiva_arena.interface.cli.command_groups import (
    OF_THE_CORE,
    RARE,
    commands,
    commands_of_extensions,
    groups,
)
from khiva_arena.interface.cli.completion import VARIABLE, answer


class Commands(Brief, click.Group):
    """The group of all commands, which imports a command's file when it is called, so
    that ``-h`` is quick.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(commands())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        command: click.Command
        if cmd_name in _GUESSED:
            return _GUESSED[cmd_name]
        if cmd_name in OF_THE_CORE:
            command = importlib.import_module(f"khiva_arena.interface.cli.{cmd_name}").command
            command.short_help = OF_THE_CORE[cmd_name]
            return command
        for row in commands_of_extensions():
            if row.name == cmd_name:
                command = row.load()
                command.short_help = row.text
                return command
        return None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if (
            args[0] not in {**OF_THE_CORE, **_GUESSED}
            and not args[0].startswith("-")
            and not ctx.resilient_parsing
            and args[0] not in commands()
        ):
            from difflib import get_close_matches  # not above: few words are mistaken

            from khiva_arena.common import hooks

            if reason := hooks.why_unknown(args[0]):
                ctx.fail(f"{args[0]} {reason}.")
            from khiva_arena.interface.cli.guesses import meaning

            if text := meaning(ctx, args[0]):
                ctx.fail(f"No such command {args[0]!r}: {text}.")
            near = get_close_matches(args[0], commands(), n=1)
            ctx.fail(
                f"No such command {args[0]!r}." + (f" Did you mean {near[0]!r}?" if near else "")
            )
        if not ctx.resilient_parsing:
            _refuse_variables_of_absent(args[0])
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        width = max(map(len, commands()))  # one column in all groups
        formatter.write_paragraph()
        for heading, group in groups().items():
            shown = {name: text for name, text in group.items() if name not in RARE or is_long(ctx)}
            for number, (name, text) in enumerate(shown.items()):
                formatter.write(f"  {'' if number else heading:6}  {name:{width}}  {text}\n")

    def format_brief(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        self.format_commands(ctx, formatter)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        # not above: most commands print no help
        from khiva_arena.interface.cli.examples import write_examples

        write_examples("", formatter)
        super().format_epilog(ctx, formatter)


def _refuse_variables_of_absent(command: str) -> None:
    """Raise ConfigError for a variable that sets a flag of an extension which is not
    installed: it would be ignored.
    """
    prefix = f"KHIVA_ARENA_{command.upper()}_"
    for name in sorted(name for name in os.environ if name.startswith(prefix)):
        from khiva_arena.common import hooks  # not above: few users set variables

        if reason := hooks.why_unknown(name.removeprefix(prefix).lower()):
            raise ConfigError(f"{name}: {reason}")


def _say_version(ctx: click.Context, _: object, is_asked: bool) -> None:
    """Print the version, with the commit of code that no release has, and end the
    program.
    """
    if is_asked and not ctx.resilient_parsing:
        from khiva_arena.common.version import shown  # not above: no other command starts git

        click.echo(f"khiva-arena, version {shown()}")
        ctx.exit()


@click.group(
    cls=Commands,
    needs="COMMAND ...",
    context_settings={
        "help_option_names": list(HELP_NAMES),
        "auto_envvar_prefix": "KHIVA_ARENA",
        "max_content_width": 100,
    },
    epilog="Results go to stdout, messages to stderr. Exit codes: 0 done, 1 a check failed, a "
    "table stayed void, the output cannot be written or the store's disk is full, 2 usage or "
    "config, 70 internal error, 130 interrupted (the same command resumes).",
)
@click.option(
    "-V",
    "--version",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_say_version,
    help="Show the version and exit.",
)
def cli() -> None:
    """Let bots in any language play board and card games against each other, and rate
    them.
    """


@click.command("help", add_help_option=False, context_settings={"ignore_unknown_options": True})
@click.argument("words", nargs=-1)
@click.pass_context
def _help(ctx: click.Context, words: tuple[str, ...]) -> None:
    """Print the short help of the command that the words name."""
    above, command = ctx.find_root(), ctx.find_root().command
    for word in words:
        if isinstance(command, click.Group) and not word.startswith("-"):
            name, found, _ = command.resolve_command(above, [word])
            above, command = (
                click.Context(found or command, info_name=name, parent=above),
                found or command,
            )
    click.echo(command.get_help(above))


@click.command("version", cls=Brief)
@click.pass_context
def _version(ctx: click.Context) -> None:
    """Print the version."""
    _say_version(ctx, ctx.command, True)


_GUESSED = {"help": _help, "version": _version}
"""Words of other programs that run here, too, and that no list shows."""


def main() -> None:
    """Run the command line and exit."""
    interrupts.listen()
    watch_stdout()
    try:
        code = run(sys.argv[1:])
    except KeyboardInterrupt as error:  # a second one, while the first was answered
        code = _interrupted(error, sys.argv[1:])
    # Python gives signals back to the system while it ends: one would then be our exit
    # code
    interrupts.listen_no_more()
    sys.exit(code)


def run(arguments: list[str]) -> int:
    """Run one command line. Returns its exit code."""
    with harmless_streams():
        try:
            return _run(arguments)
        finally:
            forget()


def _is_limited() -> bool:
    return any(
        resource.getrlimit(one)[0] != resource.RLIM_INFINITY
        for one in (resource.RLIMIT_AS, resource.RLIMIT_DATA)
    )


def _why_failed(error: BaseException) -> str:
    """Return what to do if an error comes of too little memory by a limit of the
    system, "" if it does not.
    """
    if not _is_limited():
        return ""
    from khiva_arena.interface.cli.memory_limits import why_failed

    return why_failed(error)


def _run(arguments: list[str]) -> int:
    try:
        for argument in arguments:
            if not is_text(argument):
                raise ConfigError(f"{argument!r} is not valid Unicode text, or has a NUL in it")
        if _is_limited():
            # not above: few machines limit it
            from khiva_arena.interface.cli.memory_limits import spare_threads, why_too_little

            if reason := why_too_little():
                raise ConfigError(reason)
            spare_threads()
        code = _answer(arguments)
        failure = unwritten()
        interrupts.listen_no_more()
        return (
            _code_of_lost_stdout(failure, arguments)
            if failure
            else code
            if isinstance(code, int)
            else DONE
        )
    except click.exceptions.NoArgsIsHelpError as error:
        say(error.message)
        return UNUSABLE
    except click.ClickException as error:
        # not above: most commands succeed
        from khiva_arena.interface.cli.error_words import one_line

        return _fail(arguments, UNUSABLE, [one_line(error)])
    except (click.Abort, KeyboardInterrupt) as error:
        interrupts.listen_no_more()
        return (
            _say_limit(arguments, reason)
            if (reason := _why_failed(error))
            else _interrupted(error, arguments)
        )
    except ConfigError as error:
        steps = [harmless(step) for step in getattr(error, "steps", ())]  # NoLevel has some
        return _fail(
            arguments, error.exit_code, [harmless(problem) for problem in error.problems], steps
        )
    except ArenaError as error:
        # not above: most commands succeed
        from khiva_arena.interface.cli.error_words import lines, why_not_handed

        problems = [
            f"{lines(problem)}{why_not_handed(error)}"
            for problem in error.problems or (str(error),)
        ]
        return _fail(arguments, error.exit_code, problems)
    except (Exception, SystemExit) as error:  # click makes an exit of a broken pipe
        if isinstance(
            error.__cause__, KeyboardInterrupt
        ):  # as Python 3.11 makes of one that hits while a class is made
            return _interrupted(error, arguments)
        failure = unwritten()
        if failure:
            return _code_of_lost_stdout(failure, arguments)
        # not above: most commands succeed
        from khiva_arena.interface.cli.error_words import why_no_path

        if reason := _why_failed(error) or why_no_path(error, arguments):
            return _say_limit(arguments, reason)
        import traceback  # not above: it is for bugs

        said = (
            "this is a bug, please report it with the lines above; nothing that was recorded "
            "is lost"
        )
        if wants_json(arguments):
            return _fail(arguments, BUG, [f"{traceback.format_exc()}{said}"])
        say(traceback.format_exc(), end="")
        return _fail(arguments, BUG, [said])


def wants_json(arguments: Sequence[str]) -> bool:
    """Tell whether a command line asks for JSON. It may be wrong otherwise, so that
    click has not read it.
    """
    words = list(takewhile(lambda word: word != "--", arguments))
    formats = words[:1] == ["check"] and (
        "--format=json" in words or ("--format", "json") in pairwise(words)
    )
    return "--json" in words or formats


def _fail(
    arguments: Sequence[str],
    code: int,
    problems: Sequence[str],
    steps: Sequence[str] = (),
    commands: Sequence[str] = (),
) -> int:
    """Say why a command failed: in lines for people, or as one JSON object if the
    command line asks for JSON.

    steps: lines on what the user can do.
    commands: to type next, besides those that the problems name; only JSON has them.

    Returns the exit code.
    """
    if wants_json(arguments):
        # not above: most commands succeed
        from khiva_arena.interface.cli.json_error import error_line

        say(error_line(code, [*problems, *steps], arguments, commands), whole=True)
        return code
    for problem in problems:
        say(f"khiva-arena: error: {problem}")
    for step in steps:
        say(f"  {step}")
    return code


def _answer(arguments: list[str]) -> Any:
    """Answer a shell whose user presses TAB, else run the command. Returns the exit
    code.
    """
    if instruction := os.environ.get(VARIABLE):
        return answer(cli, instruction)
    return cli.main(arguments, prog_name="khiva-arena", standalone_mode=False)


def _say_limit(arguments: Sequence[str], reason: str) -> int:
    """Say which limit or right of the machine is in the way. Returns the exit code.
    Every recorded match is kept.
    """
    interrupts.listen_no_more()
    _fail(arguments, UNUSABLE, [reason])
    eval("0")  # as in ``_interrupted``
    return UNUSABLE


def _interrupted(error: BaseException, arguments: Sequence[str]) -> int:
    """Say that the command was interrupted, unless that was told. Returns the exit
    code.
    """
    interrupts.listen_no_more()  # an impatient second one would hide the exit code
    if wants_json(arguments):
        import shlex  # not above: few commands are interrupted

        _fail(
            arguments,
            INTERRUPTED,
            ["interrupted"],
            commands=[shlex.join(["khiva-arena", *arguments])],
        )
    elif not interrupts.was_told(error):
        say("khiva-arena: interrupted")
    # If it hit while a text was run as code, as for each dataclass when a module is
    # imported, Python would end by SIGINT itself, whatever exit code we give; running
    # one that ends well lets it forget that.
    eval("0")
    return INTERRUPTED


def _code_of_lost_stdout(error: OSError, arguments: Sequence[str]) -> int:
    """Return the exit code when stdout has failed.

    A reader that closes its end, as `head` does, has seen all that it needs: that is no
    error.
    """
    if isinstance(error, BrokenPipeError):
        return DONE
    return _fail(arguments, BAD_RESULT, [f"the output cannot be written: {error.strerror}"])
