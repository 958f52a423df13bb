"""Khiva's searching bot chooses the same in C and C++ as in Python, natively and as a module; the worlds that it imagines, and
the rules by which it plays them on, are those of the engine."""

import json
import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import languages
import pytest
from arena import arena
from tools import need_module_tools

from khiva_arena.games.khiva import GAME
from khiva_arena.games.khiva.state import Position
from khiva_arena.rng import Stream

pytestmark = [pytest.mark.slow, pytest.mark.language]

ROOT = Path(__file__).parents[2]
GROUPS: list[dict[str, Any]] = json.loads((ROOT / "protocol" / "vectors" / "choices" / "khiva.json").read_text())["groups"]
WORLDS = ROOT / "tests" / "kits" / "c" / "worlds"
HEADERS = (ROOT / "bots" / "c" / "kit", ROOT / "bots" / "c" / "shared")
DRAWN, PLAYED_ON = 4, 6
"""Worlds of a position, and how many positions there are to one that is played on: as in worlds/bot.c."""
TIMES = {"turn_ms": 1, "bank_ms": 1, "events": []}
OTHER_RULES: tuple[tuple[int, dict[str, Any]], ...] = (
    (2, {"overshoot": "bounce", "decline": "yes", "carpet_top": "colour", "compensation": "per_rejected_player"}),
    (4, {"overshoot": "bounce", "gem_slots": [5, 5, 5, 5, 5], "gem_supply": 3, "compensation_time": "after_move"}),
    (2, {"gem_supply": 4, "compensation": "per_player_turn", "khiva_spaces": "own_tent"}),
    (5, {"carpets": 25, "carpet_top": "colour", "end_trigger": "failed_draw"}),
    (3, {"max_turns": 9}),
    (4, {"decline": "yes", "max_turns": 60}),
)
"""Seats, and what differs from the default rules, beside those of the published choices."""
KINDS = ("", "play_pass", "move", "boost", "shop4")
ENDINGS = (None, "teapots", "carpets", "salts", "turns")


def decides(asked: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Requests with these positions."""
    return [
        {"type": "decide", "req": req, **TIMES, **{key: row[key] for key in ("kind", "view", "legal")}}
        for req, row in enumerate(asked, 1)
    ]


def random_match(seats: int, given: dict[str, Any], seed: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """All that the seats of a match are asked in which everybody chooses at random, with the rules."""
    lots, rules = random.Random(seed), GAME.rules(given)
    state, _ = GAME.new(seats, rules, lots.randbytes(32))
    asked = []
    while not state.is_over:
        pending = state.pending()
        asked += [{"kind": one.kind, "view": state.view(seat), "legal": list(one.legal)} for seat, one in pending.items()]
        state.apply({seat: lots.randrange(len(one.legal)) for seat, one in pending.items()})
    return {"game": "khiva", "rules": rules, "seats": seats}, asked


def match_of_each_rules(seed: str) -> Iterator[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """A match by the rules of each published group, and by each of the other rules."""
    published = [(group["hello"]["seats"], group["hello"]["rules"]) for group in GROUPS]
    for number, (seats, given) in enumerate([*published, *OTHER_RULES]):
        yield random_match(seats, given, f"{seed} {number}")


def choose_alike(bot: Any, choose: Any, hello: dict[str, Any], asked: list[dict[str, Any]], framed: Any) -> None:
    """Compare the answers of a bot with those of the Python one."""
    script = decides(asked)
    said = bot.run(framed(hello, *script))
    assert said.code == 0, said.notes
    expected = [choose(decide, hello) for decide in script]
    assert [act["choice"] for act in said.messages[1:]] == expected, hello


@languages.each(("c", "cpp"), "search")
def test_it_chooses_the_same(name: str, staged: Any, chooser: Any, framed: Any, conversation: Any) -> None:
    for group in GROUPS:
        choose_alike(staged(name), chooser("search"), conversation[0] | group["hello"], group["decides"], framed)


@languages.each(("c", "cpp"))
def test_a_module_chooses_the_same(name: str, lay_out: Any, chooser: Any, framed: Any, conversation: Any, tmp_path: Path) -> None:
    need_module_tools(name)
    arena("new", f"shipped:{name}/search", "mine", "--module", cwd=tmp_path)
    bot = lay_out(tmp_path / "mine", name)
    for group in GROUPS:
        choose_alike(bot, chooser("search"), conversation[0] | group["hello"], group["decides"][::4], framed)


@pytest.mark.long
@languages.each(("c", "cpp"), "search")
def test_it_chooses_the_same_in_whole_matches(name: str, staged: Any, chooser: Any, framed: Any, conversation: Any) -> None:
    for seed in range(4):
        for hello, asked in match_of_each_rules(f"choices {seed}"):
            hello = {**conversation[0], **hello, "seed": random.Random(seed).getrandbits(53)}
            choose_alike(staged(name), chooser("search"), hello, asked, framed)


# --- worlds and rules ---


def face(state: Position) -> str:
    """A position as worlds/bot.c prints it; what was played and passed before is no part of it."""
    offer, pending = state.offer, state.pending()
    kind = KINDS.index(next(iter(pending.values())).kind) if pending else 0
    parts: list[Any] = [state.turn, state.deal, kind, ENDINGS.index(state.ending), state.camel, state.winners]
    parts += [-1 if state.supply is None else state.supply]

    def add(*lists: list[int]) -> None:
        for one in lists:
            parts.extend(["|", *one])

    if offer:
        parts += ["asks", offer.seat, offer.card]
        add(offer.lands)
    for place, load, bids in zip(state.camels, state.loads, state.bids, strict=True):
        parts += ["camel", place, load, *(number for bid in bids for number in bid)]
    for seat in range(state.seats):
        choices = len(pending[seat].legal) if seat in pending else 0
        parts += ["seat", choices, state.gems[seat], state.scores[seat], state.ranks[seat]]
        add(*(of[seat] for of in (state.hands, state.carpets, state.delivered, state.teapots, state.salts)))
    parts.append("piles")
    add(state.aside, state.shown, state.discard, state.teapot_pile, state.carpet_pile, state.salt_pile)
    return " ".join(map(str, [*parts, state.secret.hex()]))


def worlds_of(decide: dict[str, Any], hello: dict[str, Any], lottery: Any) -> Iterator[str]:
    """What worlds/bot.c prints for a request."""
    stream = Stream(lottery("worlds", hello["seed"], decide["view"]).secret, "worlds")
    for _ in range(DRAWN):
        state = GAME.determinise(decide["view"], hello["rules"], stream)
        yield face(state)
    while not state.is_over and decide["req"] % PLAYED_ON == 0:
        state.apply({seat: stream.below(len(one.legal)) for seat, one in state.pending().items()})
        yield face(state)


def draw_alike(bot: Any, lottery: Any, hello: dict[str, Any], asked: list[dict[str, Any]], framed: Any) -> int:
    """The worlds of worlds/bot.c are those of the engine. Returns how many positions it printed."""
    script = decides(asked)
    said = bot.run(framed(hello, *script))
    lines = said.notes.splitlines()
    expected = [line for decide in script for line in worlds_of(decide, hello, lottery)]
    assert said.code == 0, lines[-20:]
    for number, (line, other) in enumerate(zip(lines, expected, strict=True)):
        assert line == other, (hello, number)
    return len(lines)


@pytest.fixture
def worlds(open_folder: Path) -> Path:
    """A folder with worlds/bot.c and the headers that it includes."""
    for file in (*WORLDS.iterdir(), *(header for folder in HEADERS for header in folder.glob("*.h"))):
        shutil.copy(file, open_folder)
    return open_folder


@pytest.fixture
def lottery(chooser: Any) -> Any:
    """The Python kit's chance, by which a bot draws."""
    return chooser("random").__globals__["Lottery"]


@pytest.mark.xdist_group("c")
def test_worlds_and_rules_are_those_of_the_engine(
    worlds: Path, lay_out: Any, lottery: Any, framed: Any, conversation: Any
) -> None:
    bot = lay_out(worlds, "c")
    positions = sum(draw_alike(bot, lottery, conversation[0] | g["hello"], g["decides"], framed) for g in GROUPS)
    assert positions > 4000
    for number, (seats, given) in enumerate(OTHER_RULES):
        hello, asked = random_match(seats, given, f"other rules {number}")
        draw_alike(bot, lottery, {**conversation[0], **hello}, asked[::5], framed)


@pytest.mark.xdist_group("c")
@pytest.mark.parametrize("tie_break", ["max_bag", "sum_bags"])
def test_ties_are_broken_as_the_rules_say(
    worlds: Path, tie_break: str, lay_out: Any, lottery: Any, framed: Any, conversation: Any
) -> None:
    hello, asked = random_match(2, {"salt_tie_break": tie_break}, "ties")
    asked[0]["view"] |= {"salts": [[10, 6], [9, 8]], "salts_left": [7], "gems": [1, 0]}
    assert draw_alike(lay_out(worlds, "c"), lottery, {**conversation[0], **hello}, asked[:1], framed) == DRAWN


@pytest.mark.long
@pytest.mark.xdist_group("c")
def test_worlds_and_rules_are_those_of_the_engine_in_whole_matches(
    worlds: Path, lay_out: Any, lottery: Any, framed: Any, conversation: Any
) -> None:
    bot = lay_out(worlds, "c")
    for seed in range(3):
        for hello, asked in match_of_each_rules(f"worlds {seed}"):
            draw_alike(bot, lottery, {**conversation[0], **hello, "seed": seed}, asked, framed)


def changed(value: Any, lots: random.Random) -> Any:
    """A value with something in it changed."""
    if isinstance(value, dict) and value:
        key = lots.choice(sorted(value))
        return {**value, key: changed(value[key], lots)} if lots.random() < 0.95 else {k: v for k, v in value.items() if k != key}
    if isinstance(value, list) and value and lots.random() < 0.8:
        at, way = lots.randrange(len(value)), lots.random()
        if way < 0.6:
            return [*value[:at], changed(value[at], lots), *value[at + 1 :]]
        return [*value[:at], *value[at + 1 :]] if way < 0.8 else [*value, *value[at:]]
    return lots.choice((None, True, "salts", -1, 0, 1, 2, 3, 4, 5, 6, 9, 10, 45, 1000, 2**40, [], {}, [[]], [0, 1], [4, 5]))


@pytest.mark.xdist_group("c")
def test_what_is_no_view_is_answered_and_breaks_nothing(worlds: Path, lay_out: Any, framed: Any, conversation: Any) -> None:
    """Built so that it would end at the first read or write beyond an array, or what C leaves undefined."""
    lots = random.Random(1)
    for group in GROUPS:
        script = decides(group["decides"] * 4)
        for decide in script:
            for _ in range(lots.randrange(1, 3)):
                decide["view"] = changed(decide["view"], lots)
        rules = changed(group["hello"]["rules"], lots) if lots.random() < 0.3 else group["hello"]["rules"]
        said = lay_out(worlds, "c").run(framed({**conversation[0], **group["hello"], "rules": rules}, *script))
        assert said.code == 0, said.notes[-2000:]
        assert len(said.messages) == 1 + len(script)
