"""The work of ``khiva-arena grade``: a bot plays each rung of a ladder, and its marks
are printed and written.
"""

import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import click
from tabulate import tabulate

from khiva_arena.common import shipped
from khiva_arena.common.exit_codes import DONE
from khiva_arena.common.machine import of_the_machine
from khiva_arena.common.text import harmless
from khiva_arena.competition.settings.flags import settings_by_flags
from khiva_arena.display.terminal.console import say
from khiva_arena.entrants.bot_words import is_archive
from khiva_arena.errors import ArenaError
from khiva_arena.extensions.grading import reports
from khiva_arena.extensions.grading.interval import SAME_BOT, score_of
from khiva_arena.extensions.grading.ladder import Ladder, check_ladder, read_ladder
from khiva_arena.extensions.grading.marks import GradeOutput, RungMark, graded, mark_of, not_played
from khiva_arena.extensions.grading.play_rungs import BadBot, Grading, Playable, Ungraded, no_folder
from khiva_arena.extensions.grading.safe_places import (
    JUNIT,
    RESULTS,
    SEED_FILE,
    Written,
    check_written,
    secret_of,
    seed_of,
)
from khiva_arena.extensions.grading.seal import write_seal
from khiva_arena.words import count


class GradeFiles(NamedTuple):
    """The files of a grading, None for each that was not named.

    seed_file: the secret of the deals.
    out: the folder for the matches.
    results: Gradescope's results.json.
    junit: JUnit XML.
    """

    seed_file: Path | None = None
    out: Path | None = None
    results: Path | None = None
    junit: Path | None = None

    @property
    def written(self) -> list[Written]:
        """The files that are written in the end."""
        named = (
            (RESULTS, self.results, reports.BEGINS_RESULTS),
            (JUNIT, self.junit, reports.BEGINS_JUNIT),
        )
        return [Written(flag, path, begins) for flag, path, begins in named if path is not None]


def seal(folder: Path) -> int:
    """Seal a ladder anew and return the exit code."""
    check_ladder(folder)
    click.echo(f"ladder {write_seal(folder)}")
    say(f"{harmless(str(folder))} is sealed; `khiva-arena grade` takes it as it is now")
    return DONE


def grade(ladder: Path, bot: str, files: GradeFiles, as_json: bool, **flags: Any) -> int:
    """Mark a bot, print and write its marks, and return the exit code. Raises Ungraded
    if this machine is to blame.

    ladder: its folder
    bot: as it was typed
    flags: settings
    """
    read, home = read_ladder(ladder), _home_of(bot)
    check_written(files.written, files.out, home, read.folder)
    secret = secret_of(files.seed_file, home) if files.seed_file else None
    values = settings_by_flags(flags)
    for file in files.written:
        file.path.unlink(
            missing_ok=True
        )  # or an earlier mark would be taken for this one if this machine fails
    try:
        with _folder_of_matches(files.out) as matches:
            grading = Grading(read, values, matches, say)
            marks = _marks(read, grading, bot, files, secret)
    except ArenaError as error:
        if isinstance(error, Ungraded) or not of_the_machine(error):
            raise
        raise Ungraded(f"this machine failed, so nothing was marked: {error}") from error
    made = {RESULTS: reports.gradescope, JUNIT: reports.junit}
    reports.write(files.written, [made[file.flag](marks) for file in files.written])
    click.echo(json.dumps(marks.to_json()) if as_json else _table(marks))
    for file in files.written:
        say(f"written: {harmless(str(file.path))}")
    return DONE


def _home_of(word: str) -> str:
    """Return the folder of a bot on this disk, "" for another bot. Raises ConfigError
    for a word that names no bot's files.
    """
    if os.path.isdir(word):
        return word
    if word.startswith(shipped.WORD) or "@" in word or is_archive(word):
        return ""
    raise no_folder(word)


@contextmanager
def _folder_of_matches(out: Path | None) -> Iterator[Path]:
    """Yield the folder for the matches: the user's, which stays, or one that is
    removed.
    """
    if out is not None:
        yield out
        return
    with tempfile.TemporaryDirectory(prefix="khiva-arena-grade-") as folder:
        yield Path(folder)


def _marks(
    ladder: Ladder, grading: Grading, word: str, files: GradeFiles, secret: bytes | None
) -> GradeOutput:
    """Return the marks of a bot. A bot that cannot be read, is not built or does not
    start has no points.
    """
    opponents = grading.opponents()
    name = ""
    try:
        bot = grading.bot_of_student(word)
        name = bot.name
        grading.admit(bot)
        student = grading.started(bot)
    except BadBot as error:
        return not_played(ladder, name, error.reason)
    others = {
        rung: grading.start_opponent(rung, opponent)
        for rung, opponent in opponents.items()
        if opponent.identity != bot.identity
    }
    if files.seed_file is not None:
        grading.keep_secret(SEED_FILE, files.seed_file, [student, *others.values()])
    _announce(ladder, grading, student, others)
    played = [
        _mark(ladder, grading, number, student, others, secret)
        for number in range(len(ladder.rungs))
    ]
    return graded(ladder, bot.name, played)


def _announce(
    ladder: Ladder, grading: Grading, student: Playable, others: Mapping[str, Playable]
) -> None:
    total = count(grading.matches * len(others), "match", "matches")
    level = grading.sandbox.level
    say(
        f"ladder {ladder.digest[:12]}: {count(len(ladder.rungs), 'rung')}, {total} in all, "
        f"isolation {level}"
    )
    if line := ladder.too_few_seeds():
        say(line, warning=True)
    if time := grading.time_of(student, others):
        say(f"expected time: {time}")


def _mark(
    ladder: Ladder,
    grading: Grading,
    number: int,
    student: Playable,
    others: Mapping[str, Playable],
    secret: bytes | None,
) -> RungMark:
    rung = ladder.rungs[number]
    if rung.name not in others:
        return mark_of(rung, SAME_BOT, ())
    say(
        f"rung {number + 1} of {len(ladder.rungs)}: {rung.name}, "
        f"{count(grading.matches, 'match', 'matches')}"
    )
    results = grading.play(
        rung, student, others[rung.name], None if secret is None else seed_of(secret, rung.name)
    )
    return mark_of(rung, score_of(results, grading.settings.seeds), results)


def _table(marks: GradeOutput) -> str:
    rows = [
        [
            mark.rung,
            _cell(mark.score),
            _cell(mark.elo),
            _interval(mark),
            f"{mark.threshold:g}",
            f"{mark.points}/{mark.most}",
        ]
        for mark in marks.rungs
    ]
    right = ("left", *["right"] * 5)
    head = ["rung", "score%", "elo", "95 % interval", "threshold", "points"]
    lines = [tabulate(rows, head, tablefmt="simple", colalign=right, disable_numparse=True)]
    if marks.problem:
        lines += ["", harmless(marks.problem, keep="\n")]
    lines += [
        "",
        harmless(f"{marks.bot or 'the bot'}: {marks.points} of {count(marks.most, 'point')}"),
    ]
    return "\n".join(lines)


def _cell(value: float | None) -> str:
    return "n/a" if value is None else f"{value:.1f}"


def _interval(mark: RungMark) -> str:
    if mark.low is None and mark.high is None:
        return "n/a"
    if mark.high is None:
        return f"above {mark.low:.1f}"
    return f"below {mark.high:.1f}" if mark.low is None else f"{mark.low:.1f} to {mark.high:.1f}"
