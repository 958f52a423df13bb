"""The work of ``khiva-arena check --game`` without a bot: a check that a game keeps its contract, with remedies."""

import json
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

import click
import msgspec

from khiva_arena.common.text import harmless
from khiva_arena.competition.conformance.check_report import MARKS, Status
from khiva_arena.competition.settings.flags import settings_by_flags
from khiva_arena.competition.settings.settings import game_named, rules_by_flags
from khiva_arena.display.terminal.tty import alarm
from khiva_arena.extensions.own_games.own_game import GameStep, steps_of
from khiva_arena.games.base import Game

OPPONENT = "shipped:python/random"


def check_games(words: Sequence[str], rule: Sequence[str], *, as_json: bool) -> int:
    """Check games and print the results. ``rule``: the words of --rule, for one game alone. Returns the exit code."""
    games = [game_named(word) for word in dict.fromkeys(words)]
    rules = rules_by_flags(games, settings_by_flags({"rule": rule}).get("rules", {}))
    if as_json:
        rules_entry = {"rules": rules} if rules else {}
        rows = [
            {"game": game.name, "rules_version": game.rules_version, **rules_entry, "steps": list(steps_of(game, rules))}
            for game in games
        ]
        click.echo(json.dumps({"games": msgspec.to_builtins(rows)}))
        return 0 if all(step.passed for row in rows for step in row["steps"]) else 1  # type: ignore[attr-defined]
    return max([0 if _report(word, game, rules, rule) else 1 for word, game in zip(dict.fromkeys(words), games, strict=True)])


def _report(word: str, game: Game, rules: Mapping[str, Any], rule: Sequence[str]) -> bool:
    click.echo(
        harmless(f"{game.name}: {game.title}, {game.seats[0]} to {game.seats[-1]} seats, rules version {game.rules_version}")
    )
    problems: set[str] = set()
    for step in steps_of(game, rules):
        new = [line for line in step.do.splitlines() if line not in problems]
        text = "the same" if step.said in problems else step.said
        click.echo(_line(msgspec.structs.replace(step, said=text, do="\n".join(new))))
        problems |= set() if step.passed else {step.said, *new}
    if problems:
        click.echo("It does not keep the contract yet: begin with the first step that failed.")
        return False
    seats = min(game.seats_of(game.rules(rules)))
    flags = [part for pair in rule for part in ("--rule", pair)]
    match = ["khiva-arena", "match", "--game", word, *flags, *["--bot", OPPONENT] * seats]
    click.echo(harmless(f"It keeps the contract. Next: {shlex.join(match)}"))
    return True


def _line(step: GameStep) -> str:
    mark = MARKS[Status.OK] if step.passed else alarm(MARKS[Status.FAILED])
    lines = [f"  {mark}  {harmless(step.title)}: {harmless(step.said)}"]
    return "\n".join([*lines, *(f"        do: {harmless(line)}" for line in step.do.splitlines())])
