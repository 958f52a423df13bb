"""The last message to a person's page: the replay of the match that is over, with all hands open."""

from collections.abc import Sequence

from khiva_arena.display.page.html import has_drawing
from khiva_arena.games.asked import second_person
from khiva_arena.games.base import Event, Plain, State
from khiva_arena.games.registry import get
from khiva_arena.records.replay.frames import film, opened
from khiva_arena.records.replay.record import FORFEITED, Record
from khiva_arena.records.replay.verify import verify


def page_of_end(record: Record, secret: bytes, names: Sequence[str]) -> dict[str, Plain]:
    """Return the match as the page's viewer takes it. ``names``: by seat. Raises RecordError if it does not replay."""
    reel = film(record, secret, names, not has_drawing(record.header.game))
    reel.events = [[(event, second_person(text, names)) for event, text in frame] for frame in reel.events]
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


def since(record: Record, secret: bytes, names: Sequence[str], seat: int) -> list[str]:
    """Return the events since a seat last chose, a line each, with all hands open."""
    game = get(record.header.game, record.header.rules_version)
    chose = max((at for at, step in enumerate(record.steps, 1) if any(choice.seat == seat for choice in step)), default=0)
    lines: list[str] = []

    def watch(step: int, _state: State, happened: Sequence[Event]) -> None:
        lines.extend(second_person(line, names) for event in happened if step >= chose and (line := game.narrate(event, names)))

    verify(record, secret, watch)
    return lines


def void(reason: str) -> dict[str, Plain]:
    """Return the last message of a match that was void, with the reason."""
    return {"match": None, "text": f"The match is void: {reason}"}
