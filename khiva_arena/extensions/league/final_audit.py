"""The audit of a league's finals: the numbers that seated them, and what was played of
them.
"""

from collections.abc import Mapping
from pathlib import Path

from khiva_arena.common.text import LONGEST, harmless
from khiva_arena.competition.events.league_batches import CheckedBatches
from khiva_arena.competition.events.source import ResultSource
from khiva_arena.errors import RecordError
from khiva_arena.extensions.league.audit_findings import ChainAudit
from khiva_arena.extensions.league.beacon import BeaconLine
from khiva_arena.extensions.league.chain.links import Final, RatedThen
from khiva_arena.extensions.league.chain.roster import Chain, sits_apart
from khiva_arena.extensions.league.final_table import batches_of_table, rated_at
from khiva_arena.extensions.league.folder import final_folder
from khiva_arena.rating.schedule.names import Format
from khiva_arena.records.replay.conditions import Conditions
from khiva_arena.records.replay.definition import Definition
from khiva_arena.records.replay.record import canonical
from khiva_arena.records.store.db import EventRow, Store
from khiva_arena.words import count, ranges

NOTED = 0.1
"""A number that is so many errors from that of the link is noted: another version may
fit a little differently.
"""


def audit_finals(audit: ChainAudit, checked: CheckedBatches) -> None:
    """Note what is wrong with the finals of a league whose chain is sound, and what is
    noteworthy about them. They may lie beside the store of the league.
    """
    folder = checked.folder
    source = checked.results() if checked.matches_are_sound else None
    batches = {
        event.definition.batch.number: event for event in checked.events if event.definition.batch
    }
    unplayed = []
    for chain, link in audit.finals:
        if source and all(number in batches for number in range(1, chain.over + 1)):
            _compare(audit, chain, link, _rated_now(chain, source, batches))
        elif source:
            audit.of_finals.append(
                f"final {link.final}: its numbers were not checked, since batches are not here"
            )
        if folder and not _check_store(audit, chain, link, final_folder(folder, link.final)):
            unplayed.append(link.final)
    played = (
        f"not over here: {ranges(unplayed)}"
        if folder and unplayed
        else "all over"
        if folder
        else "in their own stores"
    )
    audit.of_finals.insert(0, f"{count(len(audit.finals), 'final')} decided on, {played}")


def _rated_now(
    chain: Chain, source: ResultSource, batches: Mapping[int, EventRow]
) -> tuple[RatedThen, ...]:
    """Return the numbers that the links and batches up to a final give. ``batches``:
    those that are here, by number.
    """
    order = source.league_order(chain.links)
    assert order is not None
    played = order.batches([bot.identity for bot in chain.active])
    return rated_at(chain, played, source, [batches[number] for number in batches_of_table(chain)])


def _compare(audit: ChainAudit, chain: Chain, link: Final, fitted: tuple[RatedThen, ...]) -> None:
    """Compare the numbers of a final's link with those that a fit gives now."""
    pairs = [
        (chain.bots[now.bot].name, then, now) for then, now in zip(link.rated, fitted, strict=True)
    ]
    for bot, then, now in pairs:
        if then.batches != now.batches:
            which, sat = (
                f"final {link.final}: link {link.number}",
                f"{then.batches} batches of {bot}",
            )
            audit.problems.append(
                harmless(f"{which} counts {sat}, and by the batches it is {now.batches}", LONGEST)
            )
    if moved := [bot for bot, then, now in pairs if _differs(then, now)]:
        seats = [bot.identity for bot in chain.final_seats(fitted)[: len(link.bots)]]
        others = ", ".join(chain.bots[bot].name for bot in seats if bot not in link.bots)
        seated = f"; a fit of now seats {others}" if others else ""
        names = ", ".join(moved)
        note = (
            f"final {link.final}: link {link.number} has other numbers than a fit of now for "
            f"{names}{seated}"
        )
        audit.of_finals.append(harmless(note, LONGEST))


def _differs(then: RatedThen, now: RatedThen) -> bool:
    """Tell whether a fit differs from the numbers of a link by more than a tenth of its
    error.
    """
    if then.elo is None or now.elo is None or then.least is None or now.least is None:
        return (then.elo, then.least) != (now.elo, now.least)
    return max(abs(then.elo - now.elo), abs(then.least - now.least)) > NOTED * abs(
        now.elo - now.least
    )


def _check_store(audit: ChainAudit, chain: Chain, link: Final, out: Path) -> bool:
    """Note what is wrong with the store of a final, and the lines of a beacon that were
    mixed into its deals. Tell whether the final is over there. What it holds is
    verified as any store.
    """
    if Store.is_in_use(out) or not Store.check(out):
        return False  # it is being played, or elsewhere
    beacon = chain.terms.beacon
    with Store.read(out) as store:
        events = store.events()
        lines = [event.public for event in events if event.public is not None]
        has_begun = any(store.recorded(event.id) for event in events)
        is_over = store.conclusion(link.event) is not None
    for event in events:
        audit.take_secret(f"final {link.final}", event.secret)
    if beacon and link.round is not None:
        audit.deals.lines += [
            BeaconLine("final", link.final, beacon, link.round, line) for line in lines
        ]
    if (has_begun or lines) and bool(lines) != (link.round is not None):
        audit.problems.append(
            f"final {link.final}: link {link.number} and {out} differ in whether a text is "
            "mixed into its deals"
        )
    stored = [
        (event.id, event.commitment, [bot.identity for bot in event.bots]) for event in events
    ]
    if stored != [(link.event, link.commitment, [*link.bots])]:
        audit.problems.append(
            f"final {link.final}: {out} does not hold the event that link {link.number} "
            "decided on, and no other"
        )
    else:
        audit.passes(
            f"final {link.final}", lambda: _check_definition(chain, link, events[0].definition)
        )
    return is_over


def _check_definition(chain: Chain, link: Final, definition: Definition) -> None:
    """Raise RecordError if the event of a final is not one on the terms of its
    league.
    """
    terms, authors = chain.terms, [chain.bots[bot].author for bot in link.bots]
    conditions = Conditions(
        **{name: getattr(definition, name) for name in Conditions.__struct_fields__}
    )
    apart = authors if sits_apart(terms, authors) else ["" for _ in authors]
    for holds, otherwise in (
        (definition.format is Format.ROUND_ROBIN, "it is no round-robin"),
        (definition.seats == terms.seats, "its tables have other seats than the league's"),
        (
            canonical(conditions.plain()) == canonical(terms.conditions),
            "it has other conditions than the league",
        ),
        (
            [bot.author for bot in definition.bots] == apart,
            "it keeps bots of one author apart otherwise than the terms say",
        ),
    ):
        if not holds:
            raise RecordError(otherwise)
