"""A match as text, turn by turn, made by replaying its record through the rules."""

from collections.abc import Sequence

from khiva_arena.common.text import harmless
from khiva_arena.games.base import Event, SeatPoints, State
from khiva_arena.games.registry import get
from khiva_arena.games.which import which
from khiva_arena.records.replay.record import FORFEITED, Record
from khiva_arena.records.replay.ticks import spending
from khiva_arena.records.replay.verify import verify
from khiva_arena.words import count


def story(record: Record, secret: bytes) -> str:
    """Return the whole match as text for people, hidden things included. Raises
    RecordError if the record does not replay.
    """
    header = record.header
    game = get(header.game, header.rules_version)
    names = [f"{seat.name}#{number}" for number, seat in enumerate(header.seats)]
    lines = [
        f"match {header.match}: {game.title}{which(header)}, {len(names)} seats: {', '.join(names)}"
    ]

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

    end = verify(record, secret, watch)
    lines.append("")
    lines.append("the match is over" if record.reason == "over" else "all but one have forfeited")
    lines += ending(record, names, end.points_by_source)
    lines += [
        f"{name}: {ticks}"
        for name, ticks in zip(names, spending(record), strict=bool(record.ticks))
    ]
    lines.append(f"digest {record.digest}")
    return "\n".join(map(harmless, lines))


def ending(
    record: Record, names: Sequence[str], by_source: Sequence[SeatPoints] | None
) -> list[str]:
    """Return the end of a match: a line a seat, the best first, and where the points of
    each come from.

    by_source: by seat; None if the game does not say.
    """
    order = sorted(range(len(names)), key=lambda seat: (record.ranks[seat], seat))
    lines = []
    for seat in order:
        verdict = record.verdicts[seat]
        fault = "" if verdict == "ok" else f"  {verdict}"
        lines.append(
            f"{record.ranks[seat]:>3}. {names[seat]}  {count(record.scores[seat], 'point')}{fault}"
        )
    return lines + points_lines(record, names, by_source, order)


def points_lines(
    record: Record,
    names: Sequence[str],
    by_source: Sequence[SeatPoints] | None,
    order: Sequence[int] = (),
    when: str = "",
) -> list[str]:
    """Return where the points of each seat come from at the end of a match, a line a
    seat; no line if its game does not say.

    order: the seats as they are listed; () for by number.
    when: words for the heading, such as "then"; "" for none.
    """
    if not by_source:
        return []
    counted, uncounted = by_source[0]
    rows = [["", *counted, "points", *(f"({source})" for source in uncounted)]]
    for seat in order or range(len(names)):
        points = by_source[seat]
        rows.append(
            [
                names[seat],
                *map(
                    str, (*points.counted.values(), record.scores[seat], *points.uncounted.values())
                ),
            ]
        )
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    brackets = ", what counts nothing in brackets" if uncounted else ""
    lines = [f"points by source{when and f' {when}'}{brackets}:"]
    for name, *numbers in rows:
        cells = [number.rjust(width) for number, width in zip(numbers, widths[1:], strict=True)]
        lines.append("  ".join(["", name.ljust(widths[0]), *cells]))
    return lines
