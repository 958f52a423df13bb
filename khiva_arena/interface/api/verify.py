"""The verification of a store or a bundle, for Python."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from khiva_arena.common.say import Say, say_nothing
from khiva_arena.competition.audit.audit_report import AuditResult, EventReport
from khiva_arena.competition.audit.store import audit_store, audit_unplayed
from khiva_arena.competition.events import league_batches
from khiva_arena.competition.events.league_batches import CheckedBatches
from khiva_arena.competition.events.watching import UNWATCHED, MatchWatch
from khiva_arena.errors import ConfigError
from khiva_arena.interface.api.keywords import as_path, at_least, hand_over, naming_its_extension
from khiva_arena.records.replay.league_format import check_installed
from khiva_arena.records.replay.record import canonical
from khiva_arena.records.store.db import Store
from khiva_arena.records.store.files import MODULES
from khiva_arena.words import count, ranges

if TYPE_CHECKING:
    from khiva_arena.competition.audit.bundle import BundledEvents  # numpy comes with them
    from khiva_arena.competition.events.source import ResultSource


@naming_its_extension()
def verify(
    path: str | Path,
    *events: str | int,
    jobs: int = 1,
    sample: int | None = None,
    game: str | Path | Sequence[str] = (),
    rerun_bots: bool | Sequence[str | Path] = False,
    seen: Sequence[str | Path] = (),
    since: int | None = None,
    beacon: str = "",
) -> AuditResult:
    """Replay and check each match of a store, or of a bundle. ``result.sound`` tells
    whether all of it is sound. Problems stand in ``result.problems`` and in those of
    ``result.events``.

    events: events of the store, by number or the beginning of their ids; all events by
        default. Of other batches of a league, places, sums, hash chains and run digests
        are checked.
    jobs: how many processes replay matches.
    sample: number of matches to replay of each event, drawn at random. For the others,
        sums, places and hash chains are checked; in a bundle hash chains, commitments
        and places.
    game: the file, folder or package of a game that does not come with the arena, or
        several. It is run only if its hash is the one that the records name, and stays
        handed over until Python ends.
    rerun_bots: run the bots of events in ticks again, and compare every answer, fault
        and tick: with the modules of the store, those that this machine has built, or
        also those in these folders. ``result.confirmed`` is False if some could not be
        run again on this machine.
    seen: files that say how a league's chain stood once: an older bundle, a saved feed
        or page, what `submit` was told.
    since: the number of a link of a league: matches of batches that were drawn before
        it are not replayed again; their sums, places, hash chains and run digests are
        checked.
    beacon: a command that prints the line of a round of a league's beacon, as its last
        word says: the lines that were mixed into deals are compared.
        ``result.confirmed`` is False if the command has no line of some round.

    Raises ConfigError for an unknown event, StoreError for a file that cannot be read,
    GameFault if a game is missing or at fault.
    """
    hand_over(game)
    return verified(
        as_path("path", path),
        events,
        Verification(jobs, sample, rerun_bots, seen, since, beacon),
        say_nothing,
    )


class Verification(NamedTuple):
    """How a store or a bundle is verified: the keywords of ``verify``."""

    jobs: int = 1
    sample: int | None = None
    rerun_bots: bool | Sequence[str | Path] = False
    seen: Sequence[str | Path] = ()
    since: int | None = None
    beacon: str = ""


def verified(
    path: Path,
    events: Sequence[str | int],
    how: Verification,
    say: Say,
    watch: MatchWatch = UNWATCHED,
) -> AuditResult:
    """Verify a store or a bundle as ``verify`` does.

    say: takes a line for people, before bots are run.
    watch: sees how far it has come.
    """
    jobs, rerun_bots = at_least(1, "jobs", how.jobs), how.rerun_bots
    since = None if how.since is None else at_least(0, "since", how.since)
    sample = None if how.sample is None else at_least(1, "sample", how.sample)
    rerunner = None
    for flag, is_given in (("--seen", bool(how.seen)), ("--since", since is not None)):
        if is_given:
            check_installed(flag)
    if how.beacon:
        league_batches.check_beacon(how.beacon)
    if rerun_bots:
        from khiva_arena.competition.audit.rerun import Rerunner  # not above: few audits run bots

        folders = () if isinstance(rerun_bots, bool) else rerun_bots
        rerunner = Rerunner(
            [path / MODULES] if path.is_dir() else [],
            [as_path("rerun_bots", folder) for folder in folders],
            jobs,
            say,
            watch,
        )
    if path.is_file():
        if events:
            raise ConfigError("a bundle is verified as a whole: leave out the events")
        from khiva_arena.competition.audit.bundle import audited_bundle  # numpy comes with it

        if since is not None:
            raise ConfigError("a bundle is verified as a whole: leave out --since")
        result, bundled = audited_bundle(path, jobs, sample, rerunner, watch)
        return _with_chain(result, _in_bundle(result, bundled), how)
    with Store.read(path, trusting=False) as store:
        watch.watch(store)
        links = store.links()
        words = tuple(map(str, events))
        if since is not None:
            words = _drawn_since([link.text for link in links], since, words)
        result = audit_store(store, words, jobs, sample, rerunner)
        result.problems += [
            f"link {link.number} was changed since it was written"
            for link in links
            if not link.intact
        ]
        texts = [link.text for link in links]
        unplayed = AuditResult()
        if links and words:
            replayed = {report.event for report in result.events}
            unplayed = audit_unplayed(
                store, [event for event in store.events() if event.id not in replayed]
            )
        result = _with_chain(result, _in_store(result, unplayed.events, store, texts), how)
    for report in unplayed.events:
        result.problems += report.problems
    if unplayed.events:
        numbers = ranges(report.number for report in unplayed.events)
        there = sum(report.planned - report.missing - report.left_out for report in unplayed.events)
        matches = count(there, "match", "matches")
        why = "others were named" if since is None else f"they were drawn before link {since}"
        checked = "places, sums, hash chains and run digests were checked"
        result.chain += (
            f"; not replayed, since {why}: {matches} of events {numbers}, of which {checked}"
        )
    return result


def _in_store(
    result: AuditResult, unplayed: Sequence[EventReport], store: Store, links: Sequence[str]
) -> CheckedBatches:
    """Return the links of a store beside its events. ``unplayed``: events that were
    checked without a replay, and are not in the result.
    """

    def results() -> "ResultSource":
        from khiva_arena.competition.events.source import StoredResults  # numpy comes with it

        return StoredResults(store)

    return CheckedBatches(
        links,
        store.events(),
        _digests((*result.events, *unplayed)),
        store.folder,
        in_part=False,
        results=results,
        is_whole=not result.problems,
        matches_are_sound=result.sound and not any(report.problems for report in unplayed),
    )


def _in_bundle(result: AuditResult, bundled: "BundledEvents") -> CheckedBatches:
    """Return the links of a bundle beside its events."""

    def results() -> "ResultSource":
        from khiva_arena.competition.events.bundling import BundledResults  # numpy comes with it

        return BundledResults([event.matches for event in bundled.events], bundled.links)

    links, events = (
        [canonical(link) for link in bundled.links],
        [event.event for event in bundled.events],
    )
    return CheckedBatches(
        links,
        events,
        _digests(result.events),
        None,
        in_part=bool(result.digest),
        results=results,
        is_whole=not result.problems,
        matches_are_sound=result.sound,
    )


def _digests(reports: Sequence[EventReport]) -> dict[str, str]:
    """Return the run digest of each event that was checked, "" if matches of it are
    missing.
    """
    return {report.event: "" if report.missing else report.digest for report in reports}


def _with_chain(result: AuditResult, batches: CheckedBatches, how: Verification) -> AuditResult:
    """Add to a result what the chain of a league proves, if its events are a league's
    batches.
    """
    seen, beacon = how.seen, how.beacon
    if not batches.links:
        if seen or beacon:
            flag, what = ("--seen", "receipts") if seen else ("--beacon", "a beacon")
            raise ConfigError(
                f"{flag}: only the chain of a league is compared with {what}; leave it out"
            )
        if result.sound and any(event.definition.batch for event in batches.events):
            result.problems.append(
                "its events are batches of a league, and the chain of the league is missing"
            )
        return result
    files = [as_path("seen", file) for file in ((seen,) if isinstance(seen, str | Path) else seen)]
    found = league_batches.audit(batches, files, beacon)
    result.problems += found.problems
    result.chain, result.calendar, result.beacon = found.chain, found.calendar, found.beacon
    result.not_compared = found.not_compared
    return result


def _drawn_since(
    links: Sequence[str],
    since: int,
    words: tuple[str, ...],
) -> tuple[str, ...]:
    """Return the events that were drawn at a link of a league or later. Raises
    ConfigError if there are none.
    """
    if words:
        raise ConfigError("--since names the events: leave the others out")
    drawn = league_batches.drawn_since(links, since)
    if not drawn:
        raise ConfigError(f"--since {since}: no batch of a league is drawn at this link or later")
    return drawn
