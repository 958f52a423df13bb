"""The shapes of what commands print with ``--json``, each with its version and the
answer in a sentence.

Keys are only added. tests/support/make_schemas.py makes the schemas of
protocol/schema/output from these types.
"""

import json
from typing import Any, Literal

import msgspec
from msgspec import UNSET, UnsetType

VERSION: Literal[1] = 1


class Versioned(msgspec.Struct, frozen=True, kw_only=True):
    """The keys that each of these outputs has."""

    v: Literal[1]
    sentence: str


class MatchOutput(Versioned, frozen=True, kw_only=True):
    """The output of ``khiva-arena match --json``: the record of the match. Lists are by
    seat.

    v: the version of this output.
    sentence: the result in words.
    faults: how many each bot made.
    header: the facts fixed before it was played.
    steps: the choices of each step, by seat: seat, index, and why the default was
        played, "" if it was not.
    verdicts: ok, or the fault that the seat forfeited by.
    forfeited_at: the step in which the seat forfeited, null for none.
    ranks: 1 is best, ties share one.
    scores: in the game's own points.
    reason: why the match ended.
    ticks: that each start and each choice took; only in ticks.
    digest: of the record.
    """

    faults: list[int]
    header: dict[str, Any]
    steps: list[list[tuple[int, int, str]]]
    verdicts: list[str]
    forfeited_at: list[int | None]
    ranks: list[int]
    scores: list[int]
    reason: str
    ticks: list[list[int]] | UnsetType = UNSET
    digest: str


class RematchOutput(Versioned, frozen=True, kw_only=True):
    """The output of ``khiva-arena match --from STORE MATCH --json``.

    v: the version of this output.
    sentence: whether the choices are those of the stored match, in words.
    same: whether they are.
    difference: the first one in words, null for none.
    record: of the match as it was played now.
    cell: the isolation level of the runner in ticks, null by the wall clock.
    """

    same: bool
    difference: str | None
    record: dict[str, Any]
    cell: str | None


class TriedEnd(msgspec.Struct, frozen=True, kw_only=True):
    """The end of a match after a choice. Lists are by seat.

    choice: its number.
    words: the choice in words.
    ranks, scores, verdicts: as of a match.
    points: of each seat by source; null if the game does not say.
    digest: of the record.
    """

    choice: int
    words: str
    ranks: list[int]
    scores: list[int]
    points: list[dict[str, dict[str, int]]] | None
    verdicts: list[str]
    digest: str


class RecordedEnd(TriedEnd, frozen=True, kw_only=True):
    """The end of the recorded match.

    why: why the default was played there, "" for a choice of the bot.
    """

    why: str


class TryOutput(Versioned, frozen=True, kw_only=True):
    """The output of ``khiva-arena match --from ... --choice`` and ``--try`` with
    ``--json``.

    v: the version of this output.
    sentence: which of the choices ended best, in words.
    match: id of the stored match.
    step, seat: the decision.
    kind: its kind.
    hand: what the seat held, in words.
    then: how the match went on as it was recorded.
    now: how it goes on after each of the choices.
    note: what this tells.
    """

    match: str
    step: int
    seat: int
    kind: str
    hand: str
    then: RecordedEnd
    now: list[TriedEnd]
    note: str


# --- replay ---


class KindAsked(msgspec.Struct, frozen=True):
    """The decisions of one kind.

    asked: their number.
    differ: how many are made otherwise.
    always_then, always_now: the one choice, in words, at all that differ; "" if there
        are several.
    """

    asked: int
    differ: int
    always_then: str
    always_now: str


class ChoiceThen(msgspec.Struct, frozen=True):
    """A recorded choice.

    choice: its index.
    entry: the choice as it was offered.
    words: the choice in words.
    why: why the default was played, "" for a choice of the bot.
    """

    choice: int
    entry: Any
    words: str
    why: str


class ChoiceNow(msgspec.Struct, frozen=True):
    """The choice of the bot that was asked now.

    choice, entry, words: as of a recorded choice; null at a fault.
    why: the fault, "" for none.
    detail: about it.
    """

    choice: int | None
    entry: Any
    words: str | None
    why: str
    detail: str


class OtherDecision(msgspec.Struct, frozen=True):
    """A decision that the bot makes otherwise.

    step: its number. gather: the same under its old name.
    kind: of the decision.
    req: of the request.
    then, now: both choices.
    """

    step: int
    gather: int
    kind: str
    req: int
    then: ChoiceThen
    now: ChoiceNow


class FailedBot(msgspec.Struct, frozen=True):
    """The failure that ended the bot.

    step: where; 0 is the start. gather: the same under its old name.
    verdict, detail: the fault.
    """

    step: int
    gather: int
    verdict: str
    detail: str


class ReplayOutput(Versioned, frozen=True, kw_only=True):
    """The output of ``khiva-arena replay STORE MATCH --json``.

    v: the version of this output.
    sentence: how many choices differ, in words.
    match: its id.
    seat: the seat.
    bot: the name of the bot that was asked.
    same: whether nothing differs, and the bot did not fail.
    asked: how many decisions it was sent.
    kinds: by the kind of decision.
    failed: null if it did not fail.
    differences: each decision that it makes otherwise.
    ticks: a pair for each decision, then and now; only in ticks.
    notes: the bot's stderr.
    next: a command that plays such a choice out, if one differs.
    """

    match: str
    seat: int
    bot: str
    same: bool
    asked: int
    kinds: dict[str, KindAsked]
    failed: FailedBot | None
    differences: list[OtherDecision]
    ticks: list[tuple[int | None, int | None]] | UnsetType = UNSET
    notes: str
    next: list[str]


class LostAsked(msgspec.Struct, frozen=True):
    """A lost match.

    match: EVENT/ORDINAL.
    seat: of the bot that lost.
    asked, differ: decisions, and how many are made otherwise.
    failed: when and how the bot failed, null if it did not.
    """

    match: str
    seat: int
    asked: int
    differ: int
    failed: str | None


class LostOutput(Versioned, frozen=True, kw_only=True):
    """The output of ``khiva-arena replay STORE --lost NAME --json``.

    v: the version of this output.
    sentence: how many choices differ in all, in words.
    matches: those that were asked again.
    kinds: by the kind of decision, of all matches.
    next: a command that plays the first difference on by both choices, if one differs.
    """

    matches: list[LostAsked]
    kinds: dict[str, KindAsked]
    next: list[str]


# --- new, doctor, games ---


class NewLanguage(msgspec.Struct, frozen=True, kw_only=True):
    """A language that has a kit.

    language: its word.
    title: its name.
    aliases: other words for it.
    needs: Debian packages; only with ``--module`` or ``--search``.
    lacks: the packages that this machine lacks, "" for none.
    """

    language: str
    title: str
    aliases: list[str]
    needs: list[str] | UnsetType = UNSET
    lacks: str


class NewOutput(Versioned, frozen=True, kw_only=True):
    """The output of ``khiva-arena new --json``.

    v: the version of this output.
    sentence: the result in words.
    folder: that was made; files: its files. Without arguments there are none.
    language: of the bot; lacks: what this machine lacks for it, "" for nothing. Games
        and ladders have none.
    game: of a game, its file; of a repository, the game of its test.
    languages: those that have a kit; only without arguments.
    next: commands to type next.
    """

    folder: str | UnsetType = UNSET
    language: str | UnsetType = UNSET
    game: str | UnsetType = UNSET
    files: list[str] | UnsetType = UNSET
    lacks: str | UnsetType = UNSET
    languages: list[NewLanguage] | UnsetType = UNSET
    next: list[str]


class LevelHere(msgspec.Struct, frozen=True):
    """An isolation level on this machine.

    works: whether it does.
    why_not, remedy: "" if it works.
    lets_through: by what a bot tried, the ways in which it succeeded; null if the level
        does not work.
    note: more about it, "" for nothing.
    """

    works: bool
    why_not: str
    remedy: str
    lets_through: dict[str, list[str]] | None
    note: str


class DoctorOutput(Versioned, frozen=True, kw_only=True):
    """The output of ``khiva-arena doctor --json``.

    v: the version of this output.
    sentence: the level at which bots play here, in words.
    best: that level.
    levels: each level.
    notes: about this machine.
    root: whether this is root.
    limits: of a bot, unless ``--limit`` says otherwise.
    launcher: whether the launcher in C is there.
    modules: whether modules can be played.
    address_space, memory: how much a process may have, null for no limit, and how much
        modules need.
    holds_limits: whether memory and processes of bots are limited here.
    bounds: on the size of a bot.
    """

    best: str
    levels: dict[str, LevelHere]
    notes: list[str]
    root: bool
    limits: dict[str, Any]
    launcher: bool
    modules: bool
    address_space: dict[str, Any]
    memory: dict[str, Any]
    holds_limits: bool
    bounds: dict[str, Any]


class GameStepOutput(msgspec.Struct, frozen=True):
    """A step of the check of a game.

    title: the table and rules that were looked at.
    passed: whether the contract is kept.
    said: the result.
    do: the advice if it failed, a line for each point.
    """

    title: str
    passed: bool
    said: str
    do: str


class CheckedGame(msgspec.Struct, frozen=True, kw_only=True):
    """A game that was checked.

    game, rules_version: its name and the version of its rules.
    rules: those that were given.
    steps: all of them.
    """

    game: str
    rules_version: str
    rules: dict[str, Any] | UnsetType = UNSET
    steps: list[GameStepOutput]


class GamesOutput(Versioned, frozen=True, kw_only=True):
    """The output of ``khiva-arena check --game GAME --json`` without a bot.

    v: the version of this output.
    sentence: which games keep the contract, in words.
    games: each game.
    """

    games: list[CheckedGame]


def printed(output: Versioned) -> str:
    """Return an output as the line that a command prints."""
    return json.dumps(msgspec.to_builtins(output))
