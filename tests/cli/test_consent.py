"""A settings file or a plan opens nothing on this machine that its user has not said, by a flag or by a word."""

import json
import shlex
from pathlib import Path

import pytest
from arena import ROOT, arena, bots
from stores import NAIVE, RANDOM
from terminal import Terminal
from wording import sentence

from khiva_arena.entrants import toml_file
from khiva_arena.settings import consent
from khiva_arena.settings.table import TABLE
from khiva_arena.settings.template import settings_text

BEGIN = f'bots = ["{RANDOM}", "{NAIVE}"]\nseats = 2\nseeds = 1\nout = "out"\nrules.max_turns = 2\n'
OPENS = {
    "game": '"g.py"',
    "events_file": '"../events.jsonl"',
    "report": '"page.html"',
    "isolation": '"trusted"',
    "trust_bots": "true",
    "network": '["naive"]',
    "env": '["naive=API_KEY"]',
    "runtimes": '{x = "/usr"}',
    "allow_include": "true",
    "listen": '"0.0.0.0:7421"',
    "dask": '"tcp://10.0.0.1:8786"',
    "dask_tls": '"tls"',
    "dask_open_to_all": "true",
}
ROWS = [row for row in TABLE if row.opens]


@pytest.fixture(autouse=True)
def _own_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


def refused(folder: Path, *words: str) -> str:
    """The only line of a run that opens too much."""
    (line,) = arena("run", *words, cwd=folder, code=2, env={"API_KEY": "a-key"}).stderr.strip().splitlines()
    return line


def flags_of(line: str) -> list[str]:
    """What a line tells to add."""
    return shlex.split(line.partition("add: ")[2].partition(" (or ")[0])


def test_each_setting_that_opens_something_is_tried_here() -> None:
    assert [row.name for row in ROWS] == sorted(OPENS, key=[row.name for row in TABLE].index)
    assert not [row.name for row in ROWS if row.of_a_stage]  # what a stage sets is not looked at


@pytest.mark.usefixtures("distrusting")
@pytest.mark.parametrize("name", OPENS)
def test_each_needs_its_flag(name: str, tmp_path: Path) -> None:
    (tmp_path / "g.py").write_text("GAME = 3\n")
    (tmp_path / "cup.toml").write_text(f"{name} = {OPENS[name]}\n{BEGIN}")
    line = refused(tmp_path, "cup.toml")
    (row,) = [row for row in ROWS if row.name == name]
    assert line.startswith(
        "khiva-arena: error: " + sentence("competition", "opens-more-machine-file", file="cup.toml:1: cup.toml") + "; "
    )
    assert flags_of(line)[0] == row.option
    assert not (tmp_path / "out").exists()
    done = arena("run", "cup.toml", *flags_of(line), "--seats", "99", cwd=tmp_path, code=2, env={"API_KEY": "a-key"})
    assert "opens more" not in done.stderr


def test_a_new_file_opens_nothing(tmp_path: Path) -> None:
    (tmp_path / "cup.toml").write_text(settings_text({}))
    assert consent.openings_of(toml_file.read(tmp_path / "cup.toml").values, {}) == []


@pytest.mark.slow
@pytest.mark.usefixtures("distrusting")
def test_no_byte_of_a_stranger_runs_and_all_flags_come_in_one_line(tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    (tmp_path / "g.py").write_text(f"open({str(ran)!r}, 'w')\n")
    bot = json.dumps(f"sh -c 'echo > {ran}'")
    (tmp_path / "cup.toml").write_text(
        f'bots = [{bot}, "shipped:python/random"]\ngame = "g.py"\nisolation = "trusted"\nenv = ["sh=API_KEY"]\n'
    )
    line = refused(tmp_path, "cup.toml")
    assert flags_of(line) == ["--game", "g.py", "--isolation", "trusted", "--env", "sh=API_KEY"]
    assert not ran.exists()
    assert not (tmp_path / "results").exists()


def test_a_file_beside_the_settings_is_no_game_of_the_arena(tmp_path: Path) -> None:
    (tmp_path / "openspiel").mkdir()
    (tmp_path / "openspiel" / "game.py").write_text("raise SystemExit('ran')\n")
    (tmp_path / "cup.toml").write_text(f'game = "openspiel"\n{BEGIN}')
    assert flags_of(refused(tmp_path, "cup.toml")) == ["--game", "openspiel"]


def test_other_mistakes_are_said_beside_it(tmp_path: Path) -> None:
    (tmp_path / "cup.toml").write_text(f'isolation = "trusted"\nrouns = 3\n{BEGIN}')
    done = arena("run", "cup.toml", cwd=tmp_path, code=2)
    assert "unknown setting 'rouns'" in done.stderr
    assert "add: --isolation trusted" in done.stderr


def asked(folder: Path, answer: str, *words: str) -> tuple[int, bool, str]:
    """Run at a terminal and answer if asked. Returns the exit code, whether there was a question, and what was shown."""
    terminal = Terminal(["run", *words], folder, columns=200)
    question = terminal.until(lambda text: "[y/N]" in text)
    if question:
        terminal.type(f"{answer}\n".encode())
    return terminal.end(), question, terminal.shown.text


@pytest.mark.soak
def test_a_word_is_asked_for_once_and_again_when_file_or_game_change(tmp_path: Path) -> None:
    arena("new", "game", "mine", cwd=tmp_path)
    file, game = tmp_path / "cup.toml", tmp_path / "mine" / "game.py"
    both = f'["mine/bot", "{RANDOM}"]'
    file.write_text(f'bots = {both}\nseats = 2\nseeds = 1\nout = "out"\ngame = "mine/game.py"\nisolation = "trusted"\n')
    code, question, text = asked(tmp_path, "n", "cup.toml")
    assert (code, question) == (2, True)
    assert "--game mine/game.py: " + sentence("settings", "code-game-runs-rights") in text
    assert "--isolation trusted: " in text
    assert not (tmp_path / "out").exists()
    assert asked(tmp_path, "y", "cup.toml")[:2] == (0, True)
    (word,) = (tmp_path / "config" / "khiva-arena" / "agreed").iterdir()
    assert word.stat().st_mode & 0o777 == 0o600
    arena("run", "cup.toml", cwd=tmp_path)  # where nobody can be asked
    arena("run", "cup.toml", "--seeds", "2", cwd=tmp_path)
    before = game.read_text()
    game.write_text(f"{before}# changed\n")
    assert "add: --game mine/game.py --isolation trusted" in refused(tmp_path, "cup.toml")
    game.write_text(before)
    arena("run", "cup.toml", cwd=tmp_path)
    file.write_text(f"{file.read_text()}# changed\n")
    assert "add: --game mine/game.py --isolation trusted" in refused(tmp_path, "cup.toml")


@pytest.mark.slow
@pytest.mark.parametrize("folder", [False, True])
def test_a_game_that_changes_while_the_question_stands_is_not_run(tmp_path: Path, folder: bool) -> None:
    """The code that was agreed to is; of a folder nothing, since a game may read its other files by itself."""
    arena("new", "game", "mine", cwd=tmp_path)
    game, ran = tmp_path / "mine" / "game.py", tmp_path / "ran"
    if folder:
        game = game.rename(tmp_path / "mine" / "__init__.py")
    file = tmp_path / "cup.toml"
    word = "mine" if folder else "mine/game.py"
    file.write_text(f'bots = ["mine/bot", "{RANDOM}"]\nseats = 2\nseeds = 1\nout = "out"\ngame = "{word}"\n')
    terminal = Terminal(["run", "cup.toml"], tmp_path, columns=200)
    assert terminal.until(lambda text: "[y/N]" in text)
    game.write_text(f"open({str(ran)!r}, 'w')\n{game.read_text()}")
    terminal.type(b"y\n")
    assert terminal.end() == (2 if folder else 0)
    assert not ran.exists()
    assert (sentence("outside", "files-changed-since-command") in terminal.shown.text) is folder


@pytest.mark.slow
@pytest.mark.parametrize(("word", "is_kept"), [("ann", False), ("ann", True), ("{python} ann/main.py", False)])
def test_of_a_bot_that_changes_while_the_question_stands_nothing_new_is_run(tmp_path: Path, word: str, is_kept: bool) -> None:
    """It is refused, unless the arena has kept a copy of what was agreed to, which it plays."""
    arena("new", "python", "ann", cwd=tmp_path)
    main, ran = tmp_path / "ann" / "main.py", tmp_path / "ran"
    main.write_text(f"{main.read_text()}# a bot that no other test has staged: {tmp_path}\n")
    if is_kept:
        arena(
            "run",
            *bots(RANDOM, "ann"),
            "--seats",
            "2",
            "--seeds",
            "1",
            "--rule",
            "max_turns=2",
            "--isolation",
            "trusted",
            cwd=tmp_path,
        )
    (tmp_path / "cup.toml").write_text(BEGIN.replace(NAIVE, word) + 'isolation = "trusted"\n')
    terminal = Terminal(["run", "cup.toml"], tmp_path, columns=200)
    assert terminal.until(lambda text: "[y/N]" in text)
    main.write_text(f"open({str(ran)!r}, 'w')\n{main.read_text()}")
    terminal.type(b"y\n")
    assert terminal.end() == (0 if is_kept else 2)
    assert (sentence("entrants", "files-changed-after-command") in terminal.shown.text) is not is_kept
    assert not ran.exists()


@pytest.mark.slow
def test_a_bot_that_changes_is_asked_for_again_at_trusted(tmp_path: Path) -> None:
    arena("new", "python", "ann", cwd=tmp_path)
    (tmp_path / "cup.toml").write_text(BEGIN.replace(NAIVE, "ann") + 'isolation = "trusted"\n')
    assert asked(tmp_path, "yes", "cup.toml")[:2] == (0, True)
    arena("run", "cup.toml", cwd=tmp_path)
    (tmp_path / "ann" / "main.py").write_text((tmp_path / "ann" / "main.py").read_text() + "# changed\n")
    assert "add: --isolation trusted" in refused(tmp_path, "cup.toml")


@pytest.mark.slow
def test_a_plan_says_what_it_opens_and_needs_a_word_where_it_was_not_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    short = ("--seats", "2", "--seeds", "2", "--rule", "max_turns=2", "--isolation", "trusted")
    arena("run", *bots(RANDOM, NAIVE), *short, "--plan", "cup.plan", cwd=tmp_path)
    says = "cup.plan opens --isolation trusted: " + sentence("settings", "bots-kept-less-machine")
    shard = ("run", "--from-plan", "cup.plan", "--shard", "1/2", "--out", "a")
    assert says in arena(*shard, cwd=tmp_path).stderr  # whoever made it has said so
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "another"))
    line = arena(*shard[:-1], "b", cwd=tmp_path, code=2).stderr.strip().splitlines()
    assert says in line[0]
    assert flags_of(line[-1]) == ["--isolation", "trusted"]
    assert not (tmp_path / "b").exists()
    arena(*shard[:-1], "b", "--isolation", "trusted", cwd=tmp_path)
    wrong = arena(*shard[:-1], "c", "--isolation", "basic", cwd=tmp_path, code=2)
    assert sentence("shards", "plan-says-played-leave", option="--isolation") in wrong.stderr


def test_security_md_lists_what_files_may_not_open() -> None:
    page = (ROOT / "SECURITY.md").read_text()
    rows = [f"| `{row.option}` | {row.opens} |" for row in ROWS]
    assert [line for line in page.splitlines() if line in rows] == rows


def test_a_new_settings_file_says_which_settings_need_a_word() -> None:
    told = settings_text({}).replace("\n# ", " ")
    for row in ROWS:
        assert sentence("settings", "set-here-needs-well", option=row.option) in told, row.name
