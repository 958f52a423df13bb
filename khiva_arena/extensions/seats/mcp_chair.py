"""The chair of an agent, which asks for its view and its choices and is told them as
text. No protocol is in it.
"""

import io
import json
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

import trio
from rich.console import Console

from khiva_arena.arbiter.person import Person
from khiva_arena.display.terminal.game_table import AT_ONCE, drawing_of
from khiva_arena.errors import RemoteProtocolError
from khiva_arena.extensions.seats.seat_link import Chair
from khiva_arena.extensions.seats.terminal_seat import print_decision, say_on
from khiva_arena.games.base import Plain
from khiva_arena.games.registry import NAMES

WAITS_SECONDS = 30.0
MOST_WAITING = 8
WIDTH = 110
NOT_YOUR_TURN = "It is not your turn: the other seats choose."
VIEW_WAITS = "Call view, which waits for your next decision."
OVER = "The match is over. Call view for the result."
NO_RULES = "This game has no page of rules. Go by the view and the choices."


class RefusedCall(Exception):
    """A call that the chair refuses, with a sentence for the agent. It is no fault of
    the seat.
    """


class AgentChair(Chair):
    """A chair whose agent calls ``view``, ``legal``, ``act`` and ``rules``.

    waits: seconds that a view waits for a decision.
    called: set by the first call that needs a table, so that no clock runs before it.
    """

    def __init__(
        self, person: Person, game: str, variant: Mapping[str, Plain], waits: float = WAITS_SECONDS
    ) -> None:
        super().__init__(person, None)
        self.called = trio.Event()
        self._game, self._variant, self._waits = game, variant, waits
        self._seat: dict[str, Plain] = {}
        self._ask: dict[str, Plain] | None = None
        self._frame: dict[str, Plain] = {}
        self._is_shown = False
        self._said: list[str] = []
        self._end = ""
        self._news = trio.Event()
        self._waiting = 0

    async def tell(self, messages: Sequence[dict[str, Plain]]) -> None:
        for message in messages:
            kind = message["type"]
            if kind == "table":
                self._seat = message
            elif kind == "ask":
                self._ask, self._frame, self._is_shown = message["ask"], message["frame"], False
            elif kind == "chosen":
                self._ask = None
            elif kind == "said":
                self._said.append(message["text"])
                self._ask = self._ask if message["open"] else None
            elif kind == "over":
                self._ask, self._end = None, _printed_end(message["over"])
        self._news.set()
        self._news = trio.Event()

    async def view(self) -> list[str]:
        """Return the table of now in words, and then the view as JSON. Wait for a
        decision, or for the end.

        Raises RefusedCall if many calls wait already.
        """
        self.called.set()
        if self._waiting >= MOST_WAITING:
            raise RefusedCall(f"{MOST_WAITING} calls of view wait already. {NOT_YOUR_TURN}")
        self._waiting += 1
        try:
            with trio.move_on_after(self._waits):
                await self.until_asked()
        finally:
            self._waiting -= 1
        said, self._said = self._said, []
        if self._end:
            return ["\n".join([*said, self._end])]
        if self._ask is None:
            return ["\n".join([*said, NOT_YOUR_TURN, "Call view again."])]
        return [
            "\n".join([*said, self._decision(self._ask)]),
            json.dumps(self._frame["all"], ensure_ascii=False),
        ]

    async def until_asked(self) -> None:
        """Wait for a decision, or for the end."""
        while self._ask is None and not self._end:
            await self._news.wait()

    def _decision(self, ask: Mapping[str, Plain]) -> str:
        console = _console()
        print_decision(console, self._seat, drawing_of(self._seat["game"]), self._frame, ask)
        if len(ask["texts"]) <= AT_ONCE:
            self._is_shown = True
            _print_choices(console, ask)
        else:
            say_on(console, f"Call legal for the {len(ask['texts'])} choices.")
        return _text(console)

    def legal(self) -> str:
        """Return the question and all choices, each behind its number. Raises
        RefusedCall if there is no decision.
        """
        self.called.set()
        ask = self._open()
        self._is_shown = True
        console = _console()
        say_on(console, ask["title"])
        _print_choices(console, ask)
        return _text(console)

    def _open(self) -> dict[str, Plain]:
        if self._end:
            raise RefusedCall(OVER)
        if self._ask is None:
            raise RefusedCall(f"{NOT_YOUR_TURN} {VIEW_WAITS}")
        return self._ask

    async def act(self, number: object) -> str:
        """Choose by number. Return the words of the choice. Raises RefusedCall if it is
        none, or the question was not shown.
        """
        self.called.set()
        ask = self._open()
        if type(number) is not int:
            raise RefusedCall(
                'act takes one whole number, as {"choice": 1}. Call legal for the choices.'
            )
        if (
            not self._is_shown
        ):  # else a number for a decision whose time ran out would count for the next one
            raise RefusedCall(
                "This is a decision that you have not seen. Call legal for its choices."
            )
        if number not in ask["numbers"]:
            raise RefusedCall(
                "There is no choice of this number. Call legal for the "
                f"{len(ask['texts'])} choices."
            )
        at = ask["numbers"].index(number)
        try:
            with trio.CancelScope(shield=True):  # a call that the client cancels has chosen, too
                await self.choose(ask["req"], at)
        except RemoteProtocolError as error:
            raise RefusedCall(error.detail) from None
        return f"You chose: {ask['texts'][at]}. {VIEW_WAITS}"

    def rules(self) -> str:
        """Return the page of the game's rules, and the variants of this match."""
        page = (
            (files("khiva_arena.games") / self._game / "RULES.md").read_text("utf-8")
            if self._game in NAMES
            else NO_RULES
        )
        return f"{page}\n\nThe rules map of this match: {json.dumps(dict(self._variant))}\n"


def _printed_end(end: Mapping[str, Any]) -> str:
    console = _console()
    for line in (*end.get("since", ()), "The match is over.", *end["text"].split("\n")):
        say_on(console, line)
    return _text(console)


def _print_choices(console: Console, ask: Mapping[str, Plain]) -> None:
    for number, text in zip(ask["numbers"], ask["texts"], strict=True):
        say_on(console, f"{number}  {text}")


def _console() -> Console:
    return Console(
        file=io.StringIO(), width=WIDTH, color_system=None, highlight=False, soft_wrap=True
    )


def _text(console: Console) -> str:
    assert isinstance(console.file, io.StringIO)
    return "\n".join(line.rstrip() for line in console.file.getvalue().splitlines())
