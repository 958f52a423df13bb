"""A small Monte-Carlo search with the arena's own engine as its model: the quick searching bot. The deep one guesses by it.

It imagines worlds: positions that its view allows, with the hidden cards dealt again. In each world the others choose as the
greedy bot would, near enough, or now and then anything, and each of our promising choices is played to the end of the turn and
judged. The number of worlds is fixed, so equal seeds, views and legal lists give equal choices on any machine.
"""

from collections.abc import Sequence
from math import fsum  # unlike sum, it is the same in every Python

import evaluate
import policy
from evaluate import CARPET, GEM, OUTPOST, SALT_PRICE, Board, distance
from khiva_kit import Lottery
from policy import GIVE, KEEP, REJECTED

from khiva_arena.games.khiva import GAME
from khiva_arena.games.khiva.rules import reach
from khiva_arena.games.khiva.tables import CAMELS, CARD_OF, CODE, COLOUR
from khiva_arena.rng import Stream

# One choice in so many of the others' is drawn by lot: nobody is as predictable as our model of them.
ODD = 8
# What things are worth beyond the points they have made, in points; fitted to the final margins of games between greedy
# bots. NEAR: a point of load, by its distance from the outpost. HAND: a point that a card in hand could bring now.
# CARPETS: a point of a carpet that is not delivered yet.
NEAR = (0.0, 0.18, 0.18, 0.14, 0.12, 0.02, 0.0, 0.0, 0.0, 0.0)
GEMS, CARPETS, HAND = 0.3, 0.3, 0.3
VICTORY = 10.0
# The best of the others counts this much more than their average alone.
LEADER = 0.5
# NEARNESS[seat][place]: what a point of load there is worth to that seat.
NEARNESS = [[NEAR[distance(seat, place)] for place in range(30)] for seat in range(5)]


def _share(seats: int, seat: int, owner: int, place: int) -> float:
    """What a point of what a camel brings ``owner`` promises ``seat`` while the camel stands there, by the greedy reckoning."""
    near = evaluate.NEARNESS[owner][place]
    return near if owner == seat else -near / (seats - 1)


# SHARE[seats][seat][owner][place]; LOAD[seats][seat][place]: of a point that it brings everybody alike.
SHARE = {n: [[[_share(n, seat, owner, at) for at in range(30)] for owner in range(n)] for seat in range(n)] for n in range(2, 6)}
LOAD = {n: [[fsum(column) for column in zip(*rows, strict=True)] for rows in shares] for n, shares in SHARE.items()}
# What a shop brings at once, by its number; of the fourth, salt apart.
SHOPS = (0.0, GEM, CARPET, 2 * GEM, 0.0, 0.0)


def choose(decide: dict, match: dict, worlds: int, promising: int) -> int:
    """``worlds``: how many are imagined. ``promising``: how many choices of a turn are looked at in each."""
    view, rules = decide["view"], match["rules"]
    me = view["seat"]
    candidates = _promising(decide, rules, promising)
    stream = Stream(Lottery("search", match["seed"], view).secret, "worlds")
    others = Others(view, rules) if decide["kind"] == "play_pass" else None
    totals = dict.fromkeys(candidates, 0.0)
    for _ in range(worlds):
        world = GAME.determinise(view, rules, stream)
        choices = {
            seat: others.choose(seat, world.hands[seat], asked.legal, stream)
            for seat, asked in world.pending().items()
            if seat != me
        }
        for choice in candidates:
            after = world.clone()
            choices[me] = choice
            after.apply(choices)
            while after.offer is not None:
                after.apply({after.offer.seat: answer(after, rules)})
            totals[choice] += worth(after, me)
    # Rounded, so that the last bit of a sum never decides.
    return max(candidates, key=lambda choice: round(totals[choice], 6))


def _promising(decide: dict, rules: dict, most: int) -> list[int]:
    """The choices worth a closer look, best first by the greedy bot's reckoning."""
    legal = decide["legal"]
    if decide["kind"] != "play_pass":
        return list(range(len(legal)))
    totals = policy.totals(decide["view"], rules, legal)
    return sorted(range(len(legal)), key=lambda choice: -totals[choice])[:most]


class Others:
    """How the others choose, by the greedy bot's reckoning. What a card promises each of them is reckoned once for all worlds:
    from the table as it lies and the cards that nobody has seen, whoever holds them."""

    def __init__(self, view: dict, rules: dict) -> None:
        seats = range(view["seats"])
        board = policy.read(view, rules)
        seen = {*policy.codes(view["discard"]), *policy.codes(view["shown"])}
        hidden = [code for code in CODE if code not in seen]
        plays = 2 if len(seats) == 2 else 1
        # By seat: what each card is worth, and how likely that seat leaves it aside if nobody knows where it lies.
        cards = [{card: board.card(seat, card) for card in hidden} for seat in seats]
        spared = [_spared(cards[seat], view["hands"][seat], plays) for seat in seats]
        # By seat and card: what it adds to play it, to play it beside a lower one of its camel, and what passing it costs.
        self.play = [[0.0] * 25 for _ in seats]
        self.beaten = [[0.0] * 25 for _ in seats]
        self.give = [[0.0] * 25 for _ in seats]
        for seat in seats:
            others, left = [spared[other] for other in seats if other != seat], cards[(seat + 1) % len(seats)]
            for card, worth in cards[seat].items():
                win = 1.0
                for lower in range(card - card % 10 + 1, card):
                    for spares in others:
                        win *= spares.get(lower, 1.0)
                promised, index = win * worth + (1.0 - win) * REJECTED, CARD_OF[card]
                self.play[seat][index] = (1.0 - KEEP) * promised
                self.beaten[seat][index] = REJECTED - KEEP * promised
                self.give[seat][index] = KEEP * promised + GIVE * left[card]

    def choose(self, seat: int, hand: list[int], legal: Sequence[list[int]], stream: Stream) -> int:
        """Which entry of play_pass this seat would choose with such a hand, near enough."""
        if stream.below(ODD) == 0:
            return stream.below(len(legal))
        worth = self.worth(seat, hand, legal)
        return worth.index(max(worth))

    def worth(self, seat: int, hand: list[int], legal: Sequence[list[int]]) -> list[float]:
        """What each entry of play_pass is worth to this seat with such a hand."""
        play = [self.play[seat][card] for card in hand]
        give = [self.give[seat][card] for card in hand]
        if len(legal[0]) == 2:
            return [play[i] - give[j] for i, j in legal]
        # Of two cards on one camel the first is rejected: a hand has its high cards first.
        beaten = self.beaten[seat]
        both = [
            [play[j] + (beaten[a] if COLOUR[a] == COLOUR[b] else play[i]) for j, b in enumerate(hand)] for i, a in enumerate(hand)
        ]
        return [both[i][j] - give[k] - give[m] for i, j, k, m in legal]


def _spared(worth: dict[int, float], size: int, plays: int) -> dict[int, float]:
    """How likely a seat with so many cards leaves each one to the others, by what they are worth to it."""
    weights = {card: policy.appeal(points) for card, points in worth.items()}
    usual = 0.0
    for weight in weights.values():
        usual += weight / len(weights)
    holds = min(1.0, size / len(weights))
    return {card: 1.0 - holds * min(1.0, plays * w / (w + (size - 1) * usual)) for card, w in weights.items()}


def answer(world, rules: dict) -> int:
    """The greedy answer to the question open in the middle of a turn."""
    offer = world.offer
    if offer.kind == "boost":
        salt = world.salt_pile[-1] if world.salt_pile else 0
        board = Board(rules, world.camels, world.loads, world.gems, world.carpets, salt)
        return policy.boost(board, offer.seat, world.camel, offer.lands)
    return policy.other(world.pending()[offer.seat].legal)


def worth(world, me: int) -> float:
    """How far we are ahead of the others, in points made and to be expected."""
    points = [float(score) for score in world.scores]
    if world.is_over:
        points[me] += VICTORY * (world.ranks[me] == 1)
    else:
        table = Table(world)
        for seat, near in enumerate(NEARNESS[: world.seats]):
            cargo = table.cargo[seat]
            points[seat] += GEMS * world.gems[seat] + CARPETS * sum([code % 10 for code in world.carpets[seat]])
            for camel, place in enumerate(world.camels):
                points[seat] += near[place] * cargo[camel]
            for card in world.hands[seat]:
                points[seat] += HAND * table.promise(seat, card)
    mine = points.pop(me)
    total = 0.0
    for others in points:
        total += others
    return mine - LEADER * max(points) - (1.0 - LEADER) * total / len(points)


class Table:
    """What ``evaluate.Board`` reckons, of an imagined world, without its last bits and in less time."""

    def __init__(self, world) -> None:
        self.world = world
        self.share, self.load = SHARE[world.seats], LOAD[world.seats]
        self.carpets: list[list[tuple[int, int]]] = [[] for _ in CAMELS]
        self.cargo = [world.loads[:] for _ in world.gems]
        for seat, held in enumerate(world.carpets):
            for code in held:
                self.carpets[code // 10].append((seat, code % 10))
                self.cargo[seat][code // 10] += code % 10
        self.salt = max(CARPET, world.salt_pile[-1] - SALT_PRICE * GEM) if world.salt_pile else CARPET

    def promise(self, seat: int, card: int) -> float:
        """What it is worth to win a bid with this card, moved on as well as the gems allow. Never less than 0."""
        world, camel, share = self.world, COLOUR[card], self.load[seat]
        load, carpets = world.loads[camel], self.carpets[camel]
        best = 0.0
        here = world.camels[camel]
        now = load * share[here]
        if carpets:
            now += self._look(seat, carpets, here)
        for boost, place in enumerate(reach(world, seat, card)):
            shop = place % 6
            gain = SHOPS[shop] - GEM * boost - now
            if shop == OUTPOST:
                gain += self.cargo[seat][camel]
            else:
                gain += load * share[place]
                if carpets:
                    gain += self._look(seat, carpets, place)
                if shop == 4:
                    gain += self.salt if world.gems[seat] - boost >= SALT_PRICE else CARPET
            if gain > best:
                best = gain
        return best

    def _look(self, seat: int, carpets: Sequence[tuple[int, int]], place: int) -> float:
        """What the carpets of a camel's colour add to what it promises the seat there."""
        total = 0.0
        for owner, value in carpets:
            total += value * self.share[seat][owner][place]
        return total
