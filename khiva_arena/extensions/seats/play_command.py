"""The work of ``khiva-arena play``: a person takes a seat in the browser, and bots take
the others.
"""

import os
import sys
import webbrowser
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any, NamedTuple

import click
from msgspec.structs import replace

from khiva_arena import __version__
from khiva_arena.arbiter.handed_games import offer
from khiva_arena.arbiter.person import names_at, page_of_end
from khiva_arena.arbiter.pool import play_one
from khiva_arena.common.result import Clock
from khiva_arena.common.setting_row import duration_ms
from khiva_arena.common.shipped import ADVISERS
from khiva_arena.common.text import harmless
from khiva_arena.competition.run.live_views import LIVE_VIEWS
from khiva_arena.competition.settings.flags import settings_by_flags, take_fields
from khiva_arena.competition.settings.one_match import OneMatch, one_match, settings_and_bots
from khiva_arena.display.page.html import has_drawing
from khiva_arena.display.terminal.console import say
from khiva_arena.entrants import guests
from khiva_arena.entrants.hints.starts import start_match
from khiva_arena.entrants.unconfined import unconfined
from khiva_arena.errors import ArenaError, ConfigError
from khiva_arena.extensions.seats.hub_process import Hub
from khiva_arena.extensions.seats.mcp_command import (
    AT_A_TERMINAL,
    EXTRA,
    is_at_terminal,
    settings_of_client,
    take_streams,
)
from khiva_arena.extensions.seats.play_again import is_person, way_again
from khiva_arena.extensions.seats.seating import linked, relays_order
from khiva_arena.extensions.seats.stored_alone import NOT_STORED, alone_of, store_match
from khiva_arena.extensions.seats.taken_seat import TakenSeat
from khiva_arena.games.asked import YOU, second_person
from khiva_arena.games.base import Event, Plain, State
from khiva_arena.games.registry import NAMES, get
from khiva_arena.interface.commands.otherwise import beside
from khiva_arena.interface.commands.traced import Tracing, say_faults
from khiva_arena.records.replay.decided import THIS_DEAL
from khiva_arena.records.replay.record import Record
from khiva_arena.records.replay.story import ending
from khiva_arena.records.replay.verify import verify

DAY = "1440m"
OPPONENTS = {"khiva": "greedy", "emira": "greedy_emira", "silk_road": "greedy_silk_road"}
"""The bot that sits down if none was named, by game; random at any other game."""


class Shown(NamedTuple):
    """The way in which a match is shown.

    opens: in a browser.
    as_json: as its record alone.
    out: the folder of the store that gets it; None for none.
    """

    opens: bool
    as_json: bool
    out: Path | None


class PersonsPlace(NamedTuple):
    """The place at which persons play: a page on this port, or this terminal, or the
    client that has started this command.
    """

    port: int
    terminal: bool
    mcp: bool

    @property
    def only_one(self) -> str:
        """The refusal of a second person, "" if there is a page for each."""
        if self.mcp:
            return "--mcp: an agent takes one seat; leave it out for a page each"
        return (
            "--terminal: one person sits at a terminal; leave it out for a page each"
            if self.terminal
            else ""
        )

    def options(self) -> dict[str, Any]:
        """Return the hub's order for it. Raises ConfigError. This process gives its
        standard streams to a client.
        """
        terminal = _terminal() if self.terminal else None
        return {
            "port": self.port,
            "terminal": terminal,
            "mcp": [*take_streams(), os.getpid()] if self.mcp else None,
        }


def play(place: PersonsPlace, hints: bool, shown: Shown, flags: dict[str, Any]) -> int:
    """Play a match with persons and print its result. Returns the exit code."""
    if not place.only_one:
        LIVE_VIEWS.get("a page that is served")
    if place.mcp:
        if place.terminal or shown.as_json:
            raise ConfigError(
                "--mcp goes with neither --terminal nor --json: the client has standard "
                "input and output"
            )
        EXTRA.check_installed()
        if is_at_terminal():
            click.echo(settings_of_client())
            say(AT_A_TERMINAL)
            return 0
        hints = False
    taken = take_fields(flags, TakenSeat)
    if any(value is not None for value in taken):
        return _take_over(taken, flags, place.options(), hints, shown)
    values = settings_by_flags(flags)
    game = values.get("game", "khiva")
    if game not in NAMES:
        offer([game])  # before the process starts that words the choices
    values["bots"] = _seated(list(values.get("bots", ())), game)
    if place.only_one and len([word for word in values["bots"] if is_person(word)]) > 1:
        raise ConfigError(place.only_one)
    options = place.options()
    own_turn = values.pop("turn", DAY)
    in_ticks = values.get("clock") == Clock.TICKS  # then the turn of modules is the usual one
    settings, entrants = settings_and_bots(
        values if in_ticks else {"turn": own_turn, **values}, say
    )
    if shown.out and not in_ticks:
        raise ConfigError(NOT_STORED)
    order = relays_order(settings, entrants)
    with Hub(_handed(options)) as hub:
        setup = one_match(settings, entrants, say)
        if in_ticks:
            setup = setup._replace(job=replace(setup.job, person_turn_ms=duration_ms(own_turn)))
        if shown.out:
            alone_of(setup, shown.out)
        with _adviser(setup.job.header.game, hints) as adviser:
            return _play_at_hub(hub, setup, {**options, "hints": adviser}, order, shown)


def _handed(options: Mapping[str, Any]) -> list[int]:
    """Return the descriptors that the hub takes from this process."""
    return options["mcp"][:2] if options["mcp"] else []


def _take_over(
    taken: TakenSeat, flags: dict[str, Any], options: dict[str, Any], hints: bool, shown: Shown
) -> int:
    """Let a person play a stored match on. Returns the exit code."""
    if shown.out:
        raise ConfigError(
            "--out cannot go with --from: a match that goes on from a stored one is not stored"
        )
    turn = flags.pop("turn") or DAY
    table = taken.find(flags)
    with Hub(_handed(options)) as hub:
        setup = taken.set_up(table, flags, turn)
        with _adviser(setup.job.header.game, hints) as adviser:
            return _play_at_hub(hub, setup, {**options, "hints": adviser}, {}, shown)


def _play_at_hub(
    hub: Hub, setup: OneMatch, options: dict[str, Any], order: dict[str, Any], shown: Shown
) -> int:
    """Play the match at the hub. Returns the exit code. ``order``: of relays; empty if
    there are none.
    """
    names = _names(setup)
    persons = [
        (guests.guest_of(word).name, seat)
        for seat, word in enumerate(setup.words)
        if is_person(word)
    ]
    table = {
        "persons": [{"name": name, "seat": seat} for name, seat in persons],
        "names": names,
        "marks": setup.marks,
    }
    header = setup.job.header
    played = {"engine": __version__, "game": header.game, "rules": header.rules}
    hub.say({"socket": hub.socket, **played, **table, **options, **order})
    reply = hub.hear()
    if "cannot" in reply:
        raise ConfigError(
            f"--port {options['port']}: {reply['cannot']}; name another one, or leave it "
            "out for any that is free"
        )
    addresses = reply["addresses"]["by_name"]
    if reply["addresses"].get("gone"):
        say("the client left before it called a tool: no match was played")
        return 0
    if setup.job.header.game not in NAMES:
        from khiva_arena.games.which import is_played  # not above: most games come with the arena

        say(harmless(is_played(setup.job.header)))
    with linked(hub, order, say) if order else nullcontext():
        with _telling(hub, options):
            start_match(setup.job, setup.entrants)
        for name, address in addresses.items():
            say(f"{name} plays here: {address}")
        # A browser's command line is read by every user of this machine.
        if (
            addresses
            and shown.opens
            and not (_display() and webbrowser.open(reply["addresses"]["once"]))
        ):
            say(
                "there is no screen here to open a browser on: open the address yourself, "
                "or play with --terminal"
            )
        with _telling(hub, options):
            outcome = play_one(
                setup.job, tell=lambda outcome: hub.check() if outcome.host else None
            )
    if outcome.record is None:
        hub.say(_page_of_void(outcome.void))
        _wait_until_shown(hub, options)
        say(f"the match failed twice on this machine: {outcome.void}")
        return 1
    lines = _result_lines(outcome.record, setup, names)
    since: dict[str, Any] = {}
    if not addresses:
        since["since"] = _since(outcome.record, setup.job.secret, names, persons[0][1])
    if options["mcp"]:
        hub.say({"match": None, "text": "\n".join(lines)} | since)
    else:
        page = page_of_end(
            outcome.record, setup.job.secret, names, sketches=not has_drawing(header.game)
        )
        hub.say(page | since | {"again": way_again(setup, sys.argv[1:])})
        _wait_until_shown(hub, options)
    click.echo(outcome.record.to_json() if shown.as_json else "\n".join(map(harmless, lines)))
    if setup.random_secret is not None:
        say(f"to play these deals again: --seed {setup.random_secret.hex()}")
    if shown.out and setup.alone:
        say(harmless(store_match(shown.out, setup.alone, outcome)))
    say_faults(outcome, setup.job, setup.words, Tracing(trace=False, capture=None, notes=False))
    if addresses:
        say("the replay is in the page, all hands open, until you close it or press Ctrl-C")
    if addresses or options["mcp"]:
        _until_closed(hub)
    return 0


@contextmanager
def _telling(hub: Hub, options: Mapping[str, Any]) -> Iterator[None]:
    """Tell an agent of an error that ends the match, since the agent sees no other line
    of ours. Then the client closes.
    """
    try:
        yield
    except ArenaError as error:
        if options["mcp"]:
            hub.say({"match": None, "text": f"No match was played to its end: {error}"})
            _until_closed(hub)
        raise


def _since(record: Record, secret: bytes, names: Sequence[str], seat: int) -> list[str]:
    """Return the events since a seat last chose, a line each, with all hands open."""
    game = get(record.header.game, record.header.rules_version)
    chose = max(
        (
            at
            for at, step in enumerate(record.steps, 1)
            if any(choice.seat == seat for choice in step)
        ),
        default=0,
    )
    lines: list[str] = []

    def watch(step: int, _state: State, happened: Sequence[Event]) -> None:
        lines.extend(
            second_person(line, names)
            for event in happened
            if step >= chose and (line := game.narrate(event, names))
        )

    verify(record, secret, watch)
    return lines


def _page_of_void(reason: str) -> dict[str, Plain]:
    """Return the last message of a match that was void, with the reason."""
    return {"match": None, "text": f"The match is void: {reason}"}


def _wait_until_shown(hub: Hub, options: Mapping[str, Any]) -> None:
    """Wait until a terminal has shown the last events, so that they stand before our
    own lines; a page shows them by itself.
    """
    if options["terminal"] or options["mcp"]:
        _until_closed(hub)


def _until_closed(hub: Hub) -> None:
    with suppress(KeyboardInterrupt):  # the match is over
        hub.hear()


def _seated(words: list[str], game: str) -> list[str]:
    """Return the --bot words by seat: a person first unless one was given a place, and
    two bots if none was named.

    Raises ConfigError if two persons have one name.
    """
    if all(is_person(word) for word in words) and len(words) < 2:
        words += [f"shipped:python/{OPPONENTS.get(game, 'random')}"] * 2
    persons = [word for word in words if is_person(word)]
    if not persons:
        words.insert(0, guests.PERSON)
    counts = Counter(guests.guest_of(word).name for word in persons)
    if twice := [name for name, times in counts.items() if times > 1]:
        raise ConfigError(
            f"--bot person:{twice[0]}: two persons have one name; give each another, as "
            "--bot person:ann"
        )
    return words


def _terminal() -> str:
    """Return the path of the terminal at which this command was typed. Raises
    ConfigError.
    """
    try:
        return os.ttyname(sys.stdin.fileno())
    except (OSError, ValueError):
        raise ConfigError("--terminal: standard input is no terminal") from None


def _names(setup: OneMatch) -> list[str]:
    """Return the name of each seat on the page: bots of one name with their seat behind
    it, one unnamed person alone as "you".
    """
    seats = [seat for seat, word in enumerate(setup.words) if is_person(word)]
    you = seats[0] if len(seats) == 1 and setup.words[seats[0]] == guests.PERSON else None
    return names_at([seat.name for seat in setup.job.header.seats], you)


@contextmanager
def _adviser(game: str, is_wanted: bool) -> Iterator[dict[str, Any] | None]:
    """Give how the bot is started that gives hints; None if there is none for a game,
    or none is wanted.
    """
    if is_wanted and game not in ADVISERS:
        say(f"there are no hints: no bot that comes with the arena knows {harmless(game)}")
    if not is_wanted or game not in ADVISERS:
        yield None
        return
    with unconfined(f"shipped:python/{ADVISERS[game]}") as start:
        yield {"name": ADVISERS[game], **start._asdict()}


def _display() -> bool:
    """Tell whether a browser has a screen to open on: a browser in the terminal would
    take the terminal from us.
    """
    return sys.platform == "darwin" or bool(
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    )


def _marks_text(name: str, marks: Sequence[str]) -> str:
    """Return the marks to print behind a name, without marks that the name says
    itself.
    """
    left = [mark for mark in marks if mark != name and (mark, name) != (guests.PERSON, YOU)]
    return f" ({', '.join(left)})" if left else ""


def _result_lines(record: Record, setup: OneMatch, names: list[str]) -> list[str]:
    """Return how the match ended, a line each: beside the stored one that was played
    on, if it was.
    """
    if setup.then:
        return [*beside(setup.then, record, setup.job.secret), THIS_DEAL]
    marked = [
        f"{name}{_marks_text(name, marks)}" for name, marks in zip(names, setup.marks, strict=True)
    ]
    lines = ending(record, marked, verify(record, setup.job.secret).points_by_source)
    return [*lines, f"every choice replays; digest {record.digest}"]
