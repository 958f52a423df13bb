"""The audit of a league's chain: its links, and that each batch was drawn as draw/
draws it.

Matches are checked elsewhere, event by event. Here their definitions, commitments and
run digests are compared with the links.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from khiva_arena.common.text import LONGEST, harmless
from khiva_arena.errors import RecordError, StoreError
from khiva_arena.extensions.league.audit_findings import ChainAudit
from khiva_arena.extensions.league.beacon import BeaconLine
from khiva_arena.extensions.league.chain.follow import begin, follow
from khiva_arena.extensions.league.chain.links import AnyLink, Drawn, Final, Over, read_link
from khiva_arena.extensions.league.chain.roster import Chain
from khiva_arena.extensions.league.chain.stored_chain import CLOCKS_DIFFER
from khiva_arena.extensions.league.deals import DealtEvent
from khiva_arena.extensions.league.draw.counts import Counts
from khiva_arena.extensions.league.draw.next_batch import (
    active_of,
    add_batch,
    definition_of,
    next_batch,
    roster_digest,
)
from khiva_arena.extensions.league.seen import Sightings, receipts_in
from khiva_arena.rating.schedule.formats import check_terms
from khiva_arena.records.replay.definition import Definition
from khiva_arena.records.replay.record import canonical
from khiva_arena.records.store.db import EventRow
from khiva_arena.words import ranges


def audit_links(
    texts: Sequence[str | bytes],
    events: Iterable[EventRow],
    digests: Mapping[str, str],
    seen: Sequence[Path] = (),
    *,
    in_part: bool = False,
) -> ChainAudit:
    """Check the chain whose links have these canonical texts, as ``audit_chain`` does.
    Events with a damaged definition, which is a problem elsewhere, count as missing.
    """
    audit = ChainAudit()
    links: list[AnyLink] = []
    if not audit.passes("", lambda: links.extend(map(read_link, texts))):
        return audit
    return audit_chain(links, list(filter(_is_defined, events)), digests, seen, in_part=in_part)


def _is_defined(event: EventRow) -> bool:
    try:
        return event.definition is not None
    except StoreError:
        return False


def events_since(texts: Sequence[str | bytes], since: int) -> tuple[str, ...]:
    """Return the ids of the events that are drawn at a link or later. Raises
    RecordError for a link that cannot be read.
    """
    links = map(read_link, texts)
    return tuple(link.event for link in links if isinstance(link, Drawn) and link.number >= since)


def audit_chain(
    links: Sequence[AnyLink],
    events: Iterable[EventRow],
    digests: Mapping[str, str],
    seen: Sequence[Path] = (),
    *,
    in_part: bool = False,
) -> ChainAudit:
    """Check the chain of a league against its events.

    links: in the order of the chain.
    events: those that are here, with their definitions sound.
    digests: by event that was checked, the run digest over its matches; "" if some of
        them are missing.
    seen: files with receipts.
    in_part: whether the newest batches may be missing, as long as they are not public:
        so in a bundle.

    Raises ConfigError for a file with receipts that cannot be read, or has none.
    """
    audit = ChainAudit()
    by_id = {event.id: event for event in events}
    chains = _walk(audit, links)
    counts: Counts | None = Counts()
    early: list[int] = []
    for chain, link in zip(chains, links[1:], strict=False):
        if isinstance(link, Drawn):
            counts = _check_drawn(audit, chain, link, by_id, counts)
            if event := by_id.get(link.event):
                audit.take_secret(f"batch {link.batch}", event.secret)
        elif isinstance(link, Over):
            if link.event in by_id:
                audit.passes(
                    f"link {link.number}", partial(_check_over, link, by_id[link.event], digests)
                )
            if line := _line_of(chain, link, here=link.event in by_id):
                audit.deals.lines.append(line)
                early += [link.batch] * (datetime.fromisoformat(link.at) < line.due)
            else:
                audit.deals.without.append(DealtEvent("batch", link.batch))
        elif isinstance(link, Final):
            audit.finals.append((chain, link))
    drawn = {link.event for link in links if isinstance(link, Drawn)}
    audit.problems += [
        f"event {event.number}: it is beside a league, and no link here draws it"
        for event in by_id.values()
        if event.id not in drawn
    ]
    audit.times = _times_of(links[: len(chains)], early)
    if chains:
        _check_missing(audit, chains[-1], links[-1], in_part=in_part)
    if seen:
        _compare(audit, chains, links[: len(chains)], seen)
    return audit


def _line_of(chain: Chain, link: Over, *, here: bool) -> BeaconLine | None:
    """Return the line of a beacon that stands in a link which ends a batch; None
    without a beacon. ``chain``: before the link.
    """
    beacon, drawn = chain.terms.beacon, chain.open
    if link.public is None or beacon is None or drawn is None or drawn.round is None:
        return None
    return BeaconLine("batch", link.batch, beacon, drawn.round, link.public, here)


def _times_of(links: Sequence[AnyLink], early: Sequence[int]) -> list[str]:
    """Return what is noteworthy about the times of links, which are those of the
    organiser's clock, and prove nothing. ``early``: the batches that ended before their
    rounds came.
    """
    at = [datetime.fromisoformat(link.at) for link in links]
    back = [number for number in range(1, len(at)) if at[number] < at[number - 1]]
    ahead = [
        number for number, moment in enumerate(at) if moment > datetime.now(UTC) + CLOCKS_DIFFER
    ]
    notes = {"is of an earlier time than the one before": back, "is of a time still to come": ahead}
    said = [f"a link {what}: {ranges(numbers)}" for what, numbers in notes.items() if numbers]
    return [
        *said,
        *(
            [f"by its link a batch was over before its round of the beacon came: {ranges(early)}"]
            if early
            else []
        ),
    ]


def _walk(audit: ChainAudit, links: Sequence[AnyLink]) -> list[Chain]:
    """Return the chain after each link, up to the first link that does not follow from
    those before it.
    """
    chains: list[Chain] = []

    def walk() -> None:
        for link in links:
            chains.append(follow(chains[-1], link) if chains else begin(link))

    audit.passes("", walk)
    audit.links = len(chains)
    return chains


def _check_missing(
    audit: ChainAudit,
    chain: Chain,
    newest: AnyLink,
    *,
    in_part: bool,
) -> None:
    """Note the batches that are missing, unless they are newer than all that are here,
    and not public yet.
    """
    public = chain.revealed(datetime.fromisoformat(newest.at)) if in_part else chain.batches
    here = max(
        (batch for batch in range(1, chain.batches + 1) if batch not in audit.not_here), default=0
    )
    if lost := [batch for batch in audit.not_here if batch <= max(here, public)]:
        audit.problems.append(f"batches that links draw are missing: {ranges(lost)}")


def _check_drawn(
    audit: ChainAudit,
    chain: Chain,
    link: Drawn,
    events: Mapping[str, EventRow],
    counts: Counts | None,
) -> Counts | None:
    """Compare a link that draws a batch with its event, and draw it again. Return the
    counts with it; None once a batch is not here.

    chain: before the link.
    """
    event = events.get(link.event)
    if event is None:
        audit.not_here.append(link.batch)
        return None
    name = f"batch {link.batch} (event {event.number})"
    if event.definition.batch is None or not audit.passes(
        name, lambda: check_terms(event.definition.terms())
    ):
        audit.problems.append(f"{name}: a link draws it, and its tables are not those of a batch")
        return None
    sound = audit.passes(name, lambda: _check_definition(chain, link, event))
    if counts is not None:
        if audit.passes(name, lambda: _check_tables(chain, event.definition, counts)) and sound:
            audit.drawn_again.append(link.batch)
        add_batch(counts, event.definition)
    return counts


def _check_definition(chain: Chain, link: Drawn, event: EventRow) -> None:
    """Raise RecordError if an event is not the batch that follows from the chain before
    its link.
    """
    definition = event.definition
    batch = definition.batch
    assert batch is not None
    for holds, otherwise in (
        (link.definition == definition.digest, "its definition is not the one that its link names"),
        (
            link.commitment == event.commitment,
            "its commitment is not the one that its link published",
        ),
        (batch.number == link.batch, f"it says that it is batch {batch.number}"),
        (batch.before == chain.before, "it does not name the digest of the batch before it"),
        (
            batch.roster == roster_digest(active_of(chain)),
            "it was not drawn from the roster at its place in the chain",
        ),
        (
            [(bot.name, bot.identity) for bot in definition.bots]
            == [(bot.name, bot.identity) for bot in chain.active],
            "its bots are not the active ones of the roster",
        ),
        (
            event.public is None or link.round is not None,
            "a text was mixed into its draw, and the league has no beacon",
        ),
    ):
        if not holds:
            raise RecordError(otherwise)
    here, expected = definition.plain(), definition_of(chain, batch, definition.runtimes).plain()
    if differ := sorted(
        key for key in here | expected if canonical(here.get(key)) != canonical(expected.get(key))
    ):
        raise RecordError(f"it has other conditions than the league: {', '.join(differ)}")


def _check_tables(
    chain: Chain,
    definition: Definition,
    counts: Counts,
) -> None:
    """Raise RecordError if the tables of a batch are not those that the draw gives."""
    assert definition.batch is not None
    expected = next_batch(chain, counts).tables
    if definition.batch.tables != expected:
        at = next(
            (
                n
                for n, pair in enumerate(zip(definition.batch.tables, expected, strict=False))
                if pair[0] != pair[1]
            ),
            None,
        )
        where = (
            f"table {at} is {definition.batch.tables[at]}, and the draw gives {expected[at]}"
            if at is not None
            else f"it has {len(definition.batch.tables)} tables, and the draw gives {len(expected)}"
        )
        raise RecordError(f"it was not drawn from its roster and the batches before it: {where}")


def _check_over(link: Over, event: EventRow, digests: Mapping[str, str]) -> None:
    """Raise RecordError if a link does not end a batch as it was played."""
    if digests.get(event.id) == "":
        raise RecordError(
            f"it ends batch {link.batch}, and matches of event {event.number} are missing"
        )
    if event.id in digests and digests[event.id] != link.run_digest:
        raise RecordError(
            f"it names run digest {link.run_digest}, and the matches of event "
            f"{event.number} have {digests[event.id]}"
        )
    if link.public != event.public:
        raise RecordError(
            f"it says that {link.public!r} was mixed into the deals, and event "
            f"{event.number} has {event.public!r}"
        )
    if link.set_aside != event.set_aside:
        raise RecordError(f"it sets other tables aside than event {event.number} does")


# --- receipts ---


def _compare(
    audit: ChainAudit, chains: Sequence[Chain], links: Sequence[AnyLink], files: Sequence[Path]
) -> None:
    """Compare links with receipts, and note what receipts show before rounds of the
    beacon came. ``chains``: after each link.
    """
    digests = {link.number: link.digest for link in links}
    receipts = [receipt for file in files for receipt in receipts_in(file)]
    for receipt in receipts:
        if digests.get(receipt.number) != receipt.digest:
            here = (
                f"here link {receipt.number} is another one"
                if receipt.number in digests
                else "it is not here"
            )
            told = f"{receipt.file} names link {receipt.number} {receipt.digest}, and {here}"
            audit.problems.append(
                harmless(f"{told}: an end of the chain was thrown away or altered", LONGEST)
            )
    audit.unfit = sum(digests.get(receipt.number) != receipt.digest for receipt in receipts)
    fitting = [
        receipt.number for receipt in receipts if digests.get(receipt.number) == receipt.digest
    ]
    audit.seen = max(fitting, default=None)
    sightings = Sightings(
        [receipt for receipt in receipts if digests.get(receipt.number) == receipt.digest]
    )
    overs = {link.batch: link.number for link in links if isinstance(link, Over)}
    for chain, link in zip(chains, links, strict=True):
        if (
            not isinstance(link, Drawn | Final)
            or not link.round
            or not (beacon := chain.terms.beacon)
        ):
            continue
        newest = sightings.newest_before(beacon.moment_of(link.round))
        if isinstance(link, Drawn) and newest >= overs.get(link.batch, len(links)):
            audit.problems.append(
                f"batch {link.batch}: a receipt shows its line before round {link.round} came: the "
                "line was made up, or the clock of the receipt's keeper was behind"
            )
        elif newest >= link.number:  # a later link names this one, too
            audit.deals.witnessed.add(_event_of(link))


def _event_of(link: Drawn | Final) -> DealtEvent:
    return (
        DealtEvent("batch", link.batch)
        if isinstance(link, Drawn)
        else DealtEvent("final", link.final)
    )
