"""The order of each list of cards that a bot of Khiva is sent, as the game's page gives
it.
"""

from collections import Counter
from random import Random

from khiva_arena.games.khiva import GAME


def as_in_a_hand(cards):
    return sorted(cards, key=lambda card: (-card[1], card[0]))


def test_lists_of_cards_are_in_the_order_that_the_page_says():
    """Two cards of one seat at one camel, which two players alone can have, are lists
    whose order a guess gets wrong.
    """
    seen = Counter()
    for number in range(30):
        state, events = GAME.new(2, GAME.rules({}), number.to_bytes(32, "big"))
        random = Random(number)
        while not state.is_over:
            for at, event in enumerate(events):
                seen += Counter(
                    check_event(event.data, [one.data for one in events[at + 1 : at + 3]])
                )
            for seat in range(2):
                seen += Counter(check_view(state.view(seat)))
            events = state.apply(
                {seat: random.randrange(len(one.legal)) for seat, one in state.pending().items()}
            )
    assert (
        min(
            seen[key]
            for key in ("reveal", "pass", "pair rejected", "two of a colour", "discard", "passed")
        )
        >= 5
    ), seen


def check_event(event, behind):
    if event["type"] == "reveal":
        assert all(cards == as_in_a_hand(cards) for cards in event["cards"])
        yield "reveal"
    elif event["type"] == "pass":
        assert event["cards"] == as_in_a_hand(event["cards"])
        yield "pass"
    elif event["type"] == "win":
        losers = event["rejected"]
        assert losers == sorted(losers, key=lambda one: (one[0], -one[1][1]))
        paid = [{"type": "gems", "seat": seat, "count": 1, "why": "rejected"} for seat, _ in losers]
        assert behind[: len(paid)] == paid[:2]
        if [seat for seat, _ in losers] in ([0, 0], [1, 1]):
            yield "pair rejected"


def check_view(view):
    for cards in view["table"]:
        assert cards == sorted(cards, key=lambda card: (card[0], -card[1]))
        if len(cards) == 2 and cards[0][0] == cards[1][0]:
            yield "two of a colour"
    played = [list(divmod(code, 10)) for code in view["history"]["played"]]
    by_camel = [
        card
        for at in range(0, len(played), 4)
        for card in sorted(played[at : at + 4])
        if card in view["discard"]
    ]
    assert view["discard"] == by_camel[len(by_camel) - len(view["discard"]) :]
    yield "discard" if view["discard"] else "none"
    passed = [(turn, -value, colour) for turn, (colour, value), _ in view["passed"]]
    assert passed == sorted(passed)
    yield "passed" if passed else "none"
    for codes in view["history"].values():
        cards = [list(divmod(code, 10)) for code in codes]
        assert all(
            cards[at : at + 2] == as_in_a_hand(cards[at : at + 2]) for at in range(0, len(cards), 2)
        )
