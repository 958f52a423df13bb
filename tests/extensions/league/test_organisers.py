"""More cheats of an organiser: with the roster, with definitions, with secrets, with
finals, and with what others have seen.
"""

import re
from collections.abc import Callable
from typing import Any

import pytest
from claims import Claim, chained, of_batch, swapped, with_definition
from made_league import ANCHORS
from msgspec import structs
from organisers_claim import NOWHERE, changed, claimed, entered, honest, inserted
from wording import pattern

from khiva_arena.extensions.league.chain.links import Drawn, Final, StateChanged
from khiva_arena.records.replay.definition import DefinedBot

__all__ = ["claimed", "honest"]


def test_an_honest_league_is_sound(honest: Claim) -> None:
    audit = honest.audit()
    assert audit.problems == []
    assert audit.drawn_again == [1, 2, 3, 4, 5]


# --- steps of a cheat ---


def redefined(claim: Claim, number: int, **changes: Any) -> Claim:
    """Return the claim with another definition of a batch, committed to anew."""
    event = claim.events[number - 1]
    return swapped(
        claim, event, with_definition(event, structs.replace(event.definition, **changes))
    )


def seated(claim: Claim, batch: int, bots: list[DefinedBot]) -> Claim:
    """Return the claim with other bots in a batch, at the same tables."""
    return redefined(claim, batch, bots=tuple(bots))


def bots_of(claim: Claim, batch: int) -> list[DefinedBot]:
    return list(claim.events[batch - 1].definition.bots)


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
    return redefined(
        claim, 3, bots=tuple(bots), batch=structs.replace(batch, tables=((0, 1, 2), (2, 3, 0)))
    )


def seat_bots_in_another_order(claim: Claim) -> Claim:
    return seated(claim, 3, bots_of(claim, 3)[::-1])


def reassign_an_author(claim: Claim) -> Claim:
    return changed(claim, entered(claim, "eve v1"), author=entered(claim, "bob v1").author)


def take_a_version_out_of_its_family(claim: Claim) -> Claim:
    return changed(claim, entered(claim, "ann v2"), family="ab" * 8, version=1)


def put_a_version_into_the_family_of_another(claim: Claim) -> Claim:
    return changed(
        claim, entered(claim, "kim v1"), family=entered(claim, "bob v1").family, version=2
    )


def rename_a_bot(claim: Claim) -> Claim:
    return changed(claim, entered(claim, "bob v1"), name="best v1")


def enter_a_bot_again(claim: Claim) -> Claim:
    return inserted(
        claim, 5, structs.replace(entered(claim, "eve v1"), family="ab" * 8, name="fresh v1")
    )


def take_the_name_of_a_rival(claim: Claim) -> Claim:
    return inserted(
        claim, 5, structs.replace(entered(claim, "eve v1"), family="ab" * 8, identity="ab" * 32)
    )


def skip_a_version(claim: Claim) -> Claim:
    return changed(claim, entered(claim, "ann v2"), version=3)


def play_more_versions_than_may_be_active(claim: Claim) -> Claim:
    third = structs.replace(entered(claim, "ann v2"), version=3, name="ann v3", identity="ab" * 32)
    return inserted(claim, 2, third)


def retire_a_rival_by_a_version(claim: Claim) -> Claim:
    return changed(claim, entered(claim, "kim v1"), replaces=(entered(claim, "bob v1").identity,))


def bring_a_retired_bot_back(claim: Claim) -> Claim:
    return inserted(
        claim,
        5,
        StateChanged(**NOWHERE, identity=entered(claim, "ann v1").identity, state="active"),
    )


def suspend_an_anchor(claim: Claim) -> Claim:
    return inserted(
        claim, 5, StateChanged(**NOWHERE, identity=ANCHORS[0].identity, state="suspended")
    )


def enter_a_bot_earlier(claim: Claim) -> Claim:
    """Make a newcomer one who was there before, so that it stands elsewhere in the
    lot.
    """
    kim = entered(claim, "kim v1")
    at, rest = of_batch(claim, 1)[0], [link for link in claim.links if link != kim]
    suspended = StateChanged(**NOWHERE, identity=kim.identity, state="suspended")
    earlier = claim._replace(links=chained([*rest[:at], kim, suspended, *rest[at:]]))
    return inserted(earlier, 4, structs.replace(suspended, state="active"))


# --- draws and definitions ---


def steer_the_seats_of_newcomers(claim: Claim) -> Claim:
    """Give a friend a seat more in the place of the newcomer, who has the fewest
    tables.
    """
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
    return redefined(
        claim,
        3,
        rules={
            name: float(value) if type(value) is int else value for name, value in rules.items()
        },
    )


# --- batches, and what they hide ---


def reuse_a_secret(claim: Claim) -> Claim:
    event, secret = claim.events[3], claim.events[1].secret
    return swapped(
        claim, event, with_definition(structs.replace(event, secret=secret), event.definition)
    )


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
