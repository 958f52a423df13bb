"""The bound on the bots of an author: at the desk, on the command line, in the queue,
and in the chain itself.
"""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import trio
from arena import arena
from leagues import enter, league_in, played
from made_league import MadeLeague
from msgspec.structs import replace
from public_league import write_public
from quick_leagues import quick_bot, quick_league
from uploads import MUCH, one_of_its_own
from wording import pattern, sentence

from khiva_arena.errors import ConfigError, RecordError
from khiva_arena.extensions.league.chain.links import Entered, Renewed, StateChanged
from khiva_arena.extensions.league.chain.stored_chain import next_place, row_of
from khiva_arena.extensions.league.folder import PUBLIC
from khiva_arena.extensions.league.league_options import LeagueOptions
from khiva_arena.extensions.league.routes.desk import Desk
from khiva_arena.extensions.league.routes.public_folder import PublicFolder
from khiva_arena.extensions.league.routes.view import LeagueView
from khiva_arena.extensions.league.status import active_families
from khiva_arena.extensions.league.submissions.limits import BotsBound
from khiva_arena.extensions.league.submissions.queue import Queue
from khiva_arena.interface.api.verify import verify

__all__ = ["played", "quick_league"]

TWO = MUCH._replace(bots=2)


def refused(others: int, most: int) -> str:
    """What somebody hears whose author has as many bots as there may be."""
    words = f"{others} other bot{'s' if others > 1 else ''}"
    return pattern("submissions", "too-many-bots", others=words, most=str(most))


# --- the chain ---


@pytest.fixture
def league(tmp_path: Path) -> Iterator[MadeLeague]:
    """A league in which an author may have two bots, and has them."""
    with MadeLeague(tmp_path / "league") as made:
        made.add(
            Renewed(
                **next_place(made.chain),
                terms=replace(made.chain.terms, bots_an_author=2, versions=2),
            )
        )
        for number in (1, 2):
            made.enter(f"bot {number}", number)
        yield made


TOO_MANY = pattern("league", "too-many-of-an-author", others="2 other active bots", most="2")


def test_one_bot_more_is_no_link_and_one_version_more_is(league: MadeLeague) -> None:
    with pytest.raises(RecordError, match=TOO_MANY):
        league.enter("bot 3", 3)
    league.enter("bot 2 again", 2)
    league.enter("of another", 4, 2)


def test_a_bot_that_retired_makes_room_and_comes_back_no_more_than_that(league: MadeLeague) -> None:
    first = next(bot.identity for bot in league.chain.bots.values() if bot.name == "bot 1")
    league.add(StateChanged(**next_place(league.chain), identity=first, state="suspended"))
    league.enter("bot 3", 3)
    with pytest.raises(RecordError, match=TOO_MANY):
        league.add(StateChanged(**next_place(league.chain), identity=first, state="active"))


def test_a_lower_bound_takes_nobody_out_and_lets_versions_in(league: MadeLeague) -> None:
    league.add(
        Renewed(**next_place(league.chain), terms=replace(league.chain.terms, bots_an_author=1))
    )
    assert len(league.chain.active) == 4
    with pytest.raises(
        RecordError,
        match=pattern("league", "too-many-of-an-author", others="2 other active bots", most="1"),
    ):
        league.enter("bot 3", 3)


def test_a_chain_with_one_bot_more_is_not_sound(league: MadeLeague) -> None:
    league.batch()
    third = {"author": f"{1:016x}", "family": f"{3:016x}", "version": 1, "name": "bot 3"}
    link = Entered(**next_place(league.chain), **third, identity="3" * 64, sources="3" * 64)
    league.store.add_link(row_of(link))
    [problem] = verify(league.folder).problems
    assert problem.startswith(f"link {link.number}: ")


def test_the_player_refuses_what_came_past_the_bound(tmp_path: Path, played) -> None:
    league = league_in(tmp_path, options=LeagueOptions(retry_minutes=0, bots_an_author=1))
    enter(league, "ann", "one")
    enter(league, "ann", "two")
    enter(league, "bob", "three")
    played(league)
    with Queue(tmp_path) as queue:
        states = {entry.family_name: (entry.state, entry.report) for entry in queue.entries()}
    assert [state for state, _ in states.values()] == ["entered", "refused", "entered"]
    assert (
        sentence("league", "too-many-of-an-author", others="1 other active bot", most="1")
        in states["two"][1]
    )


# --- the queue ---


@pytest.fixture
def queue(tmp_path: Path) -> Iterator[Queue]:
    with Queue(tmp_path) as opened:
        yield opened


def test_bots_that_wait_count_and_those_that_were_refused_do_not(queue: Queue) -> None:
    ann = queue.add_author("ann").id
    first = queue.add_upload(ann, "one", one_of_its_own(), TWO)
    queue.add_upload(ann, "two", one_of_its_own(), TWO)
    with pytest.raises(ConfigError, match=refused(2, 2)):
        queue.add_upload(ann, "three", one_of_its_own(), TWO)
    queue.add_upload(ann, "two", one_of_its_own(), TWO)
    queue.add_upload(queue.add_author("bob").id, "three", one_of_its_own(), TWO)
    queue.settle(first, "refused", "no")
    queue.add_upload(ann, "four", one_of_its_own(), TWO)
    assert [entry.family_name for entry in queue.entries_of(ann)] == ["one", "two", "two", "four"]


def test_bots_that_are_active_count(queue: Queue) -> None:
    ann = queue.add_author("ann").id
    number = queue.add_upload(ann, "one", one_of_its_own(), TWO)
    family = queue.entry(number).family
    queue.settle(number, "accepted", "yes", "1" * 64)
    queue.mark_entered(number)
    queue.add_upload(ann, "one", one_of_its_own(), TWO, [family, "another"])
    with pytest.raises(ConfigError, match=refused(2, 2)):
        queue.add_upload(ann, "two", one_of_its_own(), TWO, [family, "another"])
    with pytest.raises(ConfigError, match=refused(1, 1)):
        queue.add_entry(ann, "two", "2" * 64, one_of_its_own(), BotsBound(1, [family]))
    queue.add_entry(ann, "one", "2" * 64, one_of_its_own(), BotsBound(1, [family]))


# --- who asks it ---


def test_the_desk_knows_who_is_active(queue: Queue, tmp_path: Path) -> None:
    ann = queue.add_author("ann")
    state = write_public(tmp_path)
    first, second = (replace(bot, author=ann.id) for bot in state.bots[-2:])
    view = LeagueView(
        replace(state, bots=(*state.bots[:-2], first, second)),
        PublicFolder(tmp_path / PUBLIC),
        {},
        [],
    )
    active = view.active_of(ann.id)
    assert active == {bot.family for bot in (first, second) if bot.state == "active"} != set()
    desk = Desk(queue, MUCH._replace(bots=len(active)))

    async def send() -> None:
        await desk.add_upload(ann, "one more", one_of_its_own(), active)

    with pytest.raises(ConfigError, match=refused(len(active), len(active))):
        trio.run(send)


def test_the_families_of_an_author_are_those_that_were_published(tmp_path: Path) -> None:
    assert active_families(tmp_path, "") == set()
    for bot in write_public(tmp_path).bots:
        assert (bot.family in active_families(tmp_path, bot.author)) == any(
            other.state == "active"
            for other in write_public(tmp_path).bots
            if other.family == bot.family
        )
    assert active_families(tmp_path, f"{9:016x}") == set()


@pytest.mark.soak
def test_one_bot_more_is_not_even_checked(quick_league: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(quick_league, tmp_path / "folder"))
    settings = folder / "spring" / "league.toml"
    settings.write_text(settings.read_text().replace("bots_an_author = 3", "bots_an_author = 1"))
    quick_bot(folder / "other")
    done = arena("league", "enter", "spring", "other", "--author", "ann", cwd=folder, code=2)
    assert sentence("submissions", "too-many-bots", others="1 other bot", most="1") in done.stderr
