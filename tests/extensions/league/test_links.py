"""Links and the roster that they make: what follows from what, and texts that no league
has written.
"""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wording import pattern

from khiva_arena.errors import RecordError
from khiva_arena.extensions.league.chain.follow import begin, follow, walk
from khiva_arena.extensions.league.chain.links import (
    FIRST,
    Anchor,
    AnyLink,
    Drawn,
    Entered,
    Final,
    Founded,
    LeagueTerms,
    Over,
    Renewed,
    Season,
    StateChanged,
    read_link,
    text_of,
)
from khiva_arena.extensions.league.chain.roster import Chain, SeasonSpan
from khiva_arena.records.replay.league_format import OtherFormat

AT = "2026-11-25T00:00:00+00:00"
TERMS = LeagueTerms({"game": "khiva"}, 3, 1, None, authors_apart=True, versions=2, anchor="greedy")
ANCHORS = (Anchor("greedy", "a" * 64), Anchor("random", "b" * 64))
FOUNDED = Founded(
    number=0, before=FIRST, at=AT, league="1" * 16, name="spring", terms=TERMS, anchors=ANCHORS
)


def grown(*makers: object) -> Chain:
    """A chain of the first link and of links by class and fields, each in its place."""
    chain = begin(FOUNDED)
    for maker, fields in makers:  # type: ignore[misc]
        chain = follow(chain, at_end(chain, maker, **fields))
    return chain


def at_end(chain: Chain, maker: type[AnyLink], **fields: object) -> AnyLink:
    return maker(number=chain.links, before=chain.digest, at=AT, **fields)  # type: ignore[arg-type]


def entered(
    identity: str,
    name: str,
    version: int = 1,
    family: str = "f" * 16,
    author: str = "c" * 16,
    **more: object,
):
    fields = {"identity": identity * 64, "sources": identity * 64, "name": name, "version": version}
    return Entered, {**fields, "family": family, "author": author, **more}


DRAWN = Drawn, {"batch": 1, "event": "e" * 16, "definition": "d" * 64, "commitment": "c" * 64}
OVER = Over, {"batch": 1, "event": "e" * 16, "run_digest": "9" * 64}


def test_a_chain_has_its_roster_its_batches_and_its_seasons() -> None:
    chain = grown(
        entered("1", "x v1"), (Season, {"name": "one"}), DRAWN, OVER, entered("2", "x v2", 2)
    )
    assert [bot.name for bot in chain.active] == ["greedy", "random", "x v1", "x v2"]
    assert (chain.batches, chain.before, chain.open, chain.seasons) == (
        1,
        "9" * 64,
        None,
        (SeasonSpan("one", 1, 2, "greedy"),),
    )
    assert begin(FOUNDED).before == "0" * 64
    assert grown(DRAWN).open is not None


@pytest.mark.parametrize(
    ("before", "link", "words"),
    [
        ([], entered("a", "other"), pattern("league", "entered-before")),
        ([], entered("1", "greedy"), pattern("league", "name-of-another")),
        (
            [entered("1", "x v1")],
            entered("2", "x v2", 2, author="0" * 16),
            pattern("league", "family-of-another"),
        ),
        (
            [entered("1", "x v1")],
            entered("2", "x v3", 3),
            pattern("league", "version-next", next="2", version="3"),
        ),
        (
            [entered("1", "x v1"), entered("2", "x v2", 2)],
            entered("3", "x v3", 3),
            pattern("league", "too-many-versions"),
        ),
        ([], entered("1", "x v1", replaces=("a" * 64,)), pattern("league", "replaces-no-version")),
        (
            [],
            (StateChanged, {"identity": "9" * 64, "state": "retired"}),
            "it changes a bot that was not entered",
        ),
        (
            [],
            (StateChanged, {"identity": "a" * 64, "state": "retired"}),
            pattern("league", "changes-an-anchor"),
        ),
        (
            [entered("1", "x v1")],
            (StateChanged, {"identity": "1" * 64, "state": "active"}),
            pattern("league", "bot-is", state="active"),
        ),
        ([DRAWN], DRAWN, pattern("league", "batch-not-over")),
        (
            [],
            (Drawn, {**DRAWN[1], "batch": 2}),
            pattern("league", "batch-next", next="1", batch="2"),
        ),
        ([], OVER, pattern("league", "ends-nothing")),
        ([DRAWN], (Over, {**OVER[1], "event": "f" * 16}), pattern("league", "ends-nothing")),
        ([DRAWN], (Renewed, {"terms": TERMS}), pattern("league", "batch-played")),
        ([DRAWN], (Season, {"name": "one"}), pattern("league", "batch-played")),
        (
            [(Season, {"name": "one"}), DRAWN, OVER],
            (Season, {"name": "one"}),
            "there is a season of that name",
        ),
        (
            [],
            (
                Final,
                {"final": 2, "event": "e" * 16, "commitment": "c" * 64, "rated": (), "bots": ()},
            ),
            pattern("league", "final-next", next="1", final="2"),
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_link_that_does_not_follow_is_refused_with_its_number(before, link, words: str) -> None:
    chain = grown(*before)
    with pytest.raises(RecordError, match=f"link {chain.links}: {words}"):
        follow(chain, at_end(chain, link[0], **link[1]))


def test_numbers_and_digests_are_those_of_the_place() -> None:
    chain = begin(FOUNDED)
    link = at_end(chain, *(entered("1", "x v1")[:1]), **entered("1", "x v1")[1])
    with pytest.raises(RecordError, match="it is at place 2"):
        follow(follow(chain, link), link)
    with pytest.raises(RecordError, match=pattern("league", "other-digest-before")):
        follow(chain, Season(number=1, before="0" * 64, at=AT, name="one"))
    for links in ([], [Season(number=0, before=FIRST, at=AT, name="one")]):
        with pytest.raises(RecordError):
            walk(links)
    with pytest.raises(RecordError, match=pattern("league", "founded-once")):
        follow(chain, at_end(chain, Founded, league="1" * 16, name="x", terms=TERMS, anchors=()))


def test_a_retired_bot_stays_retired_and_a_version_takes_a_place() -> None:
    makers = [
        entered("1", "x v1"),
        entered("2", "x v2", 2),
        entered("3", "x v3", 3, replaces=("1" * 64,)),
    ]
    chain = grown(*makers)
    assert [bot.state for bot in chain.versions("f" * 16)] == ["retired", "active", "active"]
    with pytest.raises(RecordError, match=pattern("league", "bot-is", state="retired")):
        follow(chain, at_end(chain, StateChanged, identity="1" * 64, state="active"))
    suspended = grown(
        *makers[:2],
        (StateChanged, {"identity": "1" * 64, "state": "suspended"}),
        entered("3", "x v3", 3),
    )
    with pytest.raises(RecordError, match=pattern("league", "too-many-versions")):
        follow(suspended, at_end(suspended, StateChanged, identity="1" * 64, state="active"))


# --- texts ---


def test_a_link_is_read_as_it_was_written() -> None:
    for link in (
        FOUNDED,
        *(
            at_end(begin(FOUNDED), maker, **fields)
            for maker, fields in (entered("1", "x"), DRAWN, OVER)
        ),
    ):
        assert read_link(text_of(link)) == link
        assert read_link(text_of(link).encode()).digest == link.digest
        changed = json.loads(text_of(link)) | {"at": "2027-01-01T00:00:00+00:00"}
        assert (
            read_link(json.dumps(changed, sort_keys=True, separators=(",", ":"))).digest
            != link.digest
        )


@given(st.text() | st.binary().map(lambda data: data.decode("latin-1")))
def test_any_other_text_is_refused(text: str) -> None:
    with pytest.raises(RecordError):
        read_link(text)


@given(
    st.sampled_from(["kind", "number", "before", "league", "terms"]),
    st.none() | st.text() | st.integers() | st.lists(st.integers()),
)
def test_a_link_with_a_strange_value_is_refused(key: str, value: object) -> None:
    plain = json.loads(text_of(FOUNDED))
    if plain[key] == value:
        return
    try:
        link = read_link(json.dumps({**plain, key: value}, sort_keys=True, separators=(",", ":")))
    except RecordError:
        return
    assert link.digest != FOUNDED.digest


def test_a_chain_of_another_format_is_refused_with_both_numbers() -> None:
    text = text_of(FOUNDED)
    assert '"format":2' in text
    with pytest.raises(OtherFormat, match=pattern("league", "chain-format", format="3", reads="2")):
        read_link(text.replace('"format":2', '"format":3'))


def test_a_deep_or_loose_text_is_refused() -> None:
    for text in ("[" * 100_000, text_of(FOUNDED) + " ", text_of(FOUNDED).replace('"at"', ' "at"')):
        with pytest.raises(RecordError):
            read_link(text)


@pytest.mark.parametrize("parts", [("1" * 64, "2" * 64), ("1" * 64,), ("1" * 64,) * 3])
def test_a_bot_whose_identity_is_not_that_of_its_module_and_payload_is_refused(
    parts: tuple[str, ...],
) -> None:
    with pytest.raises(RecordError, match="its bot " + pattern("replay", "identity-of-both")):
        grown(entered("1", "x v1", parts=parts))
    with pytest.raises(RecordError, match="an anchor " + pattern("replay", "identity-of-both")):
        begin(
            Founded(
                number=0,
                before=FIRST,
                at=AT,
                league="1" * 16,
                name="s",
                terms=TERMS,
                anchors=(Anchor("a", "a" * 64, "", parts),),
            )
        )
