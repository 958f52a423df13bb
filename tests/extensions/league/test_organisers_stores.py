"""More cheats of an organiser, found by receipts, in stores and in bundles."""

import re
import shutil
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from claims import Claim, chained, of_batch, with_definition
from made_league import BEACON, MadeLeague, Shape
from msgspec import structs
from organisers_claim import NOWHERE, changed, claimed, entered, honest, inserted
from synthesised import planned
from wording import pattern, sentence

from khiva_arena import __version__
from khiva_arena.competition.events.stored import run_digest_of
from khiva_arena.extensions.league.chain.links import (
    Beacon,
    Drawn,
    Final,
    Founded,
    Over,
    Season,
    StateChanged,
)
from khiva_arena.extensions.league.chain.stored_chain import links_of, next_place, row_of
from khiva_arena.interface.api.verify import verify
from khiva_arena.interface.commands.bundle import bundle
from khiva_arena.records.replay.definition import Definition
from khiva_arena.records.store.db import EventRow, Store

__all__ = ["claimed", "honest"]


DICE = Beacon("dice", "2026-01-01T00:00:00+00:00", 86_400, 0)


def date_all_links_back(claim: Claim) -> Claim:
    back = timedelta(hours=5)
    dated = [
        structs.replace(link, at=(datetime.fromisoformat(link.at) - back).isoformat())
        for link in claim.links
    ]
    return claim._replace(links=chained(dated))


def reword_a_reason(claim: Claim) -> Claim:
    return changed(
        claim,
        next(link for link in claim.links if isinstance(link, StateChanged)),
        why="its author asked for it",
    )


def drop_a_season(claim: Claim) -> Claim:
    return claim._replace(
        links=chained([link for link in claim.links if not isinstance(link, Season)])
    )


def drop_a_final(claim: Claim) -> Claim:
    return claim._replace(
        links=chained([link for link in claim.links if not isinstance(link, Final)])
    )


def drop_a_bot_that_never_played(claim: Claim) -> Claim:
    """Suspend a rival for a batch, and later say that there was no such bot."""
    never = structs.replace(
        entered(claim, "eve v1"), family="ab" * 8, name="rival v1", identity="ab" * 32
    )
    suspended = StateChanged(**NOWHERE, identity="ab" * 32, state="suspended")
    with_rival = inserted(claim, 2, never, suspended)
    claim.links[:] = with_rival.links  # what was published
    return claim._replace(
        links=chained([link for link in claim.links if getattr(link, "identity", "") != "ab" * 32])
    )


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
        "no receipt was given (--seen), so only the organiser's word says that no end of "
        "it was thrown away"
    ) in shown.audit().says
    (problem,) = shown.audit(receipt).problems
    assert sentence("league", "thrown-away") in problem


def test_two_chains_for_two_audiences_are_found_once_their_receipts_meet(
    honest: Claim, tmp_path: Path
) -> None:
    others = drop_a_final(honest)
    for name, claim in (("ann.txt", honest), ("bob.txt", others)):
        newest = claim.links[-1]
        (tmp_path / name).write_text(f"link {newest.number} {newest.digest}\n")
    for claim, own in ((honest, "ann.txt"), (others, "bob.txt")):
        assert claim.audit(tmp_path / own).problems == []
        assert (
            sentence("league", "thrown-away")
            in claim.audit(tmp_path / "ann.txt", tmp_path / "bob.txt").problems[0]
        )


def test_a_receipt_of_a_link_that_never_was_witnesses_nothing(tmp_path: Path) -> None:
    """Whoever makes receipts up, the organiser or an enemy of his, is told apart by the
    chain.
    """
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
        store.add_event(
            event.id, event.definition.text, __version__, event.commitment, event.secret, event.bots
        )
    assert verify(folder).problems == [
        sentence("league", "secret-again", event="final 1", first="batch 1")
    ]


@pytest.mark.parametrize("cheat", [None, other_order, more_seeds, "secret", "beside"])
def test_a_final_is_the_one_that_its_link_decided_on(
    with_final: tuple[Path, EventRow], tmp_path: Path, cheat: Any
) -> None:
    """Not one with its bots in another order, on more deals, from another secret, or
    with another event beside it.
    """
    folder, honest = Path(shutil.copytree(with_final[0], tmp_path / "league")), with_final[1]
    other = with_definition(
        honest, cheat(honest.definition) if callable(cheat) else honest.definition
    )
    if cheat in ("secret", "beside"):
        other = with_definition(structs.replace(honest, secret=bytes(32)), honest.definition)
    with Store.write(folder / "final-1") as store:
        for event in [honest, other] if cheat == "beside" else [other]:
            store.add_event(
                event.id,
                event.definition.text,
                __version__,
                event.commitment,
                event.secret,
                event.bots,
            )
    problems = verify(folder).problems
    words = pattern("league", "other-final", number="1", out=".*", link="[0-9]+")
    assert [bool(re.fullmatch(words, problem)) for problem in problems] == [True] * (
        cheat is not None
    )


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
        assert (
            sentence("league", "secret-again", event="batch 2", first="batch 1")
            in verify(path).problems
        )
