"""docs/a-bot-that-searches.md: its bots are started and play against the greedy bots,
as the arena runs them at each level.
"""

import json
import re
import sys
from collections import Counter
from types import ModuleType, SimpleNamespace

import pytest
from arena import ROOT, arena
from levels import KEEPING, python_at
from own_games import changed
from tools import lacks
from wording import sentence

from khiva_arena.games import registry

pytestmark = pytest.mark.slow

PAGE = (ROOT / "docs" / "a-bot-that-searches.md").read_text()
FLAT, TREE, WORLDS = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
GREEDY = {"khiva": "greedy", "emira": "greedy_emira", "silk_road": "greedy_silk_road"}
SHORT = {"khiva": "max_turns=4", "emira": "max_rounds=2", "silk_road": "max_turns=6"}
"""Matches that end soon: Emira's lists of bids have a thousand entries."""


def bot_of(folder, code, kit=ROOT / "bots" / "python" / "kit" / "khiva_kit.py"):
    folder.mkdir()
    (folder / "main.py").write_text(code)
    (folder / "khiva_kit.py").write_text(kit.read_text())
    (folder / "bot.toml").write_text('name = "mine"\nversion = "1"\nrun = "{python} main.py"\n')
    return folder


def played(tmp_path, code, game, *more):
    bot = bot_of(tmp_path / "mine", code)
    others = ["--bot", f"shipped:python/{GREEDY[game]}"] * 2
    words = ["--game", game, "--rule", SHORT[game], "--seed", "worlds", "--turn", "2m", "--json"]
    return json.loads(
        arena("match", "--bot", str(bot), *others, *words, *more, cwd=tmp_path).stdout
    )


def test_the_first_bot_is_as_short_as_it_says():
    body = FLAT[FLAT.index("def choose") : FLAT.index("def ahead")]
    assert len(body.strip().splitlines()) <= 20


def test_the_first_bot_makes_few_moves_where_there_are_many_choices(monkeypatch):
    """At two seats Khiva has 420 choices, and a turn of 1 s has room for some thousand
    moves of the engine.
    """
    kit = ModuleType("khiva_kit")
    kit.Lottery, kit.play = lambda *_: SimpleNamespace(secret=bytes(32)), lambda *_: None
    monkeypatch.setitem(sys.modules, "khiva_kit", kit)
    exec(FLAT, program := {})
    game = registry.get("khiva")
    state, _ = game.new(2, game.rules({}), bytes(32))
    decide, moves = {"view": state.view(0), "legal": state.pending()[0].legal}, Counter()
    assert len(decide["legal"]) == 420
    apply = type(state).apply
    monkeypatch.setattr(
        type(state), "apply", lambda *words: moves.update(["apply"]) or apply(*words)
    )
    choice = program["choose"](decide, {"game": "khiva", "rules": game.rules({}), "seed": 1})
    assert 0 <= choice < 420
    assert 0 < moves["apply"] <= 2000


@pytest.mark.soak
@pytest.mark.parametrize("game", GREEDY)
@pytest.mark.parametrize("code", [FLAT, TREE], ids=["flat", "tree"])
def test_the_bots_of_the_page_play_without_a_fault(tmp_path, code, game):
    match = played(tmp_path, code, game, "--isolation", "trusted")
    assert match["verdicts"] == ["ok"] * 3
    first = [choice for step in match["steps"] for seat, choice, *_ in step if seat == 0]
    assert any(first), "a bot that fails plays the default"


@KEEPING
def test_the_arena_s_package_can_be_imported_at_each_level(tmp_path, level):
    if python_at(level) != sys.executable:
        lacks("root's bots may " + sentence("settings", "not-come") + " Python", may=True)
    match = played(
        tmp_path,
        FLAT.replace("WORLDS, AHEAD, CHOICES = 4, 6, 60", "WORLDS, AHEAD, CHOICES = 1, 1, 5"),
        "khiva",
        "--isolation",
        level,
    )
    assert match["verdicts"] == ["ok"] * 3


@KEEPING
@pytest.mark.parametrize("code", [FLAT, TREE], ids=["flat", "tree"])
def test_a_bot_searches_a_game_of_one_s_own(tmp_path, level, code):
    """The game's file lands beside the bot, and with the worlds of the page its bots
    search there, too.
    """
    if python_at(level) != sys.executable:
        lacks("root's bots may " + sentence("settings", "not-come") + " Python", may=True)
    worlds = ("\n    def new(", f"\n{WORLDS}\n    def new(")
    game = changed(tmp_path / "game.py", worlds, ('return {"hand"', 'return {"seat": seat, "hand"'))
    own = code.replace("from khiva_arena.games import registry", "from game import GAME")
    own = own.replace('registry.get(match["game"])', "GAME")
    bot = bot_of(tmp_path / "mine", own)
    (bot / "bot.toml").write_text((bot / "bot.toml").read_text() + 'include = ["../game.py"]\n')
    words = [
        "--game",
        str(game),
        "--rule",
        "cards=5",
        "--seed",
        "s",
        "--turn",
        "2m",
        "--isolation",
        level,
        "--allow-include",
        "--json",
    ]
    match = json.loads(
        arena(
            "match", "--bot", str(bot), "--bot", "shipped:python/random", *words, cwd=tmp_path
        ).stdout
    )
    assert match["verdicts"] == ["ok"] * 2
    assert any(choice for step in match["steps"] for seat, choice, *_ in step if seat == 0)
