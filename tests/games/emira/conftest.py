"""An Emira table for tests: put gold, cards and princesses where a test wants them,
then run a phase and answer by name.

Seats are numbers; Emiras, event cards and kinds of appearance are written by their
names.
"""

from collections.abc import Sequence

import pytest

from khiva_arena.games.base import NOBODY, Event
from khiva_arena.games.emira import GAME, EmiraState, auction, cards, courtship, rules, upkeep
from khiva_arena.games.emira.steps import run
from khiva_arena.games.emira.tables import (
    CARAVANS,
    EMIRA_OF,
    EVENT_OF,
    EVENTS,
    GOALS,
    KINDS,
    NAMES,
    TALENTS,
)

PHASES = {
    "events": rules._events,
    "income": rules._income,
    "prepare": rules._prepare,
    "prepare_even": rules._prepare_even,
    "auction": auction.open_phase,
    "buy": rules._buy,
    "choice": rules._choice,
    "upkeep": rules._upkeep,
    "end": rules._end_round,
    "round": rules._new_round,
}


def goal_of(seats: int, text: str) -> int:
    """The goal card one of whose ways is so written, such as "I M R"."""
    letters = dict(zip("IMCR", range(len(TALENTS)), strict=True))
    want = [0, 0, 0, 0]
    for letter in text.split():
        want[letters[letter]] += 1
    (card,) = (card for card, ways in enumerate(GOALS[seats]) if tuple(want) in ways)
    return card


class Table:
    """A match that a test arranges. ``state`` is the real thing; the seats begin with
    nothing but 750 gold.
    """

    def __init__(self, seats: int = 4, secret: bytes = bytes(32), **given: object) -> None:
        self.state: EmiraState
        self.rules = GAME.rules(given)
        self.state, self.opening = GAME.new(seats, self.rules, secret)
        self.log: list[Event] = list(self.opening)
        self.apply(dict.fromkeys(self.state.pending(), 0))
        state = self.state
        self._stop()
        state.start = 0
        state.colours = [0, 1, 2, 3, 0][:seats]  # no black sheik
        state.gold = [750] * seats
        for camels in state.camels:
            state.supply[2] += camels
        for sections in state.sections:
            state.supply[3] += sections
        state.camels, state.sections = [0] * seats, [0] * seats
        state.tokens = [[0, 0, 0] for _ in range(seats)]
        state.status_cards = [[] for _ in range(seats)]
        state.emiras.cards[:0] = [*state.active, *state.coming]
        state.emiras.seen = [0] * len(state.emiras.cards)
        state.active, state.coming, state.shown_tokens, state.shown_status = [], [], [], []
        for seat in range(seats):
            state.events.put_under(state.hands[seat].pop(), 0)
        self.state.history, self.state.bids, self.log = [], [], []

    def _stop(self) -> None:
        self.state.todo, self.state.offer, self.state.asked = [], None, NOBODY
        self.state.auction = False

    def has(
        self,
        seat: int,
        *princesses: str,
        gold: int | None = None,
        camels: int | None = None,
        sections: int | None = None,
        tokens: tuple[int, int, int] | None = None,
        status: Sequence[int] | None = None,
        hand: str | None = None,
        goal: str | None = None,
        **caravans: list[int],
    ) -> "Table":
        """What a seat has."""
        state = self.state
        for name in princesses:
            state.princesses[seat].append(self._take(name))
        if gold is not None:
            state.gold[seat] = gold
        if camels is not None:
            state.supply[2] -= camels - state.camels[seat]
            state.camels[seat] = camels
        if sections is not None:
            state.supply[3] -= sections - state.sections[seat]
            state.sections[seat] = sections
        if tokens is not None:
            for kind in range(3):
                state.bag[kind] -= tokens[kind] - state.tokens[seat][kind]
            state.tokens[seat] = list(tokens)
        if status is not None:
            state.status_cards[seat] = sorted(status)
        if hand is not None:
            for card in (EVENT_OF[name] for name in hand.split()):
                self._from_event_deck(card)
                state.hands[seat] = sorted([*state.hands[seat], card])
        if goal is not None:
            state.goals[seat] = goal_of(state.seats, goal)
        for name, left in caravans.items():
            kind = CARAVANS.index(name)
            state.supply[kind // 2] -= len(left) - len(state.caravans[seat][kind])
            state.caravans[seat][kind] = sorted(left)
        return self

    def _take(self, name: str) -> int:
        deck, card = self.state.emiras, EMIRA_OF[name]
        place = deck.cards.index(card)
        deck.cards.pop(place)
        deck.seen.pop(place)
        return card

    def _from_event_deck(self, card: int) -> None:
        deck = self.state.events
        place = deck.cards.index(card)
        deck.cards.pop(place)
        deck.seen.pop(place)

    def on_top(self, *names: str) -> "Table":
        """Emiras on top of their deck, unknown to all."""
        cards = [self._take(name) for name in names]
        self.state.emiras.cards[:0] = cards
        self.state.emiras.seen[:0] = [0] * len(cards)
        return self

    def events_on_top(self, names: str) -> "Table":
        cards = [EVENT_OF[name] for name in names.split()]
        for card in cards:
            self._from_event_deck(card)
        self.state.events.cards[:0] = cards
        self.state.events.seen[:0] = [0] * len(cards)
        return self

    def active(self, *names: str) -> "Table":
        self.state.active = [self._take(name) for name in names]
        return self

    def waiting(self, *names: str) -> "Table":
        self.state.undecided = [self._take(name) for name in names]
        return self

    def board(self, *, token: str | None = None, status: int | None = None) -> "Table":
        """Everything that the supply has, and these, are on the board."""
        state = self.state
        state.open = sum(1 << item for item, left in enumerate(state.supply) if left)
        if token:
            state.bag[KINDS.index(token)] -= 1
            state.shown_tokens = [KINDS.index(token)]
        if status:
            place = state.status.cards.index(status)
            state.status.cards.pop(place)
            state.status.seen.pop(place)
            state.shown_status = [status]
        return self

    def run(self, phase: str) -> list[Event]:
        """That phase, up to its first question or its end; nothing comes after it."""
        self._stop()
        return self._do(PHASES[phase])

    def join(self, seat: int, name: str) -> list[Event]:
        """An Emira joins a seat, as if she had just chosen it."""
        self._stop()
        before = self.state.components()
        events: list[Event] = []
        courtship.join(self.state, events, seat, self._take(name))
        self.log += events
        assert self.state.components() == before, "a piece was lost or made"
        return events

    def play(self, seat: int, name: str) -> list[Event]:
        """A seat plays an event card, out of the deck if need be, up to its first
        question or its end.
        """
        if EVENT_OF[name] not in self.state.hands[seat]:
            self.has(seat, hand=name)
        self._stop()
        return self._do(cards._answer_play, seat, [name])

    def pay_upkeep(self, *seats: int) -> list[Event]:
        """Upkeep of these seats alone."""
        self._stop()
        self.state.phase = "upkeep"
        self.state.todo = [(upkeep._pay, seat) for seat in reversed(seats)]
        return self._run()

    def _do(self, task: object, *arguments: object) -> list[Event]:
        self.state.todo.append((task, *arguments))
        return self._run()

    def _run(self) -> list[Event]:
        before = self.state.components()
        events: list[Event] = []
        run(self.state, events)
        assert self.state.components() == before, "a piece was lost or made"
        self.log += events
        return events

    def apply(self, choices: dict[int, int]) -> list[Event]:
        before = self.state.components()
        events = self.state.apply(choices)
        assert self.state.components() == before, "a piece was lost or made"
        self.log += events
        return events

    def say(self, *answers: int | str | list[object]) -> list[Event]:
        """Answer the questions that come one after the other."""
        events: list[Event] = []
        for answer in answers:
            ((seat, decision),) = self.state.pending().items()
            entry = answer if isinstance(answer, list) else [answer]
            assert entry in decision.legal, (
                f"{entry} is not among {decision.legal[:12]} of {decision.kind}"
            )
            events += self.apply({seat: list(decision.legal).index(entry)})
        return events

    @property
    def asked(self) -> tuple[int, str] | None:
        """Who is asked what."""
        return next(
            ((seat, decision.kind) for seat, decision in self.state.pending().items()), None
        )

    @property
    def options(self) -> list[object]:
        """Entries of the one question asked, bare if they are of length one."""
        ((_, decision),) = self.state.pending().items()
        return [entry[0] if len(entry) == 1 else entry for entry in decision.legal]

    def events(self, kind: str) -> list[dict[str, object]]:
        """Data of all events of a type so far."""
        return [event.data for event in self.log if event.data["type"] == kind]

    def princesses(self, seat: int) -> str:
        return " ".join(NAMES[card] for card in self.state.princesses[seat])

    def undecided(self) -> str:
        return " ".join(NAMES[card] for card in self.state.undecided)

    def hand(self, seat: int) -> str:
        return " ".join(EVENTS[card] for card in self.state.hands[seat])

    def deck(self, count: int) -> str:
        return " ".join(NAMES[card] for card in self.state.emiras.cards[:count])

    def everyone_passes(self, seats: int) -> None:
        """An auction in which so many seats pass."""
        self.say(*["pass"] * seats)


@pytest.fixture
def table() -> type[Table]:
    return Table
