"""What stands behind the name of a game: what tells it from another one that was
played.
"""

from typing import Any

import pytest
from event_rows import event

from khiva_arena.competition.events.pools import titles
from khiva_arena.games.registry import GAMES
from khiva_arena.games.which import LONGEST, changed, is_played, which, which_of
from khiva_arena.records.replay.definition import Definition

KUHN = {"game": "kuhn_poker()", "scale": 1, "shows": "information_state", "tensor": "no"}
LIBRARY = "1+open_spiel-2.0.2"
FIRST, SECOND = "1+sha256:0123456789abcdef", "1+sha256:fedcba9876543210"


def played(name: str, version: str = "1", /, **rules: Any) -> Definition:
    return event(1, game=name, rules_version=version, rules=rules).definition


@pytest.mark.parametrize("name", list(GAMES))
def test_the_default_rules_of_a_game_that_comes_with_the_arena_are_unsaid(name: str) -> None:
    assert which(played(name, GAMES[name].rules_version, **GAMES[name].rules({}))) == ""


def test_another_rule_is_said() -> None:
    other = played("khiva", **GAMES["khiva"].rules({"max_turns": 7}))
    assert which(other) == " with max_turns=7"
    assert changed(other) == {"max_turns": 7}


def test_openspiel_says_which_game_and_a_page_says_all() -> None:
    assert which(played("openspiel", LIBRARY, **KUHN)) == " with game=kuhn_poker()"
    assert (
        is_played(played("openspiel", LIBRARY, **KUHN))
        == "openspiel with game=kuhn_poker() is played"
    )
    assert changed(played("openspiel", LIBRARY, **KUHN)) == KUHN


def test_all_rules_of_another_game_from_outside_are_said() -> None:
    assert which(played("bidding", FIRST, cards=13)) == " with cards=13"
    assert is_played(played("dice", FIRST)) == "dice is played"


def test_what_two_differ_in_is_said_if_nothing_else_tells_them_apart() -> None:
    kuhn, shown = (
        played("openspiel", LIBRARY, **{**KUHN, "shows": shows})
        for shows in ("information_state", "observation")
    )
    other = played("openspiel", LIBRARY, **{**KUHN, "game": "tic_tac_toe()"})
    assert which_of([kuhn, other, shown, kuhn]) == [
        " with game=kuhn_poker(), shows=information_state",
        " with game=tic_tac_toe()",
        " with game=kuhn_poker(), shows=observation",
        " with game=kuhn_poker(), shows=information_state",
    ]
    assert which_of([played("bidding", one, cards=5) for one in (FIRST, SECOND)]) == [
        " with cards=5, rules version 1+sha256:01234567",
        " with cards=5, rules version 1+sha256:fedcba98",
    ]
    assert (
        which_of([played("dice", FIRST), played("dice", SECOND)])[1]
        == " with rules version 1+sha256:fedcba98"
    )
    assert which_of([kuhn, played("openspiel", "1+open_spiel-2.1", **KUHN)])[1].endswith(
        "rules version 1+open_spiel-2.1"
    )


def test_a_long_rule_is_told_by_a_hash() -> None:
    long = ["map " * LONGEST, "map " * LONGEST + "."]
    first, second = which_of([played("dice", FIRST, map=one) for one in long])
    assert first != second
    assert max(len(first), len(second)) < LONGEST
    assert which(played("dice", FIRST, map=[1] * LONGEST)).startswith(" with map=table ")


def test_headings_of_tables_that_are_shown_together() -> None:
    tables = [
        [event(n, game="bidding", rules_version=version, rules={})]
        for n, version in enumerate((FIRST, SECOND), 1)
    ]
    assert [one.partition(" at ")[0] for one in titles(tables)] == [
        "bidding with rules version 1+sha256:01234567",
        "bidding with rules version 1+sha256:fedcba98",
    ]
    assert titles(tables[:1])[0].startswith("bidding at 2 seats; turn 1000 ms")
