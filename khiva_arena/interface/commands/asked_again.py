"""A stored match that a bot is asked again, and its decisions then: which of them
differ, by kind and in words.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from khiva_arena.arbiter.refeed import Reply
from khiva_arena.arbiter.seat import Blame
from khiva_arena.bots.protocol.messages import Decide
from khiva_arena.bots.sandbox.level import Sandbox
from khiva_arena.entrants.bots import Bot
from khiva_arena.records.replay.decided import words_of
from khiva_arena.records.replay.definition import DefinedBot
from khiva_arena.records.replay.record import Header, Record
from khiva_arena.records.replay.requests import AskedDecision, Request


class AskedMatch(NamedTuple):
    """A match to be sent to a bot again.

    word: that names it, as it was typed.
    record: of the match.
    secret: of its deal, 32 bytes.
    sandbox: the sandbox of its bots.
    bot: finds the bot of a seat; None if that cannot be known.
    details: by seat and step, the line about its fault that the bot was sent.
    is_over: whether all matches on its deal are recorded, so that another choice may be
        played out.
    bots: those that its event defines, by seat; none if that cannot be known.
    """

    word: str
    record: Record
    secret: bytes
    sandbox: Sandbox
    bot: Callable[[int], Bot] | None
    details: Sequence[dict[int, str]]
    is_over: bool
    bots: Sequence[DefinedBot] = ()


def same(reply: Reply) -> bool:
    """Tell whether the bot's choice, or its fault, is the recorded one."""
    decision = decision_asked(reply.request)
    if reply.blame is not None:
        return str(reply.blame.verdict) == decision.choice.why
    return (reply.choice, "") == (decision.choice.choice, decision.choice.why)


def first_other(replies: Iterable[Reply]) -> Reply | None:
    """Return the first of the answers that is another choice than the recorded one, and
    no fault; None if none is.
    """
    return next((reply for reply in replies if reply.choice is not None and not same(reply)), None)


def decision_asked(request: Request) -> AskedDecision:
    assert request.asked is not None
    return request.asked


class OfKind(NamedTuple):
    """The decisions of one kind that a bot was asked again.

    asked: their number.
    differ: how many of them it makes otherwise.
    always_then, always_now: the one choice, in words, at all that differ; "" if there
        are several, or one that differs.
    """

    asked: int
    differ: int
    always_then: str
    always_now: str


def kinds_of(*matches: tuple[Header, Sequence[Reply]]) -> dict[str, OfKind]:
    """Return the decisions of each kind, by its name, that of which most differ first.

    matches: the header of each, and what a bot replied in it.
    """
    kinds: dict[str, list[tuple[Header, Decide, Reply]]] = {}
    for header, reply in ((header, reply) for header, replies in matches for reply in replies):
        message = reply.request.message
        assert isinstance(message, Decide)
        kinds.setdefault(message.kind, []).append((header, message, reply))
    of_kind = {}
    for name, asked in kinds.items():
        differ = [one for one in asked if not same(one[-1])]
        then = {
            words_of(header, message, decision_asked(reply.request).choice.choice)
            for header, message, reply in differ
        }
        now = {
            "" if reply.choice is None else words_of(header, message, reply.choice)
            for header, message, reply in differ
        }
        always = [words.pop() if len(differ) > len(words) == 1 else "" for words in (then, now)]
        of_kind[name] = OfKind(len(asked), len(differ), *always)
    return dict(sorted(of_kind.items(), key=lambda item: -item[1].differ))


def in_words(kinds: Mapping[str, OfKind]) -> str:
    """Return in words how many decisions of each kind differ, without the kinds of
    which none does.
    """
    parts = []
    for name, of in kinds.items():
        habits = [
            f"{when} always '{words}'"
            for when, words in (("then", of.always_then), ("now", of.always_now))
            if words
        ]
        if of.differ:
            parts.append(
                f"{name} {of.differ} of {of.asked}" + (f" ({', '.join(habits)})" if habits else "")
            )
    return ", ".join(parts)


def ticks_then(record: Record, reply: Reply) -> int | None:
    """Return the ticks of the recorded decision; None by the wall clock."""
    if record.ticks is None:
        return None
    decision = decision_asked(reply.request)
    return record.ticks[reply.request.step][decision.step.index(decision.choice)]


def moment_of(out: Blame) -> str:
    """Return when and how a bot failed."""
    moment = "at the start" if out.step == 0 else f"at step {out.step}"
    return f"{moment}: {out.verdict}: {out.detail}"
