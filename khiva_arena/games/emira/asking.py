"""Emira's questions to a person, called as ``games/asked.py`` says."""

from collections.abc import Sequence
from typing import Any

from khiva_arena.games.asked import Names, PersonsQuestion, View
from khiva_arena.games.emira.auction import prices
from khiva_arena.games.emira.notation import choice
from khiva_arena.games.emira.tables import (
    APPEARANCE_PRICE,
    CARAVANS,
    EVENT_PRICE,
    NAMES,
    ZAINAB,
    ZAINAB_PRICE,
)
from khiva_arena.words import spaced

AIM = (
    (
        "Each round an Emira comes and joins the sheik who is best in what she looks at: "
        "appearance, status, palace or gold."
    ),
    "Gold comes from caravans. Sheiks bid for the right to act first, and each buys one thing: "
    "caravans, camels, appearance, status or rooms.",
    (
        "Who has enough princesses with the talents of a secret goal wins. Points: 2 for each "
        "princess, 3 for the goal's talents."
    ),
)
LEGEND = (
    (
        "Emiras in play",
        "the princesses who choose a sheik this round, with what each looks at first and second",
    ),
    (
        "talents",
        (
            "intelligence, household, cooking, romance: a goal names those that your "
            "princesses must have"
        ),
    ),
    ("caravans", "income each round, as many times as the number on them"),
    ("camels", "each takes 50 off the bid that you pay"),
    ("appearance", "1 for each counter, and 1 more for each set of beauty, manners and dress"),
    ("status", "the points of your status cards"),
    ("palace", "its sections; each gives room for one more princess, beyond two"),
    ("goal", "secret: who has princesses with these talents, and enough of them, wins"),
)
EFFECTS = {
    "bazaar": "you choose this round's appearance counter from the bag",
    "better_breed": "your camels take more off your bids, to the end",
    "camel_breeding": "every sheik gets a camel for each two",
    "camel_epidemic": "every sheik loses a camel for each three",
    "changing_her_mind": (
        "see the next Emira; leave her, swap what she wants, or put her under the deck"
    ),
    "court_influence": "see the next three Emiras and put them in an order",
    "double_trouble": "two Emiras come this round",
    "golden_times": "all income is a fifth more this round",
    "good_looking": "a counter +1 for each three of one kind of yours",
    "guest_house": "room for one more princess, to the end",
    "interrupt_spice_trade": "base income alone this round, caravans stay",
    "new_orders": "see the top three status cards and put them in an order",
    "new_spice_caravan": "one of your caravans brings one income more",
    "noble_merchandise": "you choose this round's status card from the deck",
    "quiet_days": "no Emira comes this round",
    "restoration": "your palace track goes up by a half",
    "sick_camels": "camels take nothing off bids this round",
    "vermin": (
        "a caravan of each owner loses an income, two slow ones of who has two; you name the type"
    ),
}
_TITLES = {
    "first_event": (
        "Which of these event cards do you keep?",
        "The others go back into the deck. All choose at once.",
        ("E17",),
    ),
    "play": (
        "Do you play an event card?",
        "It works for all or for you, as it says. You keep the others.",
        ("E19",),
    ),
    "place": (
        "Which of the coming Emiras do you look at?",
        "Changing Her Mind works on the one that you name.",
        ("E39", "E34"),
    ),
    "split": (
        "In which round does the card work?",
        "The round that you name gets it, unseen.",
        ("E39", "E35"),
    ),
    "good_looking": (
        "For which kind do you take counters +1?",
        "One for each three counters of that kind.",
        ("E37",),
    ),
    "caravan": (
        "Which of your caravans goes back one place?",
        "It brings one income more.",
        ("E36",),
    ),
    "vermin": (
        "Which type of caravan does the vermin hit?",
        "One of each owner loses an income, a second if slow.",
        ("E36",),
    ),
    "vermin_move": (
        "Which of your caravans loses an income?",
        "One that leaves its track is gone.",
        ("E36",),
    ),
    "noble": ("Which status card comes on the board?", "It can be bought this round.", ("E35",)),
    "bazaar": ("Which counter comes on the board?", "It can be bought this round.", ("E35",)),
    "action": (
        "It is your turn to act: what do you buy?",
        "You pay its price on top of the bid.",
        ("E21", "E2", "E5"),
    ),
    "take_appearance": (
        "Which counter do you take?",
        f"You pay {APPEARANCE_PRICE} gold for it.",
        ("E35",),
    ),
    "take_status": ("Which status card do you take?", "You pay what is printed.", ("E35",)),
    "buy": ("Do you pay to look at event cards?", "You keep one of those that you see.", ("E24",)),
    "keep": ("Which of these event cards do you keep?", "The others go under the deck.", ("E24",)),
    "drop_appearance": (
        "Samira joins you: which counter do you give up?",
        "It goes back to the bag.",
        ("E26",),
    ),
    "drop_status": (
        "Zahrah joins you: which status card do you give up?",
        "You lose its points.",
        ("E26",),
    ),
    "abduct": ("Sidi Suleiman takes a princess of yours: which?", "Both leave the game.", ("E29",)),
}
_NOTHING = {
    "play": "none: play no card now",
    "action": "none: buy nothing",
    "buy": "none: keep your gold",
}
_MIND = {
    "keep": "keep: change nothing",
    "swap": "swap: what she wants first and second",
    "bottom": "bottom: under the deck",
}


def question(kind: str, view: View, names: Names) -> PersonsQuestion:
    """Return the open decision in words for the person who is asked."""
    if kind in _TITLES:
        return PersonsQuestion(*_TITLES[kind])
    ask, seat = view["ask"], view["seat"]
    if kind == "bid":
        auction = view["auction"]
        bidder = (
            "nobody has bid"
            if auction["bidder"] is None
            else f"{names[auction['bidder']]} bid {auction['bid']}"
        )
        gold = view["gold"][seat]
        about = (
            f"So far {bidder}; you have {gold} gold, and your camels take "
            f"{view['off_bid'][seat]} off what you pay. Who is "
            "left in pays and acts at once. To pass is for this auction alone."
        )
        return PersonsQuestion(
            "What do you bid for the right to act next?", about, ("E3", "E4", "E5", "E5b")
        )
    if kind == "mind":
        return PersonsQuestion(
            f"What happens to {ask['cards'][0]}?",
            "The others see which place, not who it is.",
            ("E34",),
        )
    if kind == "order":
        return PersonsQuestion(
            "In which order do these cards lie?",
            "The first one comes next. Nobody else sees them.",
            ("E34",),
        )
    if kind == "gift":
        return PersonsQuestion(
            "Do you give Xenia her gift?", "Refused, she leaves you.", ("E10", "E30")
        )
    return PersonsQuestion(f"Your turn: {spaced(kind)}")


def answer(kind: str, entry: Sequence[Any], view: View, names: Names) -> str:
    """Return an entry of ``legal`` in words, with its effect."""
    first = entry[0]
    if first in ("none", 0) and kind in _NOTHING:
        return _NOTHING[kind]
    if kind in ("first_event", "play", "keep") and first in EFFECTS:
        return f"{spaced(first)}: {EFFECTS[first]}"
    if kind == "bid" and first in ("pass", "grant"):
        return (
            "pass: leave this auction"
            if first == "pass"
            else "grant: 150 gold in place of an action"
        )
    if kind == "mind":
        return _MIND[first]
    if kind == "buy":
        return f"look at {first} cards for {_price(first, view)} gold"
    if kind == "action":
        return _action(first, view)
    if kind == "gift":
        return (
            f"pay: {view['ask']['about']} gold, and she stays"
            if first == "pay"
            else "refuse: she moves on"
        )
    if kind == "split":
        return f"{first}: {'this round' if first == 'odd' else 'the next round'}"
    if kind in ("noble", "take_status", "drop_status"):
        return f"the status card {first}"
    if kind in ("bazaar", "take_appearance", "drop_appearance", "good_looking"):
        return f"{spaced(first)}" if kind == "good_looking" else f"a counter for {spaced(first)}"
    return choice(kind, entry, view)


def _price(looks: int, view: View) -> int:
    prices = ZAINAB_PRICE if NAMES[ZAINAB] in view["princesses"][view["seat"]] else EVENT_PRICE
    return prices[looks]


def _action(action: str, view: View) -> str:
    board = view["board"]
    *caravans, section, camel = prices(
        [NAMES.index(name) for name in view["princesses"][view["seat"]]]
    )
    incomes = {
        "small_slow": "8 incomes of 150",
        "small_fast": "4 of 300",
        "large_slow": "8 of 250",
        "large_fast": "4 of 500",
    }
    if action in incomes:
        return (
            f"{spaced(action)} caravan for {caravans[CARAVANS.index(action)]} gold: "
            f"{incomes[action]}"
        )
    return {
        "appearance": (
            f"appearance: the counter on the board ({' or '.join(board['appearance'])}) for "
            f"{APPEARANCE_PRICE} gold"
        ),
        "status": (
            f"status: the card on the board for {' or '.join(map(str, board['status']))} gold"
        ),
        "palace": f"palace: a section for {section} gold, with room for one more princess",
        "camel": f"camel for {camel} gold: {view['discount'][view['seat']]} off each later bid",
        "grant": "grant: 150 gold, and no purchase",
    }.get(action, spaced(action))
