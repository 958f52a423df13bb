"""Finals: who is seated follows from numbers in their links, one bot of an author, and
whoever verifies works them out again.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from leagues import league_in, named
from made_league import MadeLeague, Shape
from msgspec.structs import replace
from synthesised import planned
from wording import pattern, sentence

from khiva_arena import __version__
from khiva_arena.common.say import say_nothing
from khiva_arena.competition.events.bundling import write_bundle
from khiva_arena.competition.settings.settings import Settings
from khiva_arena.entrants.bots import Bot
from khiva_arena.errors import RecordError
from khiva_arena.extensions.league.chain.links import Final, RatedThen, StateChanged
from khiva_arena.extensions.league.chain.roster import sits_apart
from khiva_arena.extensions.league.chain.stored_chain import next_place, row_of
from khiva_arena.extensions.league.final_audit import NOTED
from khiva_arena.extensions.league.player import final
from khiva_arena.extensions.league.player.refusals import HowLong
from khiva_arena.interface.api.verify import verify
from khiva_arena.records.replay.definition import DefinedBot
from khiva_arena.records.store.db import EventRow, Store

AUTHORS = {"ann": 1, "bob": 2, "eve": 3, "joe": 4}


def grown(folder: Path, shape: Shape, *bots: str, batches: int = 3) -> MadeLeague:
    """A league after some batches. ``bots``: each the name of its author with a number
    of its own.
    """
    made = MadeLeague(folder, shape)
    for number, bot in enumerate(bots, 1):
        made.enter(bot, number, AUTHORS[bot[:3]])
    for _ in range(batches):
        made.batch()
    return made


@pytest.fixture
def league(tmp_path: Path) -> Iterator[MadeLeague]:
    with grown(
        tmp_path / "league",
        Shape(fewest_batches=2),
        "ann 1",
        "ann 2",
        "ann 3",
        "bob 1",
        "eve 1",
        "joe 1",
    ) as made:
        yield made


def names(league: MadeLeague, *bots: str) -> list[str]:
    return [league.chain.bots[bot].name for bot in bots]


def test_a_final_seats_the_best_bot_of_each_author(league: MadeLeague) -> None:
    link = league.decide()
    assert sorted(name[:3] for name in names(league, *link.bots)) == ["ann", "bob", "eve", "joe"]
    least = {row.bot: row.least for row in link.rated}
    assert [least[bot] for bot in link.bots] == sorted(
        (least[bot] for bot in link.bots), reverse=True
    )
    of_ann = {
        row.bot: row.least for row in link.rated if names(league, row.bot)[0].startswith("ann")
    }
    assert max(of_ann, key=lambda bot: of_ann[bot] or 0.0) in link.bots
    result = verify(league.folder)
    assert (result.sound, result.problems) == (True, [])
    assert (
        sentence("league", "finals-decided", finals="1 final", played="not over here: 1")
        in result.chain
    )


def test_a_bot_that_is_new_or_not_active_sits_in_no_final(league: MadeLeague) -> None:
    new = league.enter("joe 2", 9, AUTHORS["joe"])
    league.batch()
    gone = league.decide().bots[0]
    league.add(StateChanged(**next_place(league.chain), identity=gone, state="suspended"))
    link = league.decide()
    assert not {new, gone} & {*link.bots}
    assert {row.bot: row.batches for row in link.rated}[new] == 1
    assert gone not in [row.bot for row in link.rated]


# --- what an organiser may try ---


def first_two_exchanged(link: Final) -> Final:
    return replace(link, bots=(link.bots[1], link.bots[0], *link.bots[2:]))


def a_friend_in_place_of_the_last(link: Final) -> Final:
    friend = next(row.bot for row in link.rated if row.bot not in link.bots)
    return replace(link, bots=(*link.bots[:-1], friend))


def one_bot(link: Final) -> Final:
    return replace(link, bots=link.bots[:1])


def a_rival_left_out(link: Final) -> Final:
    return replace(link, rated=link.rated[1:])


def more_batches_than_count(link: Final) -> Final:
    return replace(link, rated=tuple(replace(row, batches=row.batches + 1) for row in link.rated))


@pytest.mark.parametrize(
    ("forge", "words"),
    [
        (first_two_exchanged, pattern("league", "seats-do-not-follow", names=".*")),
        (a_friend_in_place_of_the_last, pattern("league", "seats-do-not-follow", names=".*")),
        (one_bot, "it seats 1 bot, and a table has 3 seats"),
        (a_rival_left_out, "it has not the numbers of all bots that are active, in their order"),
        (more_batches_than_count, "it counts more batches than a place takes"),
    ],
)
def test_seats_that_do_not_follow_are_no_link(
    league: MadeLeague, forge: Callable[[Final], Final], words: str
) -> None:
    place = next_place(league.chain)
    bots = tuple(bot.identity for bot in league.seats)
    link = Final(
        **place, final=1, event="e" * 16, commitment="c" * 64, rated=league.rated, bots=bots
    )
    with pytest.raises(RecordError, match=words):
        league.add(forge(link))
    league.store.add_link(row_of(forge(link)))  # as an organiser may who does not use this program
    [problem] = verify(league.folder).problems
    assert problem.startswith(f"link {link.number}: ")


def lifted(link: tuple[RatedThen, ...], bot: str, by: float) -> tuple[RatedThen, ...]:
    """Numbers among which those of a bot are higher."""
    return tuple(
        replace(row, elo=(row.elo or 0.0) + by, least=(row.least or 0.0) + by)
        if row.bot == bot
        else row
        for row in link
    )


def test_numbers_that_a_fit_does_not_give_are_noted_with_who_would_sit(league: MadeLeague) -> None:
    rated = league.rated
    bots = [bot.identity for bot in league.seats]
    friend = next(row.bot for row in rated if row.bot not in bots)
    rival = next(bot for bot in bots if names(league, bot)[0].startswith("ann"))
    false = lifted(rated, friend, 2_000.0)
    seats = [bot.identity for bot in league.chain.final_seats(false)]
    league.decide(rated=false, bots=tuple(seats))
    result = verify(league.folder)
    assert result.sound
    told = sentence(
        "league",
        "other-numbers",
        number="1",
        link=str(league.chain.links - 1),
        bots=names(league, friend)[0],
    )
    assert told + f"; a fit of now seats {names(league, rival)[0]}" in result.chain


@pytest.mark.parametrize("share", [NOTED * 0.9, NOTED * 1.1])
def test_a_difference_of_a_tenth_of_the_error_is_none(league: MadeLeague, share: float) -> None:
    rated = league.rated
    last = max(league.seats, key=lambda bot: bot.name)
    row = next(row for row in rated if row.bot == last.identity)
    assert row.elo is not None
    assert row.least is not None
    by = share * (row.elo - row.least)
    false = lifted(rated, last.identity, by)
    league.decide(rated=false, bots=tuple(bot.identity for bot in league.chain.final_seats(false)))
    result = verify(league.folder)
    assert result.sound
    told = sentence(
        "league", "other-numbers", number="1", link=str(league.chain.links - 1), bots=last.name
    )
    assert (told in result.chain) == (share > NOTED)


def test_batches_that_nobody_played_are_found(league: MadeLeague) -> None:
    new = league.enter("joe 2", 9, AUTHORS["joe"])
    league.batch()
    false = tuple(replace(row, batches=2) if row.bot == new else row for row in league.rated)
    league.decide(rated=false, bots=tuple(bot.identity for bot in league.chain.final_seats(false)))
    [problem] = verify(league.folder).problems
    which = f"final 1: link {league.chain.links - 1}"
    assert problem == f"{which} counts 2 batches of joe 2, and by the batches it is 1"


def test_nobody_is_first_before_a_batch_is_over(tmp_path: Path) -> None:
    with MadeLeague(tmp_path / "league", Shape()) as made:
        for number in (1, 2, 3):
            made.enter(f"bot {number}", number, number)
        bots = tuple(bot.identity for bot in made.chain.active if bot.author)
        rated = tuple(RatedThen(bot, 1.0, 0.0, 0) for bot in bots)
        link = Final(
            **next_place(made.chain),
            final=1,
            event="e" * 16,
            commitment="c" * 64,
            rated=rated,
            bots=bots,
        )
        with pytest.raises(RecordError, match="no batch is over, so nobody is first"):
            made.add(link)


# --- finals that were decided on ---


def test_finals_that_were_not_played_are_counted(league: MadeLeague, tmp_path: Path) -> None:
    for number in (1, 2, 3):
        event = planned(entrants=league.seats, seats=3, seeds=number)
        league.decide(event)
        if number == 2:
            stored(league, number, event)
    result = verify(league.folder)
    assert result.sound
    assert (
        sentence("league", "finals-decided", finals="3 finals", played="not over here: 1-3")
        in result.chain
    )
    write_bundle(tmp_path / "whole", league.store, league.store.events())
    bundled = verify(tmp_path / "whole")
    assert bundled.sound
    assert (
        sentence("league", "finals-decided", finals="3 finals", played="in their own stores")
        in bundled.chain
    )


def test_numbers_of_batches_that_are_not_public_are_not_worked_out_again(tmp_path: Path) -> None:
    with grown(tmp_path / "league", Shape(reveal_hours=9), "ann 1", "bob 1", "eve 1") as league:
        league.decide()
        write_bundle(tmp_path / "part", league.store, league.store.events()[:2])
    result = verify(tmp_path / "part")
    assert (result.sound, result.problems) == (True, [])
    assert "final 1: its numbers were not checked, since batches are not here" in result.chain


def stored(league: MadeLeague, number: int, event: EventRow) -> None:
    """Put the store of a final beside the league."""
    with Store.write(league.folder / f"final-{number}") as store:
        store.add_event(
            event.id, event.definition.text, __version__, event.commitment, event.secret, event.bots
        )


# --- authors apart ---


@pytest.mark.parametrize(
    ("authors", "apart"),
    [("abc", False), ("aabc", True), ("aabb", False), ("aab", False), ("aabbcc", True)],
    ids=lambda value: str(value),
)
def test_authors_sit_apart_where_they_can(league: MadeLeague, authors: str, apart: bool) -> None:
    assert sits_apart(league.chain.terms, authors) is apart
    assert not sits_apart(replace(league.chain.terms, authors_apart=False), authors)


@pytest.mark.parametrize("keeps", [True, False])
def test_a_final_with_several_bots_of_an_author_keeps_them_apart(
    tmp_path: Path, keeps: bool
) -> None:
    shape = Shape(final_bots_an_author=2)
    with grown(
        tmp_path / "league", shape, "ann 1", "ann 2", "ann 3", "bob 1", "eve 1", batches=2
    ) as made:
        seats = made.seats
        assert sorted(bot.name[:3] for bot in seats) == ["ann", "ann", "bob", "eve"]
        authors = [made.chain.bots[bot.identity].author for bot in seats]
        bots = tuple(
            DefinedBot(bot.name, bot.identity, author)
            for bot, author in zip(seats, authors, strict=True)
        )
        event = planned(entrants=bots if keeps else seats, seats=3, authors_apart=keeps)
        made.decide(event)
        stored(made, 1, event)
        problems = verify(made.folder).problems
    assert problems == (
        [] if keeps else ["final 1: it keeps bots of one author apart otherwise than the terms say"]
    )


@pytest.mark.parametrize("several", [1, 2])
def test_the_bots_of_a_final_play_under_the_ids_of_their_authors(
    tmp_path: Path, several: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    league = league_in(tmp_path / "league")
    with grown(
        league.folder,
        Shape(final_bots_an_author=several),
        "ann 1",
        "ann 2",
        "bob 1",
        "eve 1",
        batches=1,
    ) as made:
        made.decide()
    runs: list[tuple[bool, list[str]]] = []

    class FinalRun:
        def __init__(self, settings: list[Settings], players: list[Bot], *_: object) -> None:
            runs.append((settings[0].authors_apart, sorted(player.author for player in players)))

        def play(self) -> None: ...

    monkeypatch.setattr(final, "Run", FinalRun)
    monkeypatch.setattr(
        final, "load", lambda _league, sources, name, _parts: replace(named(name), identity=sources)
    )
    monkeypatch.setattr(final, "_publish", lambda *_: None)
    final.play_final(league, final.FinalShape(8, 1, None), HowLong(), say_nothing)
    assert runs == [
        (
            several > 1,
            sorted(f"{AUTHORS[name]:016x}" for name in ("ann",) * several + ("bob", "eve")),
        )
    ]
