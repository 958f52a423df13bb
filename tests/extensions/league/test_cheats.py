"""Cheats of an organiser, who can compute every sum and digest anew, and the words in
which the audit of the chain names each.
"""

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from claims import Claim, chained, of_batch, swapped, with_definition
from hypothesis import given, settings
from hypothesis import strategies as st
from leagues import enter, league_in, player_of_names
from made_league import BEACON, MadeLeague, Shape, line_of_round
from msgspec import structs
from synthesised import planned
from wording import pattern, sentence

from khiva_arena import __version__
from khiva_arena.errors import ConfigError
from khiva_arena.extensions.league.audit import audit_chain, audit_links
from khiva_arena.extensions.league.chain.links import (
    AnyLink,
    Beacon,
    Drawn,
    Entered,
    Founded,
    Over,
    Renewed,
    StateChanged,
    text_of,
)
from khiva_arena.extensions.league.chain.stored_chain import links_of, next_place
from khiva_arena.extensions.league.submissions.queue import Queue
from khiva_arena.interface.api.verify import verify
from khiva_arena.records.replay import seeds
from khiva_arena.records.replay.record import canonical
from khiva_arena.records.store.db import EventRow, Store
from khiva_arena.records.store.rows import now


@pytest.fixture(scope="module")
def claimed(tmp_path_factory: pytest.TempPathFactory) -> Claim:
    """Four batches of a league with a new version, a bot that is suspended and one that
    is retired.
    """
    league = league_in(tmp_path_factory.mktemp("league") / "spring")
    with pytest.MonkeyPatch.context() as monkeypatch:
        played = player_of_names(monkeypatch)
        quick = enter(league, "ann", "quick")
        enter(league, "bob", "slow")
        played(league)
        enter(league, "ann", "quick", "better")
        enter(league, "eve", "other")
        played(league)
        with Queue(league.folder) as queue:
            queue.add_change(quick, "retired", "")
        played(league, 2)
    with Store.read(league.folder) as store:
        events = store.events()
        return Claim(
            links_of(store),
            events,
            {event.id: store.conclusion(event.id) or "" for event in events},
        )


@pytest.fixture
def honest(claimed: Claim) -> Claim:
    """A claim of its own for each test: some change it."""
    return Claim(list(claimed.links), list(claimed.events), dict(claimed.digests))


def test_an_honest_league_is_sound(honest: Claim) -> None:
    audit = honest.audit()
    assert audit.problems == []
    assert audit.drawn_again == [1, 2, 3, 4]
    assert audit.links == len(honest.links)


# --- what an organiser can do ---


def drop_a_batch(claim: Claim) -> Claim:
    first, last = of_batch(claim, 2)
    dropped = claim.links[first]
    assert isinstance(dropped, Drawn)
    rest = [*claim.links[:first], *claim.links[last + 1 :]]
    later = [link for link in rest if isinstance(link, Drawn | Over) and link.batch > 2]
    links = [
        structs.replace(link, batch=link.batch - 1) if link in later else link for link in rest
    ]
    return Claim(
        chained(links),
        [event for event in claim.events if event.id != dropped.event],
        claim.digests,
    )


def reorder_two_batches(claim: Claim) -> Claim:
    third, fourth = of_batch(claim, 3), of_batch(claim, 4)
    links = list(claim.links)
    for one, other in zip(third, fourth, strict=True):
        first, second = links[one], links[other]
        assert isinstance(first, Drawn | Over)
        assert isinstance(second, Drawn | Over)
        links[one], links[other] = (
            structs.replace(second, batch=first.batch),
            structs.replace(first, batch=second.batch),
        )
    return Claim(chained(links), claim.events, claim.digests)


def draw_again(claim: Claim) -> Claim:
    event = claim.events[1]
    batch = event.definition.batch
    assert batch is not None
    tables = (batch.tables[0][1:] + batch.tables[0][:1], *batch.tables[1:])
    return swapped(
        claim,
        event,
        with_definition(
            event, structs.replace(event.definition, batch=structs.replace(batch, tables=tables))
        ),
    )


def leave_a_table_out(claim: Claim) -> Claim:
    event = claim.events[1]
    batch = event.definition.batch
    assert batch is not None
    fewer = structs.replace(batch, tables=batch.tables[:-1])
    return swapped(
        claim, event, with_definition(event, structs.replace(event.definition, batch=fewer))
    )


def change_the_roster_afterwards(claim: Claim) -> Claim:
    first, _ = of_batch(claim, 2)
    entered = next(link for link in claim.links if isinstance(link, Entered))
    suspended = StateChanged(
        number=0, before="0" * 64, at=now(), identity=entered.identity, state="suspended"
    )
    return Claim(
        chained([*claim.links[:first], suspended, *claim.links[first:]]),
        claim.events,
        claim.digests,
    )


def swap_a_version(claim: Claim) -> Claim:
    event = claim.events[1]
    bots = list(event.definition.bots)
    bots[-1] = structs.replace(bots[-1], identity="ab" * 32)
    return swapped(
        claim, event, with_definition(event, structs.replace(event.definition, bots=tuple(bots)))
    )


def choose_another_secret(claim: Claim) -> Claim:
    event = claim.events[2]
    other = structs.replace(
        event, commitment=seeds.commitment(event.definition.digest, bytes(32)), secret=bytes(32)
    )
    return Claim(
        claim.links, [other if row.id == event.id else row for row in claim.events], claim.digests
    )


def call_a_table_set_aside(claim: Claim) -> Claim:
    links = [
        structs.replace(link, set_aside=((0, 0),))
        if isinstance(link, Over) and link.batch == 4
        else link
        for link in claim.links
    ]
    return Claim(chained(links), claim.events, claim.digests)


def alter_a_result(claim: Claim) -> Claim:
    return Claim(claim.links, claim.events, {**claim.digests, claim.events[1].id: "ab" * 32})


def alter_a_link(claim: Claim) -> Claim:
    links = [
        structs.replace(link, author="ab" * 8) if isinstance(link, Entered) else link
        for link in claim.links
    ]
    return Claim(links, claim.events, claim.digests)


def change_an_anchor(claim: Claim) -> Claim:
    founded = claim.links[0]
    assert isinstance(founded, Founded)
    anchors = (structs.replace(founded.anchors[0], identity="ab" * 32), *founded.anchors[1:])
    return Claim(
        chained([structs.replace(founded, anchors=anchors), *claim.links[1:]]),
        claim.events,
        claim.digests,
    )


def play_on_other_conditions(claim: Claim) -> Claim:
    event = claim.events[3]
    time = structs.replace(event.definition.time, turn_ms=1)
    return swapped(
        claim, event, with_definition(event, structs.replace(event.definition, time=time))
    )


def hide_the_links_of_a_batch(claim: Claim) -> Claim:
    first, _ = of_batch(claim, 4)
    return Claim(claim.links[:first], claim.events, claim.digests)


def lose_an_event(claim: Claim) -> Claim:
    return Claim(claim.links, [event for event in claim.events if event.number != 2], claim.digests)


def lose_the_first_event(claim: Claim) -> Claim:
    return Claim(claim.links, [event for event in claim.events if event.number != 1], claim.digests)


def play_an_event_beside(claim: Claim) -> Claim:
    return Claim(claim.links, [*claim.events, structs.replace(planned(), number=9)], claim.digests)


def seat_nobody(claim: Claim) -> Claim:
    return with_tables(claim, ((0, 1, 99),))


def seat_a_bot_twice(claim: Claim) -> Claim:
    return with_tables(claim, ((0, 0, 1),))


def with_tables(claim: Claim, tables: tuple[tuple[int, ...], ...]) -> Claim:
    """Return the claim with other tables of batch 2."""
    event = claim.events[1]
    assert event.definition.batch is not None
    batch = structs.replace(event.definition.batch, tables=tables)
    return swapped(
        claim, event, with_definition(event, structs.replace(event.definition, batch=batch))
    )


def draw_an_event_that_is_no_batch(claim: Claim) -> Claim:
    return swapped(claim, claim.events[1], structs.replace(planned(), number=2))


CHEATS: dict[Callable[[Claim], Claim], str] = {
    drop_a_batch: pattern("league", "other-number", batch="3"),
    reorder_two_batches: pattern("league", "other-number", batch="4"),
    draw_again: pattern("league", "not-drawn"),
    leave_a_table_out: pattern("league", "not-drawn"),
    change_the_roster_afterwards: pattern("league", "other-roster"),
    swap_a_version: pattern("league", "other-bots"),
    choose_another_secret: pattern("league", "other-commitment"),
    call_a_table_set_aside: pattern("league", "other-set-aside", event="4"),
    alter_a_result: pattern(
        "league", "other-run-digest", digest="[0-9a-f]+", event="2", of_matches="(ab)+"
    ),
    alter_a_link: pattern("league", "other-digest-before"),
    change_an_anchor: pattern("league", "other-roster"),
    play_on_other_conditions: pattern("league", "other-conditions"),
    lose_an_event: pattern("league", "missing-batches", batches="2"),
    lose_the_first_event: pattern("league", "missing-batches", batches="1"),
    play_an_event_beside: pattern("league", "no-link", event="9"),
    seat_nobody: pattern("league", "no-tables", name=".*"),
    seat_a_bot_twice: pattern("league", "no-tables", name=".*"),
    draw_an_event_that_is_no_batch: pattern("league", "no-tables", name=".*"),
    hide_the_links_of_a_batch: pattern("league", "no-link", event="4"),
}


@pytest.mark.parametrize("cheat", CHEATS, ids=lambda cheat: cheat.__name__)
def test_a_cheat_is_named(honest: Claim, cheat: Callable[[Claim], Claim]) -> None:
    problems = cheat(honest).audit().problems
    assert any(re.search(CHEATS[cheat], problem) for problem in problems), problems


# --- an end that was thrown away and played again ---


def test_an_end_that_was_played_again_is_found_by_a_receipt(
    tmp_path: Path, played: Callable[..., None]
) -> None:
    """Such a chain is consistent in itself, and says from which link on only the
    organiser's word holds.
    """
    league = league_in(tmp_path / "spring")
    enter(league, "ann", "quick")
    played(league)
    lost = tmp_path / "lost"
    lost.mkdir()
    for file in league.folder.glob("arena*"):
        (lost / file.name).write_bytes(file.read_bytes())
    played(league)  # the batch that somebody saw
    with Store.read(league.folder) as store:
        newest = links_of(store)[-1]
    told = tmp_path / "told.txt"
    told.write_text(f"link {newest.number} {newest.digest} commitment {'0' * 64}\n")
    data = tmp_path / "league.json"
    data.write_text(f'{{"entry":7,"link":{newest.number},"digest":"{newest.digest}"}}')
    copy = tmp_path / "chain.jsonl"
    copy.write_bytes((league.folder / "public" / "chain.jsonl").read_bytes())
    result = verify(league.folder, seen=[told, copy, data])
    assert result.sound
    for file in league.folder.glob("arena*"):
        file.unlink()
    for file in lost.iterdir():
        (league.folder / file.name).write_bytes(file.read_bytes())
    played(league)  # the same batch once more
    assert verify(league.folder).sound
    for seen in (told, copy, data):
        found = verify(league.folder, seen=[seen])
        assert not found.sound
        assert sentence("league", "thrown-away") in found.problems[0]
    older = tmp_path / "older.txt"
    older.write_text(
        "an entry of a feed: "
        + (league.folder / "public" / "chain.jsonl").read_text().splitlines()[0]
    )
    with pytest.raises(
        ConfigError,
        match="it names no link; give a bundle, a saved feed or page, or what `submit` was told",
    ):
        verify(league.folder, seen=[older])


# --- lines of a beacon ---

DICE = Beacon("dice", "2026-01-01T00:00:00+00:00", 86_400, 0)


@pytest.fixture(scope="module")
def with_lines(tmp_path_factory: pytest.TempPathFactory) -> Claim:
    """Two batches of a league with a beacon."""
    with MadeLeague(tmp_path_factory.mktemp("dice") / "league", Shape(beacon=DICE)) as made:
        made.enter("bot", 1)
        made.batch()
        made.batch()
        return Claim(links_of(made.store), made.store.events(), {})


def receipt_of(link: AnyLink, at: datetime) -> str:
    return (
        f"link {link.number} {link.digest} commitment - at {at.isoformat(timespec='seconds')} "
        "from https://spring\n"
    )


def of_first_batch(claim: Claim) -> tuple[Drawn, Over]:
    drawn, over = (claim.links[at] for at in of_batch(claim, 1))
    assert isinstance(drawn, Drawn)
    assert isinstance(over, Over)
    return drawn, over


@pytest.mark.parametrize("later", [0, 1])
def test_a_line_that_a_receipt_shows_before_its_round_was_made_up(
    with_lines: Claim, tmp_path: Path, later: int
) -> None:
    drawn, over = of_first_batch(with_lines)
    assert drawn.round
    seen = tmp_path / "receipts.txt"
    before, after = (
        DICE.moment_of(drawn.round) + timedelta(seconds=seconds) for seconds in (-1, 1)
    )
    seen.write_text(receipt_of(with_lines.links[over.number + later], before))
    audit = with_lines.audit(seen)
    words = pattern("league", "line-too-early", batch="1", round=str(drawn.round))
    assert re.search(words, audit.problems[0])
    assert ("batch", 1) not in audit.deals.witnessed
    seen.write_text(receipt_of(drawn, before) + receipt_of(over, after))
    audit = with_lines.audit(seen)
    assert audit.problems == []
    assert ("batch", 1) in audit.deals.witnessed
    assert (
        "by its link a batch was over before its round of the beacon came: 1-2" in audit.says
    )  # by the organiser's own clock, which proves nothing


@pytest.mark.parametrize(
    "around", ["<p>{}</p>", "{}<p>\n", "a feed\n{}", "{} and more", "{}{{}}\n"]
)
def test_a_time_that_an_organiser_wrote_into_a_page_witnesses_nothing(
    with_lines: Claim, tmp_path: Path, around: str
) -> None:
    drawn, _ = of_first_batch(with_lines)
    assert drawn.round
    receipt, page = (
        receipt_of(drawn, DICE.moment_of(drawn.round) - timedelta(minutes=9)),
        tmp_path / "page.html",
    )
    page.write_text(receipt)
    assert with_lines.audit(page).deals.witnessed == {("batch", 1)}
    page.write_text(around.format(receipt))
    audit = with_lines.audit(page)
    assert audit.seen == drawn.number  # it proves the link
    assert audit.deals.witnessed == set()


def test_a_calendar_that_was_shifted_is_shown(tmp_path: Path) -> None:
    """Old rounds of a daily lottery look new in a league that says it began later: so
    the calendar is shown, to be compared.
    """
    shifted = Beacon("lottery\n\x1b[2J", "2026-03-01T00:00:00+00:00", 86_400, 60)
    with MadeLeague(tmp_path / "league", Shape(beacon=shifted)) as made:
        made.enter("bot", 1)
        for _ in range(8):
            made.batch()
        links, events = links_of(made.store), made.store.events()
    deals = audit_chain(links, events, {}).deals
    number = next(link.round for link in links if isinstance(link, Drawn))
    assert number
    span = (
        f"round 1 at {shifted.begins}, every 86400 s, 60 s ahead: batches 1-8; compare that "
        "with its own calendar"
    )
    assert deals.calendar[0] == "beacon lottery\\n\\x1b[2J, " + span
    due = shifted.moment_of(number).isoformat()
    assert deals.calendar[1] == f"batch 1: round {number}, at {due}: {line_of_round(number)}"
    assert [line.split(":")[0].split(";")[0] for line in deals.calendar[4:]] == [
        "and 2 more",
        *(f"batch {batch}" for batch in (6, 7, 8)),
    ]
    assert [(line["batch"], line["round"], line["at"]) for line in deals.plain] == [
        (n, number, due) for n in range(1, 9)
    ]


def test_another_beacon_by_new_terms_is_a_span_of_its_own(tmp_path: Path) -> None:
    with MadeLeague(tmp_path / "league", Shape(beacon=DICE)) as made:
        made.enter("bot", 1)
        made.batch()
        for name in ("own dice", None):
            other = structs.replace(DICE, name=name) if name else None
            made.add(
                Renewed(
                    **next_place(made.chain), terms=structs.replace(made.chain.terms, beacon=other)
                )
            )
            made.batch()
        audit = audit_chain(links_of(made.store), made.store.events(), {})
    assert audit.problems == []
    assert [line.split(",")[0] for line in audit.deals.calendar[:2]] == [
        "beacon dice",
        "beacon own dice",
    ]
    assert sentence("league", "without-beacon") + "batch 3" in audit.says
    words = [
        sentence(
            "league", "round-to-come", number=line.round, due=line.due.isoformat(timespec="seconds")
        )
        for line in audit.deals.lines
    ]
    assert [problem.partition(": ")[2] for problem in audit.deals.compare_with(BEACON)] == words


def test_a_line_of_a_batch_that_is_not_here_is_called_so(with_lines: Claim) -> None:
    audit = audit_chain(with_lines.links, with_lines.events[:1], {}, in_part=True)
    assert [line.here for line in audit.deals.lines] == [True, False]
    assert "not here, so that its line was mixed in is the organiser's word: batch 2" in audit.says


PAST = Beacon("dice", "2026-01-01T00:00:00+00:00", 1, 0)


def test_a_false_line_of_a_final_is_found_by_the_beacon_of_its_own_link(tmp_path: Path) -> None:
    """Also in a league whose batches have no beacon any more, or have another one."""
    folder = tmp_path / "league"
    with MadeLeague(folder, Shape(beacon=PAST)) as made:
        for number in (1, 2, 3):
            made.enter(f"bot {number}", number, number)
        made.batch()
        event = planned(entrants=made.seats, seats=made.chain.terms.seats)
        number = made.decide(event).round
        made.add(
            Renewed(**next_place(made.chain), terms=structs.replace(made.chain.terms, beacon=None))
        )
        assert made.chain.finals[0].beacon == PAST
        made.batch()
    out = folder / "final-1"
    with Store.write(out) as store:
        store.add_event(
            event.id, event.definition.text, __version__, event.commitment, event.secret, event.bots
        )
        store.add_public(event.id, "a false line")
    while datetime.now(UTC) < PAST.moment_of(number):
        pass
    result = verify(folder)
    assert result.sound
    assert [(line["final"], line["round"]) for line in result.beacon if "final" in line] == [
        (1, number)
    ]
    assert "2 lines of the beacon" in result.chain
    [problem] = verify(folder, beacon=BEACON).problems
    assert problem.startswith(f"final 1: round {number} ")
    assert "final 1" in result.calendar[0]


# --- fields at their ends ---

NUMBERS = [0, 1, -1, 2, 10_000, 10**7, 2**31 - 1, 10**9, 2**53, 2**63, 10**400]
TIMES = [
    f"{year}-12-31T23:59:59{offset}"
    for year in ("0001", "1999", "2500", "9999")
    for offset in ("+23:59", "-23:59")
]
OTHERS = [None, True, "", "x", "ab" * 8, "ab" * 32, [], {}, *TIMES]
Place = tuple[Any, ...]


def places_in(plain: Any, so_far: Place = ()) -> list[Place]:
    """Return the place of every value within plain values."""
    items = (
        plain.items()
        if isinstance(plain, dict)
        else enumerate(plain)
        if isinstance(plain, list)
        else ()
    )
    return [
        place
        for key, value in items
        for place in ((*so_far, key), *places_in(value, (*so_far, key)))
    ]


def put(plain: Any, place: Place, value: object) -> Any:
    """Return plain values with another one in a place."""
    if not place:
        return value
    first, *rest = place
    changed = put(plain[first], tuple(rest), value)
    return (
        {**plain, first: changed}
        if isinstance(plain, dict)
        else [*plain[:first], changed, *plain[first + 1 :]]
    )


def rechained(links: list[dict[str, Any]]) -> list[bytes]:
    texts = [canonical(links[0])]
    for link in links[1:]:
        texts.append(
            canonical({**link, "before": sha256(b"khiva-link-1\0" + texts[-1]).hexdigest()})
        )
    return texts


def follows(links: list[dict[str, Any]], events: list[EventRow]) -> bool:
    """Audit changed links, and tell whether they follow from each other."""
    audit = audit_links(rechained(links), events, {}, in_part=True)
    assert audit.says
    assert len(audit.deals.plain) == len(audit.deals.lines) >= len(audit.deals.calendar) - 2
    return audit.links == len(links)


def plain_links(claim: Claim) -> list[dict[str, Any]]:
    return [json.loads(text_of(link)) for link in claim.links]


@pytest.mark.soak
def test_no_field_at_its_end_ends_the_audit(with_lines: Claim) -> None:
    """Whatever a field holds is refused or followed."""
    links, followed = plain_links(with_lines), 0
    for at in range(4):  # one link of each kind
        events = [] if at else with_lines.events[:1]  # whose definition follows from link 0
        for place in places_in(links[at]):
            for value in [*NUMBERS, *OTHERS]:
                followed += follows(
                    [*links[:at], put(links[at], place, value), *links[at + 1 :]], events
                )
    assert followed > 50


@settings(max_examples=100)
@given(st.data())
def test_no_fields_at_their_ends_end_the_audit(with_lines: Claim, data: st.DataObject) -> None:
    links = plain_links(with_lines)
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(links) - 1))
        place = data.draw(st.sampled_from(places_in(links[at])))
        links[at] = put(links[at], place, data.draw(st.sampled_from([*NUMBERS, *OTHERS])))
    follows(links, with_lines.events)
