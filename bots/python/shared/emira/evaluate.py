"""What an Emira position is worth to a seat, in gold. The view is all it uses."""

from functools import lru_cache
from typing import Any, NamedTuple

A, S, P, G = range(4)
WANTS = {
    "Albina": (A, S), "Halimah": (A, S), "Asima": (A, S), "Noor": (A, P), "Rasha": (A, P), "Thara": (A, P), "Zainab": (A, G),
    "Nibal": (A, G), "Samira": (A, G), "Zahrah": (S, A), "Fatima": (S, A), "Layla": (S, A), "Malika": (S, P), "Nadia": (S, P),
    "Firyal": (S, P), "Hind": (S, G), "Farah": (S, G), "Raidah": (S, G), "Adara": (P, A), "Suleika": (P, A), "Janan": (P, S),
    "Sahar": (P, S), "Anisah": (P, G), "Zafirah": (P, G), "Xenia": (G, A), "Yasmine": (G, S), "Badra": (G, P),
}  # fmt: skip
I, M, C, R = "intelligence", "household", "cooking", "romance"  # noqa: E741
TALENTS = {
    I: "Albina Noor Zainab Zahrah Malika Farah Adara Janan Anisah Badra",
    M: "Halimah Noor Nibal Fatima Nadia Hind Suleika Yasmine",
    C: "Asima Rasha Firyal Raidah Janan Zafirah Xenia",
    R: "Thara Samira Layla Hind Sahar Xenia",
}
SERVES = {name: frozenset(talent for talent, names in TALENTS.items() if name in names.split()) for name in WANTS}
CARAVANS = ("small_slow", "small_fast", "large_slow", "large_fast")
INCOME = (150, 300, 250, 500)
LENGTH = (8, 4, 8, 4)


class Weights(NamedTuple):
    """What counts how much, in gold. The defaults are the greedy bot's; it also bids and buys event cards by them."""

    travels: float = 0.9
    """What a gold piece that a caravan brings later is worth now."""
    lasts: int = 20
    """In about which round matches end."""
    action: float = 500.0
    """What one round's action can use up, there being one a round."""
    idle: float = 0.15
    """What a gold piece is worth for which there is no action left."""
    princess: float = 900.0
    needed: float = 250.0
    """What one more talent of the goal is worth."""
    rival: float = 180.0
    """What it costs that a princess joins another seat."""
    sidi: float = 900.0
    """What it costs that Sidi Suleiman comes."""
    share: tuple[float, float, float] = (9.0, 9.0, 6.0)
    """How many Emiras look at appearance, status and palace first."""
    lead: float = 160.0
    """What it is worth to be the best by something, for each Emira who looks at it first."""
    full: float = 0.4
    """What is left of that without room for anybody."""
    level: float = 0.5
    """What is left of it for one of several who are best."""
    room: float = 350.0
    more_room: float = 150.0
    """What room for one is worth, and for another one."""
    camel: float = 60.0
    hunger: float = 1000.0
    """What it costs to be short of upkeep."""
    thirst: float = 300.0
    """What it costs to be short of it next round."""
    scarce: float = 4.0
    """For how many rounds the lack of income is counted."""
    eager: float = 0.4
    """How much of what an action is worth more than none is bid for the right to choose."""
    highest: int = 250
    """The highest bid, besides what camels take off."""
    grant: float = 150.0
    """The grant is taken if the best action is not worth more than this."""
    spare: int = 600
    """Gold that has to be left, besides upkeep, before event cards are bought."""


GREEDY = Weights()
LEAST_LEFT = 3
"""How many rounds more a match is reckoned with at least."""


def points(card: int) -> int:
    """Of a status card."""
    return 1 if card <= 400 else 2 if card <= 900 else 3


@lru_cache(maxsize=4096)
def talents_met(princesses: tuple[str, ...], goal: tuple[tuple[str, ...], ...]) -> int:
    """How many talents of the goal the princesses cover, in the best of its ways."""

    def covered(way: tuple[str, ...]) -> int:
        serving: dict[str, int] = {}

        def settle(want: int, tried: set[str]) -> bool:
            for name in princesses:
                if way[want] in SERVES.get(name, ()) and name not in tried:
                    tried.add(name)
                    if name not in serving or settle(serving[name], tried):
                        serving[name] = want
                        return True
            return False

        return sum(settle(want, set()) for want in range(len(way)))

    return max(map(covered, goal))


class Court:
    """A position on paper: the lists of the view that decide what it is worth, to be changed before ``worth``."""

    def __init__(self, view: dict[str, Any], rules: dict[str, Any], weights: Weights = GREEDY) -> None:
        self.view, self.rules, self.weights = view, rules, weights
        self.me: int = view["seat"]
        self.gold = [750 if gold is None else gold for gold in view["gold"]]
        self.appearance, self.status = view["appearance"][:], view["status"][:]
        self.palace, self.room = view["palace"][:], view["room"][:]
        self.counters = [own[:] for own in view["counters"]]
        self.caravans = [[left[:] for left in own] for own in view["caravans"]]
        self.camels = view["camels"][:]

    def income(self, seat: int) -> int:
        """Of the next round."""
        base = self.rules["base_income"][self.view["colours"][seat] == "black"]
        return base + sum(INCOME[kind] * len(own) for kind, own in enumerate(self.caravans[seat]))

    def add_counter(self, kind: int) -> None:
        """An appearance counter more for this seat. Sets count Nadia's beauty and Layla's manners too."""
        palace = self.view["princesses"][self.me]
        brought = ("Nadia" in palace, "Layla" in palace, 0)

        def sets() -> int:
            return min(own + hers for own, hers in zip(self.counters[self.me], brought, strict=True))

        before = sets()
        self.counters[self.me][kind] += 1
        self.appearance[self.me] += 1 + sets() - before

    def chosen(self, name: str, wants: tuple[int, ...] | None = None) -> int | None:
        """Whom an Emira would choose, None for nobody."""
        if name not in WANTS:
            most = max(map(len, self.view["princesses"]))
            best = [seat for seat, own in enumerate(self.view["princesses"]) if len(own) == most]
            return best[0] if len(best) == 1 and most else None
        lost = self.view["lost"]
        seats = [seat for seat, room in enumerate(self.room) if room and lost[seat] != self.view["round"]]
        if name == "Xenia":
            seats = [seat for seat in seats if seat != self.view["xenia_left"]]
        order = wants or (WANTS[name][::-1] if name in self.view["swapped"] else WANTS[name])
        for want in order:
            values = (self.appearance, self.status, self.palace, self.gold)[want]
            most = max((values[seat] for seat in seats), default=0)
            seats = [seat for seat in seats if values[seat] == most]
        return seats[0] if len(seats) == 1 else None

    def bride(self, name: str) -> float:
        """What it is worth that she joins this seat."""
        if name not in WANTS:
            return -self.weights.sidi
        mine, goal = tuple(self.view["princesses"][self.me]), tuple(map(tuple, self.view["goal"]))
        return self.weights.princess + self.weights.needed * (talents_met((*mine, name), goal) - talents_met(mine, goal))

    def spendable(self, gold: float) -> float:
        """What gold is worth, now or as income to come: all of what upkeep and an action a round can still use, and little of
        what is beyond, which would only be hoarded."""
        weights = self.weights
        left = min(max(LEAST_LEFT, weights.lasts - self.view["round"]), self.rules["max_rounds"] - self.view["round"] + 1)
        use = left * (weights.action + self.view["upkeep"][self.me])
        return gold if gold <= use else use + weights.idle * (gold - use)

    def worth(self) -> float:
        """All in all, to this seat."""
        me, view, weights = self.me, self.view, self.weights
        left = max(0, self.rules["max_rounds"] - view["round"])
        gold = float(self.gold[me])
        for kind, own in enumerate(self.caravans[me]):
            gold += sum(weights.travels * INCOME[kind] * min(incomes, left) for incomes in own)
        total = self.spendable(gold)
        total += weights.camel * min(self.camels[me], 4)
        due = view["upkeep"][me]
        coming = [*view["active"], *view["undecided"], *view["coming"]]
        room = self.room[me]
        for name in coming:
            seat = self.chosen(name)
            if seat == me and room:
                total += self.bride(name)
                room -= 1
                due += 50
            elif seat is not None and seat != me:
                total -= weights.rival
        xenia = view["xenia"]
        if xenia and xenia["seat"] == me and xenia["due"] <= view["round"]:
            due += 250
        if self.gold[me] < due:
            total -= weights.hunger
        elif self.gold[me] + self.income(me) < 2 * due:
            total -= weights.thirst
        total -= weights.scarce * max(0, due - self.income(me))
        total += (0.0, weights.room, weights.room + weights.more_room)[min(2, room)]
        for share, values in zip(weights.share, (self.appearance, self.status, self.palace), strict=True):
            gap = values[me] - max(value for seat, value in enumerate(values) if seat != me)
            ahead = 1.0 + 0.1 * min(gap, 3) if gap > 0 else (weights.level, 0.3, 0.15, 0.05)[min(-gap, 3)]
            total += weights.lead * share * ahead * (1.0 if room else weights.full)
        return total
