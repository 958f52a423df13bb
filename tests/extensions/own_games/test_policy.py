"""A policy as a bot, at a game that does not come with the arena."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from own_games import changed
from wording import sentence

import khiva_arena
from khiva_arena import env
from khiva_arena.env.coding import Coding
from khiva_arena.env.fields import number, some_of, up_to
from khiva_arena.errors import ConfigError
from khiva_arena.interface.api.functions import folder_of

RULES = {"cards": 5}


def bidding(seats: int = 2, cards: int = 5) -> Coding:
    """The coding of some of what a seat of the template sees."""
    keys = {"hand": some_of(range(1, cards + 1)), "points": up_to(seats, number(999))}
    entries = {"bid": [["card", value] for value in range(1, cards + 1)]}
    return Coding(1, keys, entries, longest=99, left_out=("prize", "played"))


def highest(observation: dict[str, Any], chance: np.random.Generator) -> int:
    """The highest card that is left."""
    return int(observation["action_mask"].nonzero()[0][-1])


def played(path: Path, **coding: Coding) -> khiva_arena.PlayedMatch:
    bots = env.player(highest, **coding), "shipped:python/random"
    return khiva_arena.match(
        *bots, game=changed(path / "game.py"), rules=RULES, seed="a", turn="10s"
    )


@pytest.mark.soak
def test_it_plays_with_the_coding_that_it_was_trained_with(tmp_path: Path) -> None:
    match = played(tmp_path, coding=bidding())
    assert match.verdicts == ("ok", "ok")
    # the hand is rising, so the highest card is the last choice, and with it goes the
    # last but one
    assert [step.choices[0] for step in match.replay()[1:]] == [4, 3, 2, 1]


@pytest.mark.soak
def test_without_a_coding_it_fails_with_words(tmp_path: Path) -> None:
    match = played(tmp_path)
    assert match.verdicts == ("crashed", "ok")
    assert (
        "ConfigError: bidding does not come with the arena: give its coding, as "
        "env.player(act, coding=...)" in match.notes[0]
    )


def test_with_the_coding_of_another_table_it_fails_with_words() -> None:
    choose = env.player(highest, coding=bidding(cards=4))
    decide = {
        "kind": "bid",
        "legal": [["card", 1], ["card", 5]],
        "view": {"hand": [1, 5], "points": [0, 0]},
    }
    why = sentence("env", "coding-no-made-another", lacking="action for bid card 5")
    with pytest.raises(ConfigError, match=re.escape(why)):
        choose(decide, {"seed": 1})


def test_it_is_the_same_bot_whether_its_coding_was_used_or_not() -> None:
    used = bidding()
    before = folder_of(env.player(highest, coding=used))
    assert used.actions == 6
    assert folder_of(env.player(highest, coding=used)) == before
