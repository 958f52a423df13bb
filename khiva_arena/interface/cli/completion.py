"""Completion by TAB: the script by which a shell asks, the answers, and the values of
listable options.

Nothing is imported for the values before a shell asks for them.
"""

import os
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from click import Command, Context, Parameter

from khiva_arena.errors import ConfigError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

VARIABLE = "_KHIVA_ARENA_COMPLETE"
"""The variable by which a shell asks: its value is SHELL_source or SHELL_complete, as
click's scripts have it.
"""
SHELLS = ("bash", "zsh", "fish")
WORDS = ("COMP_WORDS", "COMP_CWORD")
BREAKS = (":", "=")
Complete = Callable[[Context, Parameter, str], "list[CompletionItem[str]]"]


def answer(cli: Command, instruction: str) -> int:
    """Print the answer to a shell. Returns the exit code. Raises ConfigError if no
    shell asks so.
    """
    from click.shell_completion import BashComplete, add_completion_class, shell_complete

    class Bash(BashComplete):
        """Completion for bash, which cuts words at ":" and "=", and replaces only the
        last piece.

        For bash, shipped:python/greedy is three words.
        """

        before = ""

        def get_completion_args(self) -> tuple[list[str], str]:
            words, current = os.environ["COMP_WORDS"].split("\n"), int(os.environ["COMP_CWORD"])
            *typed, incomplete = rejoined((*words, "")[: current + 1])
            self.before = incomplete[: max(incomplete.rfind(mark) for mark in BREAKS) + 1]
            return typed[1:], incomplete

        def format_completion(self, item: "CompletionItem[str]") -> str:
            return f"{item.type},{item.value.removeprefix(self.before)}"

    shell, _, action = instruction.partition("_")
    if shell not in SHELLS or action not in ("source", "complete"):
        raise ConfigError(
            f"{VARIABLE}={instruction}: there is {', '.join(f'{name}_source' for name in SHELLS)}"
        )
    if action == "complete" and not all(name in os.environ for name in WORDS):
        raise ConfigError(
            f"{VARIABLE}={instruction} is for a shell to ask; {shell}_source prints what "
            "it needs for that"
        )
    add_completion_class(Bash)
    return shell_complete(cli, {}, "khiva-arena", VARIABLE, instruction)


def rejoined(words: Sequence[str]) -> list[str]:
    """Return the words as they were typed, before bash cut them: a mark belongs to the
    pieces before and behind it.
    """
    out: list[str] = []
    for number, word in enumerate(words):
        if out and (word in BREAKS or words[number - 1] in BREAKS):
            out[-1] += word
        else:
            out.append(word)
    return out


def one_of(words: Callable[[], Iterable[str]], *, folders: bool = False) -> Complete:
    """Return a completion by one of these words; ``folders``: or by a folder."""

    def complete(
        _context: Context, _parameter: Parameter, incomplete: str
    ) -> "list[CompletionItem[str]]":
        from click.shell_completion import CompletionItem

        items = [CompletionItem(word) for word in words() if word.startswith(incomplete)]
        # Bash takes either words or folders: a word that has begun to be typed is
        # meant.
        return (
            items
            if items and (incomplete or not folders)
            else [CompletionItem(incomplete, type="dir")] * folders
        )

    return complete


def _games() -> Iterable[str]:
    from khiva_arena.games.registry import NAMES

    return NAMES


def _bots() -> Iterable[str]:
    from khiva_arena.common import shipped

    return shipped.bots()


def _languages() -> Iterable[str]:
    from khiva_arena.common import shipped

    return shipped.languages()


GAME, LANGUAGE = one_of(_games), one_of(_languages)
BOT = one_of(_bots, folders=True)
