"""A match as text, turn by turn, made by replaying its record through the rules."""

from collections.abc import Sequence

from khiva_arena.games.base import Event, State
from khiva_arena.games.registry import get
from khiva_arena.games.which import which
from khiva_arena.replay.record import FORFEITED, Record
from khiva_arena.replay.ticks import spending
from khiva_arena.replay.verify import verify
from khiva_arena.text import harmless
from khiva_arena.words import count


def story(record: Record, secret: bytes) -> str:
    """Return the whole match as text for people, hidden things included. Raises RecordError if the record does not replay."""
    header = record.header
    game = get(header.game, header.rules_version)
    names = [f"{seat.name}#{number}" for number, seat in enumerate(header.seats)]
    lines = [f"match {header.match}: {game.title}{which(header)}, {len(names)} seats: {', '.join(names)}"]

    def watch(step: int, _state: State, events: Sequence[Event]) -> None:
        if step:
            lines.extend(
                f"  ! {names[choice.seat]}: {choice.why}, the default is played"
                for choice in record.steps[step - 1]
                if choice.why and choice.why != FORFEITED
            )
        for seat, at in enumerate(record.forfeited_at):
            if at == step:
                lines.append(f"  ! {names[seat]} forfeits: {record.verdicts[seat]}")
        lines.extend(line for event in events if (line := game.narrate(event, names)))

    verify(record, secret, watch)
    lines.append("")
    lines.append("the match is over" if record.reason == "over" else "all but one have forfeited")
    lines += places(record, names)
    lines += [f"{name}: {ticks}" for name, ticks in zip(names, spending(record), strict=bool(record.ticks))]
    lines.append(f"digest {record.digest}")
    return "\n".join(map(harmless, lines))


def places(record: Record, names: Sequence[str]) -> list[str]:
    """Return the end of a match, a line a seat, the best first."""
    lines = []
    for seat in sorted(range(len(names)), key=lambda seat: (record.ranks[seat], seat)):
        verdict = record.verdicts[seat]
        fault = "" if verdict == "ok" else f"  {verdict}"
        lines.append(f"{record.ranks[seat]:>3}. {names[seat]}  {count(record.scores[seat], 'point')}{fault}")
    return lines
