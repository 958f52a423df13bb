"""What a check plays: every kind of every game is come to, what is sent is what a match
sends, all its encodings are right.
"""

import json
from collections import Counter
from typing import Any

import jsonschema
import msgpack
import pytest
from wording import sentence

from khiva_arena.bots.protocol.codec import plain_value
from khiva_arena.common.shipped import folder
from khiva_arena.competition.conformance.encodings import Encoder
from khiva_arena.competition.conformance.positions import (
    CheckTable,
    crowded,
    find,
    hello_of,
    kinds_of,
    place,
)
from khiva_arena.entrants.hints.describe import as_bytes, in_brief, repeated_keys
from khiva_arena.errors import InternalError
from khiva_arena.games.registry import GAMES, get
from khiva_arena.records.replay.conditions import TimeLimits

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", GAMES)
def test_every_kind_is_come_to(name: str) -> None:
    game = get(name)
    found = find(game, kinds_of(game))
    assert found.keys() == kinds_of(game)
    for kind, where in found.items():
        assert CheckTable(where).skip_to(kind).kind == kind


def test_every_game_has_samples_of_its_rules_to_show() -> None:
    for game in GAMES.values():
        assert game.samples
        for given in game.samples:
            assert game.rules(given) != game.rules({})


def test_a_table_plays_a_whole_match_the_same_way_twice() -> None:
    def played() -> list[Any]:
        table = CheckTable(place(get("emira"), 3, 2))
        found = []
        while asked := table.next():
            found.append((asked.kind, asked.view, asked.events, asked.legal))
            table.choose(len(asked.legal) - 1)
        return [*found, table.end()]

    first = played()
    assert first == played()
    assert first[-1].reason == "over"
    assert len(first) > 50
    assert first[0][2], "the opening is told"


def test_a_match_goes_on_when_another_seat_is_out() -> None:
    for name in GAMES:
        game = get(name)
        seats = crowded(game)
        assert seats == max(3, game.seats[0])
        table = CheckTable(place(game, seats, 1))
        asked, told = table.next(), []
        table.forfeit(0)
        while asked is not None:
            told += [event for event in asked.events if event["type"] in ("default", "forfeit")]
            table.choose(len(asked.legal) - 1)
            asked = table.next()
        assert told == [{"type": "forfeit", "seat": 0, "why": "crashed", "strikes": 0}]
        jsonschema.validate(
            told[0], json.loads((folder("protocol") / "schema" / "event.json").read_text())
        )
        assert table.over


def test_a_seat_that_is_out_plays_the_default() -> None:
    def choices(out: bool) -> set[int]:
        table = CheckTable(place(get("khiva"), 3, 1))
        if out:
            table.forfeit(0)
            table.forfeit(2)
        found = set()
        apply = table._state.apply

        def seen(choices: dict[int, int]) -> Any:
            found.update(choice for seat, choice in choices.items() if seat != 1)
            return apply(choices)

        table._state.apply = seen
        while table.next():
            table.choose(0)
        return found

    assert choices(True) == {0}
    assert len(choices(False)) > 1


def test_what_never_comes_is_an_error_of_ours() -> None:
    with pytest.raises(InternalError, match="no such kind comes up"):
        CheckTable(place(get("khiva"), 2, 0)).skip_to("no such kind")


@pytest.mark.parametrize("widest", [True, False])
def test_all_encodings_say_the_same(widest: bool) -> None:
    value = {
        "a": [0, 1, -1, 127, 128, -32, -33, 255, 256, 2**31, 2**32, 2**53 - 1, -(2**53) + 1],
        "é" * 40: [None, True, False],
    }
    value |= {
        "text": "x" * 300,
        "deep": {"list": list(range(20)), "": []},
        "many": {str(key): key for key in range(20)},
    }
    encoder, heads = Encoder(widest=widest), Counter[int]()
    for _ in range(12):
        frame = encoder.frame(value)
        assert int.from_bytes(frame[:4], "big") == len(frame) - 4
        assert msgpack.unpackb(frame[4:]) == plain_value(frame[4:]) == value
        heads.update(frame[4:])
    assert heads[0xDF]
    assert heads[0xDB]
    if not widest:
        assert all(
            heads[tag]
            for tag in (
                0xDE,
                0xDC,
                0xDD,
                0xD9,
                0xDA,
                0xCC,
                0xCD,
                0xCE,
                0xCF,
                0xD0,
                0xD1,
                0xD2,
                0xD3,
            )
        )


def test_a_hello_is_as_in_a_match() -> None:
    where = place(get("khiva"), 3, 2, {"carpets": 25})
    hello = hello_of(where, TimeLimits(10_000, 1_000, 10_000))
    known = json.loads((folder("protocol") / "schema" / "hello.json").read_text())
    assert set(hello) == set(known["$defs"]["Hello"]["properties"])
    assert (hello["seat"], hello["seats"], hello["rules"]) == (
        2,
        3,
        get("khiva").rules({"carpets": 25}),
    )


def test_what_came_is_shown_as_far_as_it_can_be_read() -> None:
    assert (
        in_brief(msgpack.packb({"type": "act", "choice": 1.5})) == "{'type': 'act', 'choice': 1.5}"
    )
    assert (
        in_brief(b"\x81\xa1") == sentence("check", "frame-not-msgpack-value") + ", 2 bytes: 81 a1"
    )
    assert in_brief(msgpack.packb({"a": "x" * 1000})).endswith("... (1009 characters)")
    assert as_bytes(b"hi\n") == "3 bytes: 68 69 0a = 'hi\\n'"
    assert as_bytes(b"\x01") == "1 byte: 01"
    assert as_bytes(b"\x1b]0;x\x07" * 20).startswith("120 bytes: 1b 5d 30")
    assert "\x1b" not in in_brief(msgpack.packb("\x1b]0;owned\x07"))
    assert in_brief(b"\x91" * 990 + b"\x90").startswith(
        ("[[[", sentence("check", "frame-not-msgpack-value"))
    )
    assert repeated_keys(b"\x82\xa1a\x01\xa1a\x02") == {"'a'"}
    assert repeated_keys(b"\x81\xa1a\x92\x82\xa1b\x01\xa1b\x02\x00") == {"'b'"}
    assert repeated_keys(b"\x82\xa1a\x01\xa1b\x02") == repeated_keys(b"\xc1") == set()
