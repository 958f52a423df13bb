"""The work of ``khiva-arena doctor``: which isolation levels work here, why others do
not, and remedies.
"""

import json
import os
from collections.abc import Iterable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import click
from tabulate import tabulate

from khiva_arena.arbiter import memory_limits
from khiva_arena.bots.sandbox import launch, system, wsl
from khiva_arena.bots.sandbox.detect import KEPT_OUT, Attempts, Checkup, checkup, levels, remedy
from khiva_arena.bots.sandbox.detect import best as best_level
from khiva_arena.bots.sandbox.level import Level
from khiva_arena.bots.sandbox.limits import DEFAULT, MIB, WORDS, in_words
from khiva_arena.common.manual import where
from khiva_arena.entrants import loading, module_runner
from khiva_arena.rating.schedule.lineups import MOST_SEATS

SEATS = range(2, 6)
"""The tables of which the address space is told."""


def doctor(as_json: bool) -> int:
    """Try every level and print the results. Returns the exit code."""
    reasons = levels()
    results = {level: checkup(level) for level in Level if not reasons[level]}
    best = best_level(reasons)
    leaks = {
        level: [name for name in KEPT_OUT if succeeded.get(name)]
        for level, (succeeded, _) in results.items()
    }
    broken = [level for level in leaks if level.confines and leaks[level]]
    rows = _rows(best, reasons, results)
    if as_json:
        click.echo(
            json.dumps(
                {"v": 1, "sentence": _best_in_words(best), **{row.key: row.value for row in rows}}
            )
        )
    else:
        for row in rows:
            click.echo("".join(f"{line}\n" for line in row.lines), nl=False)
        click.echo(
            f"No level keeps everything out: {where('isolation', 'What no level keeps out')}"
        )
    return 1 if broken or not best.confines else 0


Tried = dict[Level, Checkup]


class DoctorRow(NamedTuple):
    """A finding of the doctor.

    key, value: in --json.
    lines: for people; [] if they need no word of it.
    """

    key: str
    value: Any
    lines: Iterable[str]


def _rows(best: Level, reasons: dict[Level, str], results: Tried) -> list[DoctorRow]:
    """Return all findings, in the order in which people read them: both outputs are
    made of them.
    """
    notes, is_root, has_library = (
        wsl.notes(Path.cwd()),
        os.geteuid() == 0,
        bool(module_runner.library()),
    )
    root = ["This is root: at all levels but trusted each bot runs as a user of its own."]
    slow = [launch.SLOW] if system.PROC and not launch.program() else []
    unheld = f"No bot is held to limits on memory and processes here: {system.UNSEEN}."
    return [
        DoctorRow("best", best, [_best_in_words(best)]),
        DoctorRow("levels", _levels(reasons, results), _lines_of_levels(reasons, results)),
        DoctorRow("notes", notes, notes),
        DoctorRow("root", is_root, root if is_root else []),
        DoctorRow("limits", {key: getattr(DEFAULT, key) for key in WORDS}, _lines_of_limits()),
        DoctorRow("launcher", bool(launch.program()), slow),
        DoctorRow("modules", has_library, [_line_of_modules(best, has_library=has_library)]),
        _address_space(has_library=has_library),
        _memory(has_library=has_library),
        DoctorRow("holds_limits", system.PROC, [] if system.PROC else [unheld]),
        DoctorRow(
            "bounds",
            {key: getattr(loading.DEFAULT, key) for key in loading.WORDS},
            _lines_of_bounds(),
        ),
    ]


def _best_in_words(best: Level) -> str:
    return f"bots play at isolation {best} here" + (
        "" if best.confines else ", with all of your rights"
    )


def _levels(reasons: dict[Level, str], results: Tried) -> dict[Level, dict[str, Any]]:
    return {
        level: {
            "works": not reasons[level],
            "why_not": reasons[level],
            "remedy": remedy(level, reasons[level]) if reasons[level] else "",
            "lets_through": _let_through(results[level][0]) if level in results else None,
            "note": results[level][1] if level in results else "",
        }
        for level in Level
    }


def _lines_of_levels(reasons: dict[Level, str], results: Tried) -> Iterator[str]:
    first = remedy(Level.STANDARD, reasons[Level.STANDARD]) if reasons[Level.STANDARD] else ""
    if first:
        yield f"for isolation {Level.STANDARD}: {first}"
    for level in Level:
        if reasons[level]:
            yield f"  {level}: does not work here: {reasons[level]}"
            if (command := remedy(level, reasons[level])) and command != first:
                yield f"    try: {command}"
        elif results[level][1]:
            yield f"  {level}: {results[level][1]}"
    yield ""
    names = [level for level in Level if level in results]
    rows = [
        [deed, *(_cell(results[level][0], name) for level in names)]
        for name, deed in KEPT_OUT.items()
    ]
    yield tabulate(rows, ["tried from inside: a bot", *names])
    for level in names:
        for name, ways in _let_through(results[level][0]).items() if level.confines else ():
            yield f"{level} does not keep out a bot that {KEPT_OUT[name]}: {', '.join(ways)}"
    yield ""


def _lines_of_limits() -> list[str]:
    lines = [
        f"  {key:<10}  {in_words(key, getattr(DEFAULT, key)):>8}  {words}"
        for key, words in WORDS.items()
    ]
    return ["What a bot may use, unless --limit says otherwise:", *lines]


def _lines_of_bounds() -> list[str]:
    words_of = loading.WORDS.items()
    lines = [
        f"  {key:<13}  {loading.in_words(key, getattr(loading.DEFAULT, key)):>8}  {words}"
        for key, words in words_of
    ]
    return ["How large a bot may be, unless --limit says otherwise:", *lines]


def _line_of_modules(best: Level, *, has_library: bool) -> str:
    if not has_library:
        return f"No bot can be a WebAssembly module here: {module_runner.NEEDS}"
    return (
        f"modules: wasmtime {version('wasmtime')}; events by --clock ticks are played at "
        f"{best} here"
    )


def _address_space(*, has_library: bool) -> DoctorRow:
    of_a_table = {seats: memory_limits.of_a_runner(seats) for seats in SEATS}
    rooms = ", ".join(
        f"{memory_limits.in_mib(room)} for {seats} seats" for seats, room in of_a_table.items()
    )
    lines = [
        f"A table of modules needs address space: {rooms}, and their compiled code",
        f"  {_most_seats()}",
    ]
    value = {"limit": memory_limits.space_limit(), "of_a_table": of_a_table}
    return DoctorRow("address_space", value, lines if has_library else [])


def _memory(*, has_library: bool) -> DoctorRow:
    most, of_a_seat = memory_limits.data_limit(), memory_limits.of_a_seat()
    lines = []
    if has_library and most is not None:
        lines = [
            (
                f"  here a process may have {most // MIB:,} MiB of memory (ulimit -d); a table "
                "of modules in ticks needs"
            ),
            (
                f"  {memory_limits.in_mib(of_a_seat)} a seat, what each module declares, and "
                "room for code and payloads"
            ),
        ]
    return DoctorRow("memory", {"limit": most, "of_a_seat": of_a_seat}, lines)


def _most_seats() -> str:
    """Return in a line how much address space a process may have, and how many seats
    that is enough for.
    """
    if (most := memory_limits.space_limit()) is None:
        return "here it is not limited"
    here = f"here a process may have {most // MIB:,} MiB (ulimit -v)"
    seats = max(
        (seats for seats in range(MOST_SEATS + 1) if memory_limits.of_a_runner(seats) <= most),
        default=0,
    )
    return (
        f"{here}: enough for {seats} seats with little code"
        if seats > 1
        else f"{here}: too little for two seats"
    )


def _let_through(results: Attempts) -> Attempts:
    return {name: results[name] for name in KEPT_OUT if results.get(name)}


def _cell(results: Attempts, name: str) -> str:
    return "?" if name not in results else "yes" if results[name] else "no"
