"""The tables of all Emiras and all event cards for protocol/games/emira.md: names,
wishes, talents and figures are those of the engine's tables; what a card does is said
here, in few words, beside the ruling of RULES.md that says it in full.
"""

from khiva_arena.games.emira import tables as t
from khiva_arena.games.emira.variants import SYMBOLS

CARAVANS = ", ".join(map(str, t.ADARA_PRICE))

POWERS = {
    "Albina": (
        "advanced: when she first joins a sheik, his palace track goes a half down",
        "E13, E26",
    ),
    "Halimah": ("1 status point while she stays", "E31"),
    "Noor": ("her sheik's gold is open (rule `gold` hidden)", "E31, O3"),
    "Rasha": ("1 status point while she stays", "E31"),
    "Zainab": (f"two event cards cost {t.ZAINAB_PRICE[2]}, three {t.ZAINAB_PRICE[3]}", "E24, E31"),
    "Samira": (
        "when she first joins a sheik, an appearance counter of his choice goes back to the bag",
        "E26",
    ),
    "Zahrah": (
        "when she first joins a sheik, a status card of his choice goes under its deck",
        "E26, O9",
    ),
    "Layla": ("a manners counter while she stays", "E31"),
    "Nadia": ("a beauty counter while she stays", "E31"),
    "Firyal": (
        "advanced: when she first joins a sheik, his palace track goes a half down",
        "E13, E26",
    ),
    "Hind": ("when she first joins a sheik, he loses the round that follows", "E27"),
    "Farah": (f"a camel costs {t.FARAH_PRICE}", "E31"),
    "Adara": (f"caravans cost {CARAVANS}", "E31"),
    "Suleika": (
        f"each who joins where she lives adds {t.SULEIKA_SURCHARGE} to the next upkeep",
        "E28",
    ),
    "Janan": (f"her upkeep is {t.UPKEEP[t.JANAN]}", "E8"),
    "Zafirah": ("no upkeep", "E8"),
    "Xenia": (
        (
            f"wants {t.GIFT} in the upkeep after she joins, then every {t.GIFT_EVERY} rounds; "
            "refused, she moves on"
        ),
        "E10, E30",
    ),
    "Badra": (f"a section costs {t.BADRA_PRICE}", "E31"),
    "Sidi Suleiman": (
        "goes where most princesses are, and leaves the game with one of them",
        "E29",
    ),
}
"""The others do nothing besides."""

TRACK = ", ".join(map(str, t.TRACK[1:]))

EFFECTS = {
    "bazaar": ("the player chooses the round's appearance counter out of the bag", "E35, O8"),
    "better_breed": (
        (
            f"each of the player's camels takes {TRACK} off a bid, a step for each such card, "
            "to the end"
        ),
        "E37",
    ),
    "camel_breeding": ("each sheik gets a camel for each two; none if the supply is short", "E12"),
    "camel_epidemic": ("each sheik loses a camel for each three", "E12"),
    "changing_her_mind": (
        "look at the top Emira: leave her, swap her wishes, or put her under the deck",
        "E34, E39",
    ),
    "court_influence": ("look at the top three Emiras and order them", "E34"),
    "double_trouble": ("two Emiras come (three players: three in two rounds)", "E35, E39"),
    "golden_times": ("all income a fifth more", "E36"),
    "good_looking": ('a counter "+1" for each three counters of one kind, to the end', "E37, O12"),
    "guest_house": ("room for one more, to the end", "E37"),
    "interrupt_spice_trade": ("base income alone; caravans stay", "E36"),
    "new_orders": ("look at the top three status cards and order them", "E34"),
    "new_spice_caravan": ("an own caravan goes back one place, for one income more", "E36"),
    "noble_merchandise": (
        "the player chooses the round's status card out of the deck, which is then shuffled",
        "E35, O8",
    ),
    "quiet_days": ("no Emira comes (three players: one in two rounds)", "E35, E39"),
    "restoration": ("advanced: the own palace track a half up, to the end", "E13"),
    "sick_camels": (
        "in this round's auctions camels take nothing off a bid: `off_bid` is 0 for all",
        "E42",
    ),
    "vermin": (
        "of the type of caravan named each owner moves one on, two if it is slow and he has two",
        "E36",
    ),
}


def princesses() -> str:
    """A row for each of the 28."""
    rows = [
        "| Emira | wants first | second | talents | upkeep | besides | rulings |",
        "|---|---|---|---|---|---|---|",
    ]
    for number, card in enumerate(t.EMIRAS):
        wants = (
            ("most princesses", "-")
            if number == t.SIDI
            else (t.PREFERENCES[card.first], t.PREFERENCES[card.second])
        )
        talents = [talent for bit, talent in enumerate(t.TALENTS) if card.talents >> bit & 1]
        upkeep = "-" if number == t.SIDI else str(t.UPKEEP[number])
        row = (
            card.name,
            *wants,
            " or ".join(talents) or "-",
            upkeep,
            *POWERS.get(card.name, ("", "")),
        )
        rows.append("| " + " | ".join(row) + " |")
    return "\n".join(rows)


def event_cards() -> str:
    """A row for each of the 18."""
    symbol = {
        name: " ".join(f"`{other}`" for other in group if other != name) or "itself"
        for group in SYMBOLS["groups"]
        for name in group
    }
    rows = [
        "| event card | not in one round with (O2 groups) | what it does | rulings |",
        "|---|---|---|---|",
    ]
    rows += [
        f"| `{name}` | {symbol.get(name, '')} | {' | '.join(EFFECTS[name])} |" for name in t.EVENTS
    ]
    return "\n".join(rows)


def text() -> str:
    """Both tables with their headings."""
    return (
        f"## All Emiras\n\nAll {len(t.EMIRAS)}, by number. With two talents only one "
        "counts at a time (E11).\n\n"
        f"{princesses()}\n\n"
        f"## All event cards\n\nAll {len(t.EVENTS)}, {t.COPIES} of each; `restoration` in "
        'the advanced game alone. "itself": no '
        f"second card of that name in a round either.\n\n{event_cards()}"
    )
