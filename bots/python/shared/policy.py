"""How the greedy bot chooses: for each card, how likely it wins its camel and what that would bring. The view is all it uses.

The greedy bots of the other languages choose alike, to the last bit: so each sum is added up in the order written here, and
nothing but + - * / is used, which every machine does the same.
"""

from collections.abc import Sequence
from math import floor

from evaluate import GEM, Board

# Points of difference at which another seat is e times as likely to play the better of two cards.
TEMPER = 2.0
# What is kept for later turns, and what the left neighbour may do with what is passed to it.
KEEP, GIVE = 0.3, 0.3
REJECTED = GEM  # the compensation for a card that does not win


def choose(decide: dict, match: dict) -> int:
    view, kind, legal = decide["view"], decide["kind"], decide["legal"]
    if kind == "play_pass":
        worth = totals(view, match["rules"], legal)
        return worth.index(max(worth))
    if kind == "boost":
        ask = view["ask"]
        return boost(read(view, match["rules"]), ask["seat"], ask["camel"], [place(path, shop) for path, shop in ask["lands"]])
    return other(legal)


def boost(board: Board, seat: int, camel: int, lands: Sequence[int]) -> int:
    """How many gems to spend: the index into ``lands`` is the number."""
    worth = [board.landing(seat, camel, land, gems) for gems, land in enumerate(lands)]
    return worth.index(max(worth))


def other(legal: Sequence) -> int:
    """Salt when it can be had; else what is usual."""
    return legal.index(["salt"]) if ["salt"] in legal else 0


def place(path: int, shop: int) -> int:
    return 6 * path + shop if shop else 0


def codes(faces: list) -> list[int]:
    return [10 * colour + value for colour, value in faces]


def read(view: dict, rules: dict) -> Board:
    """The board as ``evaluate`` wants it."""
    camels = [place(path, shop) for path, shop, _ in view["camels"]]
    loads = [load for _, _, load in view["camels"]]
    salt = view["salts_left"][0] if view["salts_left"] else 0
    return Board(rules, camels, loads, view["gems"], [codes(held) for held in view["carpets"]], salt)


def totals(view: dict, rules: dict, legal: Sequence) -> list[int]:
    """What each entry of play_pass promises, in millionths of a point, so that the last bit of a sum never decides."""
    board, me = read(view, rules), view["seat"]
    hand = codes(view["hand"])
    left = (me + 1) % view["seats"]
    risk = rivals(view, board)
    worth = {}
    for card in hand:
        win = 1.0
        for value in range(1, card % 10):
            win *= 1.0 - risk.get(card - card % 10 + value, 0.0)
        worth[card] = win * board.card(me, card) + (1.0 - win) * REJECTED
    given = {card: board.card(left, card) for card in hand}
    half = len(legal[0]) // 2
    all_kept = 0.0
    for card in hand:
        all_kept += KEEP * worth[card]
    # By position in the hand: what it adds to play that card, to play it beside a lower one of its camel, and to pass it.
    play = [worth[card] - KEEP * worth[card] for card in hand]
    beaten = [REJECTED - KEEP * worth[card] for card in hand]
    give = [KEEP * worth[card] + GIVE * given[card] for card in hand]

    if half == 1:
        return [floor((all_kept + play[i] - give[j]) * 1e6 + 0.5) for i, j in legal]
    both = [[all_kept + one + other for other in play] for one in play]
    for j, other in enumerate(hand):
        for i, one in enumerate(hand[:j]):
            if one // 10 == other // 10:  # two cards of a seat on one camel: the higher one is rejected, whatever the others do
                both[i][j] = all_kept + beaten[i] + play[j] if one > other else all_kept + play[i] + beaten[j]
    return [floor((both[i][j] - give[k] - give[m]) * 1e6 + 0.5) for i, j, k, m in legal]


def appeal(points: float) -> float:
    """e to the power of points / TEMPER, near enough: exp itself differs from machine to machine in its last bit."""
    x = 1.0 + points / TEMPER / 1024.0
    for _ in range(10):
        x *= x
    return x


def rivals(view: dict, board: Board) -> dict[int, float]:
    """For each card not seen: how likely another seat plays it this turn."""
    me, plays = view["seat"], 2 if view["seats"] == 2 else 1
    seen = {*codes(view["hand"]), *codes(view["discard"]), *codes(view["shown"])}
    hidden = [10 * c + v for c in range(5) for v in range(1, 6) if 10 * c + v not in seen]
    known = {10 * c + v: holders for _, (c, v), holders in view["passed"]}
    free = len(hidden) - len(known)
    others = [seat for seat in range(view["seats"]) if seat != me]
    risk = dict.fromkeys(hidden, 0.0)
    for seat in others:
        weights = {card: appeal(board.card(seat, card)) for card in hidden}
        usual = 0.0
        for weight in weights.values():
            usual += weight / len(weights)
        size = view["hands"][seat]
        usually = min(1.0, size / max(1, free))
        for card in hidden:
            holds = usually
            if card in known:
                holds = 1.0 / len(known[card]) if seat in known[card] else 0.0
            picks = plays * weights[card] / (weights[card] + (size - 1) * usual)
            risk[card] = 1.0 - (1.0 - risk[card]) * (1.0 - holds * min(1.0, picks))
    return risk
