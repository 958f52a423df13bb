"""The work of ``khiva-arena doctor``: which isolation levels work here, why others do not, and remedies."""

import json
import os
from importlib.metadata import version
from pathlib import Path
from typing import Any

import click
from tabulate import tabulate

from khiva_arena.arbiter import memory_limits
from khiva_arena.entrants import loading, modules
from khiva_arena.sandbox import launch, system, wsl
from khiva_arena.sandbox.detect import KEPT_OUT, Attempts, Checkup, checkup, levels, remedy
from khiva_arena.sandbox.detect import best as best_level
from khiva_arena.sandbox.level import Level
from khiva_arena.sandbox.limits import DEFAULT, MIB, WORDS, in_words
from khiva_arena.schedule.lineups import MOST_SEATS
from khiva_arena.shipped import folder

SEATS = range(2, 6)
"""The tables of which the address space is told."""


def doctor(as_json: bool) -> int:
    """Try every level and print the results. Returns the exit code."""
    reasons = levels()
    results = {level: checkup(level) for level in Level if not reasons[level]}
    best = best_level(reasons)
    leaks = {level: [name for name in KEPT_OUT if succeeded.get(name)] for level, (succeeded, _) in results.items()}
    broken = [level for level in leaks if level.confines and leaks[level]]
    if as_json:
        click.echo(json.dumps(_plain(best, reasons, results)))
    else:
        _say(best, reasons, results)
    return 1 if broken or not best.confines else 0


Tried = dict[Level, Checkup]


def _plain(best: Level, reasons: dict[Level, str], results: Tried) -> dict[str, Any]:
    rows = {
        level: {
            "works": not reasons[level],
            "why_not": reasons[level],
            "remedy": remedy(level, reasons[level]) if reasons[level] else "",
            "lets_through": _let_through(results[level][0]) if level in results else None,
            "note": results[level][1] if level in results else "",
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
        "launcher": bool(launch.program()),
        "modules": bool(modules.library()),
        "address_space": {
            "limit": memory_limits.space_limit(),
            "of_a_table": {seats: memory_limits.of_a_runner(seats) for seats in SEATS},
        },
        "memory": {"limit": memory_limits.data_limit(), "of_a_seat": memory_limits.of_a_seat()},
    }


def _say(best: Level, reasons: dict[Level, str], results: Tried) -> None:
    click.echo(f"bots play at isolation {best} here" + ("" if best.confines else ", with all of your rights"))
    first = remedy(Level.STANDARD, reasons[Level.STANDARD]) if reasons[Level.STANDARD] else ""
    if first:
        click.echo(f"for isolation {Level.STANDARD}: {first}")
    for level in Level:
        if reasons[level]:
            click.echo(f"  {level}: does not work here: {reasons[level]}")
            if (command := remedy(level, reasons[level])) and command != first:
                click.echo(f"    try: {command}")
        elif results[level][1]:
            click.echo(f"  {level}: {results[level][1]}")
    click.echo()
    names = [level for level in Level if level in results]
    rows = [[deed, *(_cell(results[level][0], name) for level in names)] for name, deed in KEPT_OUT.items()]
    click.echo(tabulate(rows, ["tried from inside: a bot", *names]))
    for level in names:
        for name, ways in _let_through(results[level][0]).items() if level.confines else ():
            click.echo(f"{level} does not keep out a bot that {KEPT_OUT[name]}: {', '.join(ways)}")
    click.echo()
    for note in wsl.notes(Path.cwd()):
        click.echo(note)
    if os.geteuid() == 0:
        click.echo("This is root: at all levels but trusted each bot runs as a user of its own.")
    click.echo("What a bot may use, unless --limit says otherwise:")
    for key, words in WORDS.items():
        click.echo(f"  {key:<10}  {in_words(key, getattr(DEFAULT, key)):>8}  {words}")
    if system.PROC and not launch.program():
        click.echo(launch.SLOW)
    if modules.library():
        click.echo(f"modules: wasmtime {version('wasmtime')}; events by --clock ticks are played at {best} here")
        click.echo(f"A table of modules needs address space: {_room_of_tables()}, and their compiled code")
        click.echo(f"  {_most_seats()}")
        if (most := memory_limits.data_limit()) is not None:
            click.echo(f"  here a process may have {most // MIB:,} MiB of memory (ulimit -d); a table of modules in ticks needs")
            seat = memory_limits.in_mib(memory_limits.of_a_seat())
            click.echo(f"  {seat} a seat, what each module declares, and room for code and payloads")
    else:
        click.echo(f"No bot can be a WebAssembly module here: {modules.NEEDS}")
    if not system.PROC:
        click.echo(f"No bot is held to limits on memory and processes here: {system.UNSEEN}.")
    click.echo("How large a bot may be, unless --limit says otherwise:")
    for key, words in loading.WORDS.items():
        click.echo(f"  {key:<13}  {loading.in_words(key, getattr(loading.DEFAULT, key)):>8}  {words}")
    click.echo(f"{folder('docs') / 'isolation.md'} lists what no level keeps out.")


def _room_of_tables() -> str:
    return ", ".join(f"{memory_limits.in_mib(memory_limits.of_a_runner(seats))} for {seats} seats" for seats in SEATS)


def _most_seats() -> str:
    """Return in a line how much address space a process may have, and how many seats that is enough for."""
    if (most := memory_limits.space_limit()) is None:
        return "here it is not limited"
    here = f"here a process may have {most // MIB:,} MiB (ulimit -v)"
    seats = max((seats for seats in range(MOST_SEATS + 1) if memory_limits.of_a_runner(seats) <= most), default=0)
    return f"{here}: enough for {seats} seats with little code" if seats > 1 else f"{here}: too little for two seats"


def _let_through(results: Attempts) -> Attempts:
    return {name: results[name] for name in KEPT_OUT if results.get(name)}


def _cell(results: Attempts, name: str) -> str:
    return "?" if name not in results else "yes" if results[name] else "no"
