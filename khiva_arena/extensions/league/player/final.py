"""The final of a league: an ordinary committed event of the best bots on new deals, in
a store of its own.

A link of the chain says beforehand who plays it, with its commitment. Its results never
count in the league's table.
"""

from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from khiva_arena.common.say import Say
from khiva_arena.common.text import harmless
from khiva_arena.competition.events import stored
from khiva_arena.competition.run.event_ends import RunResult
from khiva_arena.competition.run.options import RunOptions
from khiva_arena.competition.run.run import Run
from khiva_arena.entrants.bots import Bot
from khiva_arena.errors import ConfigError, StoreError
from khiva_arena.extensions.league.beacon import wait_for_line
from khiva_arena.extensions.league.chain.links import Final, LeagueTerms, RatedThen
from khiva_arena.extensions.league.chain.roster import RosterBot, sits_apart
from khiva_arena.extensions.league.chain.stored_chain import add, by_this_clock, next_place
from khiva_arena.extensions.league.final_table import batches_of_table, rated_at
from khiva_arena.extensions.league.folder import final_folder
from khiva_arena.extensions.league.player.public_terms import is_final_over
from khiva_arena.extensions.league.player.publish import Publisher
from khiva_arena.extensions.league.player.refusals import (
    HowLong,
    check_beacon,
    open_alone,
    refuse_early,
)
from khiva_arena.extensions.league.settings import League
from khiva_arena.extensions.league.submissions.examine import load
from khiva_arena.extensions.league.walked import LeagueSoFar, walked
from khiva_arena.rating.schedule.names import Format
from khiva_arena.records.store.db import Store
from khiva_arena.records.store.files import MODULES, PRIVATE_MODULES
from khiva_arena.words import count


class FinalShape(NamedTuple):
    """The shape of a final.

    top: how many bots play it.
    seeds: deals.
    lineups: the most line-ups of a deal; None for all.
    """

    top: int
    seeds: int
    lineups: int | str | None


class PlayedFinal(NamedTuple):
    """A final.

    out: its store.
    result: of its run.
    """

    out: Path
    result: RunResult


def play_final(league: League, shape: FinalShape, how_long: HowLong, say: Say) -> PlayedFinal:
    """Play a final, or the rest of one that has begun. ``how_long``: the beacon's
    command, and whether the clock is right.

    Raises ConfigError if too few bots have been rated, or another final of another
    shape is not over yet; StoreError beside a player.
    """
    with open_alone(league.folder) as store:
        now = walked(store)
        if now is None or not now.chain.over:
            raise ConfigError(
                f"{league.folder}: no batch is over yet, so nobody is first; `khiva-arena "
                "league play` plays some"
            )
        chain = now.chain
        begun = (
            chain.finals[-1]
            if chain.finals and not _is_over(league, chain.finals[-1].link)
            else None
        )
        rated = () if begun else _rated(store, now)
        bots = (
            [chain.bots[identity] for identity in begun.link.bots]
            if begun
            else chain.final_seats(rated)[: shape.top]
        )
        number = begun.link.final if begun else len(chain.finals) + 1
        out = final_folder(league.folder, number)
        if len(bots) < shape.top and begun is None:
            fewer = f"--top {shape.top}: {_able(chain.terms, len(bots))}"
            if len(bots) < league.settings.seats:
                seats = f"a table has {league.settings.seats} seats"
                raise ConfigError(f"{fewer}, and {seats}; play on, or enter bots of other authors")
            say(fewer)
        apart = sits_apart(begun.terms if begun else chain.terms, [bot.author for bot in bots])
        settings = replace(
            league.settings,
            out=out,
            seeds=shape.seeds,
            lineups=shape.lineups,
            format=Format.ROUND_ROBIN,
            authors_apart=apart,
        )
        players = [_player(league, bot) for bot in bots]
        beacon = begun.beacon if begun else chain.terms.beacon
        refuse_early(chain, how_long.clock_is_right)
        check_beacon([beacon], how_long.beacon)
        if begun is None:
            committed = Run([settings], players, RunOptions(commit=True), say).play()
            if chain.terms.publish_bots is False:
                _mark_private(out)
            with Store.read(out) as own:
                event = stored.stored_event(own, committed.events[0])
            place = next_place(by_this_clock(chain) if how_long.clock_is_right else chain)
            link = Final(
                **place,
                final=number,
                event=event.id,
                commitment=event.commitment,
                rated=rated,
                bots=tuple(bot.identity for bot in bots),
                round=beacon.round_after(datetime.fromisoformat(place["at"])) if beacon else None,
            )
            chain = add(store, chain, link)
            Publisher(store, say, league.pace).write(chain)
            say(
                f"final {number}: {', '.join(bot.name for bot in bots)}; commitment "
                f"{event.commitment}"
            )
            say(f"link {link.number} {link.digest}")
    line = None
    if beacon and (coming := chain.finals[-1].link.round):
        line = wait_for_line(how_long.beacon, beacon, coming, say, lambda: None)
        say(harmless(f"round {coming} of {beacon.name}: {line}"))
    result = Run([settings], players, RunOptions(public=line), say).play()
    if not Store.is_in_use(league.folder):  # by a player, which publishes it
        _publish(league, say)
    return PlayedFinal(out, result)


def _mark_private(out: Path) -> None:
    """Mark the modules of a final as not published, before anybody knows of it. Raises
    StoreError.
    """
    try:
        (out / MODULES).mkdir(exist_ok=True)
        (out / MODULES / PRIVATE_MODULES).touch()
    except OSError as error:
        raise StoreError(f"{out / MODULES}: {error.strerror}") from error


def _publish(league: League, say: Say) -> None:
    """Publish how the league stands, and the page of its newest final. A warning says
    why that is not possible.
    """
    try:
        with (
            Store.write(league.folder, trusting=False) as store,
            Publisher(store, say, league.pace) as public,
        ):
            if now := walked(store):
                public.publish(now.chain)
                public.finish()
    except StoreError as error:
        say(
            f"the final is played, and its page is made when the player is started: {error}",
            warning=True,
        )


def _rated(store: Store, now: LeagueSoFar) -> tuple[RatedThen, ...]:
    """Return the numbers by which a final seats bots now. Only the season is read that
    the table is of.
    """
    # not above: numpy comes with it
    from khiva_arena.competition.events.source import StoredResults

    season = batches_of_table(now.chain)
    events = [stored.stored_event(store, event) for event in store.event_ids(season[0], season[-1])]
    return rated_at(now.chain, now.batches, StoredResults(store), events)


def _able(terms: LeagueTerms, bots: int) -> str:
    """Return how many bots may sit in a final, and by which terms."""
    most = count(terms.final_bots_an_author, "bot")
    able = f"{count(bots, 'bot')} may sit in it: at most {most} of an author"
    return f"{able}, each of which has played in {terms.fewest_batches} batches"


def _player(league: League, bot: RosterBot) -> Bot:
    """Return the league's copy of a bot as a run takes it. Raises ConfigError if it is
    not the one that was entered.
    """
    player = load(league, bot.sources, bot.name, bot.parts)
    if player.identity != bot.sources:
        raise ConfigError(f"{player.asked_as}: its files are not those that were entered")
    return replace(player, author=bot.author)


def _is_over(league: League, final: Final) -> bool:
    return is_final_over(league.folder, final.final, final.event)
