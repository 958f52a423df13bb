"""The reports of bots as columns, marks and sentences. All of it is the bots' own word,
and no rating looks at it.
"""

from collections.abc import Callable, Sequence
from math import isfinite

from msgspec.structs import replace

from khiva_arena.common.result import COST, TOKENS_TOLD
from khiva_arena.errors import ConfigError
from khiva_arena.rating.report.columns import TABLE, Column, Standing
from khiva_arena.rating.report.shapes import ReportedChoices
from khiva_arena.rating.report.standings import DIGITS
from khiva_arena.rating.report.text import number, short
from khiva_arena.rating.report.values import Apart

MANY_LOTS = 5.0
"""Percent of random choices above which a bot is marked."""
MARK = "lots"
UNREPORTED = "not reported"
MODEL, RETRY, LOT, FAILED = "model", "retry", "lot", "failed"
"""The totals that count decisions, each in one of them."""
_OF_TOKENS = ("tokens_in", "tokens_out", COST)
_NONE = "."
_MICRO = 1_000_000


def lots(row: Standing) -> float | None:
    """Return the percentage of a bot's decisions in which it chose randomly, whoever is
    to blame; None if it reported nothing.
    """
    own, failed = (_share(row, name) for name in (LOT, FAILED))
    return None if own is None or failed is None else own + failed


def _share(row: Standing, name: str) -> float | None:
    """Return the percentage of a bot's decisions that a total counts. The arena knows
    how many it asked for. None if the bot does not say how many were by lot: what it
    leaves out is not zero.
    """
    if row.spent is None or LOT not in row.spent.totals:
        return None
    counted = sum(row.spent.totals.get(one, 0) for one in (MODEL, RETRY, LOT, FAILED))
    decisions = max(row.spent.decisions, counted)
    return 100 * row.spent.totals.get(name, 0) / decisions if decisions else None


def _has_not_reported(row: Standing) -> bool:
    return LOT not in row.spent.totals if row.spent else "network" in row.marks


def _has_many(row: Standing) -> bool:
    return (lots(row) or 0.0) > MANY_LOTS


def _is_untold(row: Standing) -> bool:
    """Tell whether an API did not say of every request how many tokens it took."""
    return bool(row.spent and TOKENS_TOLD in row.spent.totals)


def _cell(row: Standing, text: str | None, is_untold: bool = False) -> str:
    """Return the text of a cell: with a sign if the total is at least that, as one
    match ended without its last.
    """
    if text is None or row.spent is None or not row.spent.totals:
        return _NONE
    return f">={text}" if row.spent.at_least or is_untold else text


def _percent(name: str) -> Callable[[Standing], str]:
    def cell(row: Standing) -> str:
        share = _share(row, name)
        return _cell(row, None if share is None else number(share, 1))

    return cell


def _lot_cell(row: Standing) -> str:
    return UNREPORTED if _has_not_reported(row) else _percent(LOT)(row)


def _total(name: str, *others: str, divisor: int = 1, digits: int = 0) -> Callable[[Standing], str]:
    def cell(row: Standing) -> str:
        found = (
            [row.spent.totals[one] for one in (name, *others) if one in row.spent.totals]
            if row.spent
            else []
        )
        total = sum(found) if found else None
        text = (
            None
            if total is None
            else f"{total / divisor:,.{digits}f}"
            if digits
            else f"{total // divisor:,}"
        )
        return _cell(row, text, name in _OF_TOKENS and _is_untold(row))

    return cell


def _cost(row: Standing) -> str:
    text = _total(COST, divisor=_MICRO, digits=4)(row)
    return (
        f"{text} {row.spent.currency}"
        if text != _NONE and row.spent and row.spent.currency
        else text
    )


def _marks(row: Standing) -> str:
    return " ".join((*row.marks, MARK) if _has_many(row) else row.marks)


_OWN_WORD = "by the bot's own word"
COLUMNS = (
    Column(
        "model%",
        "spent_model",
        f"decisions that the model answered at once, in percent, {_OWN_WORD}",
        _percent(MODEL),
        3,
    ),
    Column(
        "retry%",
        "spent_retry",
        f"decisions that it answered after one that was no choice, in percent, {_OWN_WORD}",
        _percent(RETRY),
        3,
    ),
    Column(
        "lot%",
        "spent_lot",
        f"random choices, since the model gave no usable answer, in percent, {_OWN_WORD}. "
        f"`{UNREPORTED}`: it had a network, or said that it would report, and did not report these",
        _lot_cell,
        10,
    ),
    Column(
        "failed%",
        "spent_failed",
        "random choices, since its provider gave no answer in time or failed, in percent, "
        f"{_OWN_WORD}",
        _percent(FAILED),
        9,
    ),
    Column(
        "tok-in", "spent_tokens_in", f"tokens in, {_OWN_WORD}", _total("tokens_in", TOKENS_TOLD), 2
    ),
    Column("tok-out", "spent_tokens_out", f"tokens out, {_OWN_WORD}", _total("tokens_out"), 2),
    Column("cost", "spent_cost", f"cost in the currency that the bot names, {_OWN_WORD}", _cost, 4),
    Column(
        "wait-s",
        "spent_seconds",
        f"seconds that it waited for answers, {_OWN_WORD}",
        _total("waited_ms", divisor=1_000),
        2,
    ),
)


class SpentColumns:
    """The reports of bots, as ``rating.report.reported.ShowsSpent`` wants them."""

    def columns(self, columns: Sequence[Column], rows: Sequence[Standing]) -> list[Column]:
        (marks,) = (column for column in TABLE if column.field == "marks")
        doc = (
            f"{marks.doc}; {MARK}: more than {MANY_LOTS:g} % of its choices were random, "
            f"{_OWN_WORD}"
        )
        marked = [replace(marks, cell=_marks, doc=doc)] if any(map(_marks, rows)) else []
        plain = [column for column in columns if column is not marks]
        at = 1 + next(place for place, column in enumerate(plain) if column.field == "name")
        reported = COLUMNS if any(row.spent and row.spent.totals for row in rows) else COLUMNS[2:3]
        shown = [
            column
            for column in reported
            if column is COLUMNS[2] or any(column.text(row) != _NONE for row in rows)
        ]
        return [*plain[:at], *marked, *plain[at:], *shown]

    def notes(self, rows: Sequence[Standing]) -> list[str]:
        lines = []
        if any(row.spent and row.spent.totals for row in rows):
            lines.append(
                "By the bots' own word, which the arena cannot check: model%, retry%: decisions "
                "that the model answered, at once or after an answer that was no choice; lot%: "
                "random choices, since it gave no usable answer; failed%: random choices, since "
                "its provider gave no answer in time or failed; tok-in, tok-out: tokens; cost; "
                "wait-s: seconds waited."
            )
        if any(row.spent and COST in row.spent.totals for row in rows):
            lines.append(
                "cost: set your provider's own limit, too; a bot that reports too little "
                "passes any cap."
            )
        for row in rows:
            if row.spent and row.spent.currencies:
                named = ", ".join(name or "no currency" for name in row.spent.currencies)
                lines.append(
                    f"cost: {short(row.name)} reported it in several currencies ({named}), "
                    "and no sum is of several."
                )
        if any(row.spent and row.spent.totals and row.spent.at_least for row in rows):
            lines.append("Behind >= in these columns, a match ended without the bot's last totals.")
        if untold := [short(row.name) for row in rows if _is_untold(row)]:
            lines.append(
                "Behind >= in tokens and cost, an API did not tell the tokens of some "
                f"requests: {', '.join(untold)}."
            )
        if many := [short(row.name) for row in rows if _has_many(row)]:
            lines.append(
                f"{MARK}: more than {MANY_LOTS:g} % of their choices were random: "
                f"{', '.join(many)}."
            )
        if silent := [short(row.name) for row in rows if _has_not_reported(row)]:
            lines.append(
                f"{UNREPORTED}: {', '.join(silent)} may have chosen randomly, and nobody can tell."
            )
        if dropped := [
            f"{short(row.name)} {row.spent.dropped}"
            for row in rows
            if row.spent and row.spent.dropped
        ]:
            lines.append(
                "Reports that were dropped, since they break the protocol's rules for "
                f"totals: {', '.join(dropped)}."
            )
        return lines

    def sentence(self, rows: Sequence[Standing]) -> str:
        many = [f"{short(row.name)} {number(lots(row), 1)} %" for row in rows if _has_many(row)]
        return (
            f"Random choices in more than {MANY_LOTS:g} % of decisions: {', '.join(many)}."
            if many
            else ""
        )

    def shares(self, rows: Sequence[Standing]) -> list[ReportedChoices]:
        def rounded(row: Standing, name: str) -> float | None:
            share = _share(row, name)
            return None if share is None else round(share, DIGITS)

        def of(row: Standing) -> ReportedChoices:
            model, retry, lot, failed = (rounded(row, name) for name in (MODEL, RETRY, LOT, FAILED))
            return ReportedChoices(
                row.bot, model, retry, lot, failed, MARK if _has_many(row) else ""
            )

        return [*map(of, rows)]

    def apart(self, rows: Sequence[Standing], percent: str) -> Apart:
        try:
            most = float(percent)
        except ValueError:
            most = -1.0
        if not (isfinite(most) and 0 <= most <= 100):
            raise ConfigError(f"--most-lots {percent}: give a percentage from 0 to 100, as 20")
        bots = frozenset(
            row.bot for row in rows if _has_not_reported(row) or (lots(row) or 0.0) > most
        )
        return Apart(bots, f"more than {most:g} % random choices, or {UNREPORTED}")
