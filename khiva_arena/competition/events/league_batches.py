"""Events of a league: the hook of the extension that knows chains, and the one place
that calls it.

An event that is no batch needs none of it. A batch is never shown as an event of its
own: the doors of stores, bundles and plans refuse it if the extension is not installed,
see ``records.replay.league_format.check_installed``.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from khiva_arena.common.hooks import Hook
from khiva_arena.common.say import Say, say_nothing
from khiva_arena.competition.events.selection import StoreSelection
from khiva_arena.competition.events.stored import is_league
from khiva_arena.errors import ConfigError
from khiva_arena.records.replay.league_format import EXTENSION
from khiva_arena.records.store.db import EventRow, Store
from khiva_arena.records.store.files import FINAL

if TYPE_CHECKING:
    from khiva_arena.competition.events.source import ResultSource  # numpy comes with it


class CheckedBatches(NamedTuple):
    """A chain of a league, beside the events that were checked one by one.

    links: canonical texts, in the order of the chain.
    events: those that are here.
    digests: by event that was checked, the run digest over its matches; "" if some of
        them are missing.
    folder: of the store; None for a bundle.
    in_part: whether the newest batches may be missing, as long as they are not public:
        so in a bundle.
    results: returns the results of the events; called only if all is sound.
    is_whole: whether no problem was found in the file itself.
    matches_are_sound: whether numbers can be worked out from them.
    """

    links: Sequence[str | bytes]
    events: Sequence[EventRow]
    digests: Mapping[str, str]
    folder: Path | None
    in_part: bool
    results: "Callable[[], ResultSource]"
    is_whole: bool
    matches_are_sound: bool


class ChainFindings(NamedTuple):
    """The findings about a chain; the fields of ``audit.audit_report.AuditResult`` hold
    them.

    problems: a line each.
    chain: the proof that it gives, in words.
    calendar: the beacons and lines of their rounds, for people.
    beacon: all lines of a beacon as plain values.
    not_compared: each line that could not be compared with the beacon, and why.
    """

    problems: list[str]
    chain: str
    calendar: list[str]
    beacon: list[dict[str, Any]]
    not_compared: list[str]


class LeagueBatches(Protocol):
    """The knowledge of leagues that the core needs to show, bundle and verify their
    batches.
    """

    def selected(self, folder: Path, season: str | None, say: Say) -> tuple[str, ...]:
        """Return the words that name the batches of a season, () for all; None: of the
        one that is played.

        Raises ConfigError if the folder is no league's, or has no such season.
        """

    def public(
        self, folder: Path, season: str | None, say: Say, *, of_season: bool
    ) -> tuple[str, ...]:
        """Return the words that name the batches, of a season if one is named, whose
        secrets are public; () for all.

        of_season: without a name, those of the season that is played.

        Raises ConfigError as ``selected`` does, and if none is public.
        """

    def newest_public(self, store: Store) -> int:
        """Return the number of the newest batch whose secrets are public, 0 for none.

        Raises StoreError if the chain is damaged.
        """

    def receipt(self, league: Path) -> str:
        """Return the newest link of the league in a folder, as ``verify --seen`` finds
        it; "" if none was made.
        """

    def check_beacon(self, command: str) -> None:
        """Raise ConfigError if the command that prints lines of a beacon cannot be
        run.
        """

    def drawn_since(self, links: Sequence[str], since: int) -> tuple[str, ...]:
        """Return the ids of the events that are drawn at a link or later. Raises
        RecordError for a link that cannot be read.
        """

    def audit(self, batches: CheckedBatches, seen: Sequence[Path], beacon: str) -> ChainFindings:
        """Check a chain, and return what is found.

        seen: files with receipts.
        beacon: the command that prints lines of a beacon; "" for none.

        Raises ConfigError for a file with receipts that cannot be read, or if no line
        can be compared.
        """

    def way_to_play(self, league: Path) -> str:
        """Return the command that plays the league in a folder. Raises ConfigError if
        its settings are wrong.
        """


LEAGUE_BATCHES: Hook[LeagueBatches] = Hook(EXTENSION)


def words_of(folder: Path, selection: StoreSelection, say: Say = say_nothing) -> tuple[str, ...]:
    """Return the words that name the selected events of a store, () for all: of a
    league whose season is not said, the batches of the one that is played. ``say``:
    gets a line on that. Raises ConfigError as ``LeagueBatches.selected``.
    """
    if _names_events(folder, selection):
        return selection.words
    return _league(folder, selection).selected(folder, selection.season, say)


def public_words_of(
    folder: Path, selection: StoreSelection, say: Say, *, of_season: bool = False
) -> tuple[str, ...]:
    """Return the words that name the selected events: those that are named one by one,
    or else those of a league's batches, or of the season that is named, whose secrets
    are public by now. ``of_season``: without any word, of the season that is played.
    """
    if _names_events(folder, selection):
        return selection.words
    return _league(folder, selection).public(folder, selection.season, say, of_season=of_season)


def _names_events(folder: Path, selection: StoreSelection) -> bool:
    """Tell whether a selection names all events as they are. Raises ConfigError if it
    names events and a season.
    """
    if selection.season is None:
        return bool(selection.words) or not is_league(folder)
    if selection.words:
        raise ConfigError("--season names the events: leave the others out")
    return False


def _league(folder: Path, selection: StoreSelection) -> LeagueBatches:
    return LEAGUE_BATCHES.get(
        str(folder) if selection.season is None else f"--season {selection.season}"
    )


def newest_public(store: Store) -> int:
    """Return the number of the newest batch of a league whose secrets are public, 0 for
    none. Raises StoreError if the chain is damaged.
    """
    return LEAGUE_BATCHES.get(str(store.folder)).newest_public(store)


def receipt_of(folder: Path) -> str:
    """Return the newest link of the league in a folder, or around the final there, as
    ``verify --seen`` finds it; "" for any other store.
    """
    league = folder.absolute().parent if folder.name.startswith(FINAL) else folder
    if not folder.is_dir() or not is_league(league):
        return ""
    return LEAGUE_BATCHES.get(str(folder)).receipt(league)


def check_beacon(command: str) -> None:
    """Raise ConfigError if the command that prints lines of a beacon cannot be run."""
    LEAGUE_BATCHES.get("--beacon").check_beacon(command)


def drawn_since(links: Sequence[str], since: int) -> tuple[str, ...]:
    """Return the ids of the events that are drawn at a link of a league or later.
    Raises RecordError for a link that cannot be read.
    """
    return LEAGUE_BATCHES.get("--since").drawn_since(links, since)


def audit(batches: CheckedBatches, seen: Sequence[Path], beacon: str) -> ChainFindings:
    """Check the chain of a league, as ``LeagueBatches.audit`` says."""
    return LEAGUE_BATCHES.get("the chain of a league").audit(batches, seen, beacon)


def way_to_play(league: Path) -> str:
    """Return the command that plays the league in a folder. Raises ConfigError if its
    settings are wrong.
    """
    return LEAGUE_BATCHES.get(str(league)).way_to_play(league)
