"""The data of an Emira position: every piece and its place, the seats' knowledge, the
tasks, the open question.

No rule is here: the files above change a position, ``observation.py`` shows one seat
its part. Cards and kinds are the numbers of ``tables.py``.
"""

from collections import Counter
from typing import Self

from khiva_arena.games.base import NOBODY, Pending
from khiva_arena.games.emira.deck import Deck
from khiva_arena.games.emira.position_parts import Entry, Offer, Task
from khiva_arena.games.emira.tables import (
    BAG,
    BONUS_COUNTERS,
    CARAVANS,
    EVENTS,
    KINDS,
    NAMES,
    SUPPLY,
)
from khiva_arena.games.emira.variants import Ruleset


class Position:
    """The position of a match. Lists are by seat unless their text says otherwise;
    ``clone`` copies all that can change.
    """

    __slots__ = (
        "active",
        "arrivals",
        "asked",
        "auction",
        "bag",
        "bazaar",
        "bid",
        "bidder",
        "bidding",
        "bids",
        "blocked",
        "bonus",
        "bonus_left",
        "breed",
        "camels",
        "caravans",
        "colours",
        "coming",
        "disc",
        "doubles",
        "early",
        "emiras",
        "ending",
        "events",
        "first_passer",
        "fresh",
        "gift_first",
        "gift_round",
        "goals",
        "gold",
        "gold_shown",
        "golden",
        "gone",
        "guests",
        "hands",
        "history",
        "interrupted",
        "last_server",
        "looks",
        "lost",
        "met",
        "noble",
        "offer",
        "open",
        "over",
        "paid",
        "phase",
        "played",
        "princesses",
        "quiet",
        "removed",
        "riots",
        "round",
        "ruleset",
        "seats",
        "secret",
        "sections",
        "served",
        "settled",
        "shown_status",
        "shown_tokens",
        "sick",
        "start",
        "status",
        "status_cards",
        "status_shuffles",
        "supply",
        "todo",
        "tokens",
        "turned",
        "undecided",
        "winners",
        "xenia_left",
    )

    seats: int
    ruleset: Ruleset
    secret: bytes
    """Secret of the match; every later draw comes from its streams."""
    round: int
    """Number of the round, from 1; 0 while the first event cards are chosen."""
    start: int
    """The seat with the start marker."""
    phase: str
    colours: list[int]
    gold: list[int]
    gold_shown: list[tuple[int, int] | None]
    """Round and amount when each seat last had to show its gold (O3 hidden); None
    before.
    """
    goals: list[int]
    hands: list[list[int]]
    """Event cards, rising."""
    caravans: list[list[list[int]]]
    """Incomes left of the caravans, by seat and type, rising."""
    camels: list[int]
    breed: list[int]
    """Better Breed cards played: the place on the camel track."""
    tokens: list[list[int]]
    """Own appearance counters, by seat and kind, without those of Layla and Nadia."""
    bonus: list[int]
    """Counters "+1" held for whole sets (O11 twelve). Else they are derived and this
    stays 0.
    """
    bonus_left: int | None
    """Counters "+1" in the supply (O11 twelve); None when there is no limit."""
    looks: list[list[int]]
    """Counters "+1" on each Good Looking card, by seat."""
    status_cards: list[list[int]]
    """Own status cards, rising, without Singing and Acting."""
    sections: list[int]
    guests: list[int]
    """Guest House cards."""
    disc: list[int]
    """The palace track in halves (advanced)."""
    princesses: list[list[int]]
    """Princesses in the order they joined."""
    met: list[int]
    """Bit mask of Emiras whose once-only effect has struck this seat."""
    arrivals: list[int]
    """Princesses who came where Suleika lives, since the last upkeep."""
    lost: list[int]
    """The round in which Hind keeps the seat from acting; 0 for none."""
    gift_round: int
    """The round in whose upkeep Xenia wants her next gift."""
    gift_first: bool
    """True if this is the first gift of Xenia's present sheik."""
    xenia_left: int
    """The sheik whom Xenia left and to whom she does not go back while she waits, -1
    for nobody.
    """
    emiras: Deck
    status: Deck
    events: Deck
    turned: int
    """Bit mask of Emiras whose preferences are swapped."""
    active: list[int]
    """Emiras in play who have not chosen yet (not by seat)."""
    coming: list[int]
    """Emiras of the even round, face up, with 3 players (not by seat)."""
    undecided: list[int]
    """Emiras who wait, oldest first (not by seat)."""
    fresh: int
    """Bit mask of Emiras who became undecided as they chose this round, and still
    wait.
    """
    gone: list[int]
    """Emiras out of the game (not by seat)."""
    removed: list[int]
    """Status cards out of the game (O9; not by seat)."""
    played: list[int]
    """Event cards played, oldest first (not by seat)."""
    supply: list[int]
    """Small and large caravans, camels, sections (not by seat)."""
    bag: list[int]
    """Counters in the bag, by kind."""
    shown_tokens: list[int]
    """Appearance counters on the board, usually one (not by seat)."""
    shown_status: list[int]
    """Status cards on the board, usually one (not by seat)."""
    open: int
    """Bit mask over ``supply``: the things that can still be bought this round."""
    blocked: int
    """Bit mask of event cards whose symbol has been played this round."""
    golden: int
    """Golden Times played this round."""
    interrupted: bool
    sick: bool
    quiet: bool
    doubles: int
    """Double Trouble played this round."""
    early: bool
    """True if Double Trouble or Quiet Days give the odd round the larger part (3
    players).
    """
    bazaar: int
    """The seat that chooses the appearance counter this round, -1 for nobody."""
    noble: int
    """The seat that chooses the status card this round, -1 for nobody."""
    auction: bool
    """True in the auction phase."""
    served: int
    """Bit mask of seats that have had their action, or have none."""
    bidding: int
    """Bit mask of seats that can still bid in this auction."""
    bid: int
    bidder: int
    """Highest bidder, -1 for nobody."""
    first_passer: int
    """The seat that passed first in this auction, -1 for nobody."""
    bids: list[tuple[int, ...]]
    """The auctions of the match (not by seat), each as round, opener, bit mask of the
    bidding seats, then the answers in order.

    An answer is 0 for a pass and 1 for the grant. -n is n bids, each STEP above the one
    before (the first of an auction STEP). A higher number is a bid that raises by more.
    A run of equal raises is always one number.
    """
    last_server: int
    """The seat to whose left the next auction opens."""
    settled: int
    """Bit mask of seats that have had their upkeep this round."""
    paid: int
    """Bit mask of seats that paid their upkeep in full."""
    riots: int
    """Number of times that princesses left for want of upkeep; it names the streams."""
    status_shuffles: int
    history: list[Entry]
    """Lines about all that has touched a hidden card, and the joins, abductions and
    gifts, oldest first.
    """
    ending: str | None
    winners: int
    """Bit mask of the seats that win."""
    over: bool
    asked: Pending
    offer: Offer | None
    """The open question, None when the first event cards are chosen."""
    todo: list[Task]
    """Tasks left to do, the next one last."""

    def __init__(self, seats: int, ruleset: Ruleset, secret: bytes) -> None:
        """Make an empty table: no deck built, nothing dealt."""
        self.seats = seats
        self.ruleset = ruleset
        self.secret = secret
        self.round = self.start = 0
        self.phase = "setup"
        self.colours, self.gold, self.goals = [0] * seats, [0] * seats, [0] * seats
        self.gold_shown = [None] * seats
        self.hands = [[] for _ in range(seats)]
        self.caravans = [[[] for _ in CARAVANS] for _ in range(seats)]
        self.camels, self.breed = [0] * seats, [0] * seats
        self.tokens = [[0] * len(KINDS) for _ in range(seats)]
        self.bonus, self.looks = [0] * seats, [[] for _ in range(seats)]
        self.bonus_left = BONUS_COUNTERS if ruleset.bonus_capped else None
        self.status_cards = [[] for _ in range(seats)]
        self.sections, self.guests, self.disc = [0] * seats, [0] * seats, [0] * seats
        self.princesses = [[] for _ in range(seats)]
        self.met, self.arrivals, self.lost = [0] * seats, [0] * seats, [0] * seats
        self.gift_round, self.gift_first, self.xenia_left = 0, False, -1
        self.emiras, self.status, self.events = Deck(), Deck(), Deck()
        self.turned = self.fresh = 0
        self.active, self.coming, self.undecided = [], [], []
        self.gone, self.removed, self.played = [], [], []
        self.supply = list(SUPPLY[seats])
        self.bag = [BAG[seats]] * len(KINDS)
        self.shown_tokens, self.shown_status = [], []
        self.open = self.blocked = self.golden = self.doubles = 0
        self.interrupted = self.sick = self.quiet = False
        self.early = True
        self.bazaar = self.noble = -1
        self.auction = False
        self.served = self.bidding = self.bid = 0
        self.bidder = self.first_passer = self.last_server = -1
        self.settled = self.paid = 0
        self.bids = []
        self.riots = self.status_shuffles = 0
        self.history = []
        self.ending = None
        self.winners = 0
        self.over = False
        self.asked = NOBODY
        self.offer = None
        self.todo = []

    def clone(self) -> Self:
        """Return an independent copy."""
        cls = type(self)
        new = cls.__new__(cls)
        for name in _SHARED:
            setattr(new, name, getattr(self, name))
        for name in _FLAT:
            setattr(new, name, getattr(self, name)[:])
        for name in _NESTED:
            setattr(new, name, [inner[:] for inner in getattr(self, name)])
        new.caravans = [[left[:] for left in owned] for owned in self.caravans]
        new.emiras, new.status, new.events = (
            self.emiras.copy(),
            self.status.copy(),
            self.events.copy(),
        )
        return new

    def turned_places(self) -> list[int]:
        """Return the places in the Emira deck of cards that lie turned, for all to see
        (E34).
        """
        return (
            [place for place, card in enumerate(self.emiras.cards) if self.turned >> card & 1]
            if self.turned
            else []
        )

    def components(self) -> dict[str, int]:
        """Return every piece by name, wherever it lies.

        Not counted are gold, which has no limit, and things that only mark a state:
        discs, Xenia's markers, Nadia's and Layla's counters, the cards Singing and
        Acting. Counters "+1" count only if they are limited (O11).
        """
        emiras = [*self.emiras.cards, *self.active, *self.coming, *self.undecided, *self.gone]
        emiras += [card for palace in self.princesses for card in palace]
        events = [*self.events.cards, *self.played, *(card for hand in self.hands for card in hand)]
        status = [
            *self.status.cards,
            *self.shown_status,
            *self.removed,
            *(card for own in self.status_cards for card in own),
        ]
        pieces = Counter(f"emira {NAMES[card]}" for card in emiras)
        pieces.update(f"event {EVENTS[card]}" for card in events)
        pieces.update(f"status {card:04}" for card in status)
        pieces.update(f"goal {goal}" for goal in self.goals)
        for kind, name in enumerate(KINDS):
            owned = sum(own[kind] for own in self.tokens)
            pieces[f"appearance {name}"] = self.bag[kind] + self.shown_tokens.count(kind) + owned
        for size, name in enumerate(("small", "large")):
            owned = sum(
                len(own[kind]) for own in self.caravans for kind in (2 * size, 2 * size + 1)
            )
            pieces[f"caravan {name}"] = self.supply[size] + owned
        pieces["camel"] = self.supply[2] + sum(self.camels)
        pieces["section"] = self.supply[3] + sum(self.sections)
        if self.bonus_left is not None:
            pieces["counter +1"] = self.bonus_left + sum(self.bonus) + sum(map(sum, self.looks))
        return dict(sorted(pieces.items()))


_NESTED = ("hands", "tokens", "looks", "status_cards", "princesses")
_DEEP = ("caravans", "emiras", "status", "events")
_FLAT = (
    *(
        "colours",
        "gold",
        "gold_shown",
        "goals",
        "camels",
        "breed",
        "bonus",
        "sections",
        "guests",
        "disc",
        "met",
        "arrivals",
    ),
    *(
        "lost",
        "active",
        "coming",
        "undecided",
        "gone",
        "removed",
        "played",
        "supply",
        "bag",
        "shown_tokens",
        "shown_status",
    ),
    *("bids", "history", "todo"),
)
_SHARED = tuple(name for name in Position.__slots__ if name not in (*_NESTED, *_DEEP, *_FLAT))
"""Attributes that are never changed in place, so that copies may share them."""
