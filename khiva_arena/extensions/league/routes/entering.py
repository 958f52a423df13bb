"""The terms of a league for authors, and the way into it, which depends on the
clock.
"""

from khiva_arena.bots.sandbox.limits import size_in_words
from khiva_arena.common.result import TICKS_A_MS, Clock, Policy
from khiva_arena.extensions.league.public_state import PublicLeague, PublicTerms
from khiva_arena.extensions.league.routes import rules
from khiva_arena.extensions.league.routes.markup import Markup, facts, joined, link, tag

POLICIES: dict[str, str] = {
    Policy.LENIENT: (
        "lenient: a late or illegal answer plays the default choice, and the third one forfeits"
    ),
    Policy.STRICT: "strict: the first late or illegal answer forfeits",
}
"""The cost of faults, in words."""
BY_THE_WALL = "wall clock: bots pay in milliseconds of the organiser's machine"
IN_TICKS = "ticks: bots pay in instructions, so that every match comes out equal on every machine"
PUBLISHED = (
    "bundles of this league may hold the module of each bot, so that anybody can run it again"
)
WITH_SOURCES = ", and all files of a bot in {}"
UNPUBLISHED = (
    "bundles of this league hold the anchors and no other bot, so others cannot run its "
    "matches again"
)
HAS_NONE = "bundles of this league hold no bots"
ANY_LANGUAGE = "A bot is a program in any language."
BEGIN = "Begin with one that plays random choices, and make it better."


def in_ticks(league: PublicLeague) -> bool:
    """Tell whether a league is played in ticks."""
    return league.terms is not None and league.terms.clock == Clock.TICKS


def rules_link(game: str) -> Markup:
    """Return the name of a game, as a link to its rules if they came with the arena."""
    return link("/rules", f"{game}, its rules") if game in rules.TEXTS else joined(game)


def terms_in_brief(league: PublicLeague) -> Markup:
    """Return a line on the terms of a league, with a link to all of them."""
    if league.terms is None:
        return joined("in the chain")
    clock = "in ticks" if in_ticks(league) else "by the wall clock"
    return joined(f"{clock}, {_languages(league.terms)}: ", link("#terms", "all terms"))


def terms(league: PublicLeague) -> Markup:
    """Return the terms of a league."""
    if (known := league.terms) is None:
        return joined()
    later = (
        f", and {known.next_anchor} from the next season on"
        if known.next_anchor != known.anchor
        else ""
    )
    rows = [
        ("Clock", IN_TICKS if in_ticks(league) else BY_THE_WALL),
        ("Time", _time(known)),
        ("Memory", size_in_words(known.memory)),
        ("Policy", POLICIES.get(known.policy, known.policy)),
        ("Languages", _languages(known)),
        ("Bots", _published(known)),
        ("Elo 0", f"{known.anchor}{later}"),
    ]
    return tag("section", tag("h2", "Terms", id="terms"), facts(rows))


def _time(known: PublicTerms) -> str:
    unit = f"; such a millisecond is {TICKS_A_MS:,} ticks" if known.clock == Clock.TICKS else ""
    return (
        f"{known.turn_ms:,} ms a turn, a bank of {known.bank_ms:,} ms, {known.startup_ms:,} ms "
        f"to start{unit}"
    )


def _languages(known: PublicTerms) -> str:
    if known.clock != Clock.TICKS:
        return "any language"
    return ", ".join(["WebAssembly modules", *known.languages.values()])


def _published(known: PublicTerms) -> str:
    if known.clock != Clock.TICKS:
        return HAS_NONE
    sources = WITH_SOURCES.format(" or ".join(known.languages.values())) if known.languages else ""
    return f"{PUBLISHED}{sources}" if known.publish_bots else UNPUBLISHED


def how_to_submit(league: PublicLeague) -> list[Markup]:
    """Return the way of a bot into a league, with its commands."""
    begun, extra, taken = "python my-bot", "", ANY_LANGUAGE
    if league.terms and in_ticks(league):
        begun, taken = _in_ticks(league.terms)
        extra = "[ticks]" if league.terms.languages else "[modules]"
    lines = (
        f"pip install 'khiva-arena{extra}'" if extra else "pip install khiva-arena",
        f"khiva-arena new {begun}",
        "khiva-arena check my-bot",
        "khiva-arena submit my-bot --to https://THIS-ADDRESS --token-file token",
    )
    way = (
        "The organiser gives you the token; keep it in a file that nobody else can read. "
        "The bot is checked, plays a table that "
        "does not count, and is in from the next batch. Only you see its check, when you are "
    )
    parts = [
        tag("p", f"{taken} {BEGIN}"),
        tag("pre", "\n".join(lines)),
        tag("p", way, link("/author", "signed in"), "."),
    ]
    if league.terms and league.terms.publish_bots:
        published = _published(league.terms)
        asks = (
            tag("code", "submit"),
            " asks whether you agree before it sends the bot; without a terminal, add ",
        )
        parts.append(
            tag(
                "p", f"{published[:1].upper()}{published[1:]}. ", *asks, tag("code", "--agree"), "."
            )
        )
    return [*parts, tag("p", "What it plays: ", rules_link(league.game), ".")]


def _in_ticks(known: PublicTerms) -> tuple[str, str]:
    """Return the words that begin a bot of a league in ticks, and what kind of bot the
    league takes.
    """
    if not known.languages:
        return "c my-bot --module", "A bot is a WebAssembly module."
    written = " or ".join(known.languages.values())
    return (
        f"{next(iter(known.languages))} my-bot",
        f"A bot is a WebAssembly module, or written in {written}. It pays in ticks.",
    )
