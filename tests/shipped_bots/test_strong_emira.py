"""The strong bot of Emira, in C: fit to be replayed, at home in every variant, deaf to
nonsense, and ahead of greedy ones.
"""

import random
import struct
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgpack
import pytest
from bots_here import Choose, play_here
from drawn_rules import drawn_rules
from rules_in_c import changed

from khiva_arena.games.emira import GAME
from khiva_arena.records.replay import seeds

pytestmark = [pytest.mark.slow, pytest.mark.language, pytest.mark.xdist_group("c")]

BOTS = Path(__file__).parents[2] / "bots"
NAME, GREEDY = "c/strong_emira", "greedy_emira"
RUN = seeds.run_secret("strength of the strong bot of Emira")
MATCHES, ASKED = 12, 10


def random_match(lots: random.Random) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """What the seats of a match with rules drawn at random are asked in which everybody
    chooses at random, some of it; and what its hello says.
    """
    seats, rules = lots.choice(GAME.seats), drawn_rules(GAME, lots)
    state, _ = GAME.new(seats, rules, lots.randbytes(32))
    asked = []
    while not state.is_over:
        pending = state.pending()
        asked += [
            {"kind": one.kind, "view": state.view(seat), "legal": list(one.legal)}
            for seat, one in pending.items()
            if lots.random() < 0.1  # a view takes longer than all else here
        ]
        # Not with all its gold for the first thing that comes, or there would be little
        # to choose afterwards.
        state.apply(
            {seat: lots.randrange(min(12, len(one.legal))) for seat, one in pending.items()}
        )
    hello = {
        "game": "emira",
        "rules": GAME.every_rule(rules),
        "rules_version": GAME.rules_version,
        "seats": seats,
    }
    return hello | {"seed": lots.getrandbits(53)}, lots.sample(asked, min(ASKED, len(asked)))


def script(
    hello: dict[str, Any], asked: list[dict[str, Any]], conversation: Any
) -> list[dict[str, Any]]:
    """The messages that ask this."""
    decide = {"type": "decide", "turn_ms": 1, "bank_ms": 1, "events": []}
    return [
        conversation[0] | hello,
        *({**decide, "req": req, **row} for req, row in enumerate(asked, 1)),
    ]


@pytest.fixture(scope="module")
def matches() -> list[tuple[dict[str, Any], list[dict[str, Any]]]]:
    lots = random.Random("matches of the strong bot")
    return [random_match(lots) for _ in range(MATCHES)]


def test_equal_requests_give_equal_legal_choices_in_a_new_process(
    staged, framed, conversation, matches
):
    """With any rules and at any number of seats."""
    bot, others = staged(NAME), 0
    for hello, asked in matches:
        first = bot.run(framed(*script(hello, asked, conversation)))
        assert first.code == 0, first.notes
        choices = [act["choice"] for act in first.messages[1:]]
        assert len(choices) == len(asked)
        assert all(
            0 <= choice < len(row["legal"]) for choice, row in zip(choices, asked, strict=True)
        )
        others += sum(choice > 0 for choice in choices)
        alone = bot.run(framed(*script(hello, asked[-3:], conversation)))
        assert [act["choice"] for act in alone.messages[1:]] == choices[-3:]
    assert others > MATCHES * ASKED / 5  # or it would refuse, quietly


def test_another_seed_may_choose_otherwise(staged, framed, conversation, matches):
    said = []
    for seed in (1, 2):
        acts = [
            staged(NAME).run(framed(*script(hello | {"seed": seed}, asked, conversation)))
            for hello, asked in matches
        ]
        said.append([act["choice"] for one in acts for act in one.messages[1:]])
    assert said[0] != said[1]


def test_what_is_no_view_gets_the_default(sanitized, framed, conversation, matches):
    """And no view, rules or legal list, however it is changed, ends the bot or gets an
    illegal choice.
    """
    lots, bot = random.Random("hostile"), sanitized(NAME)
    for hello, asked in matches:
        nonsense = [
            {**row, "view": view}
            for row, view in zip(asked, ([], {}, None, "view", 7, [[]]), strict=False)
        ]
        nonsense += [{**row, "legal": [*row["legal"], row["legal"][0]]} for row in asked[:3]]
        said = bot.run(framed(*script(hello, nonsense, conversation)))
        assert [act["choice"] for act in said.messages[1:]] == [0] * len(nonsense)
        hostile = [{**row, "view": changed(row["view"], lots)} for row in asked]
        said = bot.run(framed(*script(hello, hostile, conversation)))
        assert said.code == 0
        assert all(
            0 <= act["choice"] < len(row["legal"])
            for act, row in zip(said.messages[1:], hostile, strict=True)
        )
        other = {
            **hello,
            "rules": changed(hello["rules"], lots) if lots.random() < 0.7 else {},
            "seats": lots.choice([2, 3, 9]),
        }
        said = bot.run(framed(*script(other, asked[:5], conversation)))
        assert said.code == 0
        assert len(said.messages) == 1 + len(asked[:5])


@pytest.fixture(scope="module")
def policy(tmp_path_factory):
    """The program of that policy."""
    folders = [f"-I{BOTS / name}" for name in ("c/kit", "rules", "c/shared")]
    source, program = (
        Path(__file__).with_name("emira_policy.c"),
        str(tmp_path_factory.mktemp("policy") / "policy"),
    )
    subprocess.run(
        ["cc", "-std=c99", "-Og", "-ffp-contract=off", *folders, "-o", program, str(source), "-lm"],
        check=True,
    )
    return program


@pytest.mark.parametrize(
    ("seats", "given"),
    [
        (3, {}),
        (4, {"bazaar_noble": "extra", "undecided": "always"}),
        (5, {"mode": "advanced", "symbols": "none"}),
    ],
)
def test_its_policy_with_the_weights_of_the_greedy_bot_chooses_as_that_does(
    chooser, policy, framed, cut_frames, conversation, seats, given
):
    """In a match of which a third is chosen at random. ``order`` is left out: the
    Python bot takes turned Emiras in the deck for others.
    """
    lots, rules, greedy = random.Random(seats), GAME.rules(given), chooser(GREEDY)
    state, _ = GAME.new(seats, rules, lots.randbytes(32))
    hello = {
        "game": "emira",
        "rules": GAME.every_rule(rules),
        "rules_version": GAME.rules_version,
        "seats": seats,
    }
    asked, expected = [], []
    while not state.is_over:
        choices = {}
        for seat, one in state.pending().items():
            row = {"kind": one.kind, "view": state.view(seat), "legal": list(one.legal)}
            choices[seat] = greedy(row, {"rules": rules})
            if one.kind != "order":
                asked.append(row)
                expected.append(choices[seat])
            if lots.random() < 0.3:
                choices[seat] = lots.randrange(min(8, len(one.legal)))
        state.apply(choices)
    data = framed(*script(hello, asked, conversation))
    said = cut_frames(subprocess.run([policy], input=data, capture_output=True, check=True).stdout)
    assert [act["choice"] for act in said[1:]] == expected


@contextmanager
def talking(argv: list[str], folder: Any, hello: dict[str, Any]) -> Iterator[Choose]:
    """Start a bot, greet it, and yield what asks it; it ends behind the block."""
    process = subprocess.Popen(argv, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None

    def say(message: Any) -> Any:
        payload = msgpack.packb(message)
        process.stdin.write(struct.pack(">I", len(payload)) + payload)
        process.stdin.flush()
        return msgpack.unpackb(process.stdout.read(struct.unpack(">I", process.stdout.read(4))[0]))

    try:
        say(hello)
        yield lambda decide, match: say(
            {"type": "decide", "req": 1, "turn_ms": 1, "bank_ms": 1, **decide}
        )["choice"]
    finally:
        process.communicate(timeout=60)


@pytest.mark.soak
@pytest.mark.long
@pytest.mark.parametrize(("seats", "deals"), [(3, 3), (4, 2), (5, 2)])
def test_it_finishes_ahead_of_greedy_ones(staged, chooser, conversation, seats, deals):
    """Over fixed deals in all seatings, so a constant."""
    rules, points, bot = GAME.rules({}), 0.0, staged(NAME)
    hello = {
        "game": "emira",
        "rules": GAME.every_rule(rules),
        "rules_version": GAME.rules_version,
        "seats": seats,
        "seed": 1,
    }
    for deal in range(deals):
        for seat in range(seats):
            with talking(bot.argv, bot.folder, conversation[0] | hello) as strong:
                _, ranks = play_here(
                    GAME,
                    [strong if s == seat else chooser(GREEDY) for s in range(seats)],
                    rules,
                    RUN,
                    deal,
                )
            points += sum((ranks[seat] < rank) - (ranks[seat] > rank) for rank in ranks) / (
                seats - 1
            )
    assert points / (seats * deals) > 0.6
