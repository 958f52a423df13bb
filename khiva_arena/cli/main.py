"""The command line: which command is in which file, and how every way to end becomes an exit code.

0 done, 1 a check failed or a table stayed void, 2 usage or config, 70 internal, 130 interrupted and resumable.
"""

import importlib
import os
import signal
import sys
import traceback
from typing import Any

import click

from khiva_arena import __version__
from khiva_arena.errors import ArenaError, ConfigError

COMMANDS = {
    "run": "Play a competition and print its rating table.",
    "match": "Play one match and print it turn by turn.",
    "standings": "Print the rating table of a store.",
    "verify": "Replay every match of a store and say what is sound.",
    "show": "Print what a store holds, or one match of it turn by turn.",
    "games": "List the games, their seats and rules.",
    "bots": "List the bots that come with the arena.",
}
INTERRUPTED = 130
INTERNAL = 70
USAGE = 2


class Commands(click.Group):
    """Imports a command's file when it is called, so that ``-h`` is quick."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"khiva_arena.cli.{cmd_name}")
        command: click.Command = module.command
        return command

    def invoke(self, ctx: click.Context) -> Any:
        try:
            code = super().invoke(ctx)
            sys.stdout.flush()
            return code
        except BrokenPipeError:
            # Whoever read our output has gone, as `head` does: nothing is left to say, and nothing went wrong.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "auto_envvar_prefix": "KHIVA_ARENA", "max_content_width": 100},
    epilog="Results go to stdout, messages to stderr. Exit codes: 0 done, 1 a check failed or a table stayed void, "
    "2 usage or config, 70 internal error, 130 interrupted (the same command resumes).",
)
@click.version_option(__version__, prog_name="khiva-arena")
def cli() -> None:
    """A local arena for bots in any language: hidden hands, simultaneous secret moves, matches that replay bit for bit, and
    ratings with honest errors."""


def main() -> None:
    """Run the command line and exit."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        # Whoever asks us to end gets what Ctrl-C gets: every bot reaped, and a line that says how to resume.
        signal.signal(number, lambda _number, _frame: signal.raise_signal(signal.SIGINT))
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run one command line. Returns its exit code."""
    try:
        code = cli.main(arguments, prog_name="khiva-arena", standalone_mode=False)
        return code if isinstance(code, int) else 0
    except click.ClickException as error:
        error.show()
        return USAGE
    except (click.Abort, KeyboardInterrupt):
        _say("interrupted")
        return INTERRUPTED
    except ConfigError as error:
        for problem in error.problems:
            _say(f"error: {problem}")
        return error.exit_code
    except ArenaError as error:
        _say(f"error: {error}")
        return error.exit_code
    except Exception:
        traceback.print_exc()
        _say("error: this is a bug of khiva-arena, please report it with the lines above; nothing that was fixed is lost")
        return INTERNAL


def _say(line: str) -> None:
    print(f"khiva-arena: {line}", file=sys.stderr)
