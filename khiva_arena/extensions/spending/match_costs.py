"""The costs of matches, as they were measured, and the currency of a cap."""

from collections.abc import Mapping, Sequence
from math import sqrt
from statistics import fmean, stdev
from typing import NamedTuple

from khiva_arena.arbiter.preflight import greetings
from khiva_arena.bots.sandbox.level import Sandbox
from khiva_arena.common import manual
from khiva_arena.common.say import Say
from khiva_arena.common.text import harmless
from khiva_arena.competition.playing.starts import Entrants
from khiva_arena.competition.playing.trial_starts import first_header
from khiva_arena.competition.settings.settings import Settings
from khiva_arena.entrants.bots import Bot
from khiva_arena.errors import ConfigError
from khiva_arena.extensions.spending.spend_cap import Cost, DearReport

OPTION = "--spend"
_SURE = 2.0  # standard errors: about 95 %


class MatchCost(NamedTuple):
    """The measured cost of a match.

    mean, high: in millionths of the currency: of one, and the most that the mean is
        likely to be.
    table: the most that a table is known to cost, or would cost if all its matches were
        as dear as the dearest.
    source: where it comes from, in words.
    tried: what the try cost that told it.
    dear: the dearest report of a bot.
    """

    mean: float
    high: float
    table: int
    source: str
    tried: Cost
    dear: DearReport


def match_cost(
    amounts: Sequence[int], table: int, source: str, tried: Cost, dear: DearReport
) -> MatchCost:
    """Return the cost of a match by those of some. A single one does not say how others
    differ: half as much again is assumed.
    """
    mean = fmean(amounts)
    error = _SURE * stdev(amounts) / sqrt(len(amounts)) if len(amounts) > 1 else mean / 2
    return MatchCost(mean, mean + error, table, source, tried, dear)


def check_reporting(entrants: Sequence[Bot]) -> None:
    """Raise ConfigError if no bot is offered to report."""
    if not any(bot.reports for bot in entrants):
        raise ConfigError(
            f"{OPTION}: none of these bots reports a cost, since no bot.toml here says "
            f"`reports = true`; leave {OPTION} out, or "
            f"let the bots report: {manual.where('model-costs', 'A bot of your own that reports')}"
        )


def currency_named(first: Settings, playing: Entrants, sandbox: Sandbox, say: Say) -> str:
    """Return the currency that the bots' hellos name. Raises ConfigError if that is
    none, or several.
    """
    bots = [bot for bot in playing.entrants if bot.reports]
    commands = [playing.commands[bot.identity] for bot in bots]
    told = [
        report.spent
        for report in greetings(commands, first_header(first, playing.entrants, sandbox), sandbox)
    ]
    named: dict[str, list[str]] = {}
    for bot, spent in zip(bots, told, strict=True):
        named.setdefault(spent.currency if spent else "", []).append(harmless(bot.name))
    silent = named.pop("", [])
    check_one(named, silent)
    if silent:
        words = "no currency is named, so a cost that is reported without one ends the event"
        say(f"{OPTION}: {', '.join(silent)}: {words}", warning=True)
    if unseen := [
        harmless(bot.name)
        for bot in playing.entrants
        if not bot.reports and bot.name in first.network
    ]:
        say(
            f"{OPTION}: {', '.join(unseen)}: has a network and reports nothing, so the cap "
            "cannot count it",
            warning=True,
        )
    return next(iter(named))


def check_one(named: Mapping[str, Sequence[str]], silent: Sequence[str] = ()) -> None:
    """Raise ConfigError unless bots name one currency. ``silent``: the bots that name
    none.
    """
    if not named:
        raise ConfigError(
            f"{OPTION}: {', '.join(silent)}: no bot names a currency, so no cost can be "
            "counted; give each its prices and a "
            "currency, as --price-in, --price-out and --currency of shipped:python/llm"
        )
    if len(named) > 1:
        each = "; ".join(
            f"{harmless(currency)}: {', '.join(names)}" for currency, names in sorted(named.items())
        )
        raise ConfigError(
            f"{OPTION}: one cap cannot count several currencies ({each}); give all bots "
            "prices in one currency"
        )
