"""``khiva-arena sprt``: a sequential test of one bot against others, which stops once
the answer is clear.
"""

from typing import Any

import click

from khiva_arena.common.exit_codes import VerdictWord, answers_of
from khiva_arena.competition.settings.table import TEST_SEEDS, TEST_TABLE
from khiva_arena.interface.cli.completion import BOT
from khiva_arena.interface.cli.help import Rare, Verb
from khiva_arena.interface.cli.options import (
    ELSEWHERE,
    OF_A_MATCH,
    draw_options,
    extension_options,
    json_option,
    setting_options,
)


def _accepted(
    _context: click.Context, _parameter: click.Parameter, text: str
) -> frozenset[VerdictWord]:
    """Return the verdicts of a list with commas."""
    answers = answers_of("sprt")
    words = [word.strip() for word in text.split(",")] if text else []
    for word in words:
        if word not in answers:
            from khiva_arena.words import meant  # not above: few words are mistaken

            raise click.BadParameter(
                f"{word!r} is no verdict{meant(word, answers)}; give some of {','.join(answers)}"
            )
    return frozenset(map(VerdictWord, words))


@click.command("sprt", cls=Verb)
@click.argument("candidate", shell_complete=BOT)
@click.argument("opponents", nargs=-1, required=True, shell_complete=BOT)
@setting_options(
    *(name for name in OF_A_MATCH if name != "bots"),
    *(row.name for row in TEST_TABLE),
    *("seats", "seeds", "jobs", "out", "events_file", "report"),
    *ELSEWHERE,
    seats="Seats at a table [default: 2]. Opponents and copies of them fill it.",
    seeds=f"Deals at most [default: {TEST_SEEDS}]. Another number makes it another test.",
    out="The folder for results. A test that is in it is resumed.",
)
@click.option(
    "--any-engine",
    cls=Rare,
    is_flag=True,
    help="Continue a test that another version of khiva-arena began; it is marked.",
)
@click.option(
    "--new-event",
    cls=Rare,
    is_flag=True,
    help="Begin another test if all tests of these settings are over, or beside an unfinished "
    "one whose bots or settings have changed since.",
)
@extension_options("sprt")
@draw_options
@click.option(
    "--accept",
    default="",
    metavar="VERDICTS",
    callback=_accepted,
    help="Verdicts that end with exit code 0, as open,same. They are some of "
    f"{', '.join(answers_of('sprt'))}. better does so "
    "anyway. A forfeit of the candidate and a bad result are never accepted.",
)
@json_option
def command(**flags: Any) -> int:
    """Test whether CANDIDATE is better than the OPPONENTS, and stop once that is clear.
    The same command again resumes.

    Seed by seed, every table is played in all rotations. Each bot is a folder with
    bot.toml, such a folder in a commit (./my-bot@HEAD~1), or a command. The test is on
    table scores: the candidate's mean pair score over all matches of a seed. The test
    looks at it after each seed, from the 32nd on, and stops at a bound. The exit code
    tells the verdict.
    """
    from khiva_arena.interface.commands.sprt import sprt  # when it is called, so that -h is quick

    return sprt(**flags)
