"""Reads of an open store: rows of events, matches and links, and what is damaged."""

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

from khiva_arena.bots.sandbox.level import Level
from khiva_arena.records.store import file_errors, files
from khiva_arena.records.store.file_errors import explain_errors
from khiva_arena.records.store.files import FILE
from khiva_arena.records.store.locks import LOCK
from khiva_arena.records.store.queries import StoreRows, select_from
from khiva_arena.records.store.row_checks import Checked, whole_matches, whole_voids
from khiva_arena.records.store.rows import BotRow, EventRow, LinkRow, MatchRow, VoidRow
from khiva_arena.records.store.seal import Seal

RUN_SECRET = -1
T = TypeVar("T")
BESIDE = ("page_faults", "times", "cells", "spent")
LOWEST, HIGHEST = -(2**63), 2**63 - 1  # integers of SQLite


class StoreReads(StoreRows):
    """The reads of an open store."""

    def __init__(
        self,
        folder: Path,
        connection: sqlite3.Connection,
        lock: int | None,
        *,
        trusting: bool = True,
    ) -> None:
        self.folder = folder
        self._connection = connection
        self._lock, self._trusting, self._is_older = lock, trusting, False
        self.over: Callable[[str, Iterator[MatchRow]], Iterator[MatchRow]] = lambda _, rows: (
            rows
        )  # of ``matches``, by event
        self._files = self._who_is_there()
        self._seal = Seal(folder / FILE, connection, trusted=trusting)
        self._results: dict[str, Any] = {}
        self._read_at: tuple[int, int] | None = None

    def events(self) -> list[EventRow]:
        """Return all events in order of creation."""
        return [
            self._event(row, intact)
            for row, intact in self._checked_rows("events", "1 ORDER BY number")
        ]

    def event_ids(self, first: int = LOWEST, last: int = HIGHEST) -> list[str]:
        """Return the ids of all events in order of creation, or those with numbers
        first..last.
        """
        query = "SELECT id FROM events WHERE number BETWEEN ? AND ? ORDER BY number"
        return [str(event) for (event,) in self._rows(query, first, last)]

    def event(self, event: str) -> EventRow | None:
        """Return one event by its id, None if it is not here."""
        rows = self._checked_rows("events", "id = ?", event)
        return self._event(*rows[0]) if rows else None

    def _event(self, row: dict[str, Any], intact: bool) -> EventRow:
        engines = self._checked_rows("engines", "event = ? ORDER BY since, engine", row["id"])
        bots = self._checked_rows("bots", "event = ? ORDER BY position", row["id"])
        changes = [] if intact else ["its own row"]
        changes += [f"the row of engine {values['engine']}" for values, ok in engines if not ok]
        changes += [f"the row of bot {values['position']}" for values, ok in bots if not ok]
        public = self._checked_rows("beacons", "event = ?", row["id"])
        changes += ["the row of its public text" for _, ok in public if not ok]
        row["public"] = public[0][0]["text"] if public else None
        closures = self._checked_rows("closures", "event = ?", row["id"])
        changes += ["the row of its closing" for _, ok in closures if not ok]
        row["closed"] = closures[0][0]["at"] if closures else None
        rows = self._checked_rows("set_aside", "event = ? ORDER BY seed, lineup", row["id"])
        row["set_aside"] = tuple((values["seed"], values["lineup"]) for values, _ in rows)
        for values, _ in bots:
            del values["event"], values["position"]
            values["complete"] = bool(values["complete"])
        row["text"] = row.pop("definition")
        row["engines"] = (row.pop("engine"), *(values["engine"] for values, _ in engines))
        return EventRow(
            **row, bots=tuple(BotRow(**values) for values, _ in bots), changed=tuple(changes)
        )

    def links(self, first: int = 0, end: int = HIGHEST) -> list[LinkRow]:
        """Return the links of the league whose batches the events are, in the order of
        the chain; [] if it is no league's.
        ``first``, ``end``: with numbers from here on, and below that.
        """
        rows = self._checked_rows("links", "number >= ? AND number < ? ORDER BY number", first, end)
        return [LinkRow(**values, intact=intact) for values, intact in rows]

    def newest_link(self) -> LinkRow | None:
        """Return the newest link of the league whose batches the events are, None if it
        is no league's.
        """
        newest = self._rows("SELECT max(number) FROM links")[0][0]
        return None if newest is None else self.links(newest)[0]

    def newest_number(self) -> int:
        """Return the number of the newest event, 0 if there is none."""
        return int(self._rows("SELECT coalesce(max(number), 0) FROM events")[0][0])

    def recorded(self, event: str) -> set[int]:
        """Return the ordinals of the matches that are recorded."""
        return {
            row[0]
            for row in self._rows("SELECT ordinal FROM matches WHERE event = ?", event)
            if isinstance(row[0], int)
        }

    def count(self, event: str, first: int, last: int) -> int:
        """Return how many matches with ordinals first..last are recorded."""
        query = "SELECT count(*) FROM matches WHERE event = ? AND ordinal BETWEEN ? AND ?"
        return int(self._rows(query, event, first, last)[0][0])

    def matches(
        self, event: str, first: int = LOWEST, last: int = HIGHEST, beside: Sequence[str] = BESIDE
    ) -> Iterator[MatchRow]:
        """Yield recorded matches with ordinals first..last in schedule order, read on
        demand, some at a time. ``beside``: the facts that are read, too: page faults
        and the times of decisions take as long to read as everything else.
        """
        all_matches = (first, last) == (
            LOWEST,
            HIGHEST,
        )  # with one whose ordinal is damaged and no number now
        within = "" if all_matches else "AND ordinal BETWEEN ? AND ?"
        query = f"{select_from('matches')} WHERE event = ? {within} ORDER BY ordinal"
        for rows in self._batches(query, (event,) if all_matches else (event, first, last)):
            yield from self.over(
                event, self._joined(event, self._check_rows("matches", rows), beside)
            )

    def match(self, event: str, ordinal: int) -> MatchRow | None:
        """Return one recorded match, None if it is not here."""
        return next(
            self._joined(
                event, self._pairs("matches", "event = ? AND ordinal = ?", event, ordinal)
            ),
            None,
        )

    def matches_with(self, event: str, beginning: str) -> list[MatchRow]:
        """Return the recorded matches whose id has this beginning, at most two, in
        schedule order.
        """
        query = (
            "SELECT ordinal FROM matches WHERE event = ? AND substr(id, 1, ?) = ? ORDER BY "
            "ordinal LIMIT 2"
        )
        ordinals = self._rows(query, event, len(beginning), beginning)
        return [match for (ordinal,) in ordinals if (match := self.match(event, ordinal))]

    def _joined(
        self, event: str, matches: Checked, beside: Sequence[str] = BESIDE
    ) -> Iterator[MatchRow]:
        """Yield rows of ``matches`` joined with their rows in other tables."""
        rows = list(matches)
        if not rows:
            return iter(())
        ordinals = [row[1] for row, _ in rows]
        condition = (
            "event = ? AND ordinal BETWEEN ? AND ? ORDER BY ordinal",
            event,
            min(ordinals),
            max(ordinals),
        )
        seats = self._pairs("seats", f"{condition[0]}, seat", *condition[1:])
        faults, times, cells, spent = (
            self._pairs(table, *condition) if table in beside else () for table in BESIDE
        )
        return whole_matches(rows, faults, seats, times, cells, spent)

    def places(self, event: str) -> Iterator[tuple[int, str]]:
        """Yield ordinal and digest of each recorded match in schedule order, read on
        demand, some at a time, by no sums.
        """
        for rows, _ in self._pieces(
            "SELECT ordinal, digest FROM matches WHERE event = ? ORDER BY ordinal", (event,)
        ):
            yield from (
                (ordinal, str(digest)) for ordinal, digest in rows if isinstance(ordinal, int)
            )

    def digests(self, event: str) -> list[str]:
        """Return the match digests in schedule order."""
        return [
            row[0]
            for row in self._rows(
                "SELECT digest FROM matches WHERE event = ? ORDER BY ordinal", event
            )
        ]

    def cpu(self, event: str, since: str) -> dict[int, float]:
        """Return the seconds of CPU that each bot of an event used in the matches that
        ended at a time or later, by position.
        """
        of_match = "seats.event = matches.event AND seats.ordinal = matches.ordinal"
        query = (
            f"SELECT bot, sum(cpu) FROM seats JOIN matches ON {of_match} WHERE seats.event = ? "
            "AND finished >= ? GROUP BY bot"
        )
        return {bot: float(cpu) for bot, cpu in self._rows(query, event, since)}

    def cells(self, events: Iterable[str]) -> tuple[str, ...]:
        """Return the levels at which the runners of the events' modules were kept, the
        best first.
        """
        query = "SELECT DISTINCT level FROM cells WHERE event = ?"
        levels = {row[0] for event in events for row in self._rows(query, event)}
        return tuple(level for level in Level if level in levels)

    def voids(self, event: str) -> list[VoidRow]:
        """Return the void attempts in schedule order."""
        rows = self._checked_rows("voids", "event = ? ORDER BY ordinal, attempt", event)
        causes, spent = (
            self._checked_rows(table, "event = ?", event) for table in ("void_causes", "void_spent")
        )
        return whole_voids(rows, causes, spent)

    def reveals(self, event: str) -> dict[int, bytes]:
        """Return the published secrets by seed; -1 is the run's."""
        return {
            row["seed"]: row["secret"]
            for row, _ in self._checked_rows("reveals", "event = ?", event)
        }

    def conclusion(self, event: str) -> str | None:
        """Return the run digest of the moment when the event was over, or closed; None
        before that.
        """
        rows = self._checked_rows("conclusions", "event = ?", event)
        return str(rows[0][0]["digest"]) if rows else None

    def damage(self) -> list[str]:
        """Return each damage of the file itself, a line each."""
        return file_errors.damage(self._connection)

    def first_damage(self) -> str:
        """Return the first damage in the pages of the file, "" for none."""
        with explain_errors(self.folder):
            if self._seal.is_kept():
                return ""
        return str(self._once("", lambda: file_errors.first_damage(self._connection)))

    def changed(self, event: str) -> list[str]:
        """Return each changed, lost or added row of an event, apart from its matches,
        voids and ``EventRow.changed``.
        """
        with explain_errors(self.folder):
            if self._seal.holds():
                return []
        # not above: a sealed store has no need of it
        from khiva_arena.records.store.sums import changes

        return list(
            self._once(
                event, lambda: changes(event, self._rows, self._rows_by_piece, self._checked_rows)
            )
        )

    def is_known_sound(self) -> bool:
        """Tell whether no sum need be computed: the store was sealed when it was
        opened, and nobody else has written since.
        """
        with explain_errors(self.folder):
            return self._seal.is_kept()

    def _once(self, key: str, look: Callable[[], T]) -> T:
        """Return the result of ``look``, kept under a key. It reads the whole store, so
        it runs again only after a write.
        """
        now_at = (
            self._rows("PRAGMA data_version")[0][0],
            self._connection.total_changes,
        )  # of others, and its own
        if now_at != self._read_at:
            self._results, self._read_at = {}, now_at
        if key not in self._results:
            self._results[key] = look()
        result: T = self._results[key]
        return result

    def _who_is_there(self) -> tuple[object, object]:
        return files.file_id(self.folder / FILE), files.file_id(self.folder / LOCK)
