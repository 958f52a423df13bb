"""A best response to the quick searching bot: it imagines worlds, guesses what ``search`` would choose in each of them, tries all
its own choices against that, and takes the one after which it is likeliest to finish ahead.

The number of worlds is fixed, so equal seeds, views and legal lists give equal choices on any machine.
"""

from collections.abc import Mapping, Sequence

import policy
from khiva_kit import Lottery
from outlook import Outlook
from search import Others, answer, worth

from khiva_arena.games.khiva import GAME
from khiva_arena.games.khiva.tables import KEPT, PICK
from khiva_arena.rng import Stream

# By seats: more of them take longer to think of.
WORLDS = {2: 32, 3: 32, 4: 24, 5: 20}
PROMISING = 30
# How many of its choices each of the others is taken to try.
OTHERS_TRY = 3


def choose(decide: dict, match: dict) -> int:
    view, rules, legal = decide["view"], match["rules"], decide["legal"]
    me, stream = view["seat"], Stream(Lottery("search-deep", match["seed"], view).secret, "worlds")
    totals = [0.0] * len(legal)
    if decide["kind"] == "play_pass":
        turns = _by_play(legal, _promising(view, rules, legal))
        others = Others(view, rules)
        for _ in range(WORLDS[view["seats"]]):
            world = GAME.determinise(view, rules, stream)
            _try_turns(world, me, _guess(world, me, others, rules, stream), turns, rules, totals)
    else:
        for _ in range(WORLDS[view["seats"]]):
            _try_answers(GAME.determinise(view, rules, stream), me, rules, totals)
    # Rounded, so that the last bit of a sum never decides.
    return max(range(len(legal)), key=lambda choice: round(totals[choice], 6))


def _promising(view: dict, rules: dict, legal: Sequence) -> Sequence[int]:
    """The choices worth a closer look: all of them, except of two players, who may have hundreds."""
    if len(legal) <= PROMISING:
        return range(len(legal))
    points = policy.totals(view, rules, legal)
    return sorted(range(len(legal)), key=lambda choice: -points[choice])[:PROMISING]


def _by_play(legal: Sequence, choices: Sequence[int]) -> list[list[int]]:
    """The choices that play the same cards together: whatever they pass, the turn comes out the same."""
    turns: dict[tuple[int, ...], list[int]] = {}
    for choice in choices:
        entry = legal[choice]
        turns.setdefault(tuple(entry[: len(entry) // 2]), []).append(choice)
    return list(turns.values())


def _try_turns(world, me: int, guessed: dict[int, int], turns: Sequence[Sequence[int]], rules: dict, totals: list[float]) -> None:
    """Adds what each of our choices comes to in a world, if the others choose as guessed."""
    left = (me + 1) % world.seats
    for turn in turns:
        outlook = Outlook(_finish(world, {**guessed, me: turn[0]}, rules))
        outlooks: list[float] = []
        for choice in turn:
            if outlook.over:
                totals[choice] += outlook.result(me)
                continue
            hands = _passed(world, {**guessed, me: choice})
            if not outlooks:
                outlooks = [outlook.seat(seat, hands) for seat in range(world.seats)]
            else:  # Another card passed changes nothing for the rest.
                outlooks[me], outlooks[left] = outlook.seat(me, hands), outlook.seat(left, hands)
            totals[choice] += outlook.chance(me, outlooks)


def _try_answers(world, me: int, rules: dict, totals: list[float]) -> None:
    """The same for a question in the middle of a turn."""
    for choice in range(len(totals)):
        outlook = Outlook(_finish(world, {me: choice}, rules))
        if outlook.over:
            totals[choice] += outlook.result(me)
        else:
            totals[choice] += outlook.chance(me, [outlook.seat(seat, world.hands) for seat in range(world.seats)])


def _guess(world, me: int, others: Others, rules: dict, stream: Stream) -> dict[int, int]:
    """What the others would choose in a world: as ``search`` does, each tries its most promising choices in a world that it may
    imagine. One world each is enough, since we imagine many; and it makes them as hard to predict as they are."""
    asked, guessed = world.pending(), {}
    for seat in asked:
        if seat == me:
            continue
        imagined = _shuffled(world, seat, stream)
        choices = {
            other: others.choose(other, imagined.hands[other], question.legal, stream)
            for other, question in asked.items()
            if other != seat
        }
        points = others.worth(seat, world.hands[seat], asked[seat].legal)
        tried = sorted(range(len(points)), key=lambda choice: -points[choice])[:OTHERS_TRY]
        gains = [worth(_finish(imagined, {**choices, seat: choice}, rules), seat) for choice in tried]
        guessed[seat] = tried[gains.index(max(gains))]
    return guessed


def _shuffled(world, seat: int, stream: Stream):
    """A world in which a seat holds the same cards, and all other hidden cards are dealt again."""
    imagined = world.clone()
    hidden = [*world.aside, *(card for other, hand in enumerate(world.hands) if other != seat for card in hand)]
    stream.shuffle(hidden)
    for other, hand in enumerate(imagined.hands):
        if other != seat:
            hand[:] = sorted(hidden.pop() for _ in hand)
    imagined.aside = hidden
    return imagined


def _finish(world, choices: Mapping[int, int], rules: dict):
    """The world at the end of the turn, if from then on everybody answers as the greedy bot would."""
    after = world.clone()
    after.apply(choices)
    while after.offer is not None:
        after.apply({after.offer.seat: answer(after, rules)})
    return after


def _passed(world, choices: Mapping[int, int]) -> list[list[int]]:
    """The hands at the end of the turn, before new cards are dealt: those cannot be foreseen."""
    seats, size, plays = world.seats, len(world.hands[0]), KEPT[world.seats]
    picked = [PICK[seats, size][choices[seat]](world.hands[seat]) for seat in range(seats)]
    return [
        [*(card for card in world.hands[seat] if card not in picked[seat]), *picked[seat - 1][plays:]] for seat in range(seats)
    ]
