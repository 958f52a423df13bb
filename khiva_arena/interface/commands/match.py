"""The work of ``khiva-arena match``: one match, printed turn by turn; or a stored one
again, with live bots.
"""

import json
from pathlib import Path
from typing import Any

import click

from khiva_arena.arbiter.match import Outcome
from khiva_arena.common.exit_codes import FORFEITED, in_words, with_forfeit
from khiva_arena.common.shipped import WORD
from khiva_arena.common.text import harmless
from khiva_arena.competition.run.guest_seats import seating_of
from khiva_arena.competition.settings.flags import settings_by_flags
from khiva_arena.competition.settings.one_match import OneMatch, one_match, settings_and_bots
from khiva_arena.display.terminal.console import say
from khiva_arena.errors import ConfigError
from khiva_arena.interface.commands.traced import (
    MatchEnd,
    NoRecord,
    Tracing,
    forfeiters,
    play,
    print_aside,
    say_faults,
)
from khiva_arena.records.replay.conditions import kept_at


def match(
    stored: tuple[str, str] | None,
    notes: bool,
    trace: bool,
    capture: Path | None,
    as_json: bool,
    flags: dict[str, Any],
) -> int:
    """Play a match and print it. Returns the exit code."""
    fail_on_fault = flags.pop("fail_on_fault")
    is_full = flags.pop("is_full")
    code, names = _play(
        stored, Tracing(trace, capture, notes, flags.pop("by_function"), is_full), as_json, flags
    )
    if not fail_on_fault or with_forfeit(code, bool(names)) == code:
        return code
    say(harmless(in_words(FORFEITED, "match", ", ".join(names))))
    return FORFEITED


def _play(
    stored: tuple[str, str] | None, tracing: Tracing, as_json: bool, flags: dict[str, Any]
) -> MatchEnd:
    """Play a match, or a stored one again, and print it.

    flags: settings, and the flags of ``OtherChoice``.
    """
    other = {name: flags.pop(name) for name in ("step", "seat", "choice", "tries")}
    for word, given in {"--notes": tracing.notes, "--by-function": tracing.by_function}.items():
        if given and as_json:
            raise ConfigError(f"{word} cannot go with --json, which prints only the record")
    if any(value is not None for value in other.values()):
        if not stored:
            raise ConfigError(
                "--step, --seat, --choice and --try change a stored match: name it with "
                "--from STORE MATCH"
            )
        # when it is asked for: the store comes with it
        from khiva_arena.interface.commands.otherwise import OtherChoice, play_otherwise

        return play_otherwise(
            Path(stored[0]), stored[1], OtherChoice(**other), flags, tracing, as_json
        )
    if stored:
        from khiva_arena.interface.commands.rematch import play_stored  # as above

        return play_stored(Path(stored[0]), stored[1], flags, tracing, as_json)
    settings, entrants = settings_and_bots(settings_by_flags(flags), say)
    with seating_of(settings, entrants, say)():
        setup = one_match(settings, entrants, say, by_function=tracing.by_function)
        if settings.game.outside:
            from khiva_arena.games.which import is_played  # not above: bots do not wait for it

            say(harmless(is_played(setup.job.header)))
        outcome, code = play(setup.job, tracing, setup.entrants)
    if outcome.record is None:
        raise NoRecord(outcome)
    _print(outcome, setup, as_json)
    print_aside(outcome, [seat.name for seat in setup.job.header.seats], tracing)
    say_faults(outcome, setup.job, setup.words, tracing)
    # not above: bots do not wait for it
    from khiva_arena.interface.commands.next_step import (
        SAYS_WHERE,
        ask_stronger,
        if_yours,
        lost_seat,
    )

    game = setup.job.header.game
    seat = lost_seat(game, outcome.record.ranks, setup.words)
    if (
        seat is not None
        and code == 0
        and not as_json
        and not setup.words[seat].startswith(WORD)
        and not outcome.seats[seat].faults
    ):
        ask = ask_stronger(game, "games", "1/0", seat, in_ticks=setup.job.in_ticks)
        hint = if_yours(setup.job.header.isolation)
        say(
            harmless(
                "after a loss: `khiva-arena run` with --out games keeps matches, and "
                f"{ask} {SAYS_WHERE}{hint}"
            )
        )
    if setup.random_secret is not None:
        say(f"to play these deals again: --seed {setup.random_secret.hex()}")
    return MatchEnd(code, forfeiters([outcome], setup.job))


def _print(outcome: Outcome, setup: OneMatch, as_json: bool) -> None:
    record = outcome.record
    assert record is not None
    if as_json:
        if outcome.cell:
            click.echo(kept_at(outcome.cell), err=True)
        # not above: bots do not wait for it
        from khiva_arena.interface.commands.json_shapes import VERSION
        from khiva_arena.interface.commands.result_words import result_sentence

        faults = [len(report.faults) for report in outcome.seats]
        row = {
            "v": VERSION,
            "sentence": result_sentence(record),
            "faults": faults,
            **json.loads(record.to_json()),
        }
        click.echo(json.dumps(row))
        return
    from khiva_arena.records.replay.story import story  # not above: bots do not wait for it

    if outcome.cell:
        click.echo(kept_at(outcome.cell))
    for seat, marks in enumerate(setup.marks):
        if marks:
            click.echo(f"seat {seat} is marked: {', '.join(marks)}")
    click.echo(story(record, setup.job.secret))
    for seat, report in enumerate(outcome.seats):
        for blame in report.faults:
            click.echo(
                harmless(f"seat {seat}: {blame.verdict} at step {blame.step}: {blame.detail}")
            )
