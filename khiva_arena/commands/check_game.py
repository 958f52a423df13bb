"""The work of ``khiva-arena check --game`` without a bot: does a game keep its contract, and what to do if it does not."""

import json
import shlex
from collections.abc import Sequence

import click
import msgspec

from khiva_arena.check.own_game import GameStep, steps_of
from khiva_arena.check.report import MARKS, Status
from khiva_arena.competition.settings import game_named
from khiva_arena.games.base import Game
from khiva_arena.terminal.tty import alarm
from khiva_arena.text import harmless

OPPONENT = "shipped:python/random"


def check_games(words: Sequence[str], *, as_json: bool) -> int:
    """Check games and print what was found. Returns the exit code."""
    games = [game_named(word) for word in dict.fromkeys(words)]
    if as_json:
        found = [{"game": game.name, "rules_version": game.rules_version, "steps": list(steps_of(game))} for game in games]
        click.echo(json.dumps({"games": msgspec.to_builtins(found)}))
        return 0 if all(step.passed for one in found for step in one["steps"]) else 1  # type: ignore[attr-defined]
    return max([0 if _printed(word, game) else 1 for word, game in zip(dict.fromkeys(words), games, strict=True)])


def _printed(word: str, game: Game) -> bool:
    click.echo(
        harmless(f"{game.name}: {game.title}, {game.seats[0]} to {game.seats[-1]} seats, rules version {game.rules_version}")
    )
    failed = 0
    for step in steps_of(game):
        click.echo(_line(step))
        failed += not step.passed
    if failed:
        click.echo("It does not keep the contract yet: begin with the first step that failed.")
        return False
    match = ["khiva-arena", "match", "--game", word, *["--bot", OPPONENT] * game.seats[0]]
    click.echo(harmless(f"It keeps the contract. Next: {shlex.join(match)}"))
    return True


def _line(step: GameStep) -> str:
    mark = MARKS[Status.OK] if step.passed else alarm(MARKS[Status.FAILED])
    lines = [f"  {mark}  {harmless(step.title)}: {harmless(step.said)}"]
    return "\n".join([*lines, f"        do: {harmless(step.do)}"] if step.do else lines)
