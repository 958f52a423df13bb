"""List all commands by heading of ``-h``, those of installed extensions among them."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from khiva_arena.common.hooks import ExtensionCommand


_GROUPS = {
    "Play": {
        "run": "Play a tournament and print its rating table.",
        "match": "Play one match and print it turn by turn.",
        "compare": "Tell which of two bots is better, in a few minutes.",
        "sprt": "Test one bot against bounds, for CI; stop once that is clear.",
    },
    "See": {
        "standings": "Print the rating table of a results folder.",
        "show": "List the matches of a results folder, or print one.",
        "report": "Write a page of results, with every match drawn.",
        "watch": "Watch a run that writes its events to a file.",
        "plan": "Estimate how many seeds a given precision takes.",
    },
    "Trust": {
        "verify": "Replay every match of a results folder or bundle.",
        "bundle": "Write one file that anyone can verify without the bots.",
        "close": "Close an unfinished event for good.",
    },
    "Bots": {
        "new": "Create a bot, or a game, from a template.",
        "check": "Check that a bot works, and name its mistakes.",
        "replay": "Ask a bot the questions of a stored match again.",
        "decode": "Print captured frames as readable lines.",
        "bots": "List the bots that come with the arena.",
    },
    "More": {
        "games": "List the games, their seats and rules.",
        "export": "Write results for other programs: CSV, JSON lines or PGN.",
        "init": "Write a commented settings file for a tournament.",
        "doctor": "Show which sandbox levels work on this machine.",
    },
}
"""The commands of the core and their texts, by heading of ``-h``."""
RARE = ("sprt",)
"""The commands that only ``--help`` lists."""
OF_THE_CORE = {name: text for group in _GROUPS.values() for name, text in group.items()}


def commands_of_extensions() -> "list[ExtensionCommand]":
    from khiva_arena.common import hooks  # not above: most commands are the core's

    return [command for row in hooks.rows() for command in row.commands]


def groups() -> dict[str, dict[str, str]]:
    """Return the commands and their texts, by heading of ``-h``, those of installed
    extensions among them.
    """
    headings = {heading: list(group.items()) for heading, group in _GROUPS.items()}
    for command in commands_of_extensions():
        group = headings[command.heading]
        names = [name for name, _ in group]
        group.insert(
            names.index(command.after) + 1 if command.after in names else len(names),
            (command.name, command.text),
        )
    return {heading: dict(group) for heading, group in headings.items()}


def commands() -> dict[str, str]:
    """Return all commands and their texts."""
    return {name: text for group in groups().values() for name, text in group.items()}
