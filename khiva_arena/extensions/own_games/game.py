"""A game from outside, and its states, as the rest of the arena sees them.

Each call goes to a process that can be ended, so that a game can neither hang nor crash
the arena.
"""

import shlex
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from typing import Any

import msgspec

from khiva_arena.common.handed import LIBRARY, GameSource
from khiva_arena.errors import ArenaError, GameFault
from khiva_arena.extensions.own_games.answer_types import (
    LONGEST_TEXT,
    breach,
    decoded,
    finding_list,
    numbers_of,
    plain_map,
    plain_text,
    point_list,
    type_name,
)
from khiva_arena.extensions.own_games.answers import front_of
from khiva_arena.extensions.own_games.calls import LOOK_CPU_SECONDS, LOOK_SECONDS
from khiva_arena.extensions.own_games.game_process import Fork, GameProcess, value_of
from khiva_arena.extensions.own_games.outside_state import OutsideState
from khiva_arena.games.base import Event, Game, Plain, State
from khiva_arena.games.conformance import Findings
from khiva_arena.games.plain import check_plain
from khiva_arena.games.registry import HASHED
from khiva_arena.rng import Stream
from khiva_arena.words import count

VET_STEPS = 30
"""Steps of the look at a game before it is played; ``khiva-arena check --game`` looks
at whole matches.
"""


class OutsideGame(Game):
    """The game of a source. Raises GameFault if its import fails or it breaks the
    contract at once.

    shown: its name and its file or package, for people.
    """

    outside = True

    def __init__(self, source: GameSource) -> None:
        self._source = source
        self._process = GameProcess(source, 1)
        front = front_of(self._process.front, source.shown, library=source.word == LIBRARY)
        self.name, self.title, self.seats = front.name, front.title, tuple(front.seats)
        self.rules_version = f"{front.rules_version}{HASHED}{source.code}"
        self.shown = f"{front.name} ({source.shown})"
        self._process.shown = self.shown
        self._front = front
        self._second: GameProcess | None = None
        self._starting = threading.Lock()
        self._desk: Fork | None = None
        self._lock = threading.Lock()
        self._rules_vetted: set[bytes] = set()
        self._mute: set[str] = set()

    @property
    def word(self) -> str:
        """The word that names the game on a command line."""
        return self._source.word

    @property
    def variants(self) -> Mapping[str, str]:
        """The possible values of each key of the rules map, in words for people."""
        return self._front.variants

    @property
    def samples(self) -> Sequence[Mapping[str, Plain]]:
        """Rules maps without the defaults, which a check plays, too."""
        return self._front.samples

    @property
    def scenery(self) -> Mapping[str, Plain]:
        """The facts that a drawing of the table needs beside views and events."""
        return self._front.scenery

    def rules(self, given: Mapping[str, Plain]) -> dict[str, Plain]:
        """Return the canonical rules map, as ``Game.rules`` says."""
        return self._rules_map("rules", given)

    def every_rule(self, rules: Mapping[str, Plain]) -> dict[str, Plain]:
        """Return a canonical map completed by the rules that it leaves out, as
        ``Game.every_rule`` says.
        """
        return self._rules_map("every_rule", rules)

    def _rules_map(self, call: str, rules: Mapping[str, Plain]) -> dict[str, Plain]:
        rules_map = decoded(plain_map, self._ask(call, dict(rules)), call, self.shown)
        if wrong := check_plain(rules_map):
            raise GameFault(f"game {self.shown}: {call}(): {wrong}")
        return dict(rules_map)

    def seats_of(self, rules: Mapping[str, Plain]) -> Sequence[int]:
        """Return the numbers of seats that the game can be played with under a rules
        map, of those in ``seats``.
        """
        numbers = decoded(numbers_of, self._ask("seats_of", dict(rules)), "seats_of", self.shown)
        return [seats for seats in numbers if seats in self.seats]

    def new(
        self, seats: int, rules: Mapping[str, Plain], secret: bytes
    ) -> tuple[State, list[Event]]:
        """Set up a match in one process, and return the state and the events of the
        opening.
        """
        return self._begin((self._fork,), seats, rules, secret)

    def played(
        self, seats: int, rules: Mapping[str, Plain], secret: bytes
    ) -> tuple[State, list[Event]]:
        """Set up a match that is recorded, and return the state and the events of the
        opening.

        It runs in two processes, so that it shows at once if its course depends on
        anything but secret, rules and choices.
        """
        return self._begin((self._fork, self._second_fork), seats, rules, secret)

    def _begin(
        self,
        forks: Sequence[Callable[[], Fork]],
        seats: int,
        rules: Mapping[str, Plain],
        secret: bytes,
    ) -> tuple[State, list[Event]]:
        self.check_seats(seats)
        state = OutsideState([fork() for fork in forks], seats, self.shown)
        return state, state.begin(dict(rules), secret)

    def _fork(self) -> Fork:
        """Return a process for a match. If the process that it is forked from was
        killed, another one is started.
        """
        with self._starting:
            if self._process.has_ended:
                self._process = self._start_process(1)
        return self._process.fork()

    def _second_fork(self) -> Fork:
        """Return the second process for a match that is recorded. If the process that
        it is forked from was killed, another is started.
        """
        with self._starting:
            if self._second is None or self._second.has_ended:
                self._second = self._start_process(2)
        return self._second.fork()

    def _start_process(self, hash_seed: int) -> GameProcess:
        process = GameProcess(self._source, hash_seed)
        process.shown = self.shown
        return process

    def vet(self, seats: int, rules: Mapping[str, Plain]) -> None:
        """Check some steps of a random match, with every point of the contract, once
        for each kind of table. Raises GameFault.
        """
        kind = msgspec.msgpack.encode([seats, dict(rules)])
        if kind in self._rules_vetted:
            return
        try:
            found = self.looked_at(seats, rules, VET_STEPS, "before a match").points
            if found:
                raise GameFault(f"game {self.shown}: {breach(found[0])}")
        except GameFault as fault:
            check = shlex.join(
                ["khiva-arena", "check", "--game", self.word, *self._rule_words(rules)]
            )
            raise GameFault(f"{fault}; `{check}` says more") from None
        self._rules_vetted.add(kind)

    def _rule_words(self, rules: Mapping[str, Plain]) -> list[str]:
        """Return the ``--rule`` words to type for these rules: only rules that the
        other rules do not bring.
        """
        shortest = dict(rules)
        for key in rules:
            without = {name: value for name, value in shortest.items() if name != key}
            with suppress(ArenaError):
                shortest = without if self.rules(without) == rules else shortest
        return [
            word
            for key, value in shortest.items()
            for word in ("--rule", f"{key}={type_name(value)}")
        ]

    def looked_at(self, seats: int, rules: Mapping[str, Plain], steps: int, seed: str) -> Findings:
        """Return the findings of the conformance check in so many steps of a match, as
        far as there is time for it.

        Raises GameFault for faults that would make a match void, of which the check
        knows less: an answer's size, and whether it is the same again.
        """
        mistakes = self._try_match(seats, rules, steps, seed)
        fork = self._fork()
        try:
            fork.say("vet", (seats, dict(rules), steps, seed, LOOK_SECONDS), LOOK_CPU_SECONDS)
            answer = value_of(fork.hear("vet", LOOK_CPU_SECONDS), self.shown)
        finally:
            fork.close()
        findings = finding_list(answer)
        return findings._replace(short=[*mistakes, *findings.short])

    def _try_match(
        self, seats: int, rules: Mapping[str, Plain], steps: int, seed: str
    ) -> list[str]:
        """Play so many steps of a random match, just as one that is recorded. Return
        how far it was played, if it took too long.
        """
        until = time.monotonic() + LOOK_SECONDS
        secret = sha256(f"{seed} {self.name} {seats}".encode()).digest()
        stream = Stream(secret, "a look")
        state, _ = self.played(seats, rules, secret)
        for step in range(steps):
            if state.is_over:
                break
            if time.monotonic() > until:
                return [f"the first {count(step, 'step')} as they are played"]
            state.apply(
                {
                    seat: stream.below(len(decision.legal))
                    for seat, decision in state.pending().items()
                }
            )
        return []

    def narrate(self, event: Event, names: Sequence[str]) -> str:
        """Return one line of text for an event; the default line if the game fails to
        give one.
        """
        to = None if event.to is None else list(event.to)
        words = self._words("narrate", event.data, to, list(names))
        return super().narrate(event, names) if words is None else words

    def choice(self, kind: str, entry: Sequence[Plain], view: Mapping[str, Plain]) -> str:
        """Return an entry of ``legal`` in words; the default words if the game fails to
        give any.
        """
        return self._words("choice", kind, list(entry), dict(view)) or super().choice(
            kind, entry, view
        )

    def points(self, view: Mapping[str, Plain]) -> list[int] | None:
        """Return the points by seat counted from a view, None if the game fails to give
        them or hides something.
        """
        if "points" in self._mute:
            return None
        try:
            return decoded(point_list, self._ask("points", dict(view)), "points", self.shown)  # type: ignore[no-any-return]
        except ArenaError:
            self._mute.add("points")
            return None

    def sketch(self, state: State, names: Sequence[str]) -> str:
        """Return the whole state as text for people. Raises TypeError for a state of
        another game.
        """
        if not isinstance(state, OutsideState):
            raise TypeError(f"sketch takes a state of {self.title}, not {type(state).__name__}")
        return state.sketch(names)

    def _words(self, call: str, *arguments: Any) -> str | None:
        """Return the game's text for people; None if it fails, for which nothing else
        has to stop, and which a check tells of.
        """
        if call in self._mute:
            return None
        try:
            return str(decoded(plain_text, self._ask(call, *arguments), call, self.shown))[
                :LONGEST_TEXT
            ]
        except ArenaError:
            self._mute.add(call)
            return None

    def _ask(self, call: str, *arguments: Any) -> msgspec.Raw:
        """Call the game for facts that belong to no match. A process that such a call
        ends is replaced at the next call.
        """
        with self._lock:
            if self._desk is None:
                self._desk = self._fork()
            try:
                self._desk.say(call, arguments)
                answer = self._desk.hear(call)
            except GameFault:
                self._desk = None
                raise
        return value_of(answer, self.shown)

    def close(self) -> None:
        """End the game's processes. Idempotent; they end with this process, anyhow."""
        self._process.close()
        if self._second is not None:
            self._second.close()
