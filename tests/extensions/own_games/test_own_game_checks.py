"""A game in a file, as the commands check it, list it, and import it from a package."""

import json
import re
import sys
from pathlib import Path

import pytest
from arena import C, arena, bots
from own_games import TEMPLATE, changed
from own_table import table, two
from stores import RANDOM
from wording import sentence

import khiva_arena
from khiva_arena.arbiter.person import Person
from khiva_arena.extensions.own_games import opening
from khiva_arena.extensions.own_games.own_game import advice
from khiva_arena.records.replay.definition import read_definition
from khiva_arena.records.store.db import Store

__all__ = ["table"]
pytestmark = pytest.mark.slow


def test_new_game_is_played_as_it_says(tmp_path: Path) -> None:
    said = json.loads(arena("new", "game", "mine", "--json", cwd=tmp_path).stdout)
    assert said["files"] == [
        "AGENTS.md",
        "bot/bot.toml",
        "bot/khiva_kit.py",
        "bot/main.py",
        "game.py",
        "test_game.py",
    ]
    assert len((tmp_path / "mine" / "game.py").read_text().splitlines()) < 120
    assert "exists already" in arena("new", "game", "mine", cwd=tmp_path, code=2).stderr
    assert "khiva-arena new game my-game" in arena("new", "game", cwd=tmp_path, code=2).stderr
    lines = [
        line.strip()
        for line in arena("new", "game", "./b", cwd=tmp_path).stdout.splitlines()
        if line.startswith("  ")
    ]
    assert lines[1] == "khiva-arena check b/bot --game b/game.py"
    for line in lines[:3]:
        arena(*line.split()[1:], cwd=tmp_path)
    assert lines[3].startswith(
        "khiva-arena run --game b/game.py --bot b/bot --bot shipped:python/random --seats 2"
    )
    said = arena("new", "game", str(tmp_path / "c"), cwd=tmp_path).stdout
    assert f"  khiva-arena check --game {tmp_path}/c/game.py\n" in said


def test_its_test_passes_beside_it(tmp_path: Path) -> None:
    arena("new", "game", "mine", cwd=tmp_path)
    code = (
        "import sys; sys.path.insert(0, '.'); import test_game as t; [v() for k, v in "
        "vars(t).items() if k[:5] == 'test_']"
    )
    import subprocess

    subprocess.run([sys.executable, "-c", code], cwd=tmp_path / "mine", check=True)


@pytest.mark.soak
def test_a_check_says_what_to_do(tmp_path: Path) -> None:
    arena("new", "game", "mine", cwd=tmp_path)
    good = arena("check", "--game", "mine/game.py", cwd=tmp_path).stdout
    assert "It keeps the contract. Next: khiva-arena match --game mine/game.py" in good
    changed(tmp_path / "leak.py", ('"winner": winner})]', '"winner": winner}, to=())]'))
    bad = arena("check", "--game", "leak.py", cwd=tmp_path, code=1).stdout
    assert "FAILED  2 seats: " + sentence("games", "equal-observations-give-equal") in bad
    assert "do: " + sentence("check", "seat-sees-view-choices") in bad
    report = json.loads(arena("check", "--game", "leak.py", "--json", cwd=tmp_path, code=1).stdout)
    assert [step["passed"] for step in report["games"][0]["steps"]] == [False] * 4 + [True] * 2
    assert "or a game as --game FILE." in arena("check", cwd=tmp_path, code=2).stderr


def test_a_check_finds_what_lies_in_an_undrawn_deck(tmp_path: Path) -> None:
    changed(
        tmp_path / "game.py",
        ('"points": list(self.points)}', '"points": list(self.points), "last": self.prizes[-1]}'),
    )
    said = arena("check", "--game", "game.py", cwd=tmp_path, code=1).stdout
    shows = sentence(
        "games",
        "no-event-told",
        what=sentence("games", "draw-seen-in-view", seat="0", keys="last") + ", a draw",
    )
    assert (
        "FAILED  2 seats: "
        + sentence("games", "equal-observations-give-equal")
        + f": at the start {shows}\n"
        in said
    )
    assert "do: " + sentence("check", "seat-sees-view-choices") in said
    match = ["match", "--game", "game.py", *two(tmp_path), "--isolation", "trusted"]
    assert (
        sentence("outside", "seat-sees-view-choices")
        + ": "
        + sentence("games", "equal-observations-give-equal")
        + f": at the start {shows}"
        in arena(*match, cwd=tmp_path, code=2).stderr
    )


@pytest.mark.soak
def test_a_check_names_each_point_once_and_where_it_is_broken(tmp_path: Path) -> None:
    """What a beginner gets wrong first: no look at choices and seats, a list handed
    out, a choice of one.
    """
    wrong = [
        ("        check_choices(self.pending(), choices)\n", ""),
        ("        self.check_seats(seats)\n", ""),
        ('**each, "bids": list(each["bids"])', "**each"),
    ]
    changed(tmp_path / "game.py", *wrong)
    said = arena("check", "--game", "game.py", cwd=tmp_path, code=1).stdout
    assert "do: call self.check_seats(seats) first in new()." in said
    assert (
        "do: call check_choices(self.pending(), choices) of khiva_arena.games.base first "
        "in apply()." in said
    )
    assert said.count("do: ") == 2
    changed(tmp_path / "game.py", wrong[2])
    said = arena("check", "--game", "game.py", cwd=tmp_path, code=1).stdout
    assert sentence("games", "view-belongs-caller-may", lent="played") in said
    assert said.count("seats: the same\n") == 3
    match = ["match", "--game", "game.py", *bots(RANDOM, RANDOM), "--isolation", "trusted"]
    assert (
        "game bidding (game.py): breaks the contract, by which a view belongs"
        in arena(*match, cwd=tmp_path, code=2).stderr
    )
    changed(
        tmp_path / "game.py",
        ("if len(self.hands[0]) < 2:", "if not self.hands[0]:"),
        ("== 1:", "== 0:"),
    )
    said = arena("check", "--game", "game.py", cwd=tmp_path, code=1).stdout
    assert said.count("do: a question with one choice is not asked") == 1


VIEW = '        return {"hand": list(self.hands[seat]), "prize": self.prize, "played": played,'


@pytest.mark.parametrize(
    ("new", "said"),
    [
        (VIEW.replace("played,", "self.played,"), sentence("games", "states-own", lent="played")),
        (
            "        return self.lent(seat, played)\n\n    def private(self, seat: int) -> "
            "dict[str, Any]:\n"
            '        return {**self.view(seat), "played": self.played}\n\n    def '
            "lent(self, seat: int, played: Any) -> Any:\n" + VIEW,
            sentence("games", "view-belongs-caller-may-3", name="TypeError"),
        ),
    ],
)
def test_a_line_that_fails_since_a_view_was_changed_is_not_blamed(
    tmp_path: Path, new: str, said: str
) -> None:
    changed(tmp_path / "game.py", (VIEW, new))
    found = arena("check", "--game", "game.py", cwd=tmp_path, code=1).stdout
    assert said in found
    assert "do: view() gives a copy" in found
    assert "line" not in found.partition("do:")[0]


def test_every_point_has_advice() -> None:
    """Read from the source of the check, so that a new point is not forgotten."""
    import ast

    from khiva_arena.games import checked_match, checked_state, conformance

    files = (conformance, checked_match, checked_state)
    calls = [
        node
        for file in files
        for node in ast.walk(ast.parse(Path(file.__file__).read_text()))
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") in ("want", "fail")
    ]
    texts = [
        part
        for call in calls
        for part in call.args
        if isinstance(part, ast.Constant | ast.JoinedStr)
    ]
    points = [
        str(text.value)
        if isinstance(text, ast.Constant)
        else "x".join(str(part.value) for part in text.values if isinstance(part, ast.Constant))
        for text in texts
    ]
    assert len(points) > 35
    of_bots_that_search = ("determinised", "what is public")
    assert [
        point
        for point in points
        if not advice(point) and not any(words in point for words in of_bots_that_search)
    ] == []


def test_a_bot_is_checked_with_it(table: Path) -> None:
    done = arena("check", C, "--game", "game.py", "--quick", "--isolation", "trusted", cwd=table)
    assert "decisions of Bidding" in done.stdout
    arena("new", "game", "its", cwd=table)
    alone = arena("check", "its/bot", cwd=table, code=2).stderr
    assert "silk_road. Give a game of your own as --game FILE" in alone
    assert "27 ok" in done.stdout or " ok, " in done.stdout


def test_a_bot_of_a_game_that_has_another_name_now_is_told_the_name(tmp_path: Path) -> None:
    two(tmp_path)
    game = str(changed(tmp_path / "game.py", ('name = "bidding"', 'name = "lone_wolf"')))
    said = arena(
        "check", str(tmp_path / "mine" / "bot"), "--game", game, cwd=tmp_path, code=2
    ).stderr
    plays = "nearest plays bidding by its bot.toml"
    assert (
        f"--game {game}: this game is called lone_wolf, and {plays}: write games = "
        '["lone_wolf"] there' + "\n" in said
    )


def test_games_lists_it(table: Path) -> None:
    assert (
        "bidding: Bidding, 2 to 5 seats, rules version 1+sha256:"
        in arena("games", "game.py", cwd=table).stdout
    )


def test_a_person_is_asked_in_words(table: Path) -> None:
    opening.offer([str(table / "game.py")])
    code = opening.source_of(str(table / "game.py")).code
    person = Person("ann", 0, ["ann", "bob"], [[], []])
    person.take(b"", {"type": "hello", "game": "bidding", "rules_version": f"1+{code}"})
    ask = {
        "type": "decide",
        "req": 1,
        "kind": "bid",
        "legal": [["card", 3], ["card", 5]],
        "turn_ms": 1,
        "bank_ms": 1,
    }
    _, told = person.take(b"", {**ask, "view": {}, "events": [{"type": "prize", "points": 4}]})
    assert told[0]["ask"]["texts"] == ["card, 3", "card, 5"]
    assert told[0]["frame"]["events"][0]["text"] == "prize: points 4"


def test_a_package_brings_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package, dist = tmp_path / "bidding_pack", tmp_path / "bidding_pack-1.2.dist-info"
    package.mkdir()
    dist.mkdir()
    (package / "__init__.py").write_text("raise_if_imported_here = 1\n")
    (package / "rules.py").write_text(TEMPLATE.read_text())
    (dist / "METADATA").write_text("Metadata-Version: 2.1\nName: bidding-pack\nVersion: 1.2\n")
    (dist / "entry_points.txt").write_text(
        "[khiva_arena.games]\nmy_bids = bidding_pack.rules:GAME\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    done = arena(
        "match",
        "--game",
        "my_bids",
        *two(tmp_path),
        "--isolation",
        "trusted",
        "--json",
        cwd=tmp_path,
    )
    version = json.loads(done.stdout)["header"]["rules_version"]
    assert version.startswith("1+bidding-pack-1.2:")
    assert "bidding_pack" not in sys.modules
    arena(
        "run",
        "--game",
        "my_bids",
        *two(tmp_path),
        "--seats",
        "2",
        "--seeds",
        "1",
        "--isolation",
        "trusted",
        "--out",
        "out",
        cwd=tmp_path,
    )
    needed = f"the package bidding-pack 1.2 (hash {version.partition(':')[2]}), as --game "
    assert arena("verify", "out", cwd=tmp_path, code=2).stderr.endswith(f"{needed}my_bids\n")
    (package / "rules.py").write_text(TEMPLATE.read_text() + "# changed\n")
    assert opening.source_of("my_bids").code != version.removeprefix("1+")
    assert (
        "there are: khiva, emira, silk_road, openspiel, my_bids. Did you mean my_bids? A game of "
        "your own is named by its file, as my_game.py"
    ) in arena("match", "--game", "my_bid", cwd=tmp_path, code=2).stderr
    (dist / "entry_points.txt").write_text("[khiva_arena.games]\nkhiva = bidding_pack.rules:GAME\n")
    said = arena("match", "--game", "my_bids", cwd=tmp_path, code=2).stderr
    assert "there are: khiva, emira, silk_road, openspiel. " in said
    (dist / "entry_points.txt").unlink()
    said = arena("verify", "out", "--game", "my_bids", cwd=tmp_path, code=2).stderr.splitlines()
    assert said[0].startswith("warning: " + sentence("games", "no-game") + " 'my_bids'")
    assert said[1].endswith(f"{needed}NAME, the name of its entry point")


def test_a_folder_is_one(tmp_path: Path) -> None:
    folder = tmp_path / "bids"
    folder.mkdir()
    (folder / "__init__.py").write_text("from .rules import GAME as GAME\n")
    (folder / "rules.py").write_text(TEMPLATE.read_text())
    assert opening.open_game(str(folder)).rules_version.startswith("1+folder:")
    (tmp_path / "none").mkdir()
    with pytest.raises(
        khiva_arena.errors.ConfigError, match=r"a folder without __init__.py or game.py"
    ):
        opening.open_game(str(tmp_path / "none"))


def test_a_definition_with_it_is_read_as_any(table: Path) -> None:
    with Store.read(table / "out") as store:
        (event,) = store.events()
    assert read_definition(event.text).game == "bidding"


@pytest.mark.soak
def test_it_is_checked_under_rules(table: Path) -> None:
    done = arena("check", "--game", "game.py", "--rule", "cards=5", cwd=table)
    titles = re.findall(r"^  ok  (.*?):", done.stdout, re.MULTILINE)
    assert titles == [
        *(f"{seats} seats, cards = 5" for seats in (2, 3, 4, 5)),
        "the same again, 2 seats",
        "the same again, 5 seats",
    ]
    assert ": 4 steps," in done.stdout
    assert "Next: khiva-arena match --game game.py --rule cards=5 --bot" in done.stdout
    as_data = json.loads(
        arena("check", "--game", "game.py", "--rule", "cards=5", "--json", cwd=table).stdout
    )["games"]
    assert [one["rules"] for one in as_data] == [{"cards": 5}]
    wrong = arena("check", "--game", "game.py", "--rule", "cards=1", cwd=table, code=2).stderr
    assert "--rule: " + sentence("outside", "cards-not-whole-number", rules="1") in wrong
    assert (
        "--rule: rules are of one game; name it, and no other, with --game"
        in arena("check", C, "--rule", "cards=5", cwd=table, code=2).stderr
    )


def test_a_bot_is_checked_under_rules(table: Path) -> None:
    check = [
        "check",
        C,
        "--game",
        "game.py",
        "--quick",
        "--isolation",
        "trusted",
        "--rule",
        "cards=3",
    ]
    done = arena(*check, cwd=table)
    # Two cards are bid of three, at two seats and at five.
    assert "decisions of Bidding: 4 decisions, 1 kind, 2 matches at 2 and 5 seats" in done.stdout
    assert "Next: khiva-arena match --game " in done.stdout
    assert " --rule cards=3 --bot " in done.stdout


@pytest.mark.soak
def test_advice_names_the_rules_under_which_it_is_wrong(table: Path) -> None:
    late = (
        "        self.points = [0] * seats\n",
        "        self.points = [0] * seats\n        1 // (cards - 4)\n",
    )
    changed(table / "wrong.py", late)
    said = arena(
        "match", "--game", "wrong.py", *bots(RANDOM, RANDOM), "--rule", "cards=4", cwd=table, code=2
    ).stderr
    assert "wrong.py --rule cards=4` says more" in said
    assert arena("check", "--game", "wrong.py", cwd=table).stdout.count("FAILED") == 0
    assert (
        "ZeroDivisionError"
        in arena("check", "--game", "wrong.py", "--rule", "cards=4", cwd=table, code=1).stdout
    )
