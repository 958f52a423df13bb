"""Rating tables as Altair charts for notebooks: the rows and shapes of the page of
results.

A chart's data are the rows that the page has, under the same keys;
``display/page/browser/plots.js`` says what each chart shows.
"""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from msgspec import to_builtins

from khiva_arena.errors import ConfigError
from khiva_arena.rating.report import sections
from khiva_arena.rating.report.sections import SectionRequest
from khiva_arena.rating.report.values import Standings
from khiva_arena.words import meant

WIDE, LINE, CELL = 480, 22, 36
ELO = "Elo"
SCORE = "pair score in percent"


def plot(standings: Standings, names: Sequence[str], title: str) -> Any:
    """Return the named charts, one below the other; all charts if ``names`` is empty.

    Raises ConfigError for an unknown name, and without Altair.
    """
    if unknown := [name for name in names if name not in CHARTS]:
        raise ConfigError(
            [
                f"there is no chart {name!r}{meant(name, CHARTS)}; there are {', '.join(CHARTS)}"
                for name in unknown
            ]
        )
    alt = altair()
    charts = [chart(alt, standings) for name, chart in CHARTS.items() if name in names or not names]
    return alt.vconcat(*charts, title=title).resolve_scale(color="independent", y="independent")


def altair() -> Any:
    """Return the module altair. Raises ConfigError with the command that installs
    it.
    """
    try:
        import altair
    except ImportError:
        raise ConfigError(
            "charts are drawn by Altair, which is not installed: pip install 'khiva-arena[plot]'"
        ) from None
    return altair


def _dots(
    alt: Any, title: str, rows: Sequence[Mapping[str, Any]], name: str, value: str, unit: str
) -> Any:
    """Draw intervals as dots and whiskers, one below the other, as the page's ``dots``
    does; a dot that is only a bound is open.

    rows: each with ``name``, ``value``, ``low``, ``high`` and ``matches``.
    """
    base = alt.Chart(alt.Data(values=rows), title=title, width=WIDE, height=alt.Step(LINE))
    base = base.encode(y=alt.Y(f"{name}:N", sort=None, title=None))
    x = alt.X("low:Q", title=unit, scale=alt.Scale(zero=value == "elo"))
    rule = (
        base.mark_rule()
        .encode(x=x, x2="high:Q")
        .transform_filter("isValid(datum.low) && isValid(datum.high)")
    )
    tip = [
        f"{name}:N",
        *(f"{field}:Q" for field in (value, "low", "high", "matches")),
        *(["bound:N"] if value == "elo" else []),
    ]
    filled = alt.condition("!datum.bound", alt.value(1), alt.value(0))
    dot = base.mark_point(size=60).encode(
        x=f"{value}:Q", tooltip=tip, fill=alt.value("#0f7480"), fillOpacity=filled
    )
    return rule + dot


def _intervals(alt: Any, standings: Standings) -> Any:
    """Draw Elo with its interval."""
    rows = [{**to_builtins(row), "bot": row.name} for row in standings.rows]
    return _dots(alt, "Elo and its 95 % interval", rows, "bot", "elo", ELO)


def _by_seeds(alt: Any, standings: Standings) -> Any:
    """Draw Elo after so many seeds, with its error as a band."""
    names = {row.bot: row.name for row in standings.rows}
    rows = [
        {"bot": names[point.bot], "seeds": after.seeds, "elo": point.elo, "error": point.error}
        for after in sections.by_seeds(standings)
        for point in after.rows
    ]
    base = alt.Chart(alt.Data(values=rows), title="Elo as seeds come in", width=WIDE)
    base = base.encode(
        x=alt.X("seeds:Q", title="seeds"),
        color=alt.Color("bot:N", sort=[*names.values()], title=None),
    )
    band = base.transform_filter("isValid(datum.elo) && isValid(datum.error)")
    band = band.transform_calculate(low="datum.elo - datum.error", high="datum.elo + datum.error")
    band = band.mark_area(opacity=0.08, clip=True).encode(y=alt.Y("low:Q", title=ELO), y2="high:Q")
    return band + base.mark_line(point=True).encode(
        y="elo:Q", tooltip=["bot:N", "seeds:Q", alt.Tooltip("elo:Q", title=ELO)]
    )


def _crosstable(alt: Any, standings: Standings) -> Any:
    """Draw the scores of the bot on the left against the bot above, as a heat map."""
    table = sections.sections(standings, SectionRequest(("crosstable",), ())).crosstable
    bots = [row.name for row in standings.rows]
    rows = [
        {**to_builtins(pair), "bot": bot, "against": against}
        for bot, pairs in (zip(bots, table, strict=True) if table else ())
        for against, pair in zip(bots, pairs, strict=True)
        if pair
    ]
    base = alt.Chart(
        alt.Data(values=rows),
        title=f"Crosstable: {SCORE}",
        width=alt.Step(CELL),
        height=alt.Step(LINE),
    )
    base = base.encode(
        x=alt.X("against:N", sort=bots, title=None), y=alt.Y("bot:N", sort=bots, title=None)
    )
    scale = alt.Scale(scheme="blueorange", domain=[0, 100], domainMid=50, reverse=True)
    tip = ["bot:N", "against:N", "score:Q", "low:Q", "high:Q", "expected:Q", "matches:Q", "seeds:Q"]
    heat = base.mark_rect().encode(color=alt.Color("score:Q", scale=scale, title=None), tooltip=tip)
    return heat + base.mark_text().encode(text=alt.Text("score:Q", format=".0f"))


def _seats(alt: Any, standings: Standings) -> Any:
    """Draw the score of each seat with its interval."""
    section = sections.sections(standings, SectionRequest(("seats",), ())).seats
    rows = [
        {**to_builtins(row), "where": f"seat {row.seat} of {row.seats}"}
        for row in (section.seats if section else [])
    ]
    return _dots(alt, "Does the seat matter? 50 is even", rows, "where", "score", SCORE)


CHARTS: Mapping[str, Callable[[Any, Standings], Any]] = MappingProxyType(
    {"intervals": _intervals, "by_seeds": _by_seeds, "crosstable": _crosstable, "seats": _seats}
)
"""The functions that draw charts, by name, in the order in which they are drawn."""
