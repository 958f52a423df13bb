"""The wheel alone, away from the checkout: it carries its bots and its protocol, and
plays.
"""

import os
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from arena import ROOT
from installed_wheel import wheel as wheel
from links import dead_links
from pages import REPLAY, blocks
from tools import need
from wording import sentence

from khiva_arena.common.address import ADDRESS
from khiva_arena.common.manual import files
from khiva_arena.native import build

pytestmark = [
    pytest.mark.soak,
    pytest.mark.xdist_group("wheel"),
]  # one worker installs it, and compiles its modules


@pytest.fixture(scope="module")
def installed(wheel: Path) -> Path:
    """A folder where pip has installed the wheel, and nothing of the checkout."""
    site = wheel / "site"
    code = f"import khiva_arena; assert khiva_arena.__file__.startswith({str(site)!r})\n"
    subprocess.run(
        [sys.executable, "-c", code],
        cwd=wheel,
        env=os.environ | {"PYTHONPATH": str(site)},
        check=True,
        timeout=60,
    )
    return site


def run(installed: Path, cwd: Path, *words: str) -> str:
    """What the command that pip has made prints."""
    env = os.environ | {"PYTHONPATH": str(installed)}
    command = [str(installed / "bin" / "khiva-arena"), *words]
    done = subprocess.run(
        command, cwd=cwd, env=env, capture_output=True, text=True, timeout=240, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_it_needs_what_pyproject_says(installed: Path) -> None:
    (metadata,) = installed.glob("khiva_arena-*.dist-info/METADATA")
    needed = {
        line.split(": ")[1]
        for line in metadata.read_text().splitlines()
        if line.startswith("Requires-Dist: ")
    }
    asked = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    assert set(asked) == {requirement for requirement in needed if "extra ==" not in requirement}


def test_it_carries_protocol_and_bots_and_no_tests(installed: Path) -> None:
    shipped = installed / "khiva_arena" / "_shipped"
    for name in (
        "protocol/SPEC.md",
        "protocol/examples/verify_bundle.py",
        "protocol/schema/act.json",
        "protocol/schema/emira/view.json",
        "protocol/schema/output/check.json",
        "protocol/games/silk_road.md",
        "protocol/vectors/frames.json",
        "protocol/vectors/sessions.json",
        "bots/README.md",
        "bots/languages.toml",
        "bots/rust/random/src/main.rs",
        "bots/c/random/bot.c",
    ):
        assert (shipped / name).is_file(), name
    (record,) = installed.glob("khiva_arena-*.dist-info/RECORD")
    carried = [line.split(",")[0] for line in record.read_text().splitlines()]
    assert len(carried) > 300
    assert not [
        name for name in carried if "/test_" in name or "__pycache__" in name or "/tests/" in name
    ]


def test_it_is_for_one_processor_since_it_carries_programs(wheel: Path) -> None:
    """tests/native has the one that is built where there is no compiler."""
    need("cc")
    (made,) = wheel.glob("*.whl")
    programs = [
        item for item in zipfile.ZipFile(made).infolist() if "/native/launch-" in item.filename
    ]
    assert "manylinux_2_17" in made.name
    assert "musllinux" in made.name
    assert [oct(item.external_attr >> 16 & 0o777) for item in programs] == ["0o755"]


def test_it_runs(installed: Path, tmp_path: Path) -> None:
    assert "greedy" in run(installed, tmp_path, "bots")
    bots = installed / "khiva_arena" / "_shipped" / "bots" / "python"
    words = ["--bot", str(bots / "random"), "--bot", str(bots / "naive")]
    table = run(installed, tmp_path, "run", *words, "--seats", "2", "--seeds", "2", "--out", "out")
    assert "rank  bot" in table
    assert "4 of 4 matches are sound" in run(installed, tmp_path, "verify", "out")
    # its map is a file of the package
    words = [
        "--game",
        "silk_road",
        "--bot",
        str(bots / "random"),
        "--bot",
        str(bots / "greedy_silk_road"),
    ]
    run(installed, tmp_path, "run", *words, "--seats", "2", "--seeds", "1", "--out", "silk")
    assert "2 of 2 matches are sound" in run(installed, tmp_path, "verify", "silk")


def test_it_carries_the_rules_in_c(installed: Path, tmp_path: Path) -> None:
    need("cc")
    assert run(installed, tmp_path, "games", "emira", "--header") == build.join("emira")
    code = "import khiva_arena; assert khiva_arena.env.vector('khiva', 3, 2).in_c"
    subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(installed)},
        check=True,
        timeout=60,
    )


def test_it_makes_pages_with_the_drawings_of_all_games(installed: Path, tmp_path: Path) -> None:
    bots = installed / "khiva_arena" / "_shipped" / "bots" / "python"
    for game, seats in (("khiva", "2"), ("emira", "3"), ("silk_road", "2")):
        words = [
            "--game",
            game,
            "--bot",
            str(bots / "random"),
            "--bot",
            str(bots / f"greedy_{game}".removesuffix("_khiva")),
        ]
        words += ["--copies", "2"] if seats == "3" else []
        run(installed, tmp_path, "run", *words, "--seats", seats, "--seeds", "1", "--out", "out")
    run(installed, tmp_path, "report", "out", "--out", "page.html")
    drawn = re.findall(
        r"const _(drawing_\w+|main|generic) = ", (tmp_path / "page.html").read_text()
    )
    assert sorted(drawn) == [
        "drawing_emira",
        "drawing_khiva",
        "drawing_silk_road",
        "generic",
        "main",
    ]
    made = blocks(tmp_path / "page.html")
    assert all(match[REPLAY] for match in made["data"]["matches"])
    assert all(not any(block["sketch"]) for name, block in made.items() if name != "data")


def test_it_begins_a_bot_checks_it_and_plays_it(installed: Path, tmp_path: Path) -> None:
    run(installed, tmp_path, "new", "python", "my-bot")
    assert sentence("check", "keeps-protocol-next") in run(
        installed, tmp_path, "check", "--quick", "my-bot"
    )
    bots = ["--bot", "my-bot", "--bot", "shipped:python/greedy"]
    assert sentence("check", "match-over") in run(
        installed, tmp_path, "match", *bots, "--seed", "demo"
    )
    run(installed, tmp_path, "run", *bots, "--seats", "2", "--seeds", "1", "--out", "games")
    assert sentence("replay", "choices-same") in run(
        installed, tmp_path, "replay", "games", "1/0", "--bot", "my-bot"
    )


def test_its_language_model_is_told_the_rules(installed: Path, tmp_path: Path) -> None:
    run(installed, tmp_path, "new", "shipped:python/llm", "model")
    toml = tmp_path / "model" / "bot.toml"
    toml.write_text(
        toml.read_text().replace("main.py", "main.py --url http://127.0.0.1:9 --model none")
    )
    words = [
        "--bot",
        "model",
        "--bot",
        "shipped:python/greedy",
        "--notes",
        "--turn",
        "100ms",
        "--bank",
        "0s",
    ]  # too short to ask
    (told,) = re.findall(
        r"llm: model none .* system text (\d+) characters",
        run(installed, tmp_path, "match", *words),
    )
    assert int(told) > 10_000


def test_it_sets_up_a_competition_and_bundles_it(installed: Path, tmp_path: Path) -> None:
    assert run(installed, tmp_path, "init") == ""
    words = [
        "--seats",
        "2",
        "--seeds",
        "1",
        "--events-file",
        "events.jsonl",
        "--report",
        "live.html",
    ]
    run(installed, tmp_path, "run", "competition.toml", *words)
    assert blocks(tmp_path / "live.html")["data"]["events"][0]["over"]
    assert sentence("terminal", "run-ended", how="complete") in run(
        installed, tmp_path, "watch", "events.jsonl"
    )
    assert "Crosstable" in run(
        installed, tmp_path, "standings", "results/competition", "--section", "all"
    )
    run(installed, tmp_path, "bundle", "results/competition", "cup.bundle")
    assert "6 of 6 matches are sound" in run(installed, tmp_path, "verify", "cup.bundle")


def test_every_link_of_an_installed_page_leads_to_a_file_and_a_heading_of_the_installation(
    installed: Path,
) -> None:
    package = installed.resolve() / "khiva_arena"
    assert [name for name in files().values() if not (package / "_shipped" / name).is_file()] == []
    assert [
        (str(page), link) for page in package.rglob("*.md") for link in dead_links(page, package)
    ] == []


def test_help_and_commands_name_files_of_the_installation(installed: Path, tmp_path: Path) -> None:
    for words in (
        ("-h",),
        ("run", "-h"),
        ("new", "python", "my-bot"),
        ("check", "--quick", "my-bot"),
    ):
        said = run(installed, tmp_path, *words)
        named = re.findall(rf"{re.escape(str(installed))}[\w./-]*\w", said)
        assert named or (ADDRESS.site and ADDRESS.site in said), words
        assert [path for path in named if not Path(path).exists()] == []
