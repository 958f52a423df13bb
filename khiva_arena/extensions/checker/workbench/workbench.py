"""The author's matches in a page: an event that is played by the arbiter's own steps,
and told match by match.

Requests are plain values, and so are the events that are told:

    {"do": "play", "files", "game", "seats", "matches", "seed", "opponent"}: "" for a
        seed that is drawn
    {"do": "save", ...}: the same fields
    {"do": "pack", "files"}: the stream that `khiva-arena submit` sends of the author's
        bot
    {"do": "replay", "name"}: of the match 1/ORDINAL
    {"do": "look", "entries"}, with the bot.toml of a folder: which of its files are to
        be read
    {"do": "warm_up"}, before anything else
    {"do": "sit", "files", "game", "seats", "seat", "seed", "opponent"}: a person sits
        there; "own" for the author's bot
    {"do": "take_over", "name", "step", "seat"}: a person plays the match 1/ORDINAL on
        from there
    {"do": "hear", "message"}: from the person
    {"do": "open"}, with a zip; {"do": "open", "entries"}, with the files of a folder

    {"kind": "refused", "of", "why", "file", "line"}: nothing is played; the place only
        if it is known
    {"kind": "event", ...}: the line that plays it, and what the viewer of pages takes
    {"kind": "played", ..., "tally"}: a match, and, of some and of the last, the table
        so far
    {"kind": "over", "digest"}, {"kind": "replay", ...},
    {"kind": "saved", "name", "line"}, {"kind": "packed", "name", "digest"},
    {"kind": "wanted", "entries"}, {"kind": "opened", "files"}
    {"kind": "seated", "line", "seed"}: a person's match, and the line that plays it; ""
        for none
    {"kind": "seat", "message"}: to the person; {"kind": "stood", "digest"}: the match
        is over; "ends", too, if it was taken over
"""

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import chdir
from hashlib import sha256
from pathlib import Path
from time import perf_counter
from typing import Any

from khiva_arena.arbiter.job import Job
from khiva_arena.arbiter.wire import HostFault
from khiva_arena.bots.modules.runner.line import module_pages
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.common import shipped
from khiva_arena.common.text import printable
from khiva_arena.competition.events.results import of_record
from khiva_arena.competition.settings.alone import match_alone
from khiva_arena.entrants import bots as bot_files
from khiva_arena.entrants.archive import ENTRY
from khiva_arena.entrants.bots import Bot
from khiva_arena.entrants.packing import pack
from khiva_arena.errors import ArenaError
from khiva_arena.extensions.checker.plain_values import film_of, plain_event, plain_match, shown
from khiva_arena.extensions.checker.workbench import folders, typed
from khiva_arena.extensions.checker.workbench.going_on import HeldMatch, go_on
from khiva_arena.extensions.checker.workbench.refused import (
    GONE,
    PlainEvent,
    RefusedError,
    place_in_manifest,
    refuse_start,
)
from khiva_arena.extensions.checker.workbench.seats import LeftError, ModuleSeat, module_in, played
from khiva_arena.extensions.checker.workbench.sitting import Sitting, job_alone, take_over
from khiva_arena.extensions.checker.workbench.tally import (
    AuthorMatch,
    most_ticks,
    scores_by_step,
    tally,
    worst,
)
from khiva_arena.extensions.checker.workbench.traces import trace_in
from khiva_arena.games.registry import get
from khiva_arena.rating.schedule.seating import ScheduledMatch
from khiva_arena.rating.schedule.timetable import Timetable
from khiva_arena.records.replay.definition import Definition
from khiva_arena.records.replay.record import Record, run_digest
from khiva_arena.records.store.rows import EventRow

NOTES_SHOWN = 4_000
"""The last characters of a bot's stderr that are shown beside a match."""
AT_THE_END = ("emira",)
"""Games of which a lost match is shown at its end: their points come in twos, so that
no step stands out.
"""
_UNNAMED = re.compile("[^A-Za-z0-9 ._-]+")
"""What the name of a file has no use for."""
SHIPPED = f"{shipped.WORD}python/"
"""The beginning of the words of the opponents, which the command has, too."""
Tell = Callable[..., None]
"""Takes an event, and bytes that come with it."""


class Workbench:
    """The bots and matches of one author.

    page: what runs modules: see protocol/verifier/in_page.js.
    tell: takes what happens.
    home: the folder in which bots lie.
    opponents: what ``blocks.workbench_blocks`` made.
    """

    def __init__(self, page: Any, tell: Tell, home: Path, opponents: Mapping[str, Any]) -> None:
        self._page, self._tell, self._home, self._opponents = page, tell, home, opponents
        self._matches: dict[str, tuple[Record, bytes]] = {}
        self._definition: Definition | None = None
        """Of the event of these matches."""
        self._payloads: dict[str, set[str]] = {}
        """The hashes of what the page holds for the last play, and the last match of a
        person.
        """
        self._hear: Callable[[Mapping[str, Any]], None] = lambda message: None
        """Takes a message of the person who sat down last."""

    async def work(self, request: Mapping[str, Any], data: Sequence[bytes] = ()) -> None:
        """Do what a request asks for, and tell what came of it. ``data``: the files
        that come with it.
        """
        try:
            match request["do"]:
                case "play":
                    await self._play(request)
                case "warm_up":
                    await self._warm_up()
                case "sit":
                    await self._sit(request)
                case "take_over":
                    await take_over(
                        self._page, self._held(request["name"]), request, self._tell, self._seats
                    )
                case "hear":
                    self._hear(request["message"])
                case "replay":
                    self._replay(request["name"])
                case "go_on":
                    await self._go_on(request)
                case "save":
                    self._save(request)
                case "pack":
                    self._pack(request)
                case "look":
                    self._tell(
                        {"kind": "wanted", "entries": folders.wanted(request["entries"], data[0])}
                    )
                case "open":
                    self._open(request, data)
        except LeftError:
            self._tell({"kind": "left"})
        except RefusedError as refused:
            place = {key: refused.trace[key] for key in ("file", "line")} if refused.trace else {}
            self._refuse(request, str(refused), place)
        except ArenaError as error:
            problems = "\n".join(error.problems) if error.problems else str(error)
            self._refuse(request, problems, place_in_manifest(problems))
        except (HostFault, RecursionError, MemoryError) as fault:
            self._refuse(
                request, f"this browser cannot play it: {str(fault) or type(fault).__name__}", {}
            )

    def _refuse(self, request: Mapping[str, Any], why: str, place: PlainEvent) -> None:
        self._tell({"kind": "refused", "of": request["do"], "why": self._shown(why), **place})

    def _shown(self, text: str) -> str:
        """Return words on a bot without the folder that this page made for it, which no
        reader has.
        """
        bare = text.replace(f"{self._home.resolve()}/", "").replace(f"{self._home}/", "")
        return printable(bare.encode(errors="backslashreplace"))

    def _replay(self, name: str) -> None:
        match = self._matches.get(name)
        found = film_of(*match) if match else {"why": GONE}
        self._tell({"kind": "replay", "name": name, **found})

    def _held(self, name: str) -> HeldMatch:
        """Return a match of the last play. Raises RefusedError if its record has
        gone.
        """
        if (match := self._matches.get(name)) is None or self._definition is None:
            raise RefusedError(GONE)
        files = frozenset(
            file for bot in self._definition.bots for file in bot.files
        )  # the page keeps those of the last play
        return HeldMatch(name, *match, self._definition, files)

    async def _go_on(self, request: Mapping[str, Any]) -> None:
        held = self._held(request["name"])
        self._tell({"kind": "gone_on", **await go_on(self._page, held, request)})

    def _save(self, request: Mapping[str, Any]) -> None:
        opponent = self._opponents["games"][request["game"]][request["opponent"]]
        line = typed.typed(request, opponent)
        self._tell(
            {"kind": "saved", "name": f"{folders.TOP}.zip", "line": line},
            folders.saved(line, request["files"], opponent, self._opponents["bots"][opponent]),
        )

    def _pack(self, request: Mapping[str, Any]) -> None:
        folder = self._home / "packed" / typed.AUTHOR  # apart from what is played meanwhile
        folders.write_folder(folder, request["files"])
        with chdir(folder.parent):
            bot = bot_files.load(typed.AUTHOR)
            stream = pack(bot)
        name = _UNNAMED.sub("-", bot.name).strip(" .-_") or typed.AUTHOR
        self._tell(
            {"kind": "packed", "name": f"{name}{ENTRY}", "digest": sha256(stream).hexdigest()},
            stream,
        )

    def _open(self, request: Mapping[str, Any], data: Sequence[bytes]) -> None:
        names = request.get("entries")
        files = (
            folders.from_zip(data[0])
            if names is None
            else folders.from_folder(dict(zip(names, data, strict=True)))
        )
        self._tell({"kind": "opened", "files": files})

    # --- an event ---

    def _ready(self, request: Mapping[str, Any]) -> tuple[str, EventRow, list[Bot]]:
        """Write both bots, and return the line that plays them, its event and the
        modules. Raises ArenaError.
        """
        opponent = self._opponents["games"][request["game"]][request["opponent"]]
        line = typed.typed(request, opponent)
        folders.write_folder(self._home / typed.AUTHOR, request["files"])
        folders.write_folder(self._home / opponent, self._opponents["bots"][opponent])
        with chdir(self._home):  # so that messages name paths as they do where the line is typed
            settings = typed.settings_of(line)
            bots = typed.bots_of(settings)
            payloads = [folders.payload_of(bot) for bot in bots]
        modules = typed.as_modules(bots, payloads)
        self._hold(
            "play",
            {module.parts[1]: payload for module, payload in zip(modules, payloads, strict=True)},
        )
        return line, typed.event_of(settings, modules), modules

    def _hold(self, what: str, payloads: Mapping[str, bytes]) -> None:
        """Have the page hold the payloads of the last play, and of the last match of a
        person: or it would keep each version of a bot. ``payloads``: by their
        hashes. ``what``: which of the two.
        """
        before, self._payloads[what] = self._payloads.get(what, set()), {*payloads}
        for digest in before.difference(*self._payloads.values()):
            self._page.drop(digest)
        for digest, payload in payloads.items():
            self._page.take(digest, payload)

    async def _warm_up(self) -> None:
        """Play a match that nobody sees: a browser starts an interpreter ten times as
        fast once it has run it.
        """
        bots, wish = (
            self._opponents["bots"],
            {"game": "khiva", "seats": 2, "matches": 2, "seed": "warm", "opponent": "greedy"},
        )
        _, row, playing = self._ready(
            {**wish, "files": bots[self._opponents["games"]["khiva"]["weak"]]}
        )
        place = Timetable(row.terms()).match(0)
        assert place is not None
        await self._match(row, place, playing, {})
        self._matches.clear()

    # --- a person's match ---

    async def _sit(self, request: Mapping[str, Any]) -> None:
        """Play a match with a person, and show its end."""
        is_own, level = request["opponent"] == typed.OWN, request["opponent"]
        folder = typed.AUTHOR if is_own else self._opponents["games"][request["game"]][level]
        line = typed.typed_seat(request, folder if is_own else f"{SHIPPED}{folder}")
        files = request["files"] if is_own else self._opponents["bots"][folder]
        folders.write_folder(self._home / folder, files)
        with chdir(self._home):
            settings = typed.settings_of(line)
            players = typed.players_of(settings, folder)
            bot = next(bot for bot in players if not bot.guest)
            payload = folders.payload_of(bot)
        module = typed.as_module(bot, payload)
        self._hold("sit", {module.parts[1]: payload})
        entrants = [player if player.guest else module for player in players]
        alone = match_alone(settings, entrants, typed.sandbox_of(settings))
        sat, pages = (
            Sitting(job_alone(alone), self._tell_seat),
            module_pages(settings.resources.memory),
        )
        self._tell({"kind": "seated", "line": line, "seed": settings.seed})
        self._hear, of = sat.hear, alone.header.seats
        here = await sat.play(
            lambda seat: self._module(alone.entrants[seat], pages, of[seat].number)
        )
        for seat, notes in here.notes.items() if is_own else ():
            faults = [blame for at, blame in here.faults if at == seat]
            refuse_start(module, faults, notes, trace_in(printable(notes), files))
        sat.show_end(here.record)
        self._tell({"kind": "stood", "digest": here.record.digest})

    def _seats(self, hear: Callable[[Mapping[str, Any]], None]) -> None:
        self._hear = hear

    def _tell_seat(self, message: Mapping[str, Any]) -> None:
        self._tell({"kind": "seat", "message": message})

    async def _play(self, request: Mapping[str, Any]) -> None:
        line, row, bots = self._ready(request)
        self._matches.clear()
        self._definition = row.definition
        timetable, of = Timetable(row.terms()), row.definition
        self._tell(
            {
                "kind": "event",
                **plain_event(row),
                "id": row.id,
                "line": line,
                "seed": typed.settings_of(line).seed,
                "matches": timetable.matches,
                "identities": [bot.identity for bot in of.bots],
                "scenery": dict(get(of.game, of.rules_version).scenery),
            }
        )
        own: list[AuthorMatch] = []
        digests: list[str] = []
        due = 0.0
        for ordinal in range(timetable.matches):
            place = timetable.match(ordinal)
            assert place is not None
            told, match = await self._match(row, place, bots, request["files"])
            own.append(match)
            digests.append(told["digest"])
            if ordinal == timetable.matches - 1 or perf_counter() >= due:
                begun = perf_counter()
                told["tally"] = tally(own, of.seats)
                # a tenth of the time at most: it looks at every match
                due = perf_counter() + 9 * (perf_counter() - begun)
            self._tell(told)
            await asyncio.sleep(0)
        self._tell({"kind": "over", "digest": run_digest(digests)})

    # --- a match ---

    async def _match(
        self, row: EventRow, place: ScheduledMatch, bots: Sequence[Bot], files: Mapping[str, str]
    ) -> tuple[PlainEvent, AuthorMatch]:
        """Play a match. Return what is told of it, and how it ended for the author."""
        of, secret, own = row.definition, row.seed_secret(place.k), place.bots.index(0)
        header = of.header(of.seated(place.bots), row.match_id(place.ordinal), secret)
        job = Job(place.ordinal, 1, header, secret, tuple(Command((), "/") for _ in header.seats))
        pages = module_pages(of.limits.memory)
        here = await played(
            job, lambda seat: self._module(bots[place.bots[seat]], pages, header.seats[seat].number)
        )
        record, notes = here.record, here.notes[own]
        own_faults = [blame for seat, blame in here.faults if seat == own]
        trace = trace_in(printable(notes), files) if own_faults else None
        if place.ordinal == 0:
            refuse_start(bots[0], own_faults, notes, trace)
        self._matches[f"1/{place.ordinal}"] = (record, secret)
        scores, end = scores_by_step(record, secret)
        by_source = end.points_by_source
        points = [{**one.counted, **one.uncounted} for one in by_source] if by_source else ()
        match = AuthorMatch(
            place.k,
            own,
            record.ranks,
            record.scores,
            points,
            most_ticks(record, own),
            len(own_faults),
        )
        told = {
            "kind": "played",
            "ordinal": place.ordinal,
            "match": plain_match(1, of_record(row, place, record)),
            "digest": record.digest,
            "notes": printable(notes)[-NOTES_SHOWN:],
            "faults": [
                [seat, str(blame.verdict), blame.step, shown(blame.detail)]
                for seat, blame in here.faults
            ],
            "own": [own],
            "worst": (len(record.steps) if of.game in AT_THE_END else worst(scores, own))
            if match.is_lost
            else None,
            "trace": trace,
        }
        return told, match

    def _module(self, bot: Bot, pages: int, number: int) -> ModuleSeat:
        return module_in(self._page, (bot.parts[0], bot.parts[1]), pages, number.to_bytes(8, "big"))
