"""The JSON of ``khiva-arena replay``."""

from collections.abc import Mapping, Sequence

import msgspec

from khiva_arena.arbiter.refeed import RefeedResult, Reply
from khiva_arena.bots.protocol.messages import Decide
from khiva_arena.common.text import LONGEST, harmless
from khiva_arena.interface.commands.asked_again import (
    OfKind,
    decision_asked,
    kinds_of,
    moment_of,
    same,
    ticks_then,
)
from khiva_arena.interface.commands.json_shapes import (
    VERSION,
    ChoiceNow,
    ChoiceThen,
    FailedBot,
    KindAsked,
    OtherDecision,
    ReplayOutput,
)
from khiva_arena.records.replay.decided import words_of
from khiva_arena.records.replay.record import Header, Record
from khiva_arena.words import count


def replay_output(
    record: Record,
    seat: int,
    name: str,
    refed: RefeedResult,
    replies: Sequence[Reply],
    commands: Sequence[str],
) -> ReplayOutput:
    """Return what ``--json`` prints. ``commands``: to type next."""
    differ, out = [reply for reply in replies if not same(reply)], refed.out
    return ReplayOutput(
        v=VERSION,
        sentence=replay_sentence(
            len(differ), len(replies), "" if out is None else f"{name} fails {moment_of(out)}"
        ),
        match=record.header.match,
        seat=seat,
        bot=name,
        same=not differ and out is None,
        asked=len(replies),
        kinds=kinds_as_json(kinds_of((record.header, replies))),
        failed=None if out is None else FailedBot(out.step, out.step, str(out.verdict), out.detail),
        differences=[_difference(record.header, reply) for reply in differ],
        ticks=msgspec.UNSET
        if record.ticks is None
        else [(ticks_then(record, reply), reply.ticks) for reply in replies],
        notes=refed.ending.notes,
        next=list(commands),
    )


def replay_sentence(differ: int, asked: int, failed: str) -> str:
    """Return in words how many choices differ. ``failed``: when and how the bot failed;
    "" if it did not.
    """
    choices = (
        f"{differ} of {count(asked, 'choice')} differ"
        if differ
        else f"{count(asked, 'choice')}, all as they were"
    )
    return harmless(f"{choices}{failed and f'; {failed}'}", LONGEST)


def kinds_as_json(kinds: Mapping[str, OfKind]) -> dict[str, KindAsked]:
    return {name: KindAsked(*of) for name, of in kinds.items()}


def _difference(header: Header, reply: Reply) -> OtherDecision:
    request, blame = reply.request, reply.blame
    message, then = request.message, decision_asked(request).choice
    assert isinstance(message, Decide)
    entry = None if reply.choice is None else message.legal[reply.choice]
    words = None if reply.choice is None else words_of(header, message, reply.choice)
    fault, detail = ("", "") if blame is None else (str(blame.verdict), blame.detail)
    return OtherDecision(
        step=request.step,
        gather=request.step,
        kind=message.kind,
        req=message.req,
        then=ChoiceThen(
            then.choice,
            message.legal[then.choice],
            words_of(header, message, then.choice),
            then.why,
        ),
        now=ChoiceNow(reply.choice, entry, words, fault, detail),
    )
