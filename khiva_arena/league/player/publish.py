"""What the player publishes of a league: chain, standing, history, and a page of each batch that is revealed.

The standing with the newest commitment is written before the next match. Tables and pages are made meanwhile by one process at a
time, which yields to bots. What a kill left out is made later. What fails is a warning, and no end of the league.
"""

import os
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, Self

import msgspec
from msgspec import structs

from khiva_arena.competition.live_page import Background
from khiva_arena.errors import ArenaError, ConfigError, StoreError
from khiva_arena.events.stored import bare_timetable, stored_event
from khiva_arena.league.chain.links import Drawn, Entered, Final, Over, StateChanged, read_link
from khiva_arena.league.chain.roster import Chain, RosterBot
from khiva_arena.league.chain.stored_chain import publish as publish_chain
from khiva_arena.league.folder import PUBLIC, SUMS, final_folder, make_public, write_public
from khiva_arena.league.player.match_lists import MatchLists
from khiva_arena.league.public_state import (
    BATCHES,
    FINALS,
    HISTORY,
    STATE,
    PublicBatch,
    PublicBot,
    PublicFinal,
    PublicLeague,
    TableThen,
    read_history,
)
from khiva_arena.sandbox import regular_files
from khiva_arena.say import Say
from khiva_arena.store.db import Store
from khiva_arena.store.rows import now
from khiva_arena.words import count

NEWEST = "newest.json"
"""The file in the folder of sums with the newest tables."""
FEW_TASKS = 5
"""The most tables and pages that a player waits for at its end without a word."""


class NewestTable(msgspec.Struct, frozen=True):
    """The tables after a batch.

    run_digest: of the batch.
    then: the ratings of the bots that were active in it.
    table: of all batches that are played on the terms of the newest, as ``standings --json`` prints it.
    season_table: of those of them that are in the newest season; None if there are none.
    closed_seasons: by name, of each season that is over.
    """

    run_digest: str
    then: TableThen
    table: dict[str, Any]
    season_table: dict[str, Any] | None
    closed_seasons: dict[str, dict[str, Any]] = {}


class _Task(NamedTuple):
    """Something that a process makes.

    what: in words.
    words: the module that makes it, and its arguments.
    take: what is done with it then.
    """

    what: str
    words: tuple[str, ...]
    take: Callable[[], None]


class Publisher:
    """The publisher of a league whose store the player has open. Leaving the block ends the process that works for it."""

    def __init__(self, store: Store, say: Say) -> None:
        self._store, self._folder, self._say = store, store.folder, say
        self._links = 0
        self._batches: list[PublicBatch] = []
        self._finals: list[PublicFinal] = []
        self._next_reveal: datetime | None = None
        self._why: dict[str, str] = {}
        self._sat, self._tables, self._left_out = Counter[str](), Counter[str](), Counter[str]()
        self._match_lists = MatchLists(store, say)
        self._process = Background()
        self._tasks: list[_Task] = []
        self._failed: set[str] = set()
        self._newest = _read_newest(self._folder)
        self._last_line = _mend_history(self._folder)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()

    def publish(self, chain: Chain) -> None:
        """Write chain and standing, and begin with what is to be made. Raises ConfigError or Unwritten."""
        self.write(chain)
        self.look()

    def write(self, chain: Chain) -> None:
        """Write chain and standing. Raises ConfigError or Unwritten."""
        self._chain = chain
        if self._newest is not None and self._newest.run_digest not in [link.run_digest for link in chain.overs]:
            self._newest = None  # an older copy of the store was put back
        publish_chain(self._store)
        self._read_links()
        self._add_line()
        self._write_standing()
        underway = self._tasks[:1] if self._process.is_there else []
        known = {*self._failed, *(task.what for task in underway)}
        missing = [task for task in self._missing() if task.what not in known]
        if underway and underway[0].take == self._take_table:
            missing[:2] = reversed(missing[:2])  # a table may take longer than a batch, and pages have their turn all the same
        self._tasks = underway + missing

    def look(self) -> None:
        """Take what the process has made, if it has ended, and let the next one begin; publish what is due. Never waits.

        Raises ConfigError or Unwritten if what is due cannot be written.
        """
        if self._next_reveal and datetime.now(UTC) >= self._next_reveal:
            self.write(self._chain)
        if (failure := self._process.failure()) is not None:
            self._taken(self._tasks.pop(0), failure)
        while self._tasks and not self._process.is_there:
            try:
                self._process.start("publish", self._tasks[0].words)
            except OSError as error:
                self._taken(self._tasks.pop(0), str(error))

    def finish(self) -> None:
        """Wait until all is made."""
        if len(self._tasks) > FEW_TASKS:
            self._say(f"{count(len(self._tasks), 'page')} of batches are still to be made; Ctrl-C leaves them to the next start")
        while self._process.is_there:
            self._process.wait()
            self.look()

    def _taken(self, task: _Task, failure: str) -> None:
        if not failure:
            try:
                task.take()
            except (ArenaError, OSError) as error:
                failure = str(error)
        if failure:
            self._failed.add(task.what)
            self._say(f"{task.what} could not be made: {failure}; the player tries again when it is started anew", warning=True)

    # --- what is to be made ---

    def _missing(self) -> list[_Task]:
        """Return the newest table and the pages that are not there, the newest first."""
        tasks = []
        if self._chain.overs and not self._has_newest():
            words: tuple[str, ...] = ("khiva_arena.league.player.newest_table", str(self._folder))
            tasks.append(_Task(f"the table after batch {self._chain.overs[-1].batch}", words, self._take_table))
        revealed = [batch for batch in reversed(self._batches) if self._is_revealed(batch)]
        tasks += self._pages_of(BATCHES, {f"batch {one.number}": (self._folder, one.event) for one in revealed})
        over = [final for final in reversed(self._finals) if final.over]
        tasks += self._pages_of(
            FINALS, {f"final {one.number}": (final_folder(self._folder, one.number), one.event) for one in over}
        )
        return tasks

    def _pages_of(self, name: str, events: dict[str, tuple[Path, str]]) -> Iterator[_Task]:
        """Yield the pages that a public folder lacks. ``events``: by what each is called, its store and its id."""
        folder = self._folder / PUBLIC / name
        make_public(folder)
        there = {path.name for path in folder.iterdir()}
        for subject, (store, event) in events.items():
            path = folder / f"{subject.partition(' ')[2]}.html"
            if path.name not in there:
                title = f"{self._chain.founded.name}, {subject}"
                words = ("khiva_arena", "report", "--title", title, "--out", str(path), "--", str(store), event)
                yield _Task(f"the page of {subject}", words, partial(path.chmod, 0o644))

    def _has_newest(self) -> bool:
        return self._newest is not None and self._newest.run_digest == self._chain.overs[-1].run_digest

    def _take_table(self) -> None:
        """Add the newest table to the history and to the standing."""
        self._newest = _read_newest(self._folder)
        self._add_line()
        self._write_standing()

    def _add_line(self) -> None:
        """Add the newest table to the history, unless a line of its batch or a later one is there. Raises ConfigError."""
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

    def _read_links(self) -> None:
        """Take account of the links that are new."""
        rows = self._store.links()[self._links :]
        self._links += len(rows)
        for row in rows:
            match read_link(row.text):
                case Drawn() as link:
                    self._batches.append(self._drawn(link))
                case Over() as link:
                    self._batches[-1] = self._over(self._batches[-1], link)
                case Final() as link:
                    names = tuple(self._chain.bots[bot].name for bot in link.bots)
                    place = (link.number, link.digest, link.at, link.commitment)
                    self._finals.append(PublicFinal(link.final, link.event, *place, names, over=False))
                case StateChanged() as link:
                    self._why[link.identity] = link.why
                case Entered() as link:
                    self._why.update(dict.fromkeys(link.replaces, f"{link.name} plays in its place"))

    def _drawn(self, link: Drawn) -> PublicBatch:
        """Return a batch that is drawn, and count who sits at its tables."""
        event = stored_event(self._store, link.event)
        batch, seeds = event.definition.batch, event.definition.seeds
        assert batch is not None
        tables = Counter(event.bots[bot].identity for table in batch.tables for bot in table)
        self._sat.update(tables.keys())
        self._tables.update({bot: seeds * often for bot, often in tables.items()})
        return PublicBatch(
            number=link.batch,
            event=event.id,
            event_number=event.number,
            link=link.number,
            link_digest=link.digest,
            drawn_at=link.at,
            over_at="",
            commitment=event.commitment,
            run_digest="",
            bots=len(event.bots),
            matches=bare_timetable(event).matches,
            set_aside=(),
            revealed=False,
            round=link.round,
        )

    def _over(self, batch: PublicBatch, link: Over) -> PublicBatch:
        """Return a batch that is over, and count who sat at tables that were set aside."""
        lost = []
        if link.set_aside:
            event = stored_event(self._store, link.event)
            assert event.definition.batch is not None
            tables = event.definition.batch.tables
            lost = [[event.bots[bot] for bot in tables[lineup]] for _, lineup in link.set_aside]
            self._left_out.update(bot.identity for table in lost for bot in table)
        names = tuple(tuple(bot.name for bot in table) for table in lost)
        return structs.replace(
            batch,
            over_at=link.at,
            run_digest=link.run_digest,
            set_aside=names,
            line=link.public,
        )

    def _is_revealed(self, batch: PublicBatch) -> bool:
        return bool(batch.over_at) and batch.number <= self._revealed

    def _is_over(self, final: PublicFinal) -> bool:
        """Tell whether a final is over, as far as its store can be read; a warning says why not."""
        what, out = f"final {final.number}", final_folder(self._folder, final.number)
        if final.over or (self._folder / PUBLIC / FINALS / f"{final.number}.html").is_file():
            return True
        try:
            return not Store.is_in_use(out) and is_final_over(self._folder, final.number, final.event)
        except StoreError as error:
            if what not in self._failed and not Store.is_in_use(out):
                self._failed.add(what)
                self._say(f"{what} cannot be shown: {error}", warning=True)
        return False

    def _write_standing(self) -> None:
        """Write how the league stands. Raises ConfigError or Unwritten."""
        chain, newest = self._chain, self._newest
        at = datetime.now(UTC)
        self._revealed, self._next_reveal = chain.revealed(at), chain.next_reveal(at)
        self._finals = [structs.replace(final, over=self._is_over(final)) for final in self._finals]
        self._match_lists.write([batch for batch in self._batches if self._is_revealed(batch)])
        in_season = newest is not None and bool(chain.seasons) and newest.then.batch >= chain.seasons[-1][1]
        state = PublicLeague(
            name=chain.founded.name,
            game=chain.terms.conditions["game"],
            seats=chain.terms.seats,
            updated=now(),
            link=chain.links - 1,
            digest=chain.digest,
            bots=tuple(map(self._bot, chain.bots.values())),
            batches=tuple(structs.replace(batch, revealed=self._is_revealed(batch)) for batch in self._batches),
            seasons=chain.seasons,
            table=newest.table if newest else None,
            season_table=newest.season_table if newest and in_season else None,
            closed_seasons=newest.closed_seasons if newest else {},
            table_batch=newest.then.batch if newest else 0,
            finals=tuple(self._finals),
            beacon=chain.terms.beacon.name if chain.terms.beacon else "",
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
            why=self._why.get(bot.identity, ""),
            batches=self._sat[bot.identity],
            tables=self._tables[bot.identity],
            left_out=self._left_out[bot.identity],
        )


def is_final_over(folder: Path, number: int, event: str) -> bool:
    """Tell whether all matches of a final of the league in a folder are recorded. ``event``: its id. Raises StoreError."""
    out = final_folder(folder, number)
    if not Store.check(out):
        return False
    with Store.read(out) as store:
        return store.conclusion(event) is not None


def _read_newest(folder: Path) -> NewestTable | None:
    """Return the newest tables of the league in a folder, None if there are none that can be read."""
    try:
        with regular_files.open_file(folder / SUMS / NEWEST, root=folder) as file:
            return msgspec.json.decode(file.read(), type=NewestTable)
    except (OSError, msgspec.MsgspecError):
        return None


def _mend_history(folder: Path) -> int:
    """Cut off a line that a kill cut short, and return the newest batch in the history, 0 for none. Raises ConfigError."""
    path = folder / PUBLIC / HISTORY
    try:
        with path.open("r+b") as file:
            content = file.read()
            os.truncate(file.fileno(), content.rfind(b"\n") + 1)
    except FileNotFoundError:
        return 0
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror or error}") from None
    return max((line.batch for line in read_history(folder)), default=0)
