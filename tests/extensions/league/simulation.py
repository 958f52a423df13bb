"""How well a league's table holds the truth, over seasons of bots whose strengths are
known.

Bots arrive, improve and leave; each batch is drawn by the landed draw, played at random
and rated by the landed fit. A match is an exact draw of Plackett and Luce, so that the
truth is known without a fit. Matches on one deal share its luck through a Gaussian
copula: of the variance 30 % is the seat's and 10 % the bot's.

For each check a line: the share of 95 % intervals of two active bots that hold, and
that of leagues whose ranks are false, each with its standard error. Then how the scale
moved between two halves of a season, and how soon newcomers are known to +/-50 Elo.
"""

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import sqrt
from pathlib import Path
from typing import NamedTuple

sys.path[:] = [
    p for p in sys.path if Path(p).resolve() != Path(__file__).resolve().parent
]  # its name is a package's name too
sys.path.append(str(Path(__file__).resolve().parent / "support"))

import numpy as np  # noqa: E402
from simulated_leagues import ANCHORS, League, Season, Shares, TrueSkill  # noqa: E402

from khiva_arena.rating.ratings.compare import rank_intervals  # noqa: E402
from khiva_arena.rating.ratings.elo import Ratings  # noqa: E402

FEWEST_BATCHES = 5
"""A bot's intervals are checked once it has played in so many batches."""
KNOWN = 50.0  # Elo, half an interval
AFTER_TABLES = 10


@dataclass
class Newcomers:
    """How soon newcomers are known.

    waits: of each, in how many batches its interval was +/-50 or less, and whether that
        was seen: else it left, or the season ended.
    off: by rating, how far from the truth each that is known was then, in Elo against
        the mean of active bots.
    early: the same of all after ten tables.
    """

    waits: list[tuple[int, bool]] = field(default_factory=list)
    off: dict[str, list[float]] = field(default_factory=lambda: {"refit": [], "TrueSkill": []})
    early: dict[str, list[float]] = field(default_factory=lambda: {"refit": [], "TrueSkill": []})
    known: set[int] = field(default_factory=set)
    young: set[int] = field(default_factory=set)

    def begin(self) -> None:
        self.known, self.young = set(), set()

    def look(self, league: League, ratings: Ratings) -> None:
        active = [bot for bot in league.active if ratings.elo[bot] is not None]
        truth = np.array(league.elo)
        truth = truth - truth[active].mean()
        refit = np.array([np.nan if elo is None else elo for elo in ratings.elo])
        skill = (
            np.array([*league.trueskill.mean, *[0.0] * len(league.elo)][: len(league.elo)])
            * TrueSkill.ELO
        )
        errors = {
            "refit": refit - refit[active].mean() - truth,
            "TrueSkill": skill - skill[active].mean() - truth,
        }
        for bot in active:
            if not league.entered[bot]:
                continue
            if (
                bot not in self.young
                and league.counts.tables[league.bots[bot].identity] >= AFTER_TABLES
            ):
                self.young.add(bot)
                self._note(self.early, errors, bot)
            width = ratings.pool_error[bot]
            if bot not in self.known and width is not None and width <= KNOWN:
                self.known.add(bot)
                self.waits.append((len(league.played) - league.entered[bot], True))
                self._note(self.off, errors, bot)

    @staticmethod
    def _note(into: dict[str, list[float]], errors: dict[str, np.ndarray], bot: int) -> None:
        for name, values in errors.items():
            into[name].append(float(values[bot]))

    def end(self, league: League) -> None:
        for bot, entered in enumerate(league.entered):
            if entered and bot not in self.known:
                self.waits.append((league.left.get(bot, len(league.played)) - entered, False))

    @property
    def known_waits(self) -> list[int]:
        return [wait for wait, known in self.waits if known]

    def median(self) -> int | None:
        """Batches until half are known, by Kaplan and Meier, who count those that
        nobody saw until then.
        """
        unknown = 1.0
        for place, (wait, known) in enumerate(
            sorted(self.waits, key=lambda one: (one[0], not one[1]))
        ):
            unknown *= 1 - known / (len(self.waits) - place)
            if unknown <= 0.5:
                return wait
        return None


@dataclass
class Check:
    """What held at one check: percent of intervals of old bots and of young ones, of
    leagues with false ranks; half widths.
    """

    cover: Shares = field(default_factory=Shares)
    of_young: Shares = field(default_factory=Shares)
    false_ranks: Shares = field(default_factory=Shares)
    width: Shares = field(default_factory=Shares)
    off: Shares = field(default_factory=Shares)

    def add(self, league: League, ratings: Ratings) -> None:
        active = np.array(league.active)
        seeds = np.array(ratings.seeds)
        old, young = (
            active[seeds[active] >= FEWEST_BATCHES],
            active[(seeds[active] > 1) & (seeds[active] < FEWEST_BATCHES)],
        )
        held, widths, off = _pairs(league, ratings, *old[np.array(np.triu_indices(len(old), 1))])
        self.cover.values.append(100 * float(held.mean()))
        self.width.values.append(float(widths.mean()))
        self.off.values.append(float(np.sqrt((off**2).mean() / 2)))
        if len(young):
            held, _, _ = _pairs(
                league, ratings, np.repeat(young, len(old)), np.tile(old, len(young))
            )
            self.of_young.values.append(100 * float(held.mean()))
        ranks = rank_intervals(ratings)
        ranked = np.array(
            [
                truth
                for truth, interval in zip(league.elo, ranks, strict=True)
                if interval is not None
            ]
        )
        false = any(
            interval is not None and not interval[0] <= place <= interval[1]
            for truth, interval in zip(league.elo, ranks, strict=True)
            for place in (1 + int((ranked > truth).sum()), int((ranked >= truth).sum()))
        )
        self.false_ranks.values.append(100.0 * false)


def _pairs(
    league: League, ratings: Ratings, i: np.ndarray, j: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Whether intervals of pairs hold, their half widths, and how far off the numbers
    are.
    """
    elo, truth, seeds = (
        np.array(ratings.elo, dtype=float),
        np.array(league.elo),
        np.array(ratings.seeds),
    )
    variance = ratings.covariance[i, i] + ratings.covariance[j, j] - 2 * ratings.covariance[i, j]
    width = ratings.widening.critical(np.minimum(seeds[i], seeds[j])) * np.sqrt(variance)
    off = elo[i] - elo[j] - truth[i] + truth[j]
    return np.abs(off) <= width, width, off


class Drift(NamedTuple):
    """How far the scale, which is all bots less the anchors, is off in the second half
    of a season less in the first, and the standard error of that, in Elo.
    """

    elo: float
    error: float


def drift(league: League, early: Ratings) -> Drift:
    """Compare two tables, of disjoint halves of a season. ``early``: that of the first
    half.
    """
    elo, variance = 0.0, 0.0
    for sign, ratings in ((-1, early), (1, league.ratings(first=early.blocks))):
        bots = len(ratings.elo)
        these = [bot for bot in range(ANCHORS, bots) if ratings.seeds[bot] >= FEWEST_BATCHES]
        weights = np.zeros(bots)
        weights[these], weights[:ANCHORS] = 1 / len(these), -1 / ANCHORS
        number = np.array([0.0 if one is None else one for one in ratings.elo])
        elo += sign * float(weights @ (number - np.array(league.elo)[:bots]))
        variance += float(weights @ ratings.covariance @ weights)
    return Drift(elo, sqrt(variance))


@dataclass
class Simulation:
    """Leagues of one kind."""

    season: Season
    checks: dict[int, Check]
    newcomers: Newcomers = field(default_factory=Newcomers)
    drifts: list[Drift] = field(default_factory=list)
    longest_wait: int = 0
    tables: int = 0
    leagues: int = 0

    def play(self, rng: np.random.Generator) -> None:
        """One league more."""
        season, league = self.season, League(self.season, rng)
        half, early = season.batches // 2, None
        self.newcomers.begin()
        for batch in range(1, season.batches + 1):
            league.play_batch()
            is_look = season.looks and batch % season.looks == 0
            if not (is_look or batch in self.checks or (season.drift and batch == half)):
                continue
            ratings = league.ratings()
            if is_look:
                self.newcomers.look(league, ratings)
            if batch in self.checks:
                self.checks[batch].add(league, ratings)
            if season.drift and batch == half:
                early = ratings
        self.newcomers.end(league)
        if early is not None:
            self.drifts.append(drift(league, early))
        self.longest_wait = max(self.longest_wait, league.longest_wait)
        self.tables += league.tables
        self.leagues += 1

    def lines(self) -> Iterator[str]:
        yield (
            f"{self.leagues} leagues, {self.tables} tables; longest wait of an active bot: "
            f"{self.longest_wait} batches"
        )
        yield (
            "batch  intervals that hold %  of young bots %    false ranks %    half width Elo  "
            " rms error Elo"
        )
        for batch, check in self.checks.items():
            of_leagues = f"{check.cover!s:>22} {check.of_young!s:>16} {check.false_ranks!s:>16}"
            yield f"{batch:5}  {of_leagues} {check.width!s:>17} {check.off!s:>15}"
        if self.drifts:
            z = np.array([one.elo / one.error for one in self.drifts])
            error = np.mean([one.error for one in self.drifts])
            yield (
                f"the scale moved by {Shares([one.elo for one in self.drifts])} Elo in half a "
                f"season, which has a standard error of {error:.1f} in a league; rms "
                f"{np.sqrt((z**2).mean()):.2f} of these, beyond 1.96 in {(abs(z) > 1.96).sum()}"
            )
        if self.season.looks:
            yield from self._of_newcomers()

    def _of_newcomers(self) -> Iterator[str]:
        new = self.newcomers
        median = f"{np.median(new.known_waits):.0f}" if new.known_waits else "n/a"
        yield (
            f"newcomers: {len(new.waits)}; batches until half are known to +/-{KNOWN:.0f}: "
            f"{new.median() or 'n/a'}; "
            f"the median of the {len(new.known_waits)} that were seen to be: {median}"
        )
        for when, off in (
            (f"known to +/-{KNOWN:.0f}", new.off),
            (f"at {AFTER_TABLES} tables", new.early),
        ):
            told = ", ".join(f"{name} {_rms(values)}" for name, values in off.items())
            yield f"rms error of newcomers when {when}, Elo (n {len(off['refit'])}): {told}"


def _rms(values: Sequence[float]) -> str:
    """The root of the mean square with its standard error."""
    if len(values) < 2:
        return "n/a"
    squares = np.square(values)
    rms = sqrt(squares.mean())
    return f"{rms:.1f} +/- {squares.std(ddof=1) / sqrt(len(values)) / (2 * rms):.1f}"


CASES = {
    "large": Season(1000, 3, 240, 243, 2, 2, 1.6, checks=(30, 60, 120, 240), drift=True),
    "equal": Season(36, 3, 60, 0, 0.25, 0.25, 0.2, checks=(20, 40, 60), drift=True),
    "spread": Season(36, 3, 150, 243, 0.25, 0.25, 0.2, checks=(50, 100, 150), looks=3),
}


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--case",
        choices=CASES,
        default="equal",
        help="1,000 bots; 36 that are equal, or 243 Elo apart",
    )
    parser.add_argument("--leagues", type=int, default=20, help="how many (default 20)")
    parser.add_argument("--bots", type=int, help="not the case's own")
    parser.add_argument("--seats", type=int, help="not the case's own")
    parser.add_argument(
        "--batches", type=int, help="not the case's own; checks are then at the half and at the end"
    )
    parser.add_argument("--most-tables", type=int, help="of a batch's floor")
    parser.add_argument("--by-lot", action="store_true", help="batches by lot alone")
    parser.add_argument("--seed", type=int, default=20261125, help="of all chance")
    wanted = parser.parse_args()
    given = {
        name: getattr(wanted, name)
        for name in ("bots", "seats", "batches", "most_tables")
        if getattr(wanted, name)
    }
    if wanted.batches:
        given["checks"] = (wanted.batches // 2, wanted.batches)
    season = replace(CASES[wanted.case], by_lot=wanted.by_lot, **given)
    simulation = Simulation(season, {batch: Check() for batch in season.checks})
    began = time.process_time()
    for number in range(wanted.leagues):
        simulation.play(np.random.default_rng([wanted.seed, number]))
        if sys.stderr.isatty():
            print(f"\rleague {number + 1} of {wanted.leagues}", end="", file=sys.stderr, flush=True)
    print("\n".join(simulation.lines()))
    print(f"{time.process_time() - began:.0f} s of CPU")
    return 0


if __name__ == "__main__":
    sys.exit(main())
