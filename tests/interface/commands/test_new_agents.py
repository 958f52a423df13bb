"""AGENTS.md of a new folder: short, of its game and language, with the figures of the
data file, and commands that work.
"""

import json
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import pytest
from arena import arena
from cases import cases
from loop_table import LoopRow, loop_of, told_codes
from sides import NEEDS_ALL
from wording import sentence

from khiva_arena.arbiter import handed_games
from khiva_arena.common import shipped, strength
from khiva_arena.entrants.bots import load
from khiva_arena.games import schema
from khiva_arena.games.registry import GAMES
from khiva_arena.interface.commands import new_agents
from khiva_arena.interface.commands.new import NewWish, new
from khiva_arena.interface.commands.new_repository import new_repository

MOST_WORDS = 1200


def page(language: str, game: str, start: str = "random", as_module: bool = False) -> str:
    return new_agents.bot_page(
        "my-bot", "my-bot", shipped.languages()[language], game, start, as_module
    )


def starts(game: str) -> list[tuple[str, str]]:
    """Each language and bot from which a bot for a game can begin."""
    words = {word: load(word).games for word in shipped.bots()}
    able = [word for word, games in words.items() if not games or game in games]
    return [
        (language, name)
        for language, _, name in (word.removeprefix(shipped.WORD).partition("/") for word in able)
    ]


@cases("game", GAMES)
def test_it_is_short_and_whole_in_each_language_and_from_each_bot(game: str) -> None:
    for language, start in starts(game):
        for as_module in {False, shipped.languages()[language].module is not None}:
            text = page(language, game, start, as_module)
            assert len(text.split()) <= MOST_WORDS, (language, start)
            assert not re.search(r"@[A-Z]", text)
            assert f"`{shipped.languages()[language].main}`" in text


@cases("game", GAMES)
def test_it_has_twelve_rules_a_real_decision_and_each_kind_of_question(game: str) -> None:
    text = page("python", game)
    rules = text.partition("## The rules in twelve lines\n")[2].partition("\n## ")[0]
    assert re.findall(r"^(\d+)\. ", rules, re.MULTILINE) == [str(number) for number in range(1, 13)]
    request = json.loads(text.partition("```json\n")[2].partition("```")[0])
    shapes = schema.shapes_of(GAMES[game])
    assert request["kind"] in shapes.decisions
    example = (shipped.folder("protocol") / "games" / f"{game}.md").read_text("utf-8")
    printed = (
        example.partition(f"\n### `{request['kind']}`\n")[2]
        .partition("```json\n")[2]
        .partition("```")[0]
    )
    assert request == {key: value for key, value in json.loads(printed).items() if key != "events"}
    kinds = text.partition("## Kinds of question\n")[2].partition("\n## ")[0]
    asked = {
        kind
        for row in re.findall(r"^\| (`.*?) \|", kinds, re.MULTILINE)
        for kind in re.findall(r"`(\w+)`", row)
    }
    assert asked == set(shapes.decisions)


@cases("game", GAMES)
def test_the_keys_of_its_view_are_in_a_view_and_by_seat_where_it_says_so(game: str) -> None:
    text = page("python", game).partition("## The view\n")[2].partition("\n## ")[0]
    rules, seats = GAMES[game].rules({}), 3
    state, _ = GAMES[game].new(seats, rules, bytes(32))
    while new_agents.DECISIONS[game] not in {asked.kind for asked in state.pending().values()}:
        state.apply(dict.fromkeys(state.pending(), 0))
    view = state.view(next(iter(state.pending())))
    inner = {key for value in view.values() if isinstance(value, dict) for key in value}
    assert set(re.findall(r"`(\w+)`", text)) <= view.keys() | inner
    for words, count in (("By seat", seats), ("By colour", 5)):
        told = re.findall(r"`(\w+)`", text.partition(f"{words}: ")[2].partition(". ")[0])
        assert {key: len(view[key]) for key in told} == dict.fromkeys(told, count)
        assert told or words == "By colour"


@pytest.mark.parametrize(("word", "place"), [("my-bot", "."), (".", "my-bot")])
def test_the_copy_before_each_change_is_the_last_version(
    word: str, place: str, tmp_path: Path
) -> None:
    text = new_agents.bot_page("my-bot", word, shipped.languages()["python"], "khiva", "random")
    (copy,) = re.findall(r"Before each change: `(.+?)`", text)
    (old,) = (row.words[2] for row in loop_of(text) if row.words[0] == "compare")
    main = tmp_path / "my-bot" / "main.py"
    main.parent.mkdir()
    for version in ("1", "2"):
        main.write_text(version)
        subprocess.run(copy, shell=True, cwd=tmp_path / place, check=True)
        assert (tmp_path / place / old / "main.py").read_text() == version


@cases("game", GAMES)
def test_its_figures_are_those_of_the_data_file(game: str) -> None:
    text, ladders = page("python", game), strength.ladders()[game]
    for seats in (number for number in ladders if number in strength.TABLED):
        for rung in ladders[seats].rungs:
            (row,) = re.findall(rf"^\| `{rung.bot}` .*", text, re.MULTILINE)
            assert f"| {rung.in_words} | {strength.milliseconds(rung.ms)} |" in row
        twice = ladders[seats].twice
        assert (
            twice is None
            or f"{strength.measured(twice.elo, twice.error)} Elo at {seats} seats" in text
        )
    assert all(f"- {line}\n" in text for line in strength.in_vain(game))
    seconds = strength.seconds()
    assert all(
        re.search(rf"^\| `khiva-arena {name} .* {seconds[name]:g} s", text, re.MULTILINE)
        for name in seconds
    )


def test_figures_are_read_from_the_data_file_and_stand_in_no_template(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    old = strength.ladders()
    rung = strength.BotRung("thinker", "c/thinker", 1234.0, 56.0, 78.0)
    khiva = {
        seats: ladder._replace(rungs=(ladder.rungs[0], rung))
        for seats, ladder in old["khiva"].items()
    }
    monkeypatch.setattr(strength, "ladders", lambda: {**old, "khiva": khiva})
    text = page("python", "khiva")
    assert "| `c/thinker` | 1234 ± 56 | 78 |" in text
    said = new_agents.start_line(shipped.languages()["python"], "khiva", "random")
    assert said.endswith("(Elo over greedy: 1234 ± 56 at 2, 1234 ± 56 at 3 seats).")


def test_the_strongest_start_comes_first(tmp_path: Path) -> None:
    thinker = new_agents.how_strong("khiva", "thinker")
    best = f"python my-bot --search, {thinker}."
    first = {
        ("python", "a"): sentence(
            "new", "strongest-start", title="Khiva", language="Python", words=best
        ),
        ("ruby", "b"): sentence("new", "strongest-elsewhere", title="Khiva", words=best),
        ("c", "c", "--search"): sentence(
            "new", "start-strength", title="Khiva", strength=f"{thinker}."
        ),
        ("c", "d", "--game", "silk_road"): sentence(
            "new",
            "strongest-start",
            title="Silk Road",
            language="C",
            words="shipped:c/strong_silk_road my-bot, "
            f"{new_agents.how_strong('silk_road', 'strong')}.",
        ),
    }
    assert {
        words: arena("new", *words, cwd=tmp_path).stdout.partition("\n")[0] for words in first
    } == first


def test_a_stronger_bot_is_not_told_to_begin_with_a_weaker_one() -> None:
    strong = new_agents.how_strong("khiva", "strong")
    said = new_agents.start_line(shipped.languages()["c"], "khiva", "strong_khiva")
    assert said == sentence("new", "start-strength", title="Khiva", strength=f"{strong}.")


def wishes() -> list[tuple[str, NewWish]]:
    """What ``new`` is asked for: a bot in each language, as a module, with a search,
    copies of bots, and repositories.
    """
    kits = shipped.languages().values()
    modules = [(kit.name, NewWish(True, False)) for kit in kits if kit.module]
    searches = [(name, NewWish(False, True)) for name in shipped.all_tools(searches=True)]
    both = [
        (name, NewWish(True, True)) for name in shipped.all_tools(as_module=True, searches=True)
    ]
    others = [
        (word, NewWish(False, False))
        for word in ("shipped:python/llm", "shipped:c/strong_emira", "repository")
    ]
    repository = ("repository", NewWish(True, True, of_bot="c"))
    return [
        *((kit.name, NewWish(False, False)) for kit in kits),
        *modules,
        *searches,
        *both,
        *others,
        repository,
    ]


@pytest.mark.slow
@cases(("word", "wish"), wishes())
def test_it_is_written_and_is_no_part_of_the_bot(
    word: str, wish: NewWish, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = Path(tempfile.mkdtemp(dir=tmp_path)) / "my-bot"
    if word == "repository":
        new_repository(folder, wish, as_json=True)
    else:
        new(word, folder, wish, as_json=True)
    assert new_agents.FILE in json.loads(capsys.readouterr().out)["files"]
    written = folder / new_agents.FILE
    text = written.read_text()
    assert text.startswith("# my-bot: a bot for ")
    assert len(text.split()) <= MOST_WORDS
    assert disagreeing(text) == []
    before = load(str(folder))
    assert new_agents.FILE not in dict(before.sources)
    written.write_text("another text")
    assert load(str(folder)).identity == before.identity
    written.unlink()
    assert load(str(folder)).identity == before.identity


def schema_of(row: LoopRow) -> dict[str, list[str]]:
    """The keys of what a command prints by its published schema, each with those inside
    of it.
    """
    verb = row.words[0]
    if verb == "replay" and "--lost" in row.words:
        verb = "replay-lost"
    if verb == "check" and row.words[1] == "--game":
        verb = "check-game"
    schema = json.loads(
        (shipped.folder("protocol") / "schema" / "output" / f"{verb}.json").read_text("utf-8")
    )
    shapes = schema["$defs"]

    def keys(shape: dict[str, Any]) -> list[str]:
        inner = shape.get("items", shape)
        return (
            list(shapes[inner["$ref"].rpartition("/")[2]].get("properties", ()))
            if "$ref" in inner
            else []
        )

    return {
        key: keys(shape)
        for key, shape in shapes[schema["$ref"].rpartition("/")[2]]["properties"].items()
    }


def disagreeing(text: str) -> list[tuple[str, object]]:
    """Each place where the loop of an AGENTS.md does not agree with the published
    schemas and the table of exit codes.
    """
    found: list[tuple[str, object]] = []
    for row in loop_of(text):
        known, words = schema_of(row), " ".join(row.words)
        found += [(words, key) for key in row.keys if key not in known]
        found += [
            (words, key)
            for outer, inner in row.keys.items()
            for key in inner
            if key not in known.get(outer, ())
        ]
        found += [(words, codes) for codes in told_codes(row) if codes]
    return found


@cases("game", GAMES)
def test_its_keys_and_exit_codes_are_those_that_are_published(game: str) -> None:
    text = page("python", game)
    assert [row.words[0] for row in loop_of(text)] == ["new", "check", "match", "compare", "replay"]
    assert disagreeing(text) == []


@NEEDS_ALL
def test_of_a_game_of_ones_own_they_are_too() -> None:
    text = new_agents.own_game_page(Path(str(handed_games.template())) / "game.py")
    assert [row.words[0] for row in loop_of(text)] == [
        "new",
        "check",
        "check",
        "match",
        "compare",
        "replay",
    ]
    assert disagreeing(text) == []


@cases(
    ("old", "new"),
    [
        ("`kinds`, `matches`", "`kinds`, `differences`"),
        ("(`status`, `hint`)", "(`status`, `why`)"),
        ("4 open", "7 open"),
        (", 6 a bot forfeited (--fail-on-fault)", ""),
    ],
)
def test_a_key_or_a_code_that_is_not_so_is_found(old: str, new: str) -> None:
    text = page("python", "khiva")
    assert old in text
    assert disagreeing(text.replace(old, new)) != []


@pytest.mark.slow
def test_its_link_leads_to_a_page(tmp_path: Path) -> None:
    arena("new", "python", "my-bot", cwd=tmp_path)
    arena("new", "game", "my-game", cwd=tmp_path)
    for name in ("my-bot", "my-game"):
        (link,) = re.findall(
            r"^More: (.+)$", (tmp_path / name / new_agents.FILE).read_text(), re.MULTILINE
        )
        assert Path(link).is_file()


@pytest.mark.slow
def test_its_commands_work_as_it_says(tmp_path: Path) -> None:
    arena("new", "shipped:python/naive", "my-bot", cwd=tmp_path)
    shutil.copytree(tmp_path / "my-bot", tmp_path / "OLD")
    with (tmp_path / "OLD" / "main.py").open("a") as file:
        file.write("# older\n")
    for row in loop_of((tmp_path / "my-bot" / new_agents.FILE).read_text()):
        words = " ".join(row.words)
        typed = (
            words.replace("new python my-bot", "new python other")
            .replace("--for 4m", "--matches 16")
            .split()
        )
        more = ["--trust-bots"] if typed[0] in ("match", "compare") else []
        done = arena(*typed, *more, "--json", cwd=tmp_path, code=None)
        assert done.returncode in row.codes, (words, done.stderr)
        assert row.keys.keys() <= json.loads(done.stdout).keys()


@pytest.mark.slow
def test_of_a_game_of_ones_own_it_says_what_the_contract_knows(tmp_path: Path) -> None:
    arena("new", "game", "mine", cwd=tmp_path)
    text = (tmp_path / "mine" / new_agents.FILE).read_text()
    assert len(text.split()) <= MOST_WORDS
    assert not re.search(r"@[A-Z]", text)
    shown = arena("games", "mine/game.py", cwd=tmp_path, code=None).stdout
    for fact in ("bidding", "2 to 5 seats", "cards = 13"):
        assert fact in text
        assert fact in shown
    request = json.loads(text.partition("```json\n")[2].partition("```")[0])
    assert (request["kind"], request["legal"][0]) == ("bid", ["card", 1])


def test_a_game_is_one_that_the_bot_plays(tmp_path: Path) -> None:
    assert (
        "this bot plays khiva only"
        in arena("new", "python", "x", "--search", "--game", "emira", cwd=tmp_path, code=2).stderr
    )
    assert "chess" in arena("new", "python", "x", "--game", "chess", cwd=tmp_path, code=2).stderr
    assert not (tmp_path / "x").exists()
    said = arena("new", "python", "x", "--game", "emira", cwd=tmp_path).stdout
    assert (
        "  khiva-arena match --game emira --bot x --bot shipped:python/greedy_emira --bot "
        "shipped:python/greedy_emira\n" in said
    )
