"""What the player publishes of a league: chain, standing, history, and a page of each
batch that is revealed.

The standing with the newest commitment is written before the next match. Tables and
pages are made meanwhile by one process at a time, which yields to bots. What a kill
left out is made later. What fails is a warning, and no end of the league; the trace of
an error that nobody foresaw is kept.
"""

import time
from collections.abc import Callable
from copy import deepcopy
from datetime import UTC, datetime, timedelta
from typing import Self

import msgspec
from msgspec import structs

from khiva_arena.bots.modules.released import described
from khiva_arena.common.machine import is_unforeseen
from khiva_arena.common.say import Say
from khiva_arena.competition.run.live_page import Background
from khiva_arena.errors import ConfigError, StoreError
from khiva_arena.extensions.league import failures
from khiva_arena.extensions.league.chain.links import read_link
from khiva_arena.extensions.league.chain.roster import Chain, RosterBot
from khiva_arena.extensions.league.folder import CHAIN, PUBLIC, final_folder, write_public
from khiva_arena.extensions.league.pace import ANY_TIME, Pace
from khiva_arena.extensions.league.player.appended import AppendedFile, remove
from khiva_arena.extensions.league.player.match_lists import MatchLists
from khiva_arena.extensions.league.player.missing_pages import PublishTask, pages_of, remove_older
from khiva_arena.extensions.league.player.public_terms import is_final_over, terms_of
from khiva_arena.extensions.league.player.published import Published, keep_published, read_published
from khiva_arena.extensions.league.player.published_before import line, mend_history, read_newest
from khiva_arena.extensions.league.public_state import (
    BATCH_LOG,
    BATCHES,
    FINALS,
    HISTORY,
    SEASONS,
    STATE,
    PublicBatch,
    PublicBot,
    PublicFinal,
    PublicLeague,
    season_file,
)
from khiva_arena.extensions.league.status import next_begin
from khiva_arena.extensions.league.walked import is_link
from khiva_arena.records.store.db import Store
from khiva_arena.records.store.rows import now
from khiva_arena.words import count

WISH_SECONDS = 60.0
"""The pause between two pages of older batches that readers ask for, so that a flood
of wishes takes little from the bots.
"""
AGAIN = timedelta(minutes=10)
"""The time until the standing is written again that could not be."""
FEW_TASKS = 5
"""The most tables and pages that a player waits for at its end without a word."""


class Publisher:
    """The publisher of a league whose store the player has open. Leaving the block ends
    the process that works for it.

    wish: returns the next batch whose page a reader asks for, None for none.
    """

    def __init__(self, store: Store, say: Say, pace: Pace = ANY_TIME) -> None:
        self._store, self._folder, self._say, self._pace = store, store.folder, say, pace
        self.wish: Callable[[], int | None] = lambda: None
        self._next_wish = 0.0
        self._next_reveal: datetime | None = None
        self._revealed, self._finals = 0, list[PublicFinal]()
        self._match_lists = MatchLists(store, say)
        self._published = self._kept()
        self._chain_file = AppendedFile(self._folder, CHAIN, self._published.chain_size)
        self._log = AppendedFile(self._folder, BATCH_LOG, self._published.log_size)
        self._process = Background()
        self._tasks: list[PublishTask] = []
        self._failed: set[str] = set()
        self._newest = read_newest(self._folder)
        self._last_line = mend_history(self._folder)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()

    def publish(self, chain: Chain) -> None:
        """Write chain and standing, and begin with what is to be made. Raises
        ConfigError or Unwritten.
        """
        self.write(chain)
        self.look()

    def write(self, chain: Chain) -> None:
        """Write chain and standing. Raises ConfigError or Unwritten."""
        self._chain = chain
        try:
            self._write()
        except Exception as error:
            self._failed_at("the standing", "standing", error)
            self._next_reveal = datetime.now(UTC) + AGAIN
        else:
            self._failed.discard("the standing")

    def _write(self) -> None:
        self._read_links()
        if self._newest is not None and self._newest.run_digest not in [
            batch.run_digest for batch in self._published.batches
        ]:
            self._newest = None  # an older copy of the store was put back
        self._add_line()
        self._write_standing()
        keep_published(self._folder, self._published)
        underway = self._tasks[:1] if self._process.is_there else []
        known = {*self._failed, *(task.what for task in underway)}
        missing = [task for task in self._missing() if task.what not in known]
        if underway and underway[0].take == self._take_table:
            missing[:2] = reversed(
                missing[:2]
            )  # a table may take longer than a batch, and pages have their turn all the same
        self._tasks = underway + missing

    def look(self) -> None:
        """Take what the process has made, if it has ended, and let the next one begin;
        publish what is due. Never waits.

        Raises ConfigError or Unwritten if what is due cannot be written.
        """
        if self._next_reveal and datetime.now(UTC) >= self._next_reveal:
            self.write(self._chain)
        try:
            self._take_wish()
        except Exception as error:
            self._failed_at("a page that a reader asks for", "wish", error)
        if (failure := self._process.failure()) is not None:
            self._taken(self._tasks.pop(0), failure)
        while self._tasks and not self._process.is_there:
            try:
                self._process.start("publish", self._tasks[0].words)
            except Exception as error:
                self._taken(self._tasks.pop(0), self._why(error, "page"))

    def _take_wish(self) -> None:
        """Let the page of an older batch be made if a reader asks for one; one at a
        time, and a pause after it.
        """
        if time.monotonic() < self._next_wish or (number := self.wish()) is None:
            return
        self._next_wish = time.monotonic() + WISH_SECONDS
        events = self._store.event_ids(number, number) if 1 <= number <= self._revealed else []
        self._tasks += pages_of(
            self._folder,
            self._chain.founded.name,
            BATCHES,
            {f"batch {number}": (self._folder, event) for event in events},
        )

    def finish(self) -> None:
        """Wait until all is made."""
        if len(self._tasks) > FEW_TASKS:
            self._say(
                f"{count(len(self._tasks), 'page')} of batches are still to be made; "
                "Ctrl-C leaves them to the next start"
            )
        while self._process.is_there:
            self._process.wait()
            self.look()

    def _taken(self, task: PublishTask, failure: str) -> None:
        if not failure:
            try:
                task.take()
            except Exception as error:
                failure = self._why(error, "page")
        if failure:
            self._failed.add(task.what)
            self._say(
                f"{task.what} could not be made: {failure}; the player tries again when it "
                "is started anew",
                warning=True,
            )

    def _failed_at(self, what: str, subject: str, error: Exception) -> None:
        """Tell the organiser that the arena failed at something that it publishes,
        once. Raises any other error. ``subject``: as ``failures.keep`` has it.
        """
        if not is_unforeseen(error):
            raise error
        told = failures.keep(self._folder, subject, error)
        if what not in self._failed:
            self._failed.add(what)
            self._say(f"{what} could not be published: {told}", warning=True)

    def _why(self, error: Exception, subject: str) -> str:
        """Return in words why something was not made, and keep the trace of an error
        that nobody foresaw.
        """
        return (
            failures.keep(self._folder, subject, error)
            if is_unforeseen(error)
            else str(error) or type(error).__name__
        )

    # --- what is to be made ---

    def _missing(self) -> list[PublishTask]:
        """Return the newest table, tables of seasons that are over and the pages that
        are not there, the newest first.
        """
        tasks = []
        words = (f"{__package__}.newest_table", str(self._folder))
        if self._chain.over and not self._has_newest():
            tasks.append(
                PublishTask(f"the table after batch {self._chain.over}", words, self._take_table)
            )
        for number in range(self._chain.season_of(self._chain.over), 0, -1):
            if not (self._folder / PUBLIC / season_file(number)).exists():
                name = self._chain.seasons[number - 1].name
                tasks.append(
                    PublishTask(f"the table of {name}", (*words, str(number)), self._write_standing)
                )
        revealed = [
            batch for batch in reversed(self._published.batches) if self._is_revealed(batch)
        ]
        tasks += pages_of(
            self._folder,
            self._chain.founded.name,
            BATCHES,
            {f"batch {one.number}": (self._folder, one.event) for one in revealed},
        )
        remove_older(self._folder, revealed[-1].number if revealed else self._revealed + 1)
        over = [final for final in reversed(self._finals) if final.over]
        tasks += pages_of(
            self._folder,
            self._chain.founded.name,
            FINALS,
            {
                f"final {one.number}": (final_folder(self._folder, one.number), one.event)
                for one in over
            },
        )
        return tasks

    def _has_newest(self) -> bool:
        return self._newest is not None and self._newest.run_digest == self._chain.before

    def _take_table(self) -> None:
        """Add the newest table to the history and to the standing."""
        self._newest = read_newest(self._folder)
        self._add_line()
        self._write_standing()

    def _add_line(self) -> None:
        """Add the newest table to the history, unless a line of its batch or a later
        one is there. Raises ConfigError.
        """
        if self._newest is None or self._newest.then.batch <= self._last_line:
            return
        path = self._folder / PUBLIC / HISTORY
        try:
            with path.open("ab") as file:
                file.write(msgspec.json.encode(self._newest.then) + b"\n")
            path.chmod(0o644)
        except OSError as error:
            raise ConfigError(f"{path}: {error.strerror or error}") from None
        self._last_line = self._newest.then.batch

    # --- the standing ---

    def _kept(self) -> Published:
        """Return what was published of this chain; as before the first link if that was
        of another one, or is damaged.
        """
        then = read_published(self._folder)
        last = self._store.links(then.links - 1, then.links) if then.links else []
        chain_file = AppendedFile(self._folder, CHAIN, then.chain_size)
        log = AppendedFile(self._folder, BATCH_LOG, then.log_size)
        if (
            is_link(self._store, then.links, then.digest)
            and chain_file.is_kept(line(last[0]))
            and log.is_kept(b"\n" * bool(log.size))
        ):
            chain_file.mend()
            log.mend()
            return then
        for table in (self._folder / PUBLIC / SEASONS).glob("*.json"):
            remove(table)
        return Published()

    def _read_links(self) -> None:
        """Publish the links that are new, and take account of them. Raises ConfigError
        or Unwritten.
        """
        published = deepcopy(self._published)  # of which nothing counts if a link cannot be read
        rows = self._store.links(published.links)
        changed = [published.read(self._store, self._chain, read_link(row.text)) for row in rows]
        try:
            self._chain_file.add(b"".join(map(line, rows)))
            self._log.add(
                b"".join(msgspec.json.encode(batch) + b"\n" for batch in changed if batch)
            )
        except BaseException:  # so that no line is written twice
            self._chain_file.size, self._log.size = (
                self._published.chain_size,
                self._published.log_size,
            )
            raise
        published.chain_size, published.log_size = self._chain_file.size, self._log.size
        self._published = published

    def _is_revealed(self, batch: PublicBatch) -> bool:
        return bool(batch.over_at) and batch.number <= self._revealed

    def _is_over(self, final: PublicFinal) -> bool:
        """Tell whether a final is over, as far as its store can be read; a warning says
        why not.
        """
        what, out = f"final {final.number}", final_folder(self._folder, final.number)
        if final.over or (self._folder / PUBLIC / FINALS / f"{final.number}.html").is_file():
            return True
        try:
            return not Store.is_in_use(out) and is_final_over(
                self._folder, final.number, final.event
            )
        except StoreError as error:
            if what not in self._failed and not Store.is_in_use(out):
                self._failed.add(what)
                self._say(f"{what} cannot be shown: {error}", warning=True)
        except Exception as error:
            self._failed_at(what, f"final-{final.number}", error)
        return False

    def _write_standing(self) -> None:
        """Write how the league stands. Raises ConfigError or Unwritten."""
        chain, newest = self._chain, self._newest
        at = datetime.now(UTC)
        self._revealed, self._next_reveal = chain.revealed(at), chain.next_reveal(at)
        begin = None if chain.open else next_begin(self._pace, chain)
        self._finals = [
            structs.replace(final, over=self._is_over(final)) for final in self._published.finals
        ]
        self._match_lists.write(
            [batch for batch in self._published.batches if self._is_revealed(batch)]
        )
        state = PublicLeague(
            name=chain.founded.name,
            game=chain.terms.conditions["game"],
            seats=chain.terms.seats,
            updated=now(),
            link=chain.links - 1,
            digest=chain.digest,
            bots=tuple(map(self._bot, chain.bots.values())),
            batches=tuple(
                structs.replace(batch, revealed=self._is_revealed(batch))
                for batch in self._published.batches
            ),
            revealed=self._revealed,
            seasons=tuple((season.name, season.first) for season in chain.seasons),
            table=newest.table if newest else None,
            table_season=newest.season if newest else "",
            table_batch=newest.then.batch if newest else 0,
            finals=tuple(self._finals),
            next_begin=begin.isoformat(timespec="minutes") if begin else "",
            beacon=chain.terms.beacon.name if chain.terms.beacon else "",
            terms=terms_of(chain),
        )
        write_public(self._folder, STATE, msgspec.json.encode(state))

    def _bot(self, bot: RosterBot) -> PublicBot:
        return PublicBot(
            identity=bot.identity,
            name=bot.name,
            family=bot.family,
            version=bot.version,
            author=bot.author,
            state=bot.state,
            why=self._published.why.get(bot.identity, ""),
            batches=self._published.sat.get(bot.identity, 0),
            tables=self._published.tables.get(bot.identity, 0),
            left_out=self._published.left_out.get(bot.identity, 0),
            runs_in=described(bot.parts[0]) if bot.parts else "",
        )
