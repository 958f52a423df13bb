"""The strong bot of Silk Road, in C: legal by every rule, fit to be replayed, unmoved
by views that are none, and ahead of the greedy one.
"""

import random
import subprocess
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from bots_here import play_here
from drawn_rules import drawn_rules
from in_targets import long_but
from rules_in_c import changed
from tools import need

from khiva_arena.games.silk_road import GAME
from khiva_arena.games.silk_road.rules import KINDS
from khiva_arena.records.replay import seeds

pytestmark = [pytest.mark.slow, pytest.mark.language]

NAME, GREEDY = "c/strong_silk_road", "greedy_silk_road"
RUN = seeds.run_secret("strength of the strong bot of Silk Road")
GREEDY_BOT = """
#include "kit.h"
#include "silk_road.h"
#include "silk_road_policy.h"

static const silk_road_weights worth = {
    0.6, {1.0, 0.6, 0.5, 0.45, 0.42, 0.4, 0.38, 0.36, 0.34, 0.32, 0.3, 0.28}, {2.0, 2.0, 4.0},
    0.9, 0.25, 0.3, 1.0, 0.9, 3.0, 0.2, 50, 50, 10};

static long choose(const kit_decide *decide, const kit_match *match, void *own)
{
    static silk_road_rules rules;
    static silk_road_chart chart;
    static silk_road_view view;
    static silk_road_knowledge k;
    silk_road_state world;
    silk_road_options options;
    arena_stream stream;
    int seats, count;
    (void)own;
    if (silk_road_read_hello(match->hello, &rules, &seats) ||
      silk_road_read_view(decide->view, &rules, &view)
        || silk_road_think(&k, &rules, &view))
        return -1;
    silk_road_measure(&rules, &chart);
    arena_stream_quick(&stream, 1);
    silk_road_world(&world, NULL, &rules, &view, &k, &stream);
    count = silk_road_list(&rules, &world, &options);
    return silk_road_guess(&worth, &chart, &rules, &world,
      (const uint8_t(*)[SILK_ROAD_GOODS])k.known, &options, count);
}

int main(void)
{
    return kit_play("greedy", choose, NULL);
}
"""
"""The policy, with what things are worth to the greedy bot."""


def greeting(hello: Mapping[str, Any], rules: Any, seats: int, seed: int = 5) -> dict[str, Any]:
    return {**hello, "game": "silk_road", "rules": rules, "seats": seats, "seed": seed}


def requests(
    seats: int, rules: Any, lots: random.Random, share: float = 1.0
) -> Iterator[dict[str, Any]]:
    """Yield the requests of a match in which everybody chooses at random, or a share of
    them.
    """
    state, _ = GAME.new(seats, rules, lots.randbytes(32))
    while not state.is_over:
        ((seat, asked),) = state.pending().items()
        decide = {
            "type": "decide",
            "req": state.turn,
            "kind": asked.kind,
            "turn_ms": 1,
            "bank_ms": 1,
            "events": [],
        }
        if lots.random() < share:
            yield decide | {
                "view": state.view(seat),
                "legal": [list(entry) for entry in asked.legal],
            }
        state.apply({seat: lots.randrange(len(asked.legal))})


def choices(
    bot: Any, framed: Any, hello: dict[str, Any], script: list[dict[str, Any]]
) -> list[int]:
    """What the bot chooses in a conversation that it bears to its end; each choice is
    one of `legal`.
    """
    said = bot.run(framed(hello, *script))
    assert (said.code, said.notes) == (0, "")
    chosen = [act["choice"] for act in said.messages[1:]]
    assert len(chosen) == len(script)
    assert all(
        0 <= choice < len(decide["legal"]) for choice, decide in zip(chosen, script, strict=True)
    )
    return chosen


@pytest.fixture(scope="module")
def strict(sanitized: Any) -> Any:
    return sanitized(NAME)


def test_its_policy_is_that_of_the_greedy_bot_with_other_weights(
    staged: Any, chooser: Any, framed: Any, conversation: Any, tmp_path: Path
) -> None:
    need("cc")
    (tmp_path / "greedy.c").write_text(GREEDY_BOT)
    words = (
        "cc",
        "-std=c99",
        "-Og",
        "-ffp-contract=off",
        "-I",
        staged(NAME).folder,
        "-o",
        tmp_path / "greedy",
    )
    subprocess.run([*words, tmp_path / "greedy.c"], check=True, timeout=120)
    bot, greedy, lots = (
        type(staged(NAME))([str(tmp_path / "greedy")], tmp_path),
        chooser(GREEDY),
        random.Random(6),
    )
    kinds = set()
    for number, seats in enumerate([*GAME.seats, *GAME.seats]):
        rules = drawn_rules(GAME, lots) if number >= len(GAME.seats) else GAME.rules({})
        hello, script = (
            greeting(conversation[0], rules, seats),
            list(requests(seats, rules, lots, 0.4)),
        )
        assert choices(bot, framed, hello, script) == [greedy(decide, hello) for decide in script]
        kinds |= {decide["kind"] for decide in script}
    assert kinds == set(KINDS)


@pytest.mark.parametrize("seats", long_but(GAME.seats, (2, 5)))
def test_it_plays_every_variant_legally(
    seats: int, staged: Any, strict: Any, framed: Any, conversation: Any
) -> None:
    lots, ways = random.Random(seats), 0
    for number in range(5):
        rules = drawn_rules(GAME, lots) if number else GAME.rules({})
        hello, script = (
            greeting(conversation[0], rules, seats),
            list(requests(seats, rules, lots, 0.15)),
        )
        chosen = choices(strict, framed, hello, script)
        assert chosen == choices(staged(NAME), framed, hello, script)
        ways += sum(choice > 0 for choice in chosen)
    assert ways > 0


def test_equal_requests_give_equal_choices_in_a_new_process(
    staged: Any, framed: Any, conversation: Any
) -> None:
    rules = GAME.rules({})
    script = list(requests(3, rules, random.Random(1)))
    hello = greeting(conversation[0], rules, 3)
    whole = choices(staged(NAME), framed, hello, script)
    for at in range(0, len(script), 7):
        assert choices(staged(NAME), framed, hello, [script[at]]) == [whole[at]]


def test_its_seed_decides_between_worlds(staged: Any, framed: Any, conversation: Any) -> None:
    rules = GAME.rules({})
    script = list(requests(3, rules, random.Random(2)))
    first, other = (
        choices(staged(NAME), framed, greeting(conversation[0], rules, 3, seed), script)
        for seed in (1, 2)
    )
    alike = sum(one == two for one, two in zip(first, other, strict=True))
    assert 0.5 * len(script) < alike < len(script)


def test_views_that_are_none_break_nothing(strict: Any, framed: Any, conversation: Any) -> None:
    """Most changed views fit no position; their answer is the default."""
    lots, rules = random.Random(3), GAME.rules({})
    asked = [decide for seats in GAME.seats for decide in requests(seats, rules, lots, 0.3)]
    script = [decide | {"view": changed(decide["view"], lots)} for decide in asked]
    chosen = choices(strict, framed, greeting(conversation[0], rules, 3), script)
    assert chosen.count(0) > len(chosen) / 2


@pytest.mark.parametrize("view", [None, 7, "words", [], {}, {"seat": 0, "seats": 3}])
def test_what_is_no_view_gets_the_default(
    view: Any, strict: Any, framed: Any, conversation: Any
) -> None:
    rules = GAME.rules({})
    decide = {
        "type": "decide",
        "req": 1,
        "kind": "move",
        "turn_ms": 1,
        "bank_ms": 1,
        "events": [],
        "view": view,
        "legal": [[0], [1]],
    }
    assert choices(strict, framed, greeting(conversation[0], rules, 3), [decide] * 3) == [0] * 3


@pytest.mark.parametrize(
    "change", [{"rules": {}}, {"rules": None}, {"game": "khiva"}, {"rules_version": "9"}]
)
def test_other_rules_get_the_default(
    change: dict[str, Any], strict: Any, framed: Any, conversation: Any
) -> None:
    rules = GAME.rules({})
    script = list(requests(3, rules, random.Random(4), 0.1))
    assert set(choices(strict, framed, greeting(conversation[0], rules, 3) | change, script)) == {0}


def test_a_list_that_is_not_that_of_the_view_gets_the_default(
    staged: Any, framed: Any, conversation: Any
) -> None:
    rules = GAME.rules({})
    asked = list(requests(3, rules, random.Random(5), 0.3))
    script = [decide | {"legal": [*decide["legal"], [0]]} for decide in asked]
    assert set(choices(staged(NAME), framed, greeting(conversation[0], rules, 3), script)) == {0}


def in_c(bot: Any, framed: Any, hello: Mapping[str, Any]) -> Callable[[Any, Any], int]:
    """The bot as a function: a new process for each choice."""

    def choose(decide: Mapping[str, Any], match: Mapping[str, Any]) -> int:
        greeted = greeting(hello, match["rules"], match["seats"], match["seed"]) | {
            "seat": match["seat"]
        }
        (choice,) = choices(
            bot,
            framed,
            greeted,
            [{"type": "decide", "req": 1, "turn_ms": 1, "bank_ms": 1, **decide}],
        )
        return choice

    return choose


@pytest.mark.soak
@pytest.mark.long
@pytest.mark.parametrize("seats", GAME.seats)
def test_it_finishes_ahead_of_greedy_ones(
    seats: int, staged: Any, chooser: Any, framed: Any, conversation: Any
) -> None:
    """Over fixed deals in all seatings, so a constant."""
    rules, ahead, deals = GAME.rules({}), 0, 4
    strong, greedy = in_c(staged(NAME), framed, conversation[0]), chooser(GREEDY)
    for deal in range(deals):
        for seat in range(seats):
            _, ranks = play_here(
                GAME, [strong if s == seat else greedy for s in range(seats)], rules, RUN, deal
            )
            ahead += sum(ranks[seat] < ranks[other] for other in range(seats) if other != seat)
    assert ahead / (deals * seats * (seats - 1)) > 0.75
