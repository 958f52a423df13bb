"""How long a match will take by the trial matches of the bots on probation."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from khiva_arena.competition.events.durations import AROUND, MatchTime, mean_time
from khiva_arena.records.store.trial_results import TrialResult
from khiva_arena.words import count

if TYPE_CHECKING:
    from khiva_arena.competition.events.worst_case import RandomGames


def of_trials(
    trials: Sequence[TrialResult], seats: int, games: "RandomGames | None"
) -> MatchTime | None:
    """Return how long a match of the bots takes, each at so many tables as the others;
    None if no trial tells.

    games: random games of the event, which say how many seats think at the same time;
        None: one after another.
    """
    at_once = games.at_once if games else 1.0
    seconds = [
        _seconds(trial, seats, at_once) for trial in trials if trial.steps and not trial.void
    ]
    return mean_time(
        seconds, f"the {count(len(seconds), 'trial match', 'trial matches')} of the bots", AROUND
    )


def _seconds(trial: TrialResult, seats: int, at_once: float) -> float:
    """Return how long a match lasts in which each seat thinks as the bot on trial did.
    Its opponent there thinks little.

    at_once: how many seats think at the same time in the mean.
    """
    in_a_match = at_once * trial.steps  # decisions of all seats
    copies = min(seats, max(1, round(trial.decisions * seats / in_a_match)))
    thought = trial.mean * trial.decisions / (at_once if copies > 1 else 1.0)
    return max(0.0, trial.seconds - thought) + trial.mean * trial.steps
