"""Winners, scores and places of an Emira position (E32, E33)."""

from khiva_arena.games.base import SeatPoints
from khiva_arena.games.emira.state import Position
from khiva_arena.games.emira.tables import GOALS, LEAST_PRINCESSES, MOST_PRINCESSES
from khiva_arena.games.emira.values import appearance, has_talents, status


def fulfils(pos: Position, seat: int) -> bool:
    """Tell whether a seat has enough princesses with the talents of the goal, or more
    of any kind (E32).
    """
    count = len(pos.princesses[seat])
    if count >= MOST_PRINCESSES[pos.seats]:
        return True
    return count >= LEAST_PRINCESSES[pos.seats] and has_talents(
        pos.princesses[seat], GOALS[pos.seats][pos.goals[seat]]
    )


def winners(pos: Position) -> int:
    """Return the bit mask of the seats that win at the end of this round: goal
    fulfilled and upkeep paid in full (E32).
    """
    return sum(
        1 << seat for seat in range(pos.seats) if pos.paid >> seat & 1 and fulfils(pos, seat)
    )


def scores(pos: Position) -> list[int]:
    """Return the points by seat (E33)."""
    return [princesses + goal for princesses, goal in _counted(pos)]


def points_by_source(pos: Position) -> list[SeatPoints]:
    """Return the points by seat and source (E33)."""
    return [
        SeatPoints({"princesses": princesses, "goal": goal}, {})
        for princesses, goal in _counted(pos)
    ]


def _counted(pos: Position) -> list[tuple[int, int]]:
    """Return by seat 2 points for each princess, and 3 for the talents of the goal,
    however many princesses there are (E33).
    """
    goals = GOALS[pos.seats]
    return [
        (2 * len(palace), 3 * has_talents(palace, goals[goal]))
        for palace, goal in zip(pos.princesses, pos.goals, strict=True)
    ]


def belongings(pos: Position, seat: int) -> int:
    """Return twice the points that break ties: appearance, status, sections, camels,
    and the palace track, which has halves.
    """
    return (
        2 * (appearance(pos, seat) + status(pos, seat) + pos.sections[seat] + pos.camels[seat])
        + pos.disc[seat]
    )


def ranks(pos: Position) -> list[int]:
    """Return the places by seat (E33). Seats equal in all share a place.

    Winners come first, in the basic game on one place; then score, belongings and gold
    decide.
    """
    keys = []
    for seat, score in enumerate(scores(pos)):
        is_winner = pos.winners >> seat & 1
        is_shared = is_winner and not pos.ruleset.advanced
        keys.append(
            (1, 0, 0, 0) if is_shared else (is_winner, score, belongings(pos, seat), pos.gold[seat])
        )
    return [1 + sum(better > key for better in keys) for key in keys]
