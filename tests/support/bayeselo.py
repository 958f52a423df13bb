"""BayesElo's model of draws in two-seat results: what cutechess prints, and published
sequential tests of it were made with.
"""

from math import log10

import numpy as np

from khiva_arena.rating.ratings.likelihood import score_of


def bayeselo_llr(wins: float, draws: float, losses: float, elo0: float, elo1: float) -> float:
    """LLR of two-seat results under BayesElo's model of draws: as cutechess prints it,
    to compare with what it printed.

    Half a result of each kind is added (Jeffreys), the draw parameter is that of the
    results, and the hypotheses' Elo is divided by the scale 4x / (1 + x)^2, x =
    10^(-draw parameter / 400). Matches count as independent.
    """
    counts = np.array([wins, draws, losses]) + 0.5
    draw_elo = bayeselo_of_draws(*counts)
    x = 10 ** (-draw_elo / 400)
    scale = 4 * x / (1 + x) ** 2
    at0, at1 = (np.array(bayeselo_shares(elo / scale, draw_elo)) for elo in (elo0, elo1))
    return float(counts @ np.log(at1 / at0))


def bayeselo_of_draws(wins: float, draws: float, losses: float) -> float:
    """BayesElo's draw parameter of two-seat results, in Elo; none of the three may be
    0.
    """
    total = wins + draws + losses
    return 200 * log10((total / losses - 1) * (total / wins - 1))


def bayeselo_shares(elo: float, draw_elo: float) -> tuple[float, float, float]:
    """Shares of wins, draws and losses at a difference in BayesElo."""
    win, loss = score_of(elo - draw_elo), score_of(-elo - draw_elo)
    return win, 1 - win - loss, loss
