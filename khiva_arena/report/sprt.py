"""A sequential test, for people (text) and for programs (JSON).

JSON, stable keys: ``event``, ``candidate``, ``opponents``, ``seats``, ``hypotheses`` {``elo0``, ``elo1``, ``alpha``, ``beta``,
``model``}, ``decision`` ("", "H0", "H1"), ``seeds`` (looked at), ``most`` (seeds at most), ``fewest`` (no decision before),
``matches``, ``llr``, ``bounds`` [low, high], ``score``, ``elo``, ``nelo``, ``adjusted`` (each {``value``, ``low``, ``high``}, 95
%, or null; infinite Elo is null), ``los``, ``histogram`` [[table score, how many], ...]. null is "n/a".
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import isfinite
from textwrap import wrap
from typing import Any

from khiva_arena.ratings.sprt import MOST_ELO, Decision, Estimate, Hypotheses, Report

WIDTH = 100
BAR = 40
MOST_BARS = 20


@dataclass(frozen=True, slots=True)
class Sprt:
    """A test and what it was about. ``most``: seeds it may take. ``per_seed``: matches on each."""

    event: str
    candidate: str
    opponents: tuple[str, ...]
    seats: int
    most: int
    per_seed: int
    report: Report


def to_text(sprt: Sprt) -> str:
    """What was tested, how it came out, and the table scores. Ends with a newline."""
    report, said = sprt.report, sprt.report.hypotheses
    head = (
        f"sprt: {sprt.candidate} against {', '.join(sprt.opponents)}, {sprt.seats} seats; {question(said)}; "
        f"wrong at most {100 * said.alpha:g} % and {100 * said.beta:g} % of the time"
    )
    lines = [*wrap(head, WIDTH, subsequent_indent="  "), verdict(sprt), llr_line(report), ""]
    lines += _estimates(report)
    lines += ["", *_bars(report.histogram)]
    return "\n".join(lines).rstrip() + "\n"


def question(said: Hypotheses) -> str:
    """The two hypotheses in words."""
    kind = "normalised Elo" if said.model == "normalized" else "Elo"
    return f"H0: {kind} <= {said.elo0:g}, H1: {kind} >= {said.elo1:g}"


def verdict(sprt: Sprt) -> str:
    """One line: the decision, or why there is none."""
    report = sprt.report
    after = f"{_count(report.blocks, 'seed')}, {_count(report.blocks * sprt.per_seed, 'match', 'es')}"
    if report.decision is Decision.H1:
        return f"H1 accepted after {after}: {sprt.candidate} is better"
    if report.decision is Decision.H0:
        return f"H0 accepted after {after}: {sprt.candidate} is not better by as much"
    if report.blocks >= sprt.most:
        return f"no decision after {after}, which is all that --seeds allows"
    return f"no decision yet after {after}"


def llr_line(report: Report) -> str:
    """One line: how far the log likelihood ratio is between its bounds."""
    low, high = report.bounds
    if report.llr is None:
        return f"LLR n/a; H0 at {low:.2f}, H1 at {high:.2f}"
    of = high if report.llr >= 0 else low
    way = f"{100 * report.llr / of:.0f} % of the way to {'H1' if report.llr >= 0 else 'H0'}"
    early = f"; no decision before {report.fewest} seeds" if report.blocks < report.fewest else ""
    return f"LLR {report.llr:.2f}, {way}; H0 at {low:.2f}, H1 at {high:.2f}{early}"


def _estimates(report: Report) -> list[str]:
    lines = [
        f"score              {_percent(report.score)}",
        f"Elo                {_interval(report.elo)}",
        f"normalised Elo     {_interval(report.nelo)}",
        f"Elo, stop allowed  {_interval(report.adjusted)}",
        f"LOS                {'n/a' if report.los is None else f'{100 * report.los:.1f} %'}",
    ]
    note = (
        "Intervals are 95 %, over seeds. A test stops where the score looks decided, which the first three do not allow for: "
        "the fourth does, and is the one to quote."
    )
    return [*lines, *wrap(note, WIDTH)]


def _interval(estimate: Estimate | None) -> str:
    if estimate is None:
        return "n/a"
    return f"{_elo(estimate.value)} [{_elo(estimate.low)}, {_elo(estimate.high)}]"


def _elo(value: float) -> str:
    if abs(value) >= MOST_ELO:  # where estimates that allow for the stop end, and where a score of all or nothing has none
        return f">={MOST_ELO:.0f}" if value > 0 else f"<=-{MOST_ELO:.0f}"
    return f"{value + 0.0:.1f}"


def _percent(estimate: Estimate | None) -> str:
    if estimate is None:
        return "n/a"
    return f"{100 * estimate.value:.1f} % [{100 * estimate.low:.1f}, {100 * estimate.high:.1f}]"


def _bars(histogram: Sequence[tuple[Any, int]]) -> list[str]:
    """How many seeds had which mean score at their tables; many values are put into equal classes."""
    if not histogram:
        return []
    rows = [(f"{float(value):.3f}", count) for value, count in histogram]
    if len(rows) > MOST_BARS:
        classes = [0] * MOST_BARS
        for value, count in histogram:
            classes[min(MOST_BARS - 1, int(value * MOST_BARS))] += count
        rows = [(f"{i / MOST_BARS:.2f}-{(i + 1) / MOST_BARS:.2f}", count) for i, count in enumerate(classes)]
    most, wide = max(count for _, count in rows), len(str(max(count for _, count in rows)))
    return ["table scores:", *(f"  {name}  {count:>{wide}}  {'#' * round(BAR * count / most)}".rstrip() for name, count in rows)]


def to_json(sprt: Sprt) -> dict[str, Any]:
    """Plain values, keys in the order of the module's docstring."""
    report = sprt.report
    return {
        "event": sprt.event,
        "candidate": sprt.candidate,
        "opponents": list(sprt.opponents),
        "seats": sprt.seats,
        "hypotheses": asdict(report.hypotheses) | {"model": str(report.hypotheses.model)},
        "decision": str(report.decision),
        "seeds": report.blocks,
        "most": sprt.most,
        "fewest": report.fewest,
        "matches": report.blocks * sprt.per_seed,
        "llr": report.llr,
        "bounds": list(report.bounds),
        "score": _plain(report.score),
        "elo": _plain(report.elo),
        "nelo": _plain(report.nelo),
        "adjusted": _plain(report.adjusted),
        "los": report.los,
        "histogram": [[round(float(value), 6), count] for value, count in report.histogram],
    }


def _plain(estimate: Estimate | None) -> dict[str, float | None] | None:
    if estimate is None:
        return None
    return {name: value if isfinite(value) else None for name, value in asdict(estimate).items()}


def _count(n: int, noun: str, plural: str = "s") -> str:
    return f"{n} {noun}{'' if n == 1 else plural}"
