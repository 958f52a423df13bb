"""Rating tables as Altair charts for notebooks, computed by the functions of the page of results."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from khiva_arena.errors import ConfigError
from khiva_arena.report import sections
from khiva_arena.report.sections import SectionRequest
from khiva_arena.report.values import Standings
from khiva_arena.words import meant

WIDE, LINE, CELL = 480, 22, 36
ELO = "Elo"
SCORE = "pair score in percent"


def plot(standings: Standings, names: Sequence[str], title: str) -> Any:
    """Return the named charts, one below the other; all charts if ``names`` is empty.

    Raises ConfigError for an unknown name, and without Altair.
    """
    if unknown := [name for name in names if name not in CHARTS]:
        raise ConfigError([f"there is no chart {name!r}{meant(name, CHARTS)}; there are {', '.join(CHARTS)}" for name in unknown])
    alt = altair()
    charts = [chart(alt, standings) for name, chart in CHARTS.items() if name in names or not names]
    return alt.vconcat(*charts, title=title).resolve_scale(color="independent", y="independent")


def altair() -> Any:
    """Return the module altair. Raises ConfigError with the command that installs it."""
    try:
        import altair
    except ImportError:
        raise ConfigError("charts are drawn by Altair, which is not installed: pip install 'khiva-arena[plot]'") from None
    return altair


def _data(alt: Any, rows: Sequence[Mapping[str, Any]]) -> Any:
    return alt.Data(values=list(rows))


def _intervals(alt: Any, standings: Standings) -> Any:
    """Draw Elo with its interval; a point that is only a bound is open."""
    rows = [
        {"bot": row.name, "elo": row.elo, "low": row.low, "high": row.high, "bound": row.bound or "none", "n": row.matches}
        for row in standings.rows
    ]
    order = [row.name for row in standings.rows]
    base = alt.Chart(_data(alt, rows), title="Elo and its 95 % interval", width=WIDE, height=alt.Step(LINE))
    y = alt.Y("bot:N", sort=order, title=None)
    tip = ["bot:N", alt.Tooltip("elo:Q", title=ELO), "low:Q", "high:Q", "bound:N", alt.Tooltip("n:Q", title="matches")]
    rule = base.mark_rule().encode(x=alt.X("low:Q", title=ELO), x2="high:Q", y=y)
    dot = base.mark_point(size=60).encode(
        x="elo:Q", y=y, tooltip=tip, fillOpacity=alt.condition("datum.bound == 'none'", alt.value(1), alt.value(0))
    )
    return rule.transform_filter("isValid(datum.low) && isValid(datum.high)") + dot.encode(fill=alt.value("#0b62b4"))


def _by_seeds(alt: Any, standings: Standings) -> Any:
    """Draw Elo after so many seeds, with its error as a band."""
    name = {row.bot: row.name for row in standings.rows}
    rows = [
        {
            "bot": name[point.bot],
            "seeds": after.seeds,
            "elo": point.elo,
            "low": None if point.elo is None or point.error is None else point.elo - point.error,
            "high": None if point.elo is None or point.error is None else point.elo + point.error,
        }
        for after in sections.by_seeds(standings)
        for point in after.rows
    ]
    bots = [row.name for row in standings.rows]
    base = alt.Chart(_data(alt, rows), title="Elo as seeds come in", width=WIDE)
    base = base.encode(x=alt.X("seeds:Q", title="seeds"), color=alt.Color("bot:N", sort=bots, title=None))
    band = base.mark_area(opacity=0.08, clip=True).encode(y=alt.Y("low:Q", title=ELO), y2="high:Q")
    line = base.mark_line(point=True).encode(y="elo:Q", tooltip=["bot:N", "seeds:Q", alt.Tooltip("elo:Q", title=ELO)])
    return band.transform_filter("isValid(datum.low)") + line


def _crosstable(alt: Any, standings: Standings) -> Any:
    """Draw the scores of the bot on the left against the bot above, as a heat map."""
    table = sections.sections(standings, SectionRequest(("crosstable",), ())).crosstable or []
    bots = [row.name for row in standings.rows]
    rows = [
        {"bot": bots[i], "against": bots[j]} | {name: getattr(pair, name) for name in pair.__struct_fields__}
        for i, of_bot in enumerate(table)
        for j, pair in enumerate(of_bot)
        if pair
    ]
    base = alt.Chart(_data(alt, rows), title=f"Crosstable: {SCORE}", width=alt.Step(CELL), height=alt.Step(LINE))
    base = base.encode(x=alt.X("against:N", sort=bots, title=None), y=alt.Y("bot:N", sort=bots, title=None))
    scale = alt.Scale(scheme="blueorange", domain=[0, 100], domainMid=50, reverse=True)
    tip = ["bot:N", "against:N", "score:Q", "low:Q", "high:Q", "expected:Q", "matches:Q", "seeds:Q"]
    heat = base.mark_rect().encode(color=alt.Color("score:Q", scale=scale, title=None), tooltip=tip)
    return heat + base.mark_text().encode(text=alt.Text("score:Q", format=".0f"))


def _seats(alt: Any, standings: Standings) -> Any:
    """Draw the score of each seat with its interval."""
    section = sections.sections(standings, SectionRequest(("seats",), ())).seats
    rows = [
        {"where": f"seat {row.seat} of {row.seats}", "score": row.score, "low": row.low, "high": row.high, "n": row.matches}
        for row in (section.seats if section else [])
    ]
    base = alt.Chart(_data(alt, rows), title="Does the seat matter? 50 is even", width=WIDE, height=alt.Step(LINE))
    y = alt.Y("where:N", sort=None, title=None)
    rule = base.mark_rule().encode(x=alt.X("low:Q", title=SCORE, scale=alt.Scale(zero=False)), x2="high:Q", y=y)
    dot = base.mark_point(filled=True, size=60).encode(x="score:Q", y=y, tooltip=["where:N", "score:Q", "low:Q", "high:Q", "n:Q"])
    return rule.transform_filter("isValid(datum.low)") + dot


CHARTS: Mapping[str, Callable[[Any, Standings], Any]] = MappingProxyType(
    {"intervals": _intervals, "by_seeds": _by_seeds, "crosstable": _crosstable, "seats": _seats}
)
"""The functions that draw charts, by name, in the order in which they are drawn."""
