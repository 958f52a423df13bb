"""What an organiser shows of a league, to be changed as one who can compute every sum
and digest anew.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from msgspec import structs

from khiva_arena.extensions.league.audit import audit_chain
from khiva_arena.extensions.league.audit_findings import ChainAudit
from khiva_arena.extensions.league.chain.links import AnyLink, Drawn, Over
from khiva_arena.records.replay import seeds
from khiva_arena.records.replay.definition import Definition
from khiva_arena.records.store.db import EventRow


class Claim(NamedTuple):
    """What an organiser shows: the links of the chain, its events, and their run
    digests by id.
    """

    links: list[AnyLink]
    events: list[EventRow]
    digests: dict[str, str]

    def audit(self, *seen: Path) -> ChainAudit:
        return audit_chain(self.links, self.events, self.digests, seen)


def chained(links: Sequence[AnyLink]) -> list[AnyLink]:
    """Return links numbered anew, each naming the digest of the one before it."""
    result: list[AnyLink] = []
    for number, link in enumerate(links):
        before = result[-1].digest if result else link.before
        result.append(structs.replace(link, number=number, before=before))
    return result


def with_definition(event: EventRow, definition: Definition) -> EventRow:
    """Return an event with another definition, committed to anew."""
    commitment = seeds.commitment(definition.digest, event.secret)
    bots = tuple(
        structs.replace(event.bots[0], name=bot.name, identity=bot.identity)
        for bot in definition.bots
    )
    event_id = seeds.event_id(definition.digest, commitment)
    return structs.replace(
        event, id=event_id, text=definition.text, commitment=commitment, bots=bots
    )


def swapped(claim: Claim, old: EventRow, new: EventRow) -> Claim:
    """Return the claim with another event in place of one, and links that fit."""
    links = []
    for link in claim.links:
        if isinstance(link, Drawn) and link.event == old.id:
            link = structs.replace(
                link, event=new.id, definition=new.definition.digest, commitment=new.commitment
            )
        elif isinstance(link, Over) and link.event == old.id:
            link = structs.replace(link, event=new.id)
        links.append(link)
    events = [new if event.id == old.id else event for event in claim.events]
    digests = {
        new.id if event == old.id else event: digest for event, digest in claim.digests.items()
    }
    return Claim(chained(links), events, digests)


def of_batch(claim: Claim, batch: int) -> list[int]:
    """Return the places of the two links of a batch."""
    return [
        at
        for at, link in enumerate(claim.links)
        if isinstance(link, Drawn | Over) and link.batch == batch
    ]
