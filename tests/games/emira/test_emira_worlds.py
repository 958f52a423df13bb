"""Worlds that a view allows are as likely as they should be, in positions of real
matches.

The oracle counts in how many ways a world can have come about. It takes the world back
to the cards as they were dealt, line by line of the seat's history and in all ways, and
knows nothing of tokens and layouts. All ways are equally likely, so the chance that a
world is drawn, divided by its ways, has to be the same number for all worlds of a view.
"""

from collections import Counter
from itertools import combinations, count, islice, permutations, product
from math import factorial, prod
from random import Random

import pytest
from in_targets import in_long

from khiva_arena.games.emira import GAME, hidden_cards
from khiva_arena.games.emira.reading_views import lines_of
from khiva_arena.games.emira.tables import EMIRA_OF, EVENT_OF, POINTS, RED, SIDI, STATUS_ON_TOP
from khiva_arena.rng import Stream

RULES = GAME.rules({"mode": "advanced", "symbols": "none"})
POSITIONS = 20
DRAWN = 5
EXCHANGED = 8
"""Worlds of each position that are drawn, and those made of them by exchanging two
cards.
"""


def positions(seats, wanted):
    """Yield positions of matches played at random, by sheiks who keep some gold, whose
    view for a seat is as ``wanted``.
    """
    for seed in count():
        random, seat = Random(seed), seed % seats
        state, _ = GAME.new(seats, RULES, random.randbytes(32))
        while not state.is_over and state.round < 14:
            choices = {
                s: random.randrange(len(decision.legal)) for s, decision in state.pending().items()
            }
            kinds = {decision.kind for decision in state.pending().values()}
            if kinds == {"bid"} and random.random() < 0.6:
                choices = dict.fromkeys(choices, 0)
            state.apply(choices)
            if (
                state.phase not in ("setup", "over")
                and random.random() < 0.1
                and wanted(state.view(seat))
            ):
                yield state, seat, state.view(seat)
                break


def lines_with(view, word):
    return [line for line in view["history"] if line[1] == word]


def agree(ways, chances):
    """Chances are proportional to ways."""
    assert sum(ways[:DRAWN]) > 0
    unit = sum(chances[:DRAWN]) / sum(ways[:DRAWN])
    assert chances == pytest.approx([unit * way for way in ways], rel=1e-7, abs=1e-12 * unit)


def chance(layouts, deck, hands=()):
    """Return how likely ``Layouts`` are to hold a world, worked out token by token; a
    hand has no order.
    """
    total = 0.0
    for layout, weight in layouts.weights.items():
        for ordered in product(*(set(permutations(hand)) for hand in hands)):
            ways = [(layout, weight)]
            for seat, hand in enumerate(ordered):
                for i, card in enumerate(hand):
                    named = [
                        (w, layouts.named(before, before.hands[seat][i], card))
                        for before, w in ways
                    ]
                    ways = [
                        (put(after, seat, i, card), w * factor)
                        for w, more in named
                        for after, factor in more
                    ]
            total += sum(
                w * factor for before, w in ways for _, factor in layouts.seen(before, deck)
            )
    return total


def put(layout, seat, i, card):
    hand = layout.hands[seat]
    return layout._replace(
        hands=(*layout.hands[:seat], (*hand[:i], card, *hand[i + 1 :]), *layout.hands[seat + 1 :])
    )


def worlds_of(layouts, real, random, known):
    """The real world, some that are drawn, and such with two cards exchanged that the
    seat does not know, as (deck, hands).

    known: the deck as the view has it, which has cards that the seat looks at just now.
    """
    stream = Stream(random.randbytes(32), "worlds")
    found = [real, *(layouts.pick(stream) for _ in range(DRAWN - 1))]
    for deck, hands in (random.choice(found) for _ in range(EXCHANGED)):
        cards = [*deck, *(card for hand in hands for card in hand)]
        one, other = random.sample(
            [place for place in range(len(cards)) if place >= len(deck) or known[place] is None], 2
        )
        cards[one], cards[other] = cards[other], cards[one]
        rest = iter(cards[len(deck) :])
        found.append((cards[: len(deck)], [sorted(next(rest) for _ in hand) for hand in hands]))
    return found


# --- event cards: a card is [kind, whether it is one of the two that the seat put back]
# ---


def event_ways(view, me, deck, hands):
    """Sum the ways over the places at which the two cards put back can be now; equal
    cards of a hand have no order.
    """
    (deal,) = lines_with(view, "deal")
    kept, *back = [EVENT_OF[name] for name in deal[2:]]
    played = [EVENT_OF[line[3]] for line in lines_with(view, "play")]
    every = [*hands, deck, played]
    slots = [(heap, i) for heap, cards in enumerate(every) for i in range(len(cards))]
    total = 0
    for pair in combinations(slots, 2):
        if sorted(every[heap][i] for heap, i in pair) == sorted(back):
            *held, below, gone = [
                [(card, (heap, i) in pair) for i, card in enumerate(cards)]
                for heap, cards in enumerate(every)
            ]
            total += undo_events(view["history"], me, kept, below, held, gone)
    return total * prod(
        factorial(len(hand)) // prod(map(factorial, Counter(hand).values())) for hand in hands
    )


def undo_events(history, me, kept, deck, hands, gone):
    if not history:
        return all(
            hand == [(kept, False)] if seat == me else not hand[0][1]
            for seat, hand in enumerate(hands)
        )
    *earlier, (_, word, *what) = history
    if word == "play":
        held = [[*hand, gone[-1]] if seat == what[0] else hand for seat, hand in enumerate(hands)]
        return undo_events(earlier, me, kept, deck, held, gone[:-1])
    if word != "buy":
        return undo_events(earlier, me, kept, deck, hands, gone)
    seat, looks, *seen = what
    cut = len(deck) - looks + 1
    rest, under = deck[:cut], deck[cut:]
    if seen and [card for card, _ in under] != [EVENT_OF[name] for name in seen[1:]]:
        return 0
    total = 0
    for i, card in enumerate(hands[seat]):
        held = [hand[:i] + hand[i + 1 :] if s == seat else hand for s, hand in enumerate(hands)]
        if seen and card[0] != EVENT_OF[seen[0]]:
            continue
        for place in range(looks):
            if seen and any(other == card[0] for other, _ in under[:place]):
                continue  # of equal cards a seat keeps the first
            total += undo_events(
                earlier, me, kept, [*under[:place], card, *under[place:], *rest], held, gone
            )
    return total


def few_purchases(view):
    others = [line for line in lines_with(view, "buy") if len(line) == 4]
    return 0 < len(others) < 4 and sum(view["hands"]) < 9


@pytest.mark.soak
@pytest.mark.parametrize("seats", [3, *in_long([4, 5])])
def test_event_cards_are_where_they_are_likely_to_be(seats):
    for number, (state, me, view) in enumerate(islice(positions(seats, few_purchases), POSITIONS)):
        layouts = hidden_cards._event_layouts(lines_of(view), seats, me, True)
        layouts = hidden_cards._shown(layouts, view["event_deck"], EVENT_OF)
        own = [EVENT_OF[name] for name in view["hand"]]
        real = (
            state.events.cards,
            [[] if seat == me else hand for seat, hand in enumerate(state.hands)],
        )
        ways, chances = [], []
        for deck, hands in worlds_of(layouts, real, Random(number), view["event_deck"]):
            ways.append(
                event_ways(
                    view, me, deck, [own if seat == me else hand for seat, hand in enumerate(hands)]
                )
            )
            chances.append(chance(layouts, deck, hands))
        agree(ways, chances)


def test_cards_that_the_seat_put_back_are_no_first_cards_of_others():
    """Of a kind put back once two of the 48 cards that the others were dealt from are
    left: not three of 50.
    """
    state, _ = GAME.new(3, GAME.rules({}), bytes(32))
    state.apply(dict.fromkeys(state.pending(), 0))
    view, draws, stream = state.view(0), 4000, Stream(bytes(32), "worlds")
    (deal,) = lines_with(view, "deal")
    assert len(set(deal[2:])) == 3
    layouts = hidden_cards._event_layouts(lines_of(view), 3, 0, False)
    hands = Counter(layouts.pick(stream).hands[1][0] for _ in range(draws))
    for name in deal[3:]:
        expected = draws * 2 / 48
        assert abs(hands[EVENT_OF[name]] - expected) < 3 * expected**0.5


# --- Emiras: a card is [Emira, whether she lies turned] ---


def emira_ways(view, me, deck):
    face_up = [
        *view["active"],
        *view["coming"],
        *view["undecided"],
        *(name for own in view["princesses"] for name in own),
    ]
    turned = {EMIRA_OF[name]: name in view["swapped"] for name in face_up}
    return undo_emiras(
        view["history"],
        me,
        turned,
        [(card, place in view["emira_turned"]) for place, card in enumerate(deck)],
    )


def undo_emiras(history, me, turned, deck):
    """``turned``: of the Emiras face up whether they are turned; of those who have left
    since nobody remembers it.
    """
    if not history:
        return not any(is_turned for _, is_turned in deck)
    if sum(is_turned for _, is_turned in deck) > sum(
        line[1] == "mind" and line[4] == "swap" for line in history
    ):
        return 0  # each was turned by somebody
    *earlier, (_, word, *what) = history
    before = [deck]
    if word == "emiras":
        drawn = [EMIRA_OF[name] for name in what]
        turned = {**turned}
        how = product(*([turned.pop(card)] if card in turned else [False, True] for card in drawn))
        before = [[*zip(drawn, flags, strict=True), *deck] for flags in how]
    elif word == "under":
        cut = len(deck) - len(what) + 1
        before = (
            [deck[:cut]]
            if sorted(deck[cut:]) == sorted((EMIRA_OF[name], False) for name in what[1:])
            else []
        )
    elif word == "mind":
        _, place, choice, *seen = what
        if choice == "bottom":
            *rest, (card, is_turned) = deck
            before = (
                []
                if is_turned
                else [[*rest[:place], (card, flag), *rest[place:]] for flag in (False, True)]
            )
        elif choice == "swap":
            card, is_turned = deck[place]
            before = (
                [] if card == SIDI else [[*deck[:place], (card, not is_turned), *deck[place + 1 :]]]
            )
        before = [cards for cards in before if not seen or cards[place][0] == EMIRA_OF[seen[0]]]
    elif word == "order" and what[1] == "emiras":
        top = deck[: what[2]]
        fits = not what[3:] or [card for card, _ in top] == [EMIRA_OF[name] for name in what[3:]]
        before = [[*order, *deck[what[2] :]] for order in permutations(top)] if fits else []
    return sum(undo_emiras(earlier, me, turned, cards) for cards in before)


def touched_emiras(view):
    orders = [line for line in lines_with(view, "order") if line[3] == "emiras"]
    riots = [line for line in lines_with(view, "under") if len(line) > 4]
    minds = lines_with(view, "mind")
    return bool(orders) + bool(riots) + bool(minds) > 1 and len(orders) + len(minds) < 5


def turned_and_laid(view):
    """A card lies turned in the deck, of which another seat has laid the top anew."""
    return (
        view["emira_turned"]
        and touched_emiras(view)
        and any(len(line) == 5 for line in lines_with(view, "order"))
    )


@pytest.mark.soak
@pytest.mark.parametrize(
    ("seats", "wanted", "many"),
    [
        *((3, touched_emiras, POSITIONS), (4, turned_and_laid, 5)),  # the latter is rare
        *in_long(
            [
                (4, touched_emiras, POSITIONS),
                (5, touched_emiras, POSITIONS),
                (5, turned_and_laid, 5),
            ]
        ),
    ],
)
def test_emiras_are_where_they_are_likely_to_be(seats, wanted, many):
    for number, (state, me, view) in enumerate(islice(positions(seats, wanted), many)):
        layouts = hidden_cards._emira_layouts(lines_of(view), seats, me)
        layouts = hidden_cards._shown(layouts, view["emira_deck"], EMIRA_OF, view["emira_turned"])
        worlds = [
            deck
            for deck, _ in worlds_of(
                layouts, (state.emiras.cards, []), Random(number), view["emira_deck"]
            )
        ]
        agree(
            [emira_ways(view, me, deck) for deck in worlds],
            [chance(layouts, deck) for deck in worlds],
        )


# --- status cards ---


def undo_status(history, seats, deck):
    if not history:
        return all(POINTS[card] < 3 for card in deck[: STATUS_ON_TOP[seats]])
    *earlier, (_, word, *what) = history
    before = [deck]
    if word == "status":
        before = [[what[0], *deck]]
    elif word == "noble":
        return 1  # shuffled: of what was before nothing is left
    elif word in ("unsold", "under_status"):
        before = [deck[:-1]] if deck[-1] == what[0] else []
    elif word == "order" and what[1] == "status":
        top = deck[: what[2]]
        fits = not what[3:] or top == what[3:]
        before = [[*order, *deck[what[2] :]] for order in permutations(top)] if fits else []
    return sum(undo_status(earlier, seats, cards) for cards in before)


def touched_status(view):
    return 0 < sum(
        line[3] == "status" for line in lines_with(view, "order")
    ) < 5 and not lines_with(view, "noble")


@pytest.mark.slow
@pytest.mark.parametrize("seats", [3, 4, 5])
@pytest.mark.parametrize(
    "wanted", [touched_status, lambda view: lines_with(view, "noble")], ids=["order", "noble"]
)
def test_status_cards_are_where_they_are_likely_to_be(seats, wanted):
    for number, (state, me, view) in enumerate(islice(positions(seats, wanted), POSITIONS)):
        layouts = hidden_cards._status_layouts(lines_of(view), seats, me, RED in state.colours)
        layouts = hidden_cards._shown(layouts, view["status_deck"], None)
        worlds = [
            deck
            for deck, _ in worlds_of(
                layouts, (state.status.cards, []), Random(number), view["status_deck"]
            )
        ]
        agree(
            [undo_status(view["history"], seats, deck) for deck in worlds],
            [chance(layouts, deck) for deck in worlds],
        )


@pytest.mark.slow
@pytest.mark.parametrize(
    "given",
    [{"symbols": "none"}, {"symbols": "none", "mode": "advanced"}],
    ids=["basic", "advanced"],
)
def test_a_world_goes_on_with_the_tasks_of_the_match(given):
    """In matches of sheiks who bid little, and who buy small fast caravans and the
    vermin that hits them: E36 has most tasks.
    """
    rules, stream, kinds = (
        GAME.rules({**given, "base_income": [2000, 2000]}),
        Stream(bytes(32), "tasks"),
        Counter(),
    )
    for seed in range(9):
        random = Random(seed)
        state, _ = GAME.new(3 + seed % 3, rules, random.randbytes(32))
        while not state.is_over:
            choices = {}
            for seat, decision in state.pending().items():
                if random.random() < {
                    "bid": 0.005,
                    "action": 0.05,
                    "buy": 0.1,
                    "play": 0.05,
                    "keep": 0.2,
                }.get(decision.kind, 1):
                    world = GAME.determinise(state.view(seat), rules, stream)
                    assert world.todo == state.todo, f"{seed=} {state.round=} {decision.kind}"
                    kinds[decision.kind] += 1
                wanted = [
                    at
                    for at, entry in enumerate(decision.legal)
                    if {"small_fast", "vermin"} & set(entry)
                ]
                bids_little = decision.kind == "bid" and random.random() < 0.7
                choices[seat] = (
                    0 if bids_little else random.choice(wanted or range(len(decision.legal)))
                )
            state.apply(choices)
    assert kinds["vermin_move"] > 3, kinds
    assert len(kinds) > 12, kinds
