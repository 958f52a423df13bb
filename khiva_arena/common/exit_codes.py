"""The exit codes of every command in one table. The manual, the help and the messages
of commands are made from it.

A command that answers a question about two bots ends with the code of its verdict. Such
a command joins the table by its name in ``ExitCode.commands``, and by a row of its own
for an answer that no other command gives.
"""

from collections.abc import Collection, Iterator
from enum import StrEnum
from typing import NamedTuple

DONE, BAD_RESULT, UNUSABLE, NOT_BETTER, UNDECIDED, SAME_BOT, FORFEITED, BUG, INTERRUPTED = (
    0,
    1,
    2,
    3,
    4,
    5,
    6,
    70,
    130,
)


class VerdictWord(StrEnum):
    """The words for the end of a test: ``--json`` prints them, and ``--accept`` takes
    those that are answers.
    """

    BETTER = "better"
    NOT_BETTER = "not-better"
    WORSE = "worse"
    OPEN = "open"
    SAME = "same"
    FORFEITED = "forfeited"
    UNFINISHED = "unfinished"


NO_ANSWERS = (VerdictWord.FORFEITED, VerdictWord.UNFINISHED)
"""The verdicts that come before an answer, and that nobody can accept."""


class ExitCode(NamedTuple):
    """An exit code of some commands.

    code: the number.
    short: its meaning in at most three words, for ``-h``.
    meaning: the same in full.
    commands: the commands that end with it for this reason; () for every command.
    verdict: the verdict that it tells, None if it tells none.
    option: the option without which these commands never end so, "" if they need none.
    """

    code: int
    short: str
    meaning: str
    commands: tuple[str, ...] = ()
    verdict: VerdictWord | None = None
    option: str = ""


_OF_A_TEST, _OF_A_COMPARISON = ("sprt",), ("compare",)
TABLE = (
    ExitCode(DONE, "done", "done"),
    ExitCode(
        DONE,
        "better",
        "the candidate is better, or --accept names the verdict",
        _OF_A_TEST,
        VerdictWord.BETTER,
    ),
    ExitCode(DONE, "better", "the first bot is better", _OF_A_COMPARISON, VerdictWord.BETTER),
    ExitCode(
        BAD_RESULT,
        "bad result",
        "the command ran, but a result is not good",
        verdict=VerdictWord.UNFINISHED,
    ),
    ExitCode(
        UNUSABLE, "unusable", "the command, its settings, a bot or a results folder cannot be used"
    ),
    ExitCode(
        NOT_BETTER, "not better", "the candidate is not better", _OF_A_TEST, VerdictWord.NOT_BETTER
    ),
    ExitCode(NOT_BETTER, "worse", "the first bot is worse", _OF_A_COMPARISON, VerdictWord.WORSE),
    ExitCode(
        UNDECIDED,
        "undecided",
        "undecided: all seeds are played, and neither answer is clear",
        _OF_A_TEST,
        VerdictWord.OPEN,
    ),
    ExitCode(
        UNDECIDED,
        "open",
        "open: the time or matches are used up, and nothing is clear",
        _OF_A_COMPARISON,
        VerdictWord.OPEN,
    ),
    ExitCode(
        SAME_BOT,
        "same bot",
        "the candidate is the same bot as an opponent",
        _OF_A_TEST,
        VerdictWord.SAME,
    ),
    ExitCode(SAME_BOT, "same bot", "both bots are the same", _OF_A_COMPARISON, VerdictWord.SAME),
    ExitCode(
        FORFEITED, "forfeited", "the candidate forfeited a match", _OF_A_TEST, VerdictWord.FORFEITED
    ),
    ExitCode(
        FORFEITED,
        "forfeited",
        "the first bot forfeited a match",
        _OF_A_COMPARISON,
        VerdictWord.FORFEITED,
    ),
    ExitCode(
        FORFEITED,
        "a bot forfeited",
        "a bot forfeited a match",
        ("run", "match"),
        option="--fail-on-fault",
    ),
    ExitCode(BUG, "a bug", "a bug of the arena"),
    ExitCode(INTERRUPTED, "interrupted", "interrupted; the same command resumes"),
)


def rows_of(command: str) -> Iterator[ExitCode]:
    """Yield the exit codes of a command, from low to high. Its own row of a code hides
    that of every command.
    """
    own = {row.code for row in TABLE if command in row.commands}
    yield from (
        row
        for row in TABLE
        if command in row.commands or (not row.commands and row.code not in own)
    )


def has_own(command: str) -> bool:
    """Tell whether a command has exit codes that not every command has."""
    return any(command in row.commands for row in TABLE)


def short_codes(command: str) -> str:
    """Return the code of success, and the codes that not every command has, each with
    its meaning.
    """
    rows = [row for row in rows_of(command) if row.commands or row.code == DONE]
    return ", ".join(f"{row.code} {row.short}{row.option and f' ({row.option})'}" for row in rows)


def short_line(command: str) -> str:
    """Return ``short_codes`` as a line of help."""
    return f"Exit codes: {short_codes(command)}"


def full_meaning(row: ExitCode) -> str:
    """Return the meaning of an exit code, with the option that it needs."""
    return row.meaning + (f", if you gave {row.option}" if row.option else "")


def in_words(code: int, command: str, more: str = "") -> str:
    """Return the message that tells a code. ``more``: what is known about it in this
    case.
    """
    meaning = next(row.meaning for row in rows_of(command) if row.code == code)
    return f"exit code {code}: {meaning}" + (f": {more}" if more else "")


# --- verdicts ---


def concluded(answer: VerdictWord, *, is_finished: bool, has_forfeited: bool) -> VerdictWord:
    """Return the verdict on a candidate: missing matches come first, then a forfeit of
    the candidate, then the answer.
    """
    if not is_finished:
        return VerdictWord.UNFINISHED
    return VerdictWord.FORFEITED if has_forfeited else answer


def code_of(verdict: VerdictWord, accepted: Collection[VerdictWord] = ()) -> int:
    """Return the exit code of a verdict. ``accepted``: the verdicts for which it is
    0.
    """
    return (
        DONE if verdict in accepted else next(row.code for row in TABLE if row.verdict is verdict)
    )


def answers_of(command: str) -> list[VerdictWord]:
    """Return the verdicts of a command that can be accepted."""
    return [
        row.verdict for row in rows_of(command) if row.verdict and row.verdict not in NO_ANSWERS
    ]


def with_forfeit(code: int, has_forfeited: bool) -> int:
    """Return the exit code of a command that plays matches and fails on faults: a bad
    result comes before a forfeit.
    """
    return code or (FORFEITED if has_forfeited else DONE)
