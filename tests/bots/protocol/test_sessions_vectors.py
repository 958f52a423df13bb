"""The published sessions hold for the arena's own, however the bytes are cut."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgpack
import pytest
from cases import cases

from khiva_arena.bots.protocol import messages
from khiva_arena.bots.protocol.session import (
    TRANSITIONS,
    Answer,
    Breach,
    Greeting,
    Move,
    Phase,
    Session,
)

VECTORS = Path(__file__).parents[3] / "protocol" / "vectors"
SESSIONS: list[dict[str, Any]] = json.loads((VECTORS / "sessions.json").read_text())["sessions"]
HELLO = messages.Hello([1], [], "khiva", {}, "1", "m", 0, 2, 7, messages.Time(1, 1, 1), "00")
END = messages.End("over", [1, 2], [2, 1])

each_session = cases("session", SESSIONS, ids=[session["name"] for session in SESSIONS])

Cut = Callable[[bytes], list[bytes]]


def _opened(session: Session) -> Iterator[dict[str, Any]]:
    """All that is there, frame by frame."""
    while session.sealed:
        outcome = session.open(1)
        if isinstance(outcome, Greeting):
            yield {"greeting": outcome.name}
        elif isinstance(outcome, Answer):
            yield {"answer": outcome.choice}
        elif isinstance(outcome, Breach):
            yield {"breach": str(outcome.verdict)}
        else:
            yield {"dropped": True}


def _drive(session: Session, step: dict[str, Any], cut: Cut, eager: bool) -> list[dict[str, Any]]:
    """One step; returns what came of the bot's bytes. ``eager``: opened after each
    piece, not after the last.
    """
    if step.get("arbiter") == "HELLO":
        session.hello(HELLO)
    elif step.get("arbiter") == "ASK":
        session.ask(
            messages.Decide(step["req"], "play_pass", 1000, 0, {}, [], [[0], [1]]), step["req"]
        )
    elif step.get("arbiter") == "LATE":
        session.late()
    elif step.get("arbiter") == "END":
        session.end(END)
    else:
        found = []
        for piece in cut(bytes.fromhex(step["hex"])):
            session.receive(piece)
            found += list(_opened(session)) if eager else []
        return [*found, *_opened(session)]
    return []


def _expected(step: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"dropped": True} if "dropped" in each else each for each in step.get("opened", ())]


@pytest.mark.parametrize("eager", [False, True], ids=["opened at last", "opened at once"])
@each_session
def test_the_arena_makes_of_it_what_the_vector_says(session: dict[str, Any], eager: bool) -> None:
    """In one piece, byte by byte, and in two at each boundary."""
    longest = max(len(step.get("hex", "")) // 2 for step in session["steps"])
    cuts: list[Cut] = [
        lambda data: [data],
        lambda data: [data[i : i + 1] for i in range(len(data))],
    ]
    cuts += [lambda data, at=at: [data[:at], data[at:]] for at in range(1, longest)]  # type: ignore[misc]
    for cut in cuts:
        live = Session()
        for step in session["steps"]:
            assert _drive(live, step, cut, eager) == _expected(step)
        assert live.phase.name == session["phase"]


@each_session
def test_the_messages_beside_the_bytes_are_what_they_hold(session: dict[str, Any]) -> None:
    for step in session["steps"]:
        parts = [msgpack.packb(message) for message in step.get("json", ()) if message is not None]
        whole = b"".join(len(part).to_bytes(4, "big") + part for part in parts)
        if None not in step.get("json", ()):
            assert bytes.fromhex(step.get("hex", "")) == whole
        acts = [
            message["req"]
            for message in step.get("json", ())
            if message and message["type"] == "act"
        ]
        assert [each["dropped"] for each in step.get("opened", ()) if "dropped" in each] == [
            req
            for req, each in zip(acts, step.get("opened", ()), strict=False)
            if "dropped" in each
        ]


def test_every_step_of_every_phase_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    taken: set[tuple[Phase, Move]] = set()
    move = Session._move

    def noted(session: Session, step: Move) -> None:
        taken.add((session.phase, step))
        move(session, step)

    monkeypatch.setattr(Session, "_move", noted)
    for session in SESSIONS:
        live = Session()
        for step in session["steps"]:
            _drive(live, step, lambda data: [data], eager=False)
    assert taken == {(phase, step) for phase, steps in TRANSITIONS.items() for step in steps}
