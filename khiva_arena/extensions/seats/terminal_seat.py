"""A person's seat on a terminal, for a shell without a browser: events, the table, and
numbers to choose by.
"""

import os
from collections.abc import Mapping, Sequence
from typing import Any, TextIO

import trio
from rich.console import Console
from rich.rule import Rule
from rich.text import Text

from khiva_arena.arbiter.person import Person
from khiva_arena.common.text import ISOLATES, harmless
from khiva_arena.display.terminal.game_table import (
    Listed,
    choice_meant,
    choices,
    drawing_of,
    meant_by_words,
    table,
    typable,
)
from khiva_arena.errors import RemoteProtocolError
from khiva_arena.extensions.seats.hints import Hints
from khiva_arena.extensions.seats.hub_messages import tell
from khiva_arena.extensions.seats.links import Seated
from khiva_arena.extensions.seats.seat_link import Chair
from khiva_arena.games.asked import numbers_of
from khiva_arena.games.base import Plain
from khiva_arena.games.sheet import Draw

CHUNK = 4_096
LONGEST_LINE = 1_000
LONGEST_SHOWN = 40
DAY_MS = 86_400_000
AGAIN_SECONDS = 0.5


def say_on(console: Console, text: str) -> None:
    """Print a line that others may have written."""
    console.print(Text(harmless(text, keep=ISOLATES)))


def print_decision(
    console: Console,
    seat: Mapping[str, Plain],
    draw: Draw,
    frame: Mapping[str, Plain],
    ask: Mapping[str, Plain],
) -> None:
    """Print the events since the last choice, the table as the seat knows it, and the
    question.

    seat: as ``Person.table`` tells it.
    frame, ask: of the message that asks.
    """
    for line in seat["aim"] if frame["step"] == 0 else ():
        say_on(console, line)
    for event in frame["events"]:
        if event["text"]:
            say_on(console, event["text"])
    say_on(console, "")
    console.print(table(draw(frame["all"], seat["names"], seat["rules"])))
    time = ask["turn_ms"] + ask["bank_ms"]
    clock = f" You have {time / 1000:g} s." if ask["turn_ms"] < DAY_MS else ""
    console.print(Text(f"{ask['title']}{clock}", style="bold"))
    if ask["about"]:
        say_on(console, ask["about"])


class _TerminalChair(Chair):
    """A chair that writes to the terminal, and answers typed lines."""

    def __init__(self, person: Person, hints: Hints | None, console: Console) -> None:
        super().__init__(person, hints)
        self._console = console
        self._ask: dict[str, Plain] | None = None
        self._table: dict[str, Plain] = {}
        self._draw: Draw | None = None
        self._first = ""
        self._lines: list[Listed] = []

    async def tell(self, messages: Sequence[dict[str, Plain]]) -> None:
        for message in messages:
            kind = message["type"]
            if kind == "table":
                self._table, self._draw = message, drawing_of(message["game"])
            elif kind == "ask":
                self._ask = message["ask"]
                self._print_decision(message["frame"], message["ask"])
            elif kind == "chosen":
                self._ask = None
                self._say("Waiting for the others ...")
            elif kind == "said":
                self._say(message["text"])
                self._ask = self._ask if message["open"] else None
                self._prompt()
            elif kind == "hint" and self._ask:
                number = (
                    f"{self._ask['numbers'][message['choice']]}: "
                    if len(self._lines) == len(self._ask["texts"])
                    else ""
                )
                self._say(
                    f"{message['by']} would choose {number}{self._ask['texts'][message['choice']]}"
                )
                self._prompt()
            elif kind == "over":
                self._over(message["over"])

    def _print_decision(self, frame: Mapping[str, Plain], ask: Mapping[str, Plain]) -> None:
        assert self._draw
        self._console.print(Rule(style="dim"))
        print_decision(self._console, self._table, self._draw, frame, ask)
        self._first = ""
        self._offer()

    def _offer(self) -> None:
        """Show the lines that can be typed now: all choices, or where they are many
        first their first parts.
        """
        assert self._ask
        self._lines = typable(self._ask["texts"], self._first)
        if self._first:
            self._say(f"{self._first}, and then?")
        self._console.print(choices([line.text for line in self._lines]))
        self._prompt()

    def _prompt(self) -> None:
        if self._ask is None:
            return
        words = [*(["? for a hint"] * bool(self._hints)), *(["back"] * bool(self._first))]
        words += ["rules"] * bool(self._ask["rulings"]) + ["legend"] * bool(self._table["legend"])
        rest = f", {', '.join(words)}" if words else ""
        numbers = numbers_of([line.text for line in self._lines])
        self._console.print(
            Text(f"A number from {min(numbers)} to {max(numbers)}{rest}, and Enter: "), end=""
        )

    def _explain(self, line: str) -> bool:
        """Answer a line that asks for rules or the legend, or goes back to the first
        part. Returns whether it was such a line.
        """
        assert self._ask
        if line == "back" and self._first:
            self._first = ""
            self._offer()
            return True
        if line == "rules" and self._ask["rulings"]:
            for number in self._ask["rulings"]:
                self._say(f"{number}  {self._table['rulings'].get(number, '')}")
        elif line == "legend" and self._table["legend"]:
            for thing, meaning in self._table["legend"]:
                self._say(f"{thing}: {meaning}")
        else:
            return False
        self._prompt()
        return True

    def _over(self, end: Mapping[str, Plain]) -> None:
        self._ask = None
        for line in end.get("since", ()):
            self._say(line)
        self._say(end["text"] if end["match"] is None else "The match is over.")

    def _say(self, text: str) -> None:
        say_on(self._console, text)

    async def ended_input(self) -> None:
        """Answer Ctrl-D, behind which a terminal reads on. If the terminal has gone,
        the command hears of it before long.
        """
        self._say("That does not end the match; Ctrl-C does.")
        self._prompt()
        await trio.sleep(AGAIN_SECONDS)

    async def typed(self, line: str) -> None:
        """Answer a line that was typed."""
        if self._ask is None:
            self._say("It is not your turn; Ctrl-C ends the match.")
        elif line == "?":
            await self.advise()
        elif not self._explain(line):
            texts = self._ask["texts"]
            at = choice_meant(line, [row.text for row in self._lines])
            if at >= 0 and self._lines[at].choice < 0:
                self._first = self._lines[at].text
                return self._offer()
            try:
                await self.choose(
                    self._ask["req"],
                    self._lines[at].choice if at >= 0 else meant_by_words(line, texts),
                )
            except RemoteProtocolError:
                self._say(
                    f"There is no choice {harmless(line, LONGEST_SHOWN)!r}."
                    if line
                    else "Nothing was typed."
                )
                self._prompt()


class TerminalPersons:
    """The one person of a match who plays on a terminal, from the command's first
    order: ``terminal`` is its path.
    """

    def __init__(self, order: dict[str, Any]) -> None:
        # Opened here: this process has no terminal of its own, so that nothing stops it
        # when it reads.
        self._input = os.open(order["terminal"], os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK)
        self._output: TextIO = open(order["terminal"], "w", opener=_without_control)  # noqa: SIM115 - as long as this process
        seat, hints = order["persons"][0], order["hints"]
        person = Person(seat["name"], seat["seat"], order["names"], order["marks"], bool(hints))
        console = Console(file=self._output, highlight=False)
        self._chair = _TerminalChair(person, Hints(**hints) if hints else None, console)

    def seats(self) -> dict[str, Seated]:
        """Return the function that seats the person, by name."""
        return {self._chair.person.name: self._chair.seated}

    async def serve(self, *, task_status: trio.TaskStatus[dict[str, Any]]) -> None:
        """Read typed lines until cancelled."""
        task_status.started({"by_name": {}})
        buffer = b""
        async with trio.lowlevel.FdStream(self._input) as typed:
            while True:
                data = await typed.receive_some(CHUNK)
                if not data:
                    await self._chair.ended_input()
                    continue
                *lines, buffer = (buffer + data).split(b"\n")
                buffer = buffer[:LONGEST_LINE]
                for line in lines:
                    await self._chair.typed(line.decode(errors="replace").strip())

    async def order(self, order: dict[str, Any]) -> None:
        """Take the command's order, which says that the match is over."""
        await self._chair.over(order)
        tell({"closed": True})


def _without_control(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOCTTY)
