"""How the greedy Emira bot chooses: each entry is tried on paper, and what is best by ``evaluate`` is taken."""

from collections.abc import Callable, Sequence
from typing import Any

from evaluate import CARAVANS, GREEDY, INCOME, LENGTH, WANTS, Court, Weights, points

KINDS = ("beauty", "manners", "dress")
FANCY = {
    "guest_house": 9, "golden_times": 7, "double_trouble": 6, "restoration": 6, "good_looking": 5, "bazaar": 5,
    "noble_merchandise": 5, "new_spice_caravan": 5, "interrupt_spice_trade": 4, "vermin": 4, "changing_her_mind": 4,
    "court_influence": 4, "sick_camels": 3, "camel_breeding": 3, "better_breed": 3, "camel_epidemic": 2, "quiet_days": 2,
    "new_orders": 1,
}  # fmt: skip
"""What is worth keeping, before it is known when it will be played."""
View = dict[str, Any]


def choose(decide: View, match: View, weights: Weights = GREEDY) -> int:
    view, rules = decide["view"], match["rules"]
    if decide["kind"] == "bid":
        rivals, discount = len(view["auction"]["bidding"]) - 1, view["off_bid"][view["seat"]]
        return bid(decide["legal"], rivals, discount, weights, lambda: gains(view, rules, weights))
    values = worths(decide, rules, weights)
    return values.index(max(values))


def worths(decide: View, rules: View, weights: Weights) -> list[float]:
    """What each entry is worth, bids apart. Rounded, so that the last bit of a sum never decides; of equals the first."""
    worth, view, legal = WORTH.get(decide["kind"]), decide["view"], decide["legal"]
    return [round(worth(view, rules, weights, entry), 6) for entry in legal] if worth else [0.0] * len(legal)


# --- actions and bids ---


def _after(view: View, rules: View, weights: Weights, action: str) -> Court | None:
    """The position after an action, None if it cannot be paid."""
    court = Court(view, rules, weights)
    me = court.me
    price, palace = 0, view["princesses"][me]
    if action in CARAVANS:
        kind = CARAVANS.index(action)
        price = ((400, 500, 650, 800) if "Adara" in palace else (450, 550, 750, 900))[kind]
        court.caravans[me][kind].append(LENGTH[kind])
    elif action == "appearance":
        price = 350
        court.add_counter(KINDS.index(view["board"]["appearance"][0]))
    elif action == "status":
        price = view["board"]["status"][0]
        court.status[me] += points(price)
    elif action == "palace":
        price = 400 if "Badra" in palace else 500
        court.palace[me] += 2
        court.room[me] += 1
    elif action == "camel":
        price = 50 if "Farah" in palace else 150
        court.camels[me] += 1
    elif action == "grant":
        price = -150
    if price > court.gold[me]:
        return None
    court.gold[me] -= price
    return court


def _action(view: View, rules: View, weights: Weights, entry: list[str]) -> float:
    court = _after(view, rules, weights, entry[0])
    return court.worth() if court else -1e9


def _open_actions(view: View) -> list[str]:
    board = view["board"]
    sizes = {"small": CARAVANS[:2], "large": CARAVANS[2:], "camel": ("camel",), "palace": ("palace",)}
    actions = [action for item in board["open"] for action in sizes[item]]
    return actions + [word for word in ("appearance", "status") if board[word]]


def gains(view: View, rules: View, weights: Weights) -> list[float]:
    """How much more than none each action is worth that can still be had and paid, the best first."""
    courts = [_after(view, rules, weights, action) for action in _open_actions(view)]
    nothing = Court(view, rules, weights).worth()
    return [worth - nothing for worth in sorted((court.worth() for court in courts if court), reverse=True)]


def bid(legal: Sequence[Any], rivals: int, discount: int, weights: Weights, gains: Callable[[], list[float]]) -> int:
    """Pass, the grant when nothing better is to be had, or the least bid if the right to choose is worth it.

    rivals: how many others can still bid.
    discount: gold that camels take off.
    """
    grant = len(legal) > 1 and legal[1][0] == "grant"
    first = 2 if grant else 1
    too_much = not rivals or len(legal) <= first or legal[first][0] > weights.highest + discount
    if too_much and not grant:
        return 0
    more = gains()
    best = more[0] if more else 0.0
    if grant and best < weights.grant:
        return 1
    if too_much:
        return 0
    # With so many others before it, it would get about this one instead.
    later = more[min(len(more) - 1, rivals)] if more else 0.0
    limit = min(weights.eager * (best - max(0.0, later)), weights.highest) + discount
    return first if legal[first][0] <= limit else 0


# --- event cards ---


def _fancy(view: View, rules: View, weights: Weights, entry: list[str]) -> float:
    return FANCY[entry[0]]


def _play(view: View, rules: View, weights: Weights, entry: list[str]) -> float:
    """What an event card brings now, more than 1 if it is worth playing; none is worth 1."""
    court, card = Court(view, rules, weights), entry[0]
    me = court.me
    others = [seat for seat in range(view["seats"]) if seat != me]

    def against(mine: float, theirs: list[float]) -> float:
        return mine - sum(theirs) / len(theirs)

    if card in ("guest_house", "restoration"):
        return 9.0
    if card in ("golden_times", "interrupt_spice_trade"):
        ahead = against(court.income(me), [court.income(seat) for seat in others]) / 100
        return 2.0 + ahead if card == "golden_times" else 1.5 - ahead
    if card in ("sick_camels", "camel_epidemic"):
        return 1.0 + against(-view["camels"][me], [-view["camels"][seat] for seat in others])
    if card == "camel_breeding":
        return 1.0 + view["camels"][me] // 2 - max(view["camels"][seat] // 2 for seat in others)
    if card == "better_breed":
        return 1.0 + 0.5 * view["camels"][me]
    if card == "good_looking":
        return 1.0 + 2 * (max(court.counters[me]) // 3)
    if card == "new_spice_caravan":
        return 1.0 + max([0.01 * gain for gain in _movable(court)], default=0.0)
    if card == "vermin":
        return 1.0 + max(_vermin(view, rules, weights, [kind]) for kind in CARAVANS)
    if card == "double_trouble":
        leads = sum(court.appearance[me] > court.appearance[s] and court.status[me] >= court.status[s] for s in others)
        return 0.5 + leads * (view["room"][me] > 1)
    if card in ("bazaar", "noble_merchandise", "changing_her_mind", "court_influence"):
        return 1.2
    return 1.0 if card == "none" else 0.5


def _movable(court: Court) -> list[int]:
    own = court.caravans[court.me]
    return [INCOME[kind] for kind, lefts in enumerate(own) for left in lefts if left < LENGTH[kind]]


def _caravan(view: View, rules: View, weights: Weights, entry: list[Any]) -> float:
    return INCOME[CARAVANS.index(entry[0])]


def _vermin(view: View, rules: View, weights: Weights, entry: list[str]) -> float:
    """What the others lose by it more than this seat, in hundreds."""
    kind, me = CARAVANS.index(entry[0]), view["seat"]
    most = 2 if kind in (0, 2) else 1
    moves = [min(most, len(own[kind])) for own in view["caravans"]]
    return (sum(moves) - moves[me] * view["seats"]) * INCOME[kind] / 100


def _good_looking(view: View, rules: View, weights: Weights, entry: list[str]) -> float:
    return view["counters"][view["seat"]][KINDS.index(entry[0])]


def _mind(view: View, rules: View, weights: Weights, entry: list[str]) -> float:
    """Such that she joins this seat, or else goes away."""
    court, name = Court(view, rules, weights), view["ask"]["cards"][0]
    if entry[0] == "bottom":
        return 1.0
    wants = WANTS.get(name)
    seat = court.chosen(name, wants[::-1] if wants and entry[0] == "swap" else None)
    return 3.0 if seat == court.me and name in WANTS else 2.0 if seat is None else 0.0


def _order(view: View, rules: View, weights: Weights, entry: list[int]) -> float:
    """First what is good for this seat."""
    ask, court = view["ask"], Court(view, rules, weights)
    card = ask["cards"][entry[0]]
    if ask["about"] == "status":
        return points(card) if card <= court.gold[court.me] else 0.0
    seat = court.chosen(card)
    return 2.0 if seat == court.me and card in WANTS else 1.0 if seat is None else 0.0


def _noble(view: View, rules: View, weights: Weights, entry: list[int]) -> float:
    court = Court(view, rules, weights)
    spare = court.gold[court.me] - view["upkeep"][court.me]
    return points(entry[0]) - entry[0] / 10_000 if entry[0] <= spare else 0.0


def _wanted_kind(view: View, rules: View, weights: Weights, entry: list[str]) -> float:
    """What there is least of, for sets."""
    return -view["counters"][view["seat"]][KINDS.index(entry[0])]


def _buy(view: View, rules: View, weights: Weights, entry: list[int]) -> float:
    """Two cards to look at, now and then, if there is gold to spare."""
    me = view["seat"]
    rich = Court(view, rules, weights).gold[me] >= view["upkeep"][me] + weights.spare and len(view["hand"]) < 2
    return 1.0 if entry[0] == (2 if rich else 0) else 0.0


# --- princesses ---


def _drop_appearance(view: View, rules: View, weights: Weights, entry: list[str]) -> float:
    return view["counters"][view["seat"]][KINDS.index(entry[0])]


def _abduct(view: View, rules: View, weights: Weights, entry: list[str]) -> float:
    """Whom the goal needs least."""
    court = Court(view, rules, weights)
    court.view = {**view, "princesses": [[name for name in own if name != entry[0]] for own in view["princesses"]]}
    return -court.bride(entry[0])


def _take_status(view: View, rules: View, weights: Weights, entry: list[int]) -> float:
    return points(entry[0]) - entry[0] / 10_000


def _gift(view: View, rules: View, weights: Weights, entry: list[str]) -> float:
    return 1.0 if entry[0] == "pay" else 0.0


WORTH = {
    "first_event": _fancy,
    "keep": _fancy,
    "play": _play,
    "mind": _mind,
    "order": _order,
    "good_looking": _good_looking,
    "caravan": _caravan,
    "vermin": _vermin,
    "noble": _noble,
    "bazaar": _wanted_kind,
    "action": _action,
    "take_appearance": _wanted_kind,
    "take_status": _take_status,
    "buy": _buy,
    "drop_appearance": _drop_appearance,
    "abduct": _abduct,
    "gift": _gift,
}
"""By kind of decision; in the others one choice is as good as another."""
