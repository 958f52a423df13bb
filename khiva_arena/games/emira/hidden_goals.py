"""The goals that the other seats may have: any but those with which one of them would have won already."""

from collections.abc import Mapping
from functools import lru_cache
from itertools import permutations

from khiva_arena.games.base import Plain
from khiva_arena.games.emira.events import goal_face
from khiva_arena.games.emira.reading_views import Line, lines_of
from khiva_arena.games.emira.tables import EMIRA_OF, GOALS, LEAST_PRINCESSES, NAMES, SIDI, XENIA
from khiva_arena.games.emira.values import has_talents
from khiva_arena.rng import Stream


def draw_goals(view: Mapping[str, Plain], stream: Stream) -> list[int]:
    """Return a goal for each seat; the seat's own is that of the view."""
    ways = possible_goals(view)
    return list(ways[stream.below(len(ways))])


def possible_goals(view: Mapping[str, Plain]) -> list[tuple[int, ...]]:
    """Return every combination of goals, by seat, that the seats may have."""
    seats, me = view["seats"], view["seat"]
    faces = [goal_face(goal) for goal in GOALS[seats]]
    own_goal = faces.index(view["goal"])
    without = _would_have_won(seats, view["round"], lines_of(view))
    return [
        goals
        for goals in permutations(range(len(faces)), seats)
        if goals[me] == own_goal and not any(goal in without[seat] for seat, goal in enumerate(goals) if seat != me)
    ]


@lru_cache(maxsize=16)
def _would_have_won(seats: int, now: int, history: tuple[Line, ...]) -> list[set[int]]:
    """Return, by seat, the goals with which it would have won at the end of a round. It has not, since the match goes on
    (E32)."""
    palaces: list[list[int]] = [[] for _ in range(seats)]
    without: list[set[int]] = [set() for _ in range(seats)]
    rest = list(reversed(history))
    for number in range(1, now):
        unpaid = set()
        while rest and rest[-1][0] <= number:
            _, word, *details = rest.pop()
            if word == "join" and details[1] != NAMES[SIDI]:
                palaces[details[0]].append(EMIRA_OF[details[1]])
            elif word == "abduct":
                palaces[details[0]].remove(EMIRA_OF[details[1]])
            elif word == "gift" and details[1] != "paid":
                palaces[details[0]].remove(XENIA)
            elif word == "under":
                unpaid.add(details[0])
                for name in details[1:]:
                    palaces[details[0]].remove(EMIRA_OF[name])
        for seat in set(range(seats)) - unpaid:
            if len(palaces[seat]) >= LEAST_PRINCESSES[seats]:
                without[seat].update(goal for goal, face in enumerate(GOALS[seats]) if has_talents(palaces[seat], face))
    return without
