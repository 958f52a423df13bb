"""Print a replayed match as text: each request, the choice, and the events after it."""

from collections.abc import Sequence

import click

from khiva_arena.arbiter.refeed import RefeedResult, Reply
from khiva_arena.bots.protocol.messages import Decide
from khiva_arena.common.text import LONGEST, harmless
from khiva_arena.games.registry import get
from khiva_arena.interface.commands.asked_again import (
    AskedMatch,
    decision_asked,
    in_words,
    kinds_of,
    moment_of,
    same,
    ticks_then,
)
from khiva_arena.interface.commands.decision import hand_of
from khiva_arena.records.replay.decided import words_of
from khiva_arena.records.replay.record import Record
from khiva_arena.records.replay.requests import Request

SHOWN_LINES = 4


def print_replay(
    source: AskedMatch, seat: int, name: str, refed: RefeedResult, replies: Sequence[Reply]
) -> None:
    record, header = source.record, source.record.header
    differ = [reply for reply in replies if not same(reply)]
    typed = "" if header.match.startswith(source.word) else f"{source.word} "
    title = f"seat {seat} of {len(header.seats)}, then {header.seats[seat].name}, now {name}"
    click.echo(harmless(f"match {typed}{header.match}: {title}"))
    for reply in differ:
        request, message = reply.request, reply.request.message
        assert isinstance(message, Decide)
        hand = hand_of(header, message.view)
        click.echo(
            harmless(
                f"step {request.step}, {message.kind}, {len(message.legal)} "
                f"legal{hand and f', hand {hand}'}:"
            )
        )
        then, fault = decision_asked(request).choice.choice, decision_asked(request).choice.why
        follows = [_consequences(record, request, choice) for choice in (then, reply.choice)]
        click.echo(
            harmless(
                "  then "
                f"{_choice_text(record, message, then)}{fault and f' (the default, for {fault})'}"
            )
        )
        _echo_lines(follows[0], follows[1])
        if reply.blame is not None:
            click.echo(harmless(f"  now  {reply.blame.verdict}: {reply.blame.detail}"))
        else:
            click.echo(harmless(f"  now  {_choice_text(record, message, reply.choice)}"))
            _echo_lines(follows[1], follows[0])
    if refed.out is not None:
        as_then = ", as it did then" if record.forfeited_at[seat] == refed.out.step else ""
        moment, _, fault = moment_of(refed.out).partition(": ")
        click.echo(harmless(f"{name} fails {moment}{as_then}: {fault}"))
    if differ:
        click.echo(
            f"{len(differ)} of {len(replies)} choices differ: "
            f"{harmless(in_words(kinds_of((header, replies))), LONGEST)}"
        )
    elif replies or refed.out is None:
        click.echo(
            "the only choice is the same"
            if len(replies) == 1
            else f"all {len(replies)} choices are the same"
        )
    paid = [
        (reply.request.step, took, reply.ticks)
        for reply in replies
        if (took := ticks_then(record, reply)) is not None
    ]
    if other := [row for row in paid if row[1] != row[2]]:
        at, before, after = other[0]
        click.echo(
            f"ticks differ at {len(other)} of {len(paid)} decisions, first at step {at}: "
            f"{before:,} then, {after or 0:,} now"
        )
    elif paid:
        click.echo("every decision took as many ticks as then")


def _choice_text(record: Record, message: Decide, choice: int | None) -> str:
    assert choice is not None
    return f"{choice}: {words_of(record.header, message, choice)}"


def _consequences(record: Record, request: Request, choice: int | None) -> list[str]:
    """Return the next events, in the words of the game, if the seat chooses this and
    all others as they did.
    """
    if choice is None:
        return []
    decision = decision_asked(request)
    state = decision.state.clone()
    choices = {seat: index for seat, index, _ in decision.step} | {decision.choice.seat: choice}
    game = get(record.header.game, record.header.rules_version)
    names = [f"{who.name}#{number}" for number, who in enumerate(record.header.seats)]
    return [line.strip() for event in state.apply(choices) if (line := game.narrate(event, names))]


def _echo_lines(lines: Sequence[str], others: Sequence[str]) -> None:
    """Print the first lines to which only one of two choices leads."""
    only = [line for line in lines if line not in others]
    for line in only[:SHOWN_LINES]:
        click.echo(f"         {line}")
    if len(only) > SHOWN_LINES:
        click.echo(f"         ... and {len(only) - SHOWN_LINES} more")
