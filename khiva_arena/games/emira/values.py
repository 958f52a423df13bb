"""The values of a sheik: appearance, status, palace, room, upkeep, talents; and how
many Emiras come.
"""

from functools import lru_cache
from typing import NamedTuple

from khiva_arena.games.emira.state import Position
from khiva_arena.games.emira.tables import (
    BASE_ROOM,
    GRANT_BELOW,
    GRANT_PRINCESSES,
    HALIMAH,
    LAYLA,
    NADIA,
    POINTS,
    RASHA,
    SULEIKA_SURCHARGE,
    TALENT,
    TRACK,
    UPKEEP,
    Demand,
)


def counters(pos: Position, seat: int) -> tuple[int, int, int]:
    """Return a seat's appearance counters by kind, those of Nadia and Layla included
    (E7, E31).
    """
    beauty, manners, dress = pos.tokens[seat]
    palace = pos.princesses[seat]
    return beauty + (NADIA in palace), manners + (LAYLA in palace), dress


def sets(pos: Position, seat: int) -> int:
    """Return a seat's counters "+1" for whole sets of three kinds (E7)."""
    return min(counters(pos, seat)) if pos.bonus_left is None else pos.bonus[seat]


def appearance(pos: Position, seat: int) -> int:
    """Return a seat's appearance: one for each counter, "+1" counters included (E7)."""
    return sum(counters(pos, seat)) + sets(pos, seat) + sum(pos.looks[seat])


def status(pos: Position, seat: int) -> int:
    """Return a seat's points of the status cards, Singing and Acting included (E31)."""
    palace = pos.princesses[seat]
    return (
        sum(POINTS[card] for card in pos.status_cards[seat])
        + (HALIMAH in palace)
        + (RASHA in palace)
    )


def palace(pos: Position, seat: int) -> int:
    """Return twice a seat's palace value: sections and, advanced, the palace track
    (E13).
    """
    return 2 * pos.sections[seat] + pos.disc[seat]


def room(pos: Position, seat: int) -> int:
    """Return for how many more princesses a seat has room (E6); never below 0, since
    Xenia may come without room (O10).
    """
    return max(0, BASE_ROOM + pos.sections[seat] + pos.guests[seat] - len(pos.princesses[seat]))


def discount(pos: Position, seat: int) -> int:
    """Return the gold that a seat's camels take off a bid (E3); nothing in a round of
    Sick Camels (E42).
    """
    return 0 if pos.sick else pos.camels[seat] * TRACK[pos.breed[seat]]


def may_have_grant(pos: Position, seat: int) -> bool:
    """Tell whether a seat may have the grant: little gold, or many princesses and no
    caravan (E5).
    """
    if pos.gold[seat] < GRANT_BELOW:
        return True
    return len(pos.princesses[seat]) >= GRANT_PRINCESSES and not any(pos.caravans[seat])


def upkeep(pos: Position, seat: int) -> int:
    """Return a seat's upkeep for each princess, and for arrivals where Suleika lives
    (E8, E28); without Xenia's gift.
    """
    return (
        sum(UPKEEP[card] for card in pos.princesses[seat]) + SULEIKA_SURCHARGE * pos.arrivals[seat]
    )


class EmirasToDraw(NamedTuple):
    """The numbers of Emiras that come into a round and, with 3 players, into the next
    one.
    """

    now: int
    later: int


def to_draw(pos: Position) -> EmirasToDraw:
    """Return how many Emiras are drawn for this round (E20, E35, E39)."""
    if pos.seats > 3:
        return EmirasToDraw(0 if pos.quiet else 1 + pos.doubles, 0)
    large, small = (1, 0) if pos.quiet else (1 + pos.doubles, 1)
    return EmirasToDraw(large, small) if pos.early else EmirasToDraw(small, large)


def settle_bonus(pos: Position) -> None:
    """Put counters "+1" of broken sets back, then give whole sets theirs, from the
    start player on, while they last (O11 twelve).
    """
    if pos.bonus_left is None:
        return
    counters_due = [min(counters(pos, seat)) for seat in range(pos.seats)]
    for seat in range(pos.seats):
        back = max(0, pos.bonus[seat] - counters_due[seat])
        pos.bonus[seat] -= back
        pos.bonus_left += back
    for offset in range(pos.seats):
        seat = (pos.start + offset) % pos.seats
        more = min(counters_due[seat] - pos.bonus[seat], pos.bonus_left)
        pos.bonus[seat] += more
        pos.bonus_left -= more


def has_talents(princesses: list[int], goal: tuple[Demand, ...]) -> bool:
    """Tell whether the princesses cover one of the goal's demands, each with one talent
    (E11).
    """
    return any(
        _covers(tuple(sorted(TALENT[card] for card in princesses)), demand) for demand in goal
    )


@lru_cache(maxsize=16384)
def _covers(talents: tuple[int, ...], demand: Demand) -> bool:
    """Tell whether each talent demanded can be given a princess of its own: a matching
    by augmenting paths.
    """
    demands = [1 << talent for talent, count in enumerate(demand) for _ in range(count)]
    serves: dict[int, int] = {}

    def serve(want: int, princesses_tried: set[int]) -> bool:
        for princess, mask in enumerate(talents):
            if mask & demands[want] and princess not in princesses_tried:
                princesses_tried.add(princess)
                if princess not in serves or serve(serves[princess], princesses_tried):
                    serves[princess] = want
                    return True
        return False

    return all(serve(want, set()) for want in range(len(demands)))
