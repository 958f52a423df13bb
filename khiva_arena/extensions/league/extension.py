"""The hook that the extension ``league`` fills: events of a league."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from khiva_arena.common.say import Say
from khiva_arena.competition.events.league_batches import (
    LEAGUE_BATCHES,
    ChainFindings,
    CheckedBatches,
)
from khiva_arena.records.store.db import Store

# Each function imports what it needs when it is called: a table needs no audit, and an
# audit no seasons.


class _LeagueBatches:
    """Batches, as ``events.league_batches.LeagueBatches`` wants them."""

    def selected(self, folder: Path, season: str | None, say: Say) -> tuple[str, ...]:
        from khiva_arena.extensions.league.seasons import words_of

        return words_of(folder, season, say)

    def public(
        self, folder: Path, season: str | None, say: Say, *, of_season: bool
    ) -> tuple[str, ...]:
        from khiva_arena.extensions.league.seasons import public_words_of

        return public_words_of(folder, season, say, of_season=of_season)

    def newest_public(self, store: Store) -> int:
        from khiva_arena.extensions.league.chain.stored_chain import chain_of

        chain = chain_of(store)
        return chain.revealed(datetime.now(UTC)) if chain else 0

    def receipt(self, league: Path) -> str:
        from khiva_arena.extensions.league.seen import receipt_of

        return receipt_of(league)

    def check_beacon(self, command: str) -> None:
        from khiva_arena.extensions.league.beacon import words_of

        words_of(command)

    def drawn_since(self, links: Sequence[str], since: int) -> tuple[str, ...]:
        from khiva_arena.extensions.league.audit import events_since

        return events_since(links, since)

    def audit(self, batches: CheckedBatches, seen: Sequence[Path], beacon: str) -> ChainFindings:
        from khiva_arena.extensions.league.audit import audit_links
        from khiva_arena.extensions.league.final_audit import audit_finals

        audit = audit_links(
            batches.links, batches.events, batches.digests, seen, in_part=batches.in_part
        )
        if audit.finals and batches.is_whole and not audit.problems:
            audit_finals(audit, batches)
        deals = audit.deals
        if beacon and (deals.lines or (batches.is_whole and not audit.problems)):
            audit.problems += deals.compare_with(beacon)
        return ChainFindings(
            audit.problems, audit.says, deals.calendar, deals.plain, deals.not_compared
        )

    def way_to_play(self, league: Path) -> str:
        from khiva_arena.extensions.league.settings import options_of, way_to_play

        return way_to_play(league, "COMMAND" if options_of(league).beacon else "")


EXTENSION = (LEAGUE_BATCHES.filled(_LeagueBatches()),)
