"""The report of a sequential test, as text and as JSON. docs/standings.md explains
both.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from textwrap import wrap
from typing import Any, Literal

import msgspec

from khiva_arena.common.exit_codes import VerdictWord
from khiva_arena.common.result import MOST_ELO, Hypotheses, Model
from khiva_arena.common.text import WIDTH, preformatted
from khiva_arena.rating.ratings.sprt import Estimate, SprtDecision, SprtReport
from khiva_arena.rating.report.text import chance
from khiva_arena.words import count

BAR = 40
DIGITS = 3
MOST_BARS = 20


@dataclass(frozen=True, slots=True)
class Sprt:
    """A sequential test with its bots and its state.

    event: its id.
    candidate, opponents: names of bots.
    seats: at each table.
    most: seeds it may take.
    per_seed: matches on each.
    report: how it stands.
    verdict: the word for what it found, as ``--json`` prints it.
    forfeits: matches that the candidate forfeited.
    """

    event: str
    candidate: str
    opponents: tuple[str, ...]
    seats: int
    most: int
    per_seed: int
    report: SprtReport
    verdict: VerdictWord
    forfeits: int

    def _repr_html_(self) -> str:
        return preformatted(to_text(self))


def to_text(sprt: Sprt) -> str:
    """Return the hypotheses, the result and the table scores as text. Ends with a
    newline.
    """
    report, hypotheses = sprt.report, sprt.report.hypotheses
    head = (
        f"sprt: {sprt.candidate} against {', '.join(sprt.opponents)}, {sprt.seats} seats; "
        f"{question(hypotheses)}; aims at {100 * hypotheses.alpha:g} % and "
        f"{100 * hypotheses.beta:g} % wrong decisions for a candidate at {hypotheses.elo0:g} or "
        f"below, at {hypotheses.elo1:g} or above"
    )
    lines = [*wrap(head, WIDTH, subsequent_indent="  "), decision(sprt)]
    if sprt.verdict is VerdictWord.SAME:
        return "\n".join(lines) + "\n"
    lines += [llr_line(report), ""]
    lines += _estimates(report)
    lines += ["", *_bars(report.histogram)]
    return "\n".join(lines).rstrip() + "\n"


def question(hypotheses: Hypotheses) -> str:
    """Return the two hypotheses in words."""
    return (
        f"H0: {_kind(hypotheses)} <= {hypotheses.elo0:g}, H1: {_kind(hypotheses)} >= "
        f"{hypotheses.elo1:g}"
    )


def _kind(hypotheses: Hypotheses) -> str:
    return "normalised Elo" if hypotheses.model is Model.NORMALIZED else "Elo"


def decision(sprt: Sprt) -> str:
    """Return the decision in one line, or why there is none."""
    report = sprt.report
    if sprt.verdict is VerdictWord.SAME:
        return f"no match was played: {sprt.candidate} is the same bot as an opponent"
    after = (
        f"{count(report.blocks, 'seed')}, "
        f"{count(report.blocks * sprt.per_seed, 'match', 'matches')}"
    )
    if report.decision is SprtDecision.H1:
        return f"H1 accepted after {after}: {sprt.candidate} is {_words_for_h1(report.hypotheses)}"
    if report.decision is SprtDecision.H0:
        return f"H0 accepted after {after}: {sprt.candidate} is {_words_for_h0(report.hypotheses)}"
    if report.blocks >= sprt.most:
        return (
            f"no decision after {after}, the most that --seeds allows; more --seeds begin "
            "another test from the start"
        )
    return f"no decision yet after {after}"


def _words_for_h1(hypotheses: Hypotheses) -> str:
    """Return H1 in words: more than elo0."""
    if hypotheses.elo0 == 0:
        return "better"
    way = "better" if hypotheses.elo0 > 0 else "not worse"
    return f"{way} by more than {abs(hypotheses.elo0):g} {_kind(hypotheses)}"


def _words_for_h0(hypotheses: Hypotheses) -> str:
    """Return H0 in words: less than elo1."""
    if hypotheses.elo1 == 0:
        return "worse"
    if hypotheses.elo1 < 0:
        return f"worse by more than {abs(hypotheses.elo1):g} {_kind(hypotheses)}"
    return f"less than {hypotheses.elo1:g} {_kind(hypotheses)} above them"


def llr_line(report: SprtReport) -> str:
    """Return in one line how far the log likelihood ratio is between its bounds."""
    low, high = report.bounds
    if report.llr is None:
        return f"LLR n/a; H0 at {low:.2f}, H1 at {high:.2f}"
    of = high if report.llr >= 0 else low
    way = f"{100 * report.llr / of:.0f} % of the way to {'H1' if report.llr >= 0 else 'H0'}"
    early = f"; no decision before {report.fewest} seeds" if report.blocks < report.fewest else ""
    return f"LLR {report.llr:.2f}, {way}; H0 at {low:.2f}, H1 at {high:.2f}{early}"


def _estimates(report: SprtReport) -> list[str]:
    lines = [
        f"score              {_percent(report.score)}",
        f"Elo                {_interval(report.elo)}",
        f"normalised Elo     {_interval(report.nelo)}",
        f"Elo, stop allowed  {_interval(report.adjusted)}",
        f"LOS                {'n/a' if report.los is None else chance(100 * report.los) + ' %'}",
    ]
    note = (
        "Intervals are 95 %, over seeds. A test stops when the score looks decided. Quote "
        '"Elo, stop allowed", which allows '
        "for that; the three lines above it do not. n/a if nearly all seeds end alike."
    )
    return [*lines, *wrap(note, WIDTH)]


def _interval(estimate: Estimate | None) -> str:
    if estimate is None:
        return "n/a"
    return f"{_elo(estimate.value)} [{_elo(estimate.low)}, {_elo(estimate.high)}]"


def _elo(value: float) -> str:
    if (
        abs(value) >= MOST_ELO
    ):  # estimates that allow for the stop end there, as do those of a score of all or nothing
        return f">={MOST_ELO:.0f}" if value > 0 else f"<=-{MOST_ELO:.0f}"
    return f"{value + 0.0:.1f}"


def _percent(estimate: Estimate | None) -> str:
    if estimate is None:
        return "n/a"
    return f"{100 * estimate.value:.1f} % [{100 * estimate.low:.1f}, {100 * estimate.high:.1f}]"


def _bars(histogram: Sequence[tuple[Any, int]]) -> list[str]:
    """Return bars of how many seeds had each mean score at their tables; many values
    are put into equal classes.
    """
    if not histogram:
        return []
    rows = [(f"{float(value):.3f}", often) for value, often in histogram]
    if len(rows) > MOST_BARS:
        classes = [0] * MOST_BARS
        for value, often in histogram:
            classes[min(MOST_BARS - 1, int(value * MOST_BARS))] += often
        rows = [
            (f"{i / MOST_BARS:.2f}-{(i + 1) / MOST_BARS:.2f}", often)
            for i, often in enumerate(classes)
        ]
    highest = max(often for _, often in rows)
    wide = len(str(highest))
    return [
        "table scores:",
        *(
            f"  {name}  {often:>{wide}}  {'#' * round(BAR * often / highest)}".rstrip()
            for name, often in rows
        ),
    ]


class Interval(msgspec.Struct, frozen=True):
    """A number and its 95 % interval.

    value: the number; null if the results do not say.
    low, high: the ends; null if there is none.
    """

    value: float | None
    low: float | None
    high: float | None


class SprtOutput(msgspec.Struct, frozen=True):
    """The output of ``khiva-arena sprt --json``. null: the results do not say.

    event: its id, "" if nothing was played.
    candidate, opponents: names of bots.
    seats: at each table.
    hypotheses: those between which the test decides.
    verdict: better, not-better or open (undecided); same: the candidate is the same bot
        as an opponent; forfeited: it forfeited a match; unfinished: matches are
        missing. The last three come before the others.
    code: the exit code of the command, 0 for a verdict that ``--accept`` names.
    decision: which hypothesis was accepted; "" for none yet.
    seeds: looked at so far.
    most, fewest: seeds it may take, and before which it decides nothing.
    matches: on these seeds.
    llr, bounds: log likelihood ratio, and where H0 and H1 are accepted.
    score: mean pair score, in percent.
    elo, nelo: Elo and normalised Elo, not adjusted for stopping.
    adjusted: Elo, adjusted for stopping.
    los: how likely an equal candidate does worse, in percent.
    histogram: (table score from 0 to 1, how many seeds had it).
    forfeits: matches that the candidate forfeited.
    v: the version of this output.
    sentence: the answer in words.
    """

    event: str
    candidate: str
    opponents: list[str]
    seats: int
    hypotheses: Hypotheses
    verdict: VerdictWord
    code: int
    decision: Literal["", "H0", "H1"]
    seeds: int
    most: int
    fewest: int
    matches: int
    llr: float | None
    bounds: tuple[float, float]
    score: Interval | None
    elo: Interval | None
    nelo: Interval | None
    adjusted: Interval | None
    los: float | None
    histogram: list[tuple[float, int]]
    forfeits: int
    v: Literal[1]
    sentence: str


def to_json(sprt: Sprt, code: int) -> dict[str, Any]:
    """Return plain values, as ``SprtOutput`` has them. ``code``: the exit code of the
    command.
    """
    report = sprt.report
    output = SprtOutput(
        event=sprt.event,
        candidate=sprt.candidate,
        opponents=list(sprt.opponents),
        seats=sprt.seats,
        hypotheses=report.hypotheses,
        verdict=sprt.verdict,
        code=code,
        decision=str(report.decision),  # type: ignore[arg-type]
        seeds=report.blocks,
        most=sprt.most,
        fewest=report.fewest,
        matches=report.blocks * sprt.per_seed,
        llr=_round_off(report.llr),
        bounds=(round(report.bounds[0], DIGITS), round(report.bounds[1], DIGITS)),
        score=_plain(report.score, 100),
        elo=_plain(report.elo),
        nelo=_plain(report.nelo),
        adjusted=_plain(report.adjusted),
        los=None if report.los is None else _round_off(100 * report.los),
        histogram=[(round(float(value), 6), often) for value, often in report.histogram],
        forfeits=sprt.forfeits,
        v=1,
        sentence=decision(sprt),
    )
    plain: dict[str, Any] = msgspec.to_builtins(output)
    return plain


def _plain(estimate: Estimate | None, scale: float = 1) -> Interval | None:
    if estimate is None:
        return None
    return Interval(
        *(_round_off(scale * value) for value in (estimate.value, estimate.low, estimate.high))
    )


def _round_off(value: float | None) -> float | None:
    return (
        None if value is None or not isfinite(value) else round(value, DIGITS) + 0.0
    )  # + 0.0: no minus zero
