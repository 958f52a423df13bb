"""The work of ``khiva-arena check --game`` without a bot: a check that a game keeps its
contract, with remedies.
"""

import json
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

import click
import msgspec

from khiva_arena.common.text import harmless
from khiva_arena.competition.conformance.check_report import MARKS, Status
from khiva_arena.competition.settings.flags import settings_by_flags
from khiva_arena.competition.settings.given_rules import game_named, rules_by_flags
from khiva_arena.display.terminal.tty import alarm
from khiva_arena.extensions.own_games.own_game import GameStep, steps_of
from khiva_arena.games.base import Game

OPPONENT = "shipped:python/random"
KEEPS, KEEPS_NOT = "keeps the contract", "does not keep the contract"


def check_games(
    words: Sequence[str], rule: Sequence[str], *, as_json: bool, quiet: bool = False
) -> int:
    """Check games and print the results. Returns the exit code.

    rule: the words of --rule, for one game alone.
    quiet: whether only steps that are not ok are printed.
    """
    games = [game_named(word) for word in dict.fromkeys(words)]
    rules = rules_by_flags(games, settings_by_flags({"rule": rule}).get("rules", {}))
    if as_json:
        rules_entry = {"rules": rules} if rules else {}
        all_steps = [list(steps_of(game, rules)) for game in games]
        rows = [
            {
                "game": game.name,
                "rules_version": game.rules_version,
                **rules_entry,
                "steps": msgspec.to_builtins(steps),
            }
            for game, steps in zip(games, all_steps, strict=True)
        ]
        broken = [
            game.name
            for game, steps in zip(games, all_steps, strict=True)
            if not all(step.passed for step in steps)
        ]
        said = (
            f"{', '.join(broken or [game.name for game in games])}: "
            f"{KEEPS_NOT if broken else KEEPS}"
        )
        click.echo(json.dumps({"v": 1, "sentence": harmless(said), "games": rows}))
        return 1 if broken else 0
    return max(
        [
            0 if _report(word, game, rules, rule, quiet=quiet) else 1
            for word, game in zip(dict.fromkeys(words), games, strict=True)
        ]
    )


def _report(
    word: str, game: Game, rules: Mapping[str, Any], rule: Sequence[str], *, quiet: bool
) -> bool:
    """Print the steps of a game, of which ``quiet`` leaves out those that are ok.
    Returns whether all are.
    """
    title = harmless(
        f"{game.name}: {game.title}, {game.seats[0]} to {game.seats[-1]} seats, rules "
        f"version {game.rules_version}"
    )
    if not quiet:
        click.echo(title)
    problems: set[str] = set()
    for step in steps_of(game, rules):
        if quiet and step.passed:
            continue
        if quiet and not problems:
            click.echo(title)
        new = [line for line in step.do.splitlines() if line not in problems]
        text = "the same" if step.said in problems else step.said
        click.echo(_line(msgspec.structs.replace(step, said=text, do="\n".join(new))))
        problems |= set() if step.passed else {step.said, *new}
    if problems:
        click.echo(f"It {KEEPS_NOT} yet: begin with the first step that failed.")
        return False
    if quiet:
        return True
    seats = min(game.seats_of(game.rules(rules)))
    flags = [part for pair in rule for part in ("--rule", pair)]
    match = ["khiva-arena", "match", "--game", word, *flags, *["--bot", OPPONENT] * seats]
    click.echo(harmless(f"It {KEEPS}. Next: {shlex.join(match)}"))
    return True


def _line(step: GameStep) -> str:
    mark = MARKS[Status.OK] if step.passed else alarm(MARKS[Status.FAILED])
    lines = [f"  {mark}  {harmless(step.title)}: {harmless(step.said)}"]
    return "\n".join([*lines, *(f"        do: {harmless(line)}" for line in step.do.splitlines())])
