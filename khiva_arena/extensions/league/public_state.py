"""What anybody may see of a league, as the player writes it for the server:
``league.json`` in the public folder.

It holds no secret and no name of a person: authors stand there by their random ids, and
the server adds names from the queue.
"""

from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from khiva_arena.bots.sandbox import regular_files
from khiva_arena.errors import StoreError
from khiva_arena.extensions.league.folder import PUBLIC

FORMAT = 1
"""The version of the format of all files in the public folder, as ``league.json`` says
it.
"""
STATE = "league.json"
HISTORY = "history.jsonl"
"""The file with the table as it stood after each batch, a line each: a
``TableThen``.
"""
BATCHES = "batches"
"""The folder with a page of each batch that is revealed, as ``12.html``."""
FINALS = "finals"
"""The folder with a page of each final that is over, as ``1.html``."""
MATCHES = "matches"
"""The folder with a list of the matches of each batch that is revealed, as ``12.json``:
a ``BatchMatches``.
"""


SEASONS = "seasons"
"""The folder with the table of each season that is over, as ``1.json``, as ``standings
--json`` prints it.
"""
BATCH_LOG = "batches.jsonl"
"""The file with all batches, a ``PublicBatch`` a line: one when it is drawn, and
another one when it is over.
"""
NEWEST_BATCHES = 60
"""The batches that the state has itself."""


class PublicBot(msgspec.Struct, frozen=True):
    """A bot of the roster.

    identity, name: in the league.
    family: the random id of its family; of an anchor, its identity.
    version: its number in the family.
    author: the random id of its author, "" for an anchor.
    state: active, suspended or retired.
    why: the reason that its newest change gives, "" for none.
    batches: that it sat in, over or not.
    tables: that it was drawn for, each on each deal.
    left_out: those of them that were set aside for good, and are not rated.
    runs_in: what runs its payload, in words; "" for a bot that has none.
    """

    identity: str
    name: str
    family: str
    version: int
    author: str
    state: str
    why: str
    batches: int
    tables: int
    left_out: int
    runs_in: str = ""


class PublicBatch(msgspec.Struct, frozen=True):
    """A batch.

    number: from 1.
    event: its id, and ``event_number`` in the store.
    link, link_digest: of the link that drew it.
    drawn_at, over_at: UTC; ``over_at`` is "" while it is played.
    commitment, run_digest: 64 hex digits; ``run_digest`` is "" while it is played.
    bots: how many are active in it.
    matches: how many it has.
    set_aside: the names of the bots of each table that was set aside for good.
    revealed: whether its secrets and its page are public.
    round: of the beacon, whose line is mixed into its deals; None without a beacon.
    line: of that round, once the batch is over; None until then.
    """

    number: int
    event: str
    event_number: int
    link: int
    link_digest: str
    drawn_at: str
    over_at: str
    commitment: str
    run_digest: str
    bots: int
    matches: int
    set_aside: tuple[tuple[str, ...], ...]
    revealed: bool
    round: int | None = None
    line: str | None = None


class PublicFinal(msgspec.Struct, frozen=True):
    """A final.

    number: from 1.
    event: its id.
    link, link_digest: of the link that decided on it.
    at: when that was, UTC.
    commitment: 64 hex digits.
    bots: the names of those that play it, the best of the league first.
    over: whether all of its matches are recorded.
    """

    number: int
    event: str
    link: int
    link_digest: str
    at: str
    commitment: str
    bots: tuple[str, ...]
    over: bool


class PublicTerms(msgspec.Struct, frozen=True):
    """The terms of the next batch, as far as readers and authors ask for them.

    clock: ``wall`` or ``ticks``.
    startup_ms, turn_ms, bank_ms: the time that bots may take; in ticks, a millisecond
        is 10,000,000 of them.
    memory: of a bot, in bytes.
    policy: the cost of a fault.
    languages: in ticks, the languages that the league has an interpreter for, the name
        of each by its word.
    publish_bots: whether bundles of the league may hold its bots.
    anchor: name of the bot at Elo 0 in the season.
    next_anchor: likewise in the next season.
    """

    clock: str
    startup_ms: int
    turn_ms: int
    bank_ms: int
    memory: int
    policy: str
    languages: dict[str, str]
    publish_bots: bool
    anchor: str
    next_anchor: str


class PublicLeague(msgspec.Struct, frozen=True):
    """A league as it stands.

    name, game, seats: of the league.
    updated: when this was written, UTC.
    link, digest: of the newest link.
    bots: of the roster, anchors first.
    batches: the newest ones, the oldest of them first; ``batches.jsonl`` has all.
    revealed: the newest batch whose secrets are public, 0 for none.
    seasons: each season's name and its first batch.
    table: of the season in which the newest batch is that is over, as ``standings
        --json`` prints it, retired bots included; None before there is one. With up to
        64 bots it has the section ``crosstable``.
    table_season: the name of that season; "" without a table.
    table_batch: the newest batch in the table, which may lag one behind; 0 without a
        table.
    finals: in order.
    next_begin: when the next batch begins at the earliest, UTC; "" for at once, or
        while a batch is played.
    beacon: the name of the source whose lines are mixed into deals; "" if deals are the
        organiser's word.
    terms: on which it is played; None in a file of an unreleased version.
    format: the version of the format of this file and of those beside it.
    """

    name: str
    game: str
    seats: int
    updated: str
    link: int
    digest: str
    bots: tuple[PublicBot, ...]
    batches: tuple[PublicBatch, ...]
    seasons: tuple[tuple[str, int], ...]
    table: dict[str, Any] | None
    table_season: str = ""
    table_batch: int = 0
    revealed: int = 0
    finals: tuple[PublicFinal, ...] = ()
    beacon: str = ""
    next_begin: str = ""
    terms: PublicTerms | None = None
    format: int = FORMAT

    @property
    def receipt(self) -> str:
        """The newest link as pages, feeds, badges and answers name it, so that `verify
        --seen` finds it.
        """
        return f"link {self.link} {self.digest}"


class RatingThen(msgspec.Struct, frozen=True, array_like=True):
    """A bot's rating after a batch.

    identity: of the bot.
    elo, error: relative to the anchor, and its 95 % half width; None for n/a.
    low, high: the ends of its 95 % interval; None for one that the results do not show.
    bound: what they bound, as in ``standings --json``.
    """

    identity: str
    elo: float | None
    error: float | None
    low: float | None = None
    high: float | None = None
    bound: str = ""


class TableThen(msgspec.Struct, frozen=True):
    """The table as it stood after a batch.

    batch: its number.
    ratings: of the bots that were active in it and have an Elo.
    anchor: identity of the bot at Elo 0; "" in a line of an unreleased version.
    """

    batch: int
    ratings: tuple[RatingThen, ...]
    anchor: str = ""


class PublicMatch(msgspec.Struct, frozen=True, array_like=True):
    """A match of a batch.

    key: its event's number and its own, as pages of results name it.
    bots: by seat, the positions of the bots in the list of the batch.
    ranks, scores: by seat.
    faults: by seat, how many the bot made.
    """

    key: str
    bots: tuple[int, ...]
    ranks: tuple[int, ...]
    scores: tuple[int, ...]
    faults: tuple[int, ...]


class BatchMatches(msgspec.Struct, frozen=True):
    """The matches of a batch.

    batch: its number.
    bots: the identities of those that are active in it.
    matches: in the order of the schedule.
    """

    batch: int
    bots: tuple[str, ...]
    matches: tuple[PublicMatch, ...]


def read_state(folder: Path) -> PublicLeague | None:
    """Return what is public of the league in a folder, None before anything is. Raises
    StoreError if it cannot be read.
    """
    path = folder / PUBLIC / STATE
    try:
        with regular_files.open_file(path, root=folder) as file:
            return state_in(file.read())
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StoreError(
            f"{path}: {error}; the player writes it anew after the next batch"
        ) from None


def state_in(data: bytes) -> PublicLeague:
    """Return the state that a file holds. Raises StoreError if it holds none."""
    try:
        return msgspec.json.decode(data, type=PublicLeague)
    except msgspec.MsgspecError as error:
        raise StoreError(
            f"{STATE}: {error}; the player writes it anew after the next batch"
        ) from None


def matches_in(data: bytes) -> BatchMatches:
    """Return the matches that a file holds. Raises StoreError if it holds none."""
    try:
        return msgspec.json.decode(data, type=BatchMatches)
    except msgspec.MsgspecError as error:
        raise StoreError(
            f"{MATCHES}: {error}; the player writes a list that is removed anew when it starts"
        ) from None


def read_history(folder: Path) -> list[TableThen]:
    """Return the table as it stood after each batch, the oldest first. A last line that
    a kill cut short is left out.
    """
    tables: list[TableThen] = []
    try:
        with regular_files.open_file(folder / PUBLIC / HISTORY, root=folder) as file:
            history_in(file.read(), tables)
    except FileNotFoundError:
        pass
    return tables


def season_file(number: int) -> str:
    """Return where in the public folder the table of a season lies that is
    over. ``number``: of the season, from 1.
    """
    return f"{SEASONS}/{number}.json"


def history_in(data: bytes, tables: list[TableThen]) -> None:
    """Add the tables that lines hold. What is cut short is left out."""
    for line in data.split(b"\n"):
        with suppress(msgspec.MsgspecError):  # cut short, or the empty end
            tables.append(msgspec.json.decode(line, type=TableThen))


def batches_in(data: bytes, batches: list[PublicBatch]) -> None:
    """Add the batches that lines hold, each in place of what an earlier line says of
    it. Lines that fit nowhere are left out.
    """
    for line in data.split(b"\n"):
        with suppress(msgspec.MsgspecError):
            batch = msgspec.json.decode(line, type=PublicBatch)
            if 1 <= batch.number <= len(batches) + 1:
                batches[batch.number - 1 : batch.number] = [batch]
