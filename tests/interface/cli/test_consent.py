"""A settings file or a plan opens nothing on this machine that its user has not said,
by a flag or by a word.
"""

from pathlib import Path

import pytest
from arena import ROOT, arena, bots
from consenting import BEGIN, asked, flags_of, refused
from consenting import own_words as own_words
from stores import NAIVE, RANDOM
from terminal import Terminal
from wording import sentence

from khiva_arena.common import hooks
from khiva_arena.competition.settings import consent
from khiva_arena.competition.settings.table import TABLE
from khiva_arena.competition.settings.template import settings_text
from khiva_arena.entrants import toml_file

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
"""A value of each setting that opens something, those of extensions included."""
ROWS = [row for row in TABLE if row.opens]
HERE = [name for name in OPENS if not hooks.why_unknown(name)]
"""Those whose extension is installed."""


def test_each_setting_that_opens_something_is_tried_here() -> None:
    assert [row.name for row in ROWS] == sorted(HERE, key=[row.name for row in TABLE].index)
    assert not [row.name for row in ROWS if row.of_a_stage]  # what a stage sets is not looked at


@pytest.mark.usefixtures("distrusting")
@pytest.mark.parametrize("name", [name for name in HERE if name != "game"])
def test_each_needs_its_flag(name: str, tmp_path: Path) -> None:
    (tmp_path / "cup.toml").write_text(f"{name} = {OPENS[name]}\n{BEGIN}")
    line = refused(tmp_path, "cup.toml")
    (row,) = [row for row in ROWS if row.name == name]
    assert line.startswith(
        "khiva-arena: error: "
        + sentence("competition", "opens-more-machine-file", file="cup.toml:1: cup.toml")
        + "; "
    )
    assert flags_of(line)[0] == row.option
    assert not (tmp_path / "out").exists()
    done = arena(
        "run",
        "cup.toml",
        *flags_of(line),
        "--seats",
        "99",
        cwd=tmp_path,
        code=2,
        env={"API_KEY": "a-key"},
    )
    assert "opens more" not in done.stderr


def test_a_new_file_opens_nothing(tmp_path: Path) -> None:
    (tmp_path / "cup.toml").write_text(settings_text({}))
    assert consent.openings_of(toml_file.read(tmp_path / "cup.toml").values, {}) == []


def test_other_mistakes_are_said_beside_it(tmp_path: Path) -> None:
    (tmp_path / "cup.toml").write_text(f'isolation = "trusted"\nrouns = 3\n{BEGIN}')
    done = arena("run", "cup.toml", cwd=tmp_path, code=2)
    assert "unknown setting 'rouns'" in done.stderr
    assert "add: --isolation trusted" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("word", "is_kept"), [("ann", False), ("ann", True), ("{python} ann/main.py", False)]
)
def test_of_a_bot_that_changes_while_the_question_stands_nothing_new_is_run(
    tmp_path: Path, word: str, is_kept: bool
) -> None:
    """It is refused, unless the arena has kept a copy of what was agreed to, which it
    plays.
    """
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
    assert (
        sentence("entrants", "files-changed-after-command") in terminal.shown.text
    ) is not is_kept
    assert not ran.exists()


@pytest.mark.slow
def test_a_bot_that_changes_is_asked_for_again_at_trusted(tmp_path: Path) -> None:
    arena("new", "python", "ann", cwd=tmp_path)
    (tmp_path / "cup.toml").write_text(BEGIN.replace(NAIVE, "ann") + 'isolation = "trusted"\n')
    assert asked(tmp_path, "yes", "cup.toml")[:2] == (0, True)
    arena("run", "cup.toml", cwd=tmp_path)
    (tmp_path / "ann" / "main.py").write_text(
        (tmp_path / "ann" / "main.py").read_text() + "# changed\n"
    )
    assert "add: --isolation trusted" in refused(tmp_path, "cup.toml")


def test_security_md_lists_what_files_may_not_open() -> None:
    page = (ROOT / "SECURITY.md").read_text()
    rows = [f"| `{row.option}` | {row.opens} |" for row in ROWS]
    assert [line for line in page.splitlines() if line in rows] == rows


def test_a_new_settings_file_says_which_settings_need_a_word() -> None:
    told = settings_text({}).replace("\n# ", " ")
    for row in ROWS:
        assert (
            f"In this file it also needs {row.option}, or your consent, which is asked for once."
            in told
        ), row.name
