"""A person's seat, without I/O or clock: the arbiter's frames become messages for a
page, and choices become frames.

The seat speaks protocol 1 as a bot does. A page is told the whole table when it opens,
so that it may be opened again at any time, and then the news. It gets the messages to
its seat and nothing else, until the match is over.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from khiva_arena.common.text import ISOLATES, harmless, isolated
from khiva_arena.errors import RemoteProtocolError
from khiva_arena.games.asked import YOU, asking, numbers_of, second_person
from khiva_arena.games.base import Event, Game, Plain
from khiva_arena.games.registry import get
from khiva_arena.records.replay.frames import film, opened
from khiva_arena.records.replay.record import FORFEITED, Record

HEADER = 4
FAULTS = {
    "timeout": "Your time for this decision ran out: the first choice was played for you.",
}
NO_HINTS = "There are no hints in this match."
_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder().decode


class FrameCutter:
    """A buffer that cuts the arbiter's bytes into messages."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> list[tuple[bytes, dict[str, Plain]]]:
        """Return each message that is whole now, as raw bytes and decoded."""
        self._buffer += data
        messages = []
        while len(self._buffer) >= HEADER:
            end = HEADER + int.from_bytes(self._buffer[:HEADER], "big")
            if len(self._buffer) < end:
                break
            raw = bytes(self._buffer[:end])
            messages.append((raw, _decode(raw[HEADER:])))
            del self._buffer[:end]
        return messages


class PersonReply(NamedTuple):
    """The effects of a message of the arbiter or of a page.

    answer: the frame for the arbiter; b"" for none.
    messages: those for an open page of the seat.
    """

    answer: bytes
    messages: list[dict[str, Plain]]


class Person:
    """A person at a table.

    name: the person's.
    seat: the number of the seat.
    names: of all at the table, by seat, as a page may show them.
    marks: by seat, the marks that others may lack: person, remote, ...
    hints: whether the page may ask for hints.
    requests: the frames of this match so far that a bot in this seat would have been
        sent, for hints.
    """

    def __init__(
        self,
        name: str,
        seat: int,
        names: Sequence[str],
        marks: Sequence[Sequence[str]],
        hints: bool = False,
    ) -> None:
        self.name = name
        self.seat = seat
        self.names = list(names)
        self.marks = [list(of_seat) for of_seat in marks]
        self.hints = hints
        self.requests: list[bytes] = []
        self._game: Game | None = None
        self._hello: dict[str, Plain] = {}
        self._frames: list[dict[str, Plain]] = []
        self._ask: dict[str, Plain] | None = None
        self._choices: list[Plain] = []
        self._texts: list[str] = []
        self._over: dict[str, Plain] | None = None

    # --- from the arbiter ---

    def take(self, raw: bytes, message: dict[str, Plain]) -> PersonReply:
        """Take a message of the arbiter. An answer is sent immediately."""
        kind = message["type"]
        if kind == "hello":
            return PersonReply(self._greet(raw, message), [self.table()])
        if kind == "decide":
            self.requests.append(raw)
            return PersonReply(b"", self._ask_page(message))
        if kind == "fault":
            self._ask = None  # the open decision is over
            text = FAULTS.get(
                message["code"], f"The arena says: {message['code']}: {message['detail']}"
            )
            return PersonReply(b"", self._say(text))
        return PersonReply(b"", [])  # an end says nothing that the replay does not

    def _greet(self, raw: bytes, message: dict[str, Plain]) -> bytes:
        self._hello = message
        self._game = get(message["game"], message["rules_version"])
        self.requests = [raw]
        self._frames, self._ask, self._choices, self._texts = [], None, [], []
        return _framed({"type": "hello", "proto": 1, "name": self.name})

    def _ask_page(self, message: dict[str, Plain]) -> list[dict[str, Plain]]:
        assert self._game is not None
        view = message["view"]
        events = [self._event_text(data) for data in message["events"]]
        frame = {
            "step": len(self._frames),
            "all": view,
            "open": [],
            "own": [view if seat == self.seat else None for seat in range(len(self.names))],
            "asked": self._choices,
            "events": events,
            "scores": self._game.points(view) or [],  # a page shows none then
            "sketch": "",
        }
        self._frames.append(frame)
        self._choices = []
        self._ask = {key: message[key] for key in ("req", "kind", "legal", "turn_ms", "bank_ms")}
        words = asking(self._game)
        self._ask["texts"] = [
            harmless(words.answer(message["kind"], entry, view, self.names))
            for entry in message["legal"]
        ]
        self._ask["numbers"] = numbers_of(self._ask["texts"])
        question = words.question(message["kind"], view, self.names)
        self._ask |= {
            "title": harmless(question.title),
            "about": harmless(question.about),
            "rulings": list(question.rulings),
        }
        return [{"type": "ask", "frame": frame, "ask": self._ask}]

    def _event_text(self, data: dict[str, Plain]) -> dict[str, Plain]:
        if data["type"] in ("default", "forfeit"):  # the arena's own
            text = (
                f"{self.names[data['seat']]}: "
                f"{data['why']}{', and is out' if data['type'] == 'forfeit' else ''}"
            )
        else:
            assert self._game is not None
            text = harmless(
                second_person(self._game.narrate(Event(data), self.names), self.names),
                keep=ISOLATES,
            )
        return {"data": data, "text": text, "to": None}

    def close_decision(self) -> list[dict[str, Plain]]:
        """Close the open decision, since the arbiter ended the seat. Returns the
        messages for an open page.
        """
        if self._ask is None:
            return []
        self._ask = None
        return self._say("You are not asked any more: your time ran out, or the match was stopped.")

    @property
    def open_decision(self) -> int | None:
        """The number of the open decision, None if none is open."""
        return None if self._ask is None else self._ask["req"]

    def over(self, end: dict[str, Plain]) -> list[dict[str, Plain]]:
        """Note that the match is over, with its replay, or was void. Returns the
        messages for an open page.
        """
        self._over, self._ask = end, None
        return [{"type": "over", "over": end}]

    def _say(self, text: str) -> list[dict[str, Plain]]:
        self._texts.append(text)
        return [{"type": "said", "text": text, "open": self._ask is not None}]

    # --- from a page ---

    def table(self) -> dict[str, Plain]:
        """Return all that a page needs that opens now."""
        game = self._game
        return {
            "type": "table",
            "seat": self.seat,
            "hints": self.hints,
            "names": self.names,
            "marks": self.marks,
            "game": "" if game is None else game.name,
            "title": "" if game is None else game.title,
            "rules": self._hello.get("rules", {}),
            "aim": [] if game is None else list(asking(game).aim),
            "legend": [] if game is None else [list(pair) for pair in asking(game).legend],
            "rulings": {} if game is None else dict(asking(game).rulings),
            "scenery": {} if game is None else dict(game.scenery),
            "frames": self._frames,
            "ask": self._ask,
            "said": self._texts,
            "over": self._over,
        }

    def choose(self, req: object, choice: object) -> PersonReply:
        """Take a page's choice.

        Nothing is sent for a decision that is not open any more. Raises
        RemoteProtocolError, with a sentence for the reader, for a choice that does not
        exist.
        """
        ask = self._ask
        if ask is None or req != ask["req"]:
            return PersonReply(b"", [])
        if type(choice) is not int or not 0 <= choice < len(ask["legal"]):
            raise RemoteProtocolError(
                f"There is no choice {choice!r}: there are {len(ask['legal'])}."
            )
        self._ask = None
        own_choice = {
            "seat": self.seat,
            "kind": ask["kind"],
            "legal": ask["legal"],
            "choice": choice,
            "why": "",
            "took": None,
        }
        self._choices = [own_choice]
        act = _framed({"type": "act", "req": req, "choice": choice})
        return PersonReply(act, [{"type": "chosen", "req": req}])


def names_at(names: Sequence[str], you: int | None) -> list[str]:
    """Return the name of each seat as a page of a seat shows it: bots of one name with
    their seat behind it.

    you: the seat of the only person, who is called "you"; None if there are several, or
        one with a name
    """
    called = [YOU if seat == you and YOU not in names else name for seat, name in enumerate(names)]
    return [
        isolated(f"{name}#{seat}" if called.count(name) > 1 else name)
        for seat, name in enumerate(called)
    ]


def page_of_end(
    record: Record, secret: bytes, names: Sequence[str], *, sketches: bool
) -> dict[str, Plain]:
    """Return the last message to a person's page: the match as the page's viewer takes
    it, with all hands open.

    names: by seat
    sketches: whether the table is told in text, too, for a game without a drawing

    Raises RecordError if it does not replay.
    """
    reel = film(record, secret, names, sketches)
    reel.events = [
        [(event, second_person(text, names)) for event, text in frame] for frame in reel.events
    ]
    faults = [
        [choice.seat, choice.why, at + 1, ""]
        for at, step in enumerate(record.steps)
        for choice in step
        if choice.why and choice.why != FORFEITED
    ]
    match = {
        "key": "1/0",
        "names": list(names),
        "ranks": list(record.ranks),
        "scores": list(record.scores),
        "verdicts": [str(verdict) for verdict in record.verdicts],
        "faults": faults,
    }
    return {"match": match} | opened(reel)


def _framed(message: dict[str, Plain]) -> bytes:
    payload = _encode(message)
    return len(payload).to_bytes(HEADER, "big") + payload


def read(text: Any) -> dict[str, Plain]:
    """Decode a page's message, an object. Raises RemoteProtocolError."""
    try:
        return msgspec.json.decode(text, type=dict[str, Any])
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, TypeError):
        raise RemoteProtocolError("The page sent bytes that are no message.") from None
