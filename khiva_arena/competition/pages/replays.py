"""The replays that a page of results holds, and the bots whose private data goes with
them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from msgspec import structs

from khiva_arena.arbiter.stderr import for_people
from khiva_arena.common.text import isolated
from khiva_arena.competition.events.find import begins
from khiva_arena.competition.pages.page_source import PageSource, RecordedMatch
from khiva_arena.competition.pages.times import by_step
from khiva_arena.display.page.box import Box
from khiva_arena.display.page.data import PageMatch
from khiva_arena.display.page.folder import ReplayFolder
from khiva_arena.display.page.html import has_drawing
from khiva_arena.errors import ConfigError, RecordError
from khiva_arena.games.base import SeatPoints
from khiva_arena.games.rules_map import file_in_rules
from khiva_arena.records.replay.frames import film, names_in_text
from khiva_arena.records.store.db import EventRow

REPLAYS_MOST = 2**21
"""Bytes of replays that a page holds unless it was told otherwise."""
TRANSCRIPT_SHOWN = 2**18
"""Characters of a bot's transcript in the replay of a match at most."""
_KNOWN_MOST = 10_000
"""The matches of which the points are kept; a sample takes few, so most of an event
with more is in no sample anyway.
"""


def nobody(_identity: str) -> bool:
    """Return False for every bot."""
    return False


def everybody(_identity: str) -> bool:
    """Return True for every bot."""
    return True


@dataclass(frozen=True, slots=True)
class Private:
    """The bots whose private data a page shows: no bot's notes, unless they were asked
    for.

    notes: tells by a bot's identity whether its words on stderr are in the page.
    times: tells by a bot's identity whether the durations of its decisions are; they
        are no secret of a whole competition.
    reports: tells by its word whether the report on a bot that was left out is, which
        repeats words of the bot.
    """

    notes: Callable[[str], bool] = nobody
    times: Callable[[str], bool] = everybody
    reports: Callable[[str], bool] = nobody


NOTHING_PRIVATE = Private()


@dataclass(frozen=True, slots=True)
class Wish:
    """The replays that a page should hold, always only of deals that are over.

    most: bytes of replays; the first match that has no room is the end of them.
    only: ids of the matches that are wanted; None for all.
    private: the bots whose private data goes with the replays.
    folder: where the others go, None if nowhere.
    """

    most: int = REPLAYS_MOST
    only: frozenset[str] | None = None
    private: Private = NOTHING_PRIVATE
    folder: ReplayFolder | None = None


def ids_of_matches(source: PageSource, words: Sequence[str]) -> frozenset[str]:
    """Return the ids of matches that were named.

    A word is EVENT/ORDINAL, the ordinal alone if there is one event, or the beginning
    of the match's id.

    Raises ConfigError for a word that fits none or several, or a match whose deal is
    not over.
    """
    is_only_event = len(source.events) == 1
    fits: dict[str, list[tuple[str, bool]]] = {word: [] for word in words}
    for event in source.events:
        over = source.secrets(event)
        for match in source.matches(event):
            result = match.result
            names = {
                f"{event.number}/{result.ordinal}",
                *([str(result.ordinal)] if is_only_event else []),
            }
            for word, matches in fits.items():
                if word in names:
                    matches[:] = [(result.match, result.seed in over)]
                elif begins(result.match, word):
                    matches.append((result.match, result.seed in over))
    problems = [problem for word, matches in fits.items() if (problem := _problem(word, matches))]
    if problems:
        raise ConfigError(problems)
    return frozenset(matches[0][0] for matches in fits.values())


def _problem(word: str, matches: Sequence[tuple[str, bool]]) -> str:
    if len(matches) != 1:
        number = "no recorded match" if not matches else f"{len(matches)} matches"
        return (
            f"--matches: {number} {word!r}; name each as EVENT/ORDINAL, as `khiva-arena show "
            "STORE` lists them"
        )
    return (
        ""
        if matches[0][1]
        else f"--matches: {word}: other matches on its deal are still to be played, so it is "
        "not shown yet"
    )


class Replays:
    """The replays of a page and of the folder beside it; each match is put where its
    replay belongs.

    box: those in the page itself.
    points: of matches whose replays were made, for tables that say where points come
        from.
    """

    def __init__(self, wish: Wish) -> None:
        self.box = Box(wish.most)
        self.points: dict[tuple[str, int], list[SeatPoints] | None] = {}
        self._wish = wish
        self._is_full = not wish.most

    def place(
        self, event: EventRow, match: RecordedMatch, secret: bytes, plain: PageMatch
    ) -> PageMatch:
        """Return a match of a deal that is over, with the place of its replay, if it
        has one.

        Raises RecordError if a match does not replay.
        """
        only, folder = self._wish.only, self._wish.folder
        in_page = (only is None or plain.id in only) and not self._is_full
        if (not in_page and folder is None) or file_in_rules(
            event.definition.game, event.definition.rules
        ):
            return plain
        bots = [event.bots[bot] for bot in plain.bots]
        sketched = not has_drawing(event.definition.game)
        try:
            made_film = film(
                match.parsed(), secret, names_in_text([bot.name for bot in bots]), sketched
            )
        except RecordError as error:
            raise RecordError(f"match {event.number}/{plain.ordinal} is damaged: {error}") from None
        if len(self.points) < _KNOWN_MOST:
            self.points[event.id, plain.ordinal] = made_film.points_at_the_end()
        private = self._wish.private
        notes = _notes(match, [private.notes(bot.identity) for bot in bots])
        times = by_step(match, event.definition.time, [private.times(bot.identity) for bot in bots])
        if in_page:
            if place := self.box.add(made_film, notes, times):
                return structs.replace(plain, replay=place)
            self._is_full = True
        return (
            structs.replace(plain, replay=folder.add(plain, made_film, notes, times))
            if folder
            else plain
        )


def _notes(match: RecordedMatch, of: Sequence[bool]) -> list[str]:
    """Return by seat the words on stderr that may be shown, [] if there are none: all
    of them where a transcript was kept.
    """
    transcripts = match.transcripts() if any(of) else {}
    texts = [for_people(text) if text else "" for text in match.notes] or [""] * len(of)
    for seat, transcript in transcripts.items():
        if transcript.steps:
            texts[seat] = transcript.for_people(TRANSCRIPT_SHOWN)
    notes = [
        isolated(text, keep="\n") if may and text else ""
        for text, may in zip(texts, of, strict=False)
    ]
    return notes if any(notes) else []
