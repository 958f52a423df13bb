"""More cheats of an organiser: with the roster, with definitions, with secrets, with finals, and with what others have seen."""

import re
import shutil
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from claims import Claim, chained, of_batch, swapped, with_definition
from made_league import ANCHORS, BEACON, MadeLeague, Shape
from msgspec import structs
from synthesised import planned
from wording import pattern, sentence

from khiva_arena import __version__
from khiva_arena.competition.events.stored import run_digest_of
from khiva_arena.extensions.league.chain.links import AnyLink, Beacon, Drawn, Entered, Final, Founded, Over, Season, StateChanged
from khiva_arena.extensions.league.chain.stored_chain import links_of, next_place, row_of
from khiva_arena.interface.api.verify import verify
from khiva_arena.interface.commands.bundle import bundle
from khiva_arena.records.replay.definition import DefinedBot, Definition
from khiva_arena.records.store.db import EventRow, Store

NOWHERE = {"number": 0, "before": "0" * 64, "at": datetime.now(UTC).isoformat(timespec="seconds")}
DICE = Beacon("dice", "2026-01-01T00:00:00+00:00", 86_400, 0)


@pytest.fixture(scope="module")
def claimed(tmp_path_factory: pytest.TempPathFactory) -> Claim:
    """Five batches of a league: a second version, a bot that is suspended for a batch, one that is retired, and a newcomer."""
    with MadeLeague(tmp_path_factory.mktemp("made") / "league", Shape(seeds=1)) as made:
        first, bob = made.enter("ann v1", 1, 1), made.enter("bob v1", 2, 2)
        made.enter("eve v1", 3, 3)
        made.batch()
        made.enter("ann v2", 1, 1)
        made.add(Season(**next_place(made.chain), name="two"))
        made.add(StateChanged(**next_place(made.chain), identity=bob, state="suspended", why="a rival"))
        made.batch()
        made.add(StateChanged(**next_place(made.chain), identity=bob, state="active"))
        made.add(StateChanged(**next_place(made.chain), identity=first, state="retired"))
        made.batch()
        made.decide()
        made.enter("kim v1", 4, 4)
        made.batch()
        made.batch()
        events = made.store.events()
        return Claim(links_of(made.store), events, {event.id: run_digest_of(made.store, event) for event in events})


@pytest.fixture
def honest(claimed: Claim) -> Claim:
    """A claim of its own for each test."""
    return Claim(list(claimed.links), list(claimed.events), dict(claimed.digests))


def test_an_honest_league_is_sound(honest: Claim) -> None:
    audit = honest.audit()
    assert audit.problems == []
    assert audit.drawn_again == [1, 2, 3, 4, 5]


# --- steps of a cheat ---


def entered(claim: Claim, name: str) -> Entered:
    return next(link for link in claim.links if isinstance(link, Entered) and link.name == name)


def redefined(claim: Claim, number: int, **changes: Any) -> Claim:
    """Return the claim with another definition of a batch, committed to anew."""
    event = claim.events[number - 1]
    return swapped(claim, event, with_definition(event, structs.replace(event.definition, **changes)))


def seated(claim: Claim, batch: int, bots: list[DefinedBot]) -> Claim:
    """Return the claim with other bots in a batch, at the same tables."""
    return redefined(claim, batch, bots=tuple(bots))


def bots_of(claim: Claim, batch: int) -> list[DefinedBot]:
    return list(claim.events[batch - 1].definition.bots)


def inserted(claim: Claim, batch: int, *links: AnyLink) -> Claim:
    """Return the claim with more links before a batch is drawn."""
    at = of_batch(claim, batch)[0]
    return claim._replace(links=chained([*claim.links[:at], *links, *claim.links[at:]]))


def changed(claim: Claim, link: AnyLink, **changes: Any) -> Claim:
    """Return the claim with a link that says something else, and all later ones made to fit."""
    return claim._replace(links=chained([structs.replace(one, **changes) if one == link else one for one in claim.links]))


# --- the roster ---


def let_a_retired_bot_play_on(claim: Claim) -> Claim:
    old = next(bot for bot in bots_of(claim, 2) if bot.name == "ann v1")
    return seated(claim, 3, [*bots_of(claim, 3), old])


def draw_a_suspended_bot(claim: Claim) -> Claim:
    bob = next(bot for bot in bots_of(claim, 1) if bot.name == "bob v1")
    return seated(claim, 2, [*bots_of(claim, 2), bob])


def leave_a_rival_out(claim: Claim) -> Claim:
    batch, bots = claim.events[2].definition.batch, bots_of(claim, 3)[:-1]
    assert batch is not None
    return redefined(claim, 3, bots=tuple(bots), batch=structs.replace(batch, tables=((0, 1, 2), (2, 3, 0))))


def seat_bots_in_another_order(claim: Claim) -> Claim:
    return seated(claim, 3, bots_of(claim, 3)[::-1])


def reassign_an_author(claim: Claim) -> Claim:
    return changed(claim, entered(claim, "eve v1"), author=entered(claim, "bob v1").author)


def take_a_version_out_of_its_family(claim: Claim) -> Claim:
    return changed(claim, entered(claim, "ann v2"), family="ab" * 8, version=1)


def put_a_version_into_the_family_of_another(claim: Claim) -> Claim:
    return changed(claim, entered(claim, "kim v1"), family=entered(claim, "bob v1").family, version=2)


def rename_a_bot(claim: Claim) -> Claim:
    return changed(claim, entered(claim, "bob v1"), name="best v1")


def enter_a_bot_again(claim: Claim) -> Claim:
    return inserted(claim, 5, structs.replace(entered(claim, "eve v1"), family="ab" * 8, name="fresh v1"))


def take_the_name_of_a_rival(claim: Claim) -> Claim:
    return inserted(claim, 5, structs.replace(entered(claim, "eve v1"), family="ab" * 8, identity="ab" * 32))


def skip_a_version(claim: Claim) -> Claim:
    return changed(claim, entered(claim, "ann v2"), version=3)


def play_more_versions_than_may_be_active(claim: Claim) -> Claim:
    third = structs.replace(entered(claim, "ann v2"), version=3, name="ann v3", identity="ab" * 32)
    return inserted(claim, 2, third)


def retire_a_rival_by_a_version(claim: Claim) -> Claim:
    return changed(claim, entered(claim, "kim v1"), replaces=(entered(claim, "bob v1").identity,))


def bring_a_retired_bot_back(claim: Claim) -> Claim:
    return inserted(claim, 5, StateChanged(**NOWHERE, identity=entered(claim, "ann v1").identity, state="active"))


def suspend_an_anchor(claim: Claim) -> Claim:
    return inserted(claim, 5, StateChanged(**NOWHERE, identity=ANCHORS[0].identity, state="suspended"))


def enter_a_bot_earlier(claim: Claim) -> Claim:
    """Make a newcomer one who was there before, so that it stands elsewhere in the lot."""
    kim = entered(claim, "kim v1")
    at, rest = of_batch(claim, 1)[0], [link for link in claim.links if link != kim]
    suspended = StateChanged(**NOWHERE, identity=kim.identity, state="suspended")
    earlier = claim._replace(links=chained([*rest[:at], kim, suspended, *rest[at:]]))
    return inserted(earlier, 4, structs.replace(suspended, state="active"))


# --- draws and definitions ---


def steer_the_seats_of_newcomers(claim: Claim) -> Claim:
    """Give a friend a seat more in the place of the newcomer, who has the fewest tables."""
    batch, bots = claim.events[3].definition.batch, bots_of(claim, 4)
    assert batch is not None
    kim = next(at for at, bot in enumerate(bots) if bot.name == "kim v1")
    tables = list(batch.tables)
    at = next(number for number, table in enumerate(tables) if kim in table)
    friend = next(bot for bot in range(len(bots)) if bot not in tables[at])
    tables[at] = tuple(friend if bot == kim else bot for bot in tables[at])
    return redefined(claim, 4, batch=structs.replace(batch, tables=tuple(tables)))


def draw_from_another_lot(claim: Claim) -> Claim:
    batch = claim.events[2].definition.batch
    return redefined(claim, 3, batch=structs.replace(batch, before="ab" * 32))


def change_terms_without_a_link(claim: Claim) -> Claim:
    return redefined(claim, 3, seeds=2)


def mark_a_bot(claim: Claim) -> Claim:
    """Have the tables leave a rival out, as one that may remember."""
    bots = bots_of(claim, 3)
    return seated(claim, 3, [*bots[:-1], structs.replace(bots[-1], kept=True)])


def claim_other_sources(claim: Claim) -> Claim:
    bots = bots_of(claim, 3)
    return seated(claim, 3, [*bots[:-1], structs.replace(bots[-1], sources="ab" * 32)])


def put_another_bot_at_zero(claim: Claim) -> Claim:
    return redefined(claim, 3, anchor="bob v1")


def vary_what_nobody_reads(claim: Claim) -> Claim:
    """Choose among events by a field that changes no match."""
    return redefined(claim, 3, copies=2, looks=7)


def write_a_number_otherwise(claim: Claim) -> Claim:
    rules = claim.events[2].definition.rules
    return redefined(claim, 3, rules={name: float(value) if type(value) is int else value for name, value in rules.items()})


# --- batches, and what they hide ---


def reuse_a_secret(claim: Claim) -> Claim:
    event, secret = claim.events[3], claim.events[1].secret
    return swapped(claim, event, with_definition(structs.replace(event, secret=secret), event.definition))


def copy_a_commitment(claim: Claim) -> Claim:
    (second, third) = (claim.links[of_batch(claim, batch)[0]] for batch in (2, 3))
    assert isinstance(second, Drawn)
    return changed(claim, third, commitment=second.commitment)


def draw_a_batch_before_one_is_over(claim: Claim) -> Claim:
    """Draw batch 3 twice, to end the one that pleases."""
    drawn = claim.links[of_batch(claim, 3)[0]]
    return inserted(claim, 3, drawn)


def draw_a_batch_again_once_it_is_over(claim: Claim) -> Claim:
    first, last = of_batch(claim, 2)
    return inserted(claim, 3, claim.links[first], claim.links[last])


def end_a_batch_twice(claim: Claim) -> Claim:
    return inserted(claim, 3, claim.links[of_batch(claim, 2)[1]])


def end_another_event(claim: Claim) -> Claim:
    return changed(claim, claim.links[of_batch(claim, 2)[1]], event="ab" * 8)


def found_the_league_again(claim: Claim) -> Claim:
    return inserted(claim, 3, claim.links[0])


def end_a_batch_half_played(claim: Claim) -> Claim:
    return claim._replace(digests={**claim.digests, claim.events[2].id: ""})


def decide_on_a_final_out_of_turn(claim: Claim) -> Claim:
    final = next(link for link in claim.links if isinstance(link, Final))
    return changed(claim, final, final=2)


def seat_a_stranger_in_a_final(claim: Claim) -> Claim:
    final = next(link for link in claim.links if isinstance(link, Final))
    return changed(claim, final, bots=(*final.bots, "ab" * 32))


CHEATS: dict[Callable[[Claim], Claim], str] = {
    let_a_retired_bot_play_on: pattern("league", "other-bots"),
    draw_a_suspended_bot: pattern("league", "other-bots"),
    leave_a_rival_out: pattern("league", "other-bots"),
    seat_bots_in_another_order: pattern("league", "other-bots"),
    reassign_an_author: pattern("league", "other-roster"),
    take_a_version_out_of_its_family: pattern("league", "other-roster"),
    put_a_version_into_the_family_of_another: pattern("league", "family-of-another"),
    rename_a_bot: pattern("league", "other-bots"),
    enter_a_bot_again: pattern("league", "entered-before"),
    take_the_name_of_a_rival: pattern("league", "name-of-another"),
    skip_a_version: pattern("league", "version-next", next="2", version="3"),
    play_more_versions_than_may_be_active: pattern("league", "too-many-versions"),
    retire_a_rival_by_a_version: pattern("league", "replaces-no-version"),
    bring_a_retired_bot_back: pattern("league", "bot-is", state="retired"),
    suspend_an_anchor: pattern("league", "changes-an-anchor"),
    enter_a_bot_earlier: pattern("league", "other-roster"),
    steer_the_seats_of_newcomers: pattern("league", "not-drawn"),
    draw_from_another_lot: pattern("league", "other-before"),
    change_terms_without_a_link: pattern("league", "other-conditions") + ": seeds",
    mark_a_bot: pattern("league", "other-conditions") + ": bots",
    claim_other_sources: pattern("league", "other-conditions") + ": bots",
    put_another_bot_at_zero: pattern("league", "other-conditions") + ": anchor",
    vary_what_nobody_reads: pattern("league", "other-conditions") + ": copies, looks",
    write_a_number_otherwise: pattern("league", "other-conditions") + ": rules",
    reuse_a_secret: pattern("league", "secret-again", event="batch 4", first="batch 2"),
    copy_a_commitment: pattern("league", "other-commitment"),
    draw_a_batch_before_one_is_over: pattern("league", "batch-not-over"),
    draw_a_batch_again_once_it_is_over: pattern("league", "batch-next", next="3", batch="2"),
    end_a_batch_twice: pattern("league", "ends-nothing"),
    end_another_event: pattern("league", "ends-nothing"),
    found_the_league_again: pattern("league", "founded-once"),
    end_a_batch_half_played: pattern("league", "ends-half-played", batch="3", event="3"),
    decide_on_a_final_out_of_turn: pattern("league", "final-next", next="1", final="2"),
    seat_a_stranger_in_a_final: pattern("league", "seats-do-not-follow", names=".*"),
}


@pytest.mark.parametrize("cheat", CHEATS, ids=lambda cheat: cheat.__name__)
def test_a_cheat_is_named(honest: Claim, cheat: Callable[[Claim], Claim]) -> None:
    problems = cheat(honest).audit().problems
    assert any(re.search(CHEATS[cheat], problem) for problem in problems), problems


# --- what only a receipt shows: the chain is made anew, and consistent in itself ---


def date_all_links_back(claim: Claim) -> Claim:
    back = timedelta(hours=5)
    dated = [structs.replace(link, at=(datetime.fromisoformat(link.at) - back).isoformat()) for link in claim.links]
    return claim._replace(links=chained(dated))


def reword_a_reason(claim: Claim) -> Claim:
    return changed(claim, next(link for link in claim.links if isinstance(link, StateChanged)), why="its author asked for it")


def drop_a_season(claim: Claim) -> Claim:
    return claim._replace(links=chained([link for link in claim.links if not isinstance(link, Season)]))


def drop_a_final(claim: Claim) -> Claim:
    return claim._replace(links=chained([link for link in claim.links if not isinstance(link, Final)]))


def drop_a_bot_that_never_played(claim: Claim) -> Claim:
    """Suspend a rival for a batch, and later say that there was no such bot."""
    never = structs.replace(entered(claim, "eve v1"), family="ab" * 8, name="rival v1", identity="ab" * 32)
    suspended = StateChanged(**NOWHERE, identity="ab" * 32, state="suspended")
    with_rival = inserted(claim, 2, never, suspended)
    claim.links[:] = with_rival.links  # what was published
    return claim._replace(links=chained([link for link in claim.links if getattr(link, "identity", "") != "ab" * 32]))


def name_the_league_otherwise(claim: Claim) -> Claim:
    founded = claim.links[0]
    assert isinstance(founded, Founded)
    return changed(claim, founded, name="autumn", league="ab" * 8)


def throw_the_last_batch_away(claim: Claim) -> Claim:
    first = of_batch(claim, 5)[0]
    return claim._replace(links=claim.links[:first], events=claim.events[:-1])


WITNESSED = [
    date_all_links_back,
    reword_a_reason,
    drop_a_season,
    drop_a_final,
    drop_a_bot_that_never_played,
    name_the_league_otherwise,
    throw_the_last_batch_away,
]


@pytest.mark.parametrize("cheat", WITNESSED, ids=lambda cheat: cheat.__name__)
def test_what_a_chain_made_anew_hides_is_shown_by_a_receipt(
    honest: Claim, tmp_path: Path, cheat: Callable[[Claim], Claim]
) -> None:
    shown = cheat(honest)
    newest = honest.links[-1]
    receipt = tmp_path / "receipt.txt"
    receipt.write_text(f"link {newest.number} {newest.digest}\n")
    assert honest.audit(receipt).problems == []
    assert shown.audit().problems == []
    assert (
        "no receipt was given (--seen), so only the organiser's word says that no end of it was thrown away"
    ) in shown.audit().says
    (problem,) = shown.audit(receipt).problems
    assert sentence("league", "thrown-away") in problem


def test_two_chains_for_two_audiences_are_found_once_their_receipts_meet(honest: Claim, tmp_path: Path) -> None:
    others = drop_a_final(honest)
    for name, claim in (("ann.txt", honest), ("bob.txt", others)):
        newest = claim.links[-1]
        (tmp_path / name).write_text(f"link {newest.number} {newest.digest}\n")
    for claim, own in ((honest, "ann.txt"), (others, "bob.txt")):
        assert claim.audit(tmp_path / own).problems == []
        assert sentence("league", "thrown-away") in claim.audit(tmp_path / "ann.txt", tmp_path / "bob.txt").problems[0]


def test_a_receipt_of_a_link_that_never_was_witnesses_nothing(tmp_path: Path) -> None:
    """Whoever makes receipts up, the organiser or an enemy of his, is told apart by the chain."""
    with MadeLeague(tmp_path / "league", Shape(seeds=1, beacon=DICE)) as made:
        made.enter("bot", 1)
        made.batch()
        claim = Claim(links_of(made.store), made.store.events(), {})
    drawn = next(link for link in claim.links if isinstance(link, Drawn))
    assert drawn.round
    at = (DICE.moment_of(drawn.round) - timedelta(minutes=1)).isoformat(timespec="seconds")
    forged = tmp_path / "forged.txt"
    forged.write_text(f"link {drawn.number} {'ab' * 32} commitment - at {at} from https://spring\n")
    audit = claim.audit(forged)
    assert audit.deals.witnessed == set()
    assert sentence("league", "thrown-away") in audit.problems[0]
    assert "no receipt that was given fits, so only the organiser's word holds" in audit.says


# --- stores ---


def test_a_batch_that_was_ended_half_played_is_found_in_the_store(tmp_path: Path) -> None:
    """Its seeds that are complete would be rated, and the others never played."""
    with MadeLeague(tmp_path / "league", Shape(seeds=1)) as made:
        made.enter("bot", 1)
        event = made.draw()
        made.play(event, most=4)
        of_batch_1 = {"batch": 1, "event": event.id, "run_digest": run_digest_of(made.store, event)}
        over = Over(**next_place(made.chain), **of_batch_1)
        made.store.end_batch(event.id, [row_of(over)], [], {})
    (problem,) = verify(tmp_path / "league").problems
    assert sentence("league", "ends-half-played", batch=1, event=1) in problem


@pytest.fixture(scope="module")
def with_final(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, EventRow]:
    """A league that has decided on a final, which is to be played, and its event."""
    folder = tmp_path_factory.mktemp("final") / "league"
    with MadeLeague(folder, Shape(seeds=1)) as made:
        for number in (1, 2, 3):
            made.enter(f"bot {number}", number, number)
        made.batch()
        event = planned(entrants=made.seats, seats=3)
        made.decide(event)
    return folder, event


def other_order(definition: Definition) -> Definition:
    return structs.replace(definition, bots=definition.bots[::-1])


def more_seeds(definition: Definition) -> Definition:
    return structs.replace(definition, seeds=20)


def test_a_final_with_the_secret_of_a_batch_is_found(tmp_path: Path) -> None:
    """Its deals would be those of a batch that was published long ago."""
    folder = tmp_path / "league"
    with MadeLeague(folder, Shape(seeds=1)) as made:
        for number in (1, 2, 3):
            made.enter(f"bot {number}", number, number)
        secret = made.batch().secret
        event = planned(entrants=made.seats, seats=3, secret=secret)
        made.decide(event)
    with Store.write(folder / "final-1") as store:
        store.add_event(event.id, event.definition.text, __version__, event.commitment, event.secret, event.bots)
    assert verify(folder).problems == [sentence("league", "secret-again", event="final 1", first="batch 1")]


@pytest.mark.parametrize("cheat", [None, other_order, more_seeds, "secret", "beside"])
def test_a_final_is_the_one_that_its_link_decided_on(with_final: tuple[Path, EventRow], tmp_path: Path, cheat: Any) -> None:
    """Not one with its bots in another order, on more deals, from another secret, or with another event beside it."""
    folder, honest = Path(shutil.copytree(with_final[0], tmp_path / "league")), with_final[1]
    other = with_definition(honest, cheat(honest.definition) if callable(cheat) else honest.definition)
    if cheat in ("secret", "beside"):
        other = with_definition(structs.replace(honest, secret=bytes(32)), honest.definition)
    with Store.write(folder / "final-1") as store:
        for event in [honest, other] if cheat == "beside" else [other]:
            store.add_event(event.id, event.definition.text, __version__, event.commitment, event.secret, event.bots)
    problems = verify(folder).problems
    words = pattern("league", "other-final", number="1", out=".*", link="[0-9]+")
    assert [bool(re.fullmatch(words, problem)) for problem in problems] == [True] * (cheat is not None)


# --- lines ---


def test_a_line_that_comes_again_is_noted_and_found_by_the_beacon(tmp_path: Path) -> None:
    """A beacon of few lines lets an organiser work all of them out beforehand."""
    past = Beacon("dice", "2026-01-01T00:00:00+00:00", 1, 0)
    with MadeLeague(tmp_path / "league", Shape(seeds=1, beacon=past)) as made:
        made.enter("bot", 1)
        made.batch()
        while past.round_after(datetime.now(UTC)) <= 1 + past.round_after(made.chain.made):
            pass
        made.batch()
        claim = Claim(links_of(made.store), made.store.events(), {})
    (first, second) = (claim.links[of_batch(claim, batch)[1]] for batch in (1, 2))
    assert sentence("league", "line-again", events="") not in claim.audit().says
    event = structs.replace(claim.events[1], public=first.public)  # type: ignore[union-attr]
    again = changed(claim._replace(events=[claim.events[0], event]), second, public=first.public)  # type: ignore[union-attr]
    audit = again.audit()
    assert audit.problems == []
    assert sentence("league", "line-again", events="batches 1-2") in audit.says
    while datetime.now(UTC) < audit.deals.lines[1].due:
        pass
    assert [problem.split(":")[0] for problem in audit.deals.compare_with(BEACON)] == ["batch 2"]


def test_a_secret_that_is_used_again_is_found_in_a_store_and_in_its_bundle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("made_league.secrets.token_bytes", bytes)
    with MadeLeague(tmp_path / "league", Shape(seeds=1)) as made:
        made.enter("bot", 1)
        made.batch()
        made.batch()
    out = tmp_path / "league.bundle"
    bundle(tmp_path / "league", out, (), with_modules=False)
    for path in (tmp_path / "league", out):
        assert sentence("league", "secret-again", event="batch 2", first="batch 1") in verify(path).problems
