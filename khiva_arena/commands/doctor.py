"""The work of ``khiva-arena doctor``: which isolation levels work here, why others do not, and remedies."""

import json
import os
from pathlib import Path
from typing import Any

import click
from tabulate import tabulate

from khiva_arena.entrants import loading
from khiva_arena.sandbox import system, wsl
from khiva_arena.sandbox.detect import best as best_level
from khiva_arena.sandbox.detect import levels, remedy
from khiva_arena.sandbox.level import Level
from khiva_arena.sandbox.limits import DEFAULT, WORDS, in_words
from khiva_arena.sandbox.selftest import KEPT_OUT, Attempts, Checkup, checkup
from khiva_arena.shipped import folder


def doctor(as_json: bool) -> int:
    """Try every level and print the results. Returns the exit code."""
    why = levels()
    tried = {level: checkup(level) for level in Level if not why[level]}
    best = best_level(why)
    leaks = {level: [name for name in KEPT_OUT if succeeded.get(name)] for level, (succeeded, _) in tried.items()}
    broken = [level for level in leaks if level.confines and leaks[level]]
    if as_json:
        click.echo(json.dumps(_plain(best, why, tried)))
    else:
        _say(best, why, tried)
    return 1 if broken or not best.confines else 0


Tried = dict[Level, Checkup]


def _plain(best: Level, why: dict[Level, str], tried: Tried) -> dict[str, Any]:
    rows = {
        level: {
            "works": not why[level],
            "why_not": why[level],
            "remedy": remedy(level, why[level]) if why[level] else "",
            "lets_through": _let_through(tried[level][0]) if level in tried else None,
            "note": tried[level][1] if level in tried else "",
        }
        for level in Level
    }
    limits = {key: getattr(DEFAULT, key) for key in WORDS}
    bounds = {key: getattr(loading.DEFAULT, key) for key in loading.WORDS}
    return {
        "best": best,
        "levels": rows,
        "root": os.geteuid() == 0,
        "limits": limits,
        "bounds": bounds,
        "notes": wsl.notes(Path.cwd()),
    }


def _say(best: Level, why: dict[Level, str], tried: Tried) -> None:
    click.echo(f"bots play at isolation {best} here")
    for level in Level:
        if why[level]:
            click.echo(f"  {level}: does not work here: {why[level]}")
            if command := remedy(level, why[level]):
                click.echo(f"    try: {command}")
        elif tried[level][1]:
            click.echo(f"  {level}: {tried[level][1]}")
    click.echo()
    names = [level for level in Level if level in tried]
    rows = [[what, *(_cell(tried[level][0], name) for level in names)] for name, what in KEPT_OUT.items()]
    click.echo(tabulate(rows, ["tried from inside: a bot", *names]))
    for level in names:
        for name, how in _let_through(tried[level][0]).items() if level.confines else ():
            click.echo(f"{level} does not keep out a bot that {KEPT_OUT[name]}: {', '.join(how)}")
    click.echo()
    for note in wsl.notes(Path.cwd()):
        click.echo(note)
    if os.geteuid() == 0:
        click.echo("This is root: at all levels but trusted each bot runs as a user of its own.")
    click.echo("What a bot may use, unless --limit says otherwise:")
    for key, words in WORDS.items():
        click.echo(f"  {key:<10}  {in_words(key, getattr(DEFAULT, key)):>8}  {words}")
    if not system.PROC:
        click.echo(f"No bot is held to limits on memory and processes here: {system.UNSEEN}.")
    click.echo("How large a bot may be, likewise:")
    for key, words in loading.WORDS.items():
        click.echo(f"  {key:<13}  {loading.in_words(key, getattr(loading.DEFAULT, key)):>8}  {words}")
    click.echo(f"What no level keeps out is in {folder('docs') / 'isolation.md'}.")


def _let_through(found: Attempts) -> Attempts:
    return {name: found[name] for name in KEPT_OUT if found.get(name)}


def _cell(found: Attempts, name: str) -> str:
    return "?" if name not in found else "yes" if found[name] else "no"
