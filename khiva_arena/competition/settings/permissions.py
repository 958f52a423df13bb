"""Permissions that the user gives to bots: the network, variables of the arena's own
environment, and files outside of a bot's folder, which ``include`` of its bot.toml
names.

Settings and definitions hold the names of variables alone. The values are read from the
environment when a bot is about to be started, and stand in its ``Command`` only.
"""

import os
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from msgspec import structs

from khiva_arena.bots.sandbox.cell import CORE_COUNTS
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.bots.sandbox.reap import MARK
from khiva_arena.common.say import Say, say_nothing
from khiva_arena.common.text import harmless, is_text
from khiva_arena.competition.settings.define import variables_of
from khiva_arena.entrants.loading import Loading, refuse_include
from khiva_arena.errors import ConfigError
from khiva_arena.words import meant

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
OURS = ("PATH", "HOME", "TMPDIR", "LANG", "JAVA_TOOL_OPTIONS", MARK, *CORE_COUNTS)
"""Variables that every bot has from the arena."""
OF_THE_LINKER = ("LD_", "GLIBC_")
"""Beginnings of variables that would change the programs that put a bot into its
cell.
"""


def mistakes(network: Sequence[str], env: Sequence[str], names: Sequence[str]) -> list[str]:
    """Return the mistakes in the permissions, a line each, if bots are called
    ``names``.
    """
    bots_there = f"there are {', '.join(names)}"
    problems = [
        f"--network: no bot called {name!r}{meant(name, names)}; {bots_there}"
        for name in network
        if name not in names
    ]
    for word in env:
        name, equals, variable = word.rpartition("=")
        if not equals or not _VARIABLE.fullmatch(variable):
            # What stands there may be the value itself, which is not repeated.
            problems.append(
                "--env: write --env NAME=KEY, a bot and the name of the variable that it "
                "is handed, not its value"
            )
        elif name not in names:
            problems.append(
                f"--env {word}: no bot called {name!r}{meant(name, names)}; {bots_there}"
            )
        elif variable in OURS or variable.startswith(OF_THE_LINKER):
            problems.append(
                f"--env {word}: {variable} is the arena's to set; a bot can't be handed it"
            )
        elif variable not in os.environ:
            problems.append(
                f"--env {word}: {variable} is not set; export it before, or leave this out"
            )
        elif not is_text(os.environ[variable]):
            problems.append(f"--env {word}: the value of {variable} is not valid Unicode text")
    return problems


def values_of(name: str, env: Sequence[str]) -> dict[str, str]:
    """Return the variables that a bot is handed, with the values that they have now."""
    return {variable: os.environ[variable] for variable in variables_of(name, env)}


def with_permissions(
    command: Command, name: str, network: Sequence[str], env: Sequence[str], link_ms: int = 0
) -> Command:
    """Return the command that starts a bot, with the permissions given to it.

    link_ms: the most of a remote bot's round trip that is given back to it.
    """
    variables, allowance = values_of(name, env), link_ms / 1000 if command.link else 0.0
    if not (variables or allowance or name in network):
        return command
    return replace(command, network=name in network, handed=variables, allowance=allowance)


def asking(loading: Loading, say: Say = say_nothing) -> Loading:
    """Return the loading that asks once about the files which a bot includes from
    outside of its folder; a flag permits all.

    say: tells what is asked; with ``say_nothing`` nobody is asked, and only an earlier
        word counts
    """
    return (
        structs.replace(loading, include=partial(_ask, say))
        if loading.include is refuse_include
        else loading
    )


def _ask(say: Say, bot_toml: Path, paths: Sequence[str]) -> None:
    """Check that the user agrees, now or at an earlier time, to these files for this
    folder. Raises ConfigError if not.
    """
    from khiva_arena.competition.settings import consent  # not above: most bots include nothing
    from khiva_arena.competition.settings.settings import ROWS
    from khiva_arena.display.terminal.question import agreed, can_ask

    digest = consent.digest_of(f"include\0{os.path.realpath(bot_toml.parent)}", paths)
    if consent.remembered(digest):
        return
    if say is say_nothing or not can_ask():
        refuse_include(bot_toml, paths)
    say(
        harmless(
            f"{bot_toml} takes files outside of its folder, which the bot may then read "
            f"and send away: {', '.join(paths)}"
        )
    )
    if not agreed("agree, for as long as it takes these files and no others?", yes=False):
        raise ConfigError(f"{bot_toml}: not agreed to; nothing is played")
    consent.remember(bot_toml, [consent.Opening(ROWS["allow_include"], True)], digest, say)
