"""``khiva-arena new``: a bot that works, made whole or not at all."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from arena import arena, until_gone
from click.testing import CliRunner
from stores import RANDOM
from wording import sentence

from khiva_arena.common import shipped
from khiva_arena.common.manual import where
from khiva_arena.common.shipped import Language
from khiva_arena.entrants.bots import load
from khiva_arena.entrants.interpreters import pin_of
from khiva_arena.entrants.module_runner import NEEDS, library
from khiva_arena.interface.cli.new import command

pytestmark = pytest.mark.slow

NAMES = tuple(shipped.languages())


@pytest.mark.parametrize("name", NAMES)
def test_it_is_all_that_the_bot_needs(name: str, tmp_path: Path) -> None:
    said = json.loads(arena("new", name, "my-bot", "--json", cwd=tmp_path).stdout)
    folder = tmp_path / "my-bot"
    assert (said["folder"], said["language"]) == ("my-bot", name)
    assert said["files"] == sorted(
        p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()
    )
    bot = load(str(folder))
    assert (bot.name, bot.version, bot.games) == ("my-bot", "1", ())
    staged = {staged for staged, _ in bot.sources}
    assert staged == set(said["files"]) - {"README.md", "AGENTS.md", "bot.toml"}
    original = load(f"shipped:{name}/random")
    assert (bot.run, bot.build) == (original.run, original.build)
    assert {s for s, _ in original.sources} == staged
    main = (folder / shipped.languages()[name].main).read_text()
    assert '"my-bot"' in main
    assert f'"{original.name}"' not in main
    assert not [path for path in tmp_path.iterdir() if path != folder]


def test_other_words_for_a_language_and_words_for_none(tmp_path: Path) -> None:
    arena("new", "C++", "one", cwd=tmp_path)
    assert (tmp_path / "one" / "bot.cpp").is_file()
    arena("new", "js", "deep/er/two", cwd=tmp_path)
    assert load(str(tmp_path / "deep" / "er" / "two")).name == "two"
    assert (
        "did you mean python. How to write a bot without one: "
        in arena("new", "pyton", "x", cwd=tmp_path, code=2).stderr
    )
    assert "there are python, c, cpp" in arena("new", "cobol", "x", cwd=tmp_path, code=2).stderr
    assert "khiva-arena new ruby my-bot" in arena("new", "ruby", cwd=tmp_path, code=2).stderr
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize(
    "word", ["shipped:python/search", "shipped:c/greedy", "shipped:c/search", "shipped:cpp/search"]
)
def test_a_copy_of_a_shipped_bot(word: str, tmp_path: Path) -> None:
    said = json.loads(arena("new", word, "mine", "--json", cwd=tmp_path).stdout)
    assert said["language"] == word.split(":")[1].split("/")[0]
    mine, original = load(str(tmp_path / "mine")), load(word)
    assert (mine.name, mine.games, mine.run, mine.build) == (
        "mine",
        ("khiva",),
        original.run,
        original.build,
    )
    assert {staged for staged, _ in mine.sources} == {staged for staged, _ in original.sources}
    said_of_one = arena("new", "shipped:python/serch", "x", cwd=tmp_path, code=2).stderr
    assert said_of_one.endswith(
        "shipped:python/serch: no such bot comes with the arena"
        + "; did you mean shipped:python/search?\n"
    )
    assert f"khiva-arena new {word} my-bot" in arena("new", word, cwd=tmp_path, code=2).stderr
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_a_bot_that_is_built_as_a_module(tmp_path: Path) -> None:
    for word in ("c", "shipped:c/greedy", "shipped:c/search", "shipped:cpp/search"):
        name = word.replace("/", "-").rpartition(":")[2]
        said = json.loads(arena("new", word, name, "--module", "--json", cwd=tmp_path).stdout)
        bot = load(str(tmp_path / name))
        assert (bot.module, bot.build[0]) == ("bot.wasm", "clang++" if "cpp" in word else "clang")
        assert "bot.wasm" not in said["files"]
    nothing = {"PATH": str(tmp_path)}
    text = arena("new", "c", "lacking", "--module", cwd=tmp_path, env=nothing).stdout
    opponent = "shipped:python/greedy" if pin_of("python") else "lacking"
    assert f"  khiva-arena match --clock ticks --bot lacking --bot {opponent}\n" in text
    assert where("modules") in text
    assert (NEEDS in text) is not bool(library())
    packages = "apt install clang lld wasi-libc libclang-rt-dev-wasm32"
    assert sentence("new", "machine-lacks-needs-debian", lacks=packages) in text
    stderr = arena("new", "ruby", "none", "--module", cwd=tmp_path, code=2).stderr
    assert sentence("new", "no-module-of-language", title="Ruby") in stderr
    assert not (tmp_path / "none").exists()


def test_a_bot_that_searches(tmp_path: Path) -> None:
    able = [name for name, language in shipped.languages().items() if language.search]
    for name in able:
        said = json.loads(arena("new", name, name, "--search", "--json", cwd=tmp_path).stdout)
        mine, original = load(str(tmp_path / name)), load(f"shipped:{name}/thinker")
        assert (mine.name, mine.games, mine.run, mine.build) == (
            name,
            ("khiva",),
            original.run,
            original.build,
        )
        assert {staged for staged, _ in mine.sources} == {staged for staged, _ in original.sources}
        assert set(said["files"]) == {staged for staged, _ in mine.sources} | {
            "README.md",
            "AGENTS.md",
            "bot.toml",
        }
        assert f'"{name}"' in (tmp_path / name / shipped.languages()[name].main).read_text()
    names = ", ".join(able)
    refused = {
        ("ruby", "x"): sentence("new", "no-search-of-language", title="Ruby", able=names),
        ("game", "x"): sentence("new", "search-is-for-language", able=names),
        ("shipped:c/search", "x"): sentence("new", "search-is-for-language", able=names),
        ("go", "x", "--module"): sentence(
            "new",
            "no-search-as-module",
            title="Go",
            why=shipped.languages()["go"].module.no_search,
            able="c, cpp, rust",
        ),
        ("python", "x", "--module"): sentence("new", "no-module-of-language", title="Python"),
        ("rust",): sentence("new", "name-folder-for-bot", words="rust my-bot --search"),
    }
    for words, why in refused.items():
        assert why in arena("new", *words, "--search", cwd=tmp_path, code=2).stderr
    assert not (tmp_path / "x").exists()


def test_a_bot_that_plays_by_the_wall_clock_only_is_said_to_do_so(tmp_path: Path) -> None:
    said = sentence(
        "new", "wall-clock-only", why=shipped.why_no_ticks("shipped:javascript/thinker")
    )
    for number, (words, is_said) in enumerate(
        (
            (("javascript", "--search"), True),
            (("shipped:javascript/thinker",), True),
            (("javascript",), False),
            (("c", "--search"), False),
        )
    ):
        word, *flags = words
        assert (
            said in arena("new", word, f"bot{number}", *flags, cwd=tmp_path).stdout.splitlines()
        ) == is_said


def test_a_bot_that_searches_needs_a_c_compiler_besides(tmp_path: Path) -> None:
    nothing = {"PATH": str(tmp_path)}
    lacks = {
        name: json.loads(
            arena("new", name, name, "--search", "--json", cwd=tmp_path, env=nothing).stdout
        )["lacks"]
        for name in ("c", "go", "javascript")
    }
    assert lacks == {
        "c": "apt install gcc libc6-dev",
        "go": (
            "apt install golang-go golang-github-vmihailenco-msgpack.v5-dev && apt install gcc "
            "libc6-dev"
        ),
        "javascript": (
            "apt install nodejs && apt install clang lld wasi-libc libclang-rt-dev-wasm32"
        ),
    }
    bots = json.loads(arena("bots", "--json", cwd=tmp_path, env=nothing).stdout)["bots"]
    listed = {row["bot"]: row["lacks"] for row in bots}
    assert {name: listed[f"shipped:{name}/thinker"] for name in lacks} == lacks
    assert listed["shipped:javascript/random"] == "apt install nodejs"
    copied = json.loads(
        arena(
            "new", "shipped:javascript/thinker", "copy", "--json", cwd=tmp_path, env=nothing
        ).stdout
    )
    assert copied["lacks"] == lacks["javascript"]
    cannot = sentence("new", "no-search-as-module", title="Go", why="cgo, ", able="")
    assert (
        cannot.split("cgo, ")[0]
        in arena("new", "shipped:go/thinker", "other", "--module", cwd=tmp_path, code=2).stderr
    )


def test_of_bots_that_search_it_lists_what_they_need_and_lack(tmp_path: Path) -> None:
    nothing = {"PATH": str(tmp_path)}
    rows = json.loads(arena("new", "--search", "--json", cwd=tmp_path, env=nothing).stdout)[
        "languages"
    ]
    assert [row["language"] for row in rows] == [
        name for name, one in shipped.languages().items() if one.search
    ]
    by_name = {row["language"]: row for row in rows}
    assert by_name["c"]["needs"] == ["gcc", "libc6-dev"]
    assert by_name["rust"]["needs"][-2:] == ["gcc", "libc6-dev"]
    assert (by_name["python"]["needs"], by_name["python"]["lacks"]) == ([], "")
    modules = json.loads(
        arena("new", "--search", "--module", "--json", cwd=tmp_path, env=nothing).stdout
    )["languages"]
    assert [row["language"] for row in modules] == ["c", "cpp", "rust"]
    assert "language" in arena("new", "--search", cwd=tmp_path, env=nothing).stdout


def test_of_modules_it_lists_what_they_need_and_lack(tmp_path: Path) -> None:
    nothing = {"PATH": str(tmp_path)}
    rows = json.loads(arena("new", "--module", "--json", cwd=tmp_path, env=nothing).stdout)[
        "languages"
    ]
    tools = {
        name: language.module for name, language in shipped.languages().items() if language.module
    }
    assert {row["language"]: tuple(row["needs"]) for row in rows} == {
        name: one.debian for name, one in tools.items()
    }
    assert all(
        row["lacks"] == f"apt install {' '.join(row['needs'])}"
        for row in rows
        if row["language"] in ("c", "cpp")
    )
    assert " libclang-rt-dev-wasm32 " in arena("new", "--module", cwd=tmp_path, env=nothing).stdout


def script(place: Path, text: str) -> None:
    place.write_text(f"#!/bin/sh\n{text}\n")
    place.chmod(0o755)


def test_a_go_that_makes_no_modules_is_too_old(tmp_path: Path) -> None:
    """Debian 12 has such a one."""
    script(tmp_path / "go", "echo linux/amd64")
    said = json.loads(
        arena(
            "new",
            "go",
            "g",
            "--module",
            "--json",
            cwd=tmp_path,
            env={"PATH": f"{tmp_path}:/usr/bin:/bin"},
        ).stdout
    )
    assert said["lacks"].startswith(
        "apt install golang-github-vmihailenco-msgpack.v5-dev, and Go 1.21 or newer: "
    )
    said = json.loads(
        arena(
            "new", "go", "h", "--module", "--json", cwd=tmp_path, env={"PATH": str(tmp_path / "h")}
        ).stdout
    )
    assert said["lacks"].startswith(
        "apt install golang-go golang-github-vmihailenco-msgpack.v5-dev, and Go 1.21 or newer: "
    )


def test_the_tools_of_a_module_are_sought_where_its_build_finds_them(tmp_path: Path) -> None:
    """A build that begins with sh sees no toolchain of rustup's, which a user may have
    first on the PATH.
    """
    for name in ("cargo", "rustc"):
        script(tmp_path / name, "exit 1")
    paths = {"own": f"{tmp_path}:/usr/bin:/bin", "system": "/usr/bin:/bin"}
    lacks = {
        name: json.loads(
            arena(
                "new", "rust", name, "--module", "--json", cwd=tmp_path, env={"PATH": path}
            ).stdout
        )["lacks"]
        for name, path in paths.items()
    }
    assert lacks["own"] == lacks["system"]


def test_without_words_it_lists_the_languages(tmp_path: Path) -> None:
    nothing = {"PATH": str(tmp_path)}
    text = arena("new", cwd=tmp_path, env=nothing).stdout
    rows = json.loads(arena("new", "--json", cwd=tmp_path, env=nothing).stdout)["languages"]
    assert [row["language"] for row in rows] == list(NAMES)
    for row in rows:
        assert row["title"] in text
    lacks = {row["language"]: row["lacks"] for row in rows}
    assert lacks.pop("python") == ""
    assert lacks["ruby"] == "apt install ruby ruby-msgpack"
    assert all(lack.startswith("apt install ") for lack in lacks.values())
    said = arena("new", "ruby", "r", cwd=tmp_path, env=nothing).stdout
    assert (
        sentence("new", "machine-lacks-needs-debian", lacks="apt install ruby ruby-msgpack") in said
    )


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "bot.toml").write_text("mine")
    (tmp_path / "file").write_text("mine")
    (tmp_path / "link").symlink_to("nowhere")
    for name in ("taken", "file", "link"):
        assert (
            "exists already; give another name"
            in arena("new", "python", name, cwd=tmp_path, code=2).stderr
        )
    assert (tmp_path / "taken" / "bot.toml").read_text() == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "link", "taken"]
    (tmp_path / "empty").mkdir()
    arena("new", "python", "empty", cwd=tmp_path)
    arena("new", "python", "here/.", cwd=tmp_path)
    assert load(str(tmp_path / "here")).name == "here"


def test_where_it_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert "cannot be made" in arena("new", "python", "file/bot", cwd=tmp_path, code=2).stderr
    assert (
        "1 to 64 printable characters"
        in arena("new", "python", "x" * 65, cwd=tmp_path, code=2).stderr
    )
    assert (
        "1 to 64 printable characters"
        in arena("new", "python", "a\nb", cwd=tmp_path, code=2).stderr
    )
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("folder", ['say "x"', "\u00e9t\u00e9", "a\\b", "-dash", "$HOME"])
def test_odd_names_play(folder: str, tmp_path: Path) -> None:
    """A folder's name may be no string of the language: then only the greeting is
    another.
    """
    arena("new", "python", "--", folder, cwd=tmp_path)
    assert load(str(tmp_path / folder)).name == folder
    words = ["--bot", os.path.join(".", folder), "--bot", RANDOM, "--seed", "1", "--trust-bots"]
    assert sentence("check", "match-over") in arena("match", *words, cwd=tmp_path).stdout


def test_where_you_are_is_not_made_over(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    said = arena("new", "python", ".", cwd=tmp_path / "x", code=2).stderr
    assert "this is the current folder; cd .., then name the folder" in said
    assert not list((tmp_path / "x").iterdir())
    arena("new", "python", "a/../b", cwd=tmp_path)
    assert load(str(tmp_path / "b")).name == "b"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["b", "x"]
    assert "./-x" in arena("new", "python", "--", "-x", cwd=tmp_path).stdout


@pytest.mark.soak
def test_looking_for_languages_runs_nothing_of_where_you_are(tmp_path: Path) -> None:
    """It may be a stranger's bot: Python would import its msgpack.py, and rustup take
    the toolchain it names.
    """
    (tmp_path / "msgpack.py").write_text("open('ran', 'w')\n")
    (tmp_path / "rust-toolchain.toml").write_text(f'[toolchain]\npath = "{tmp_path}/toolchain"\n')
    cargo = tmp_path / "toolchain" / "bin" / "cargo"
    cargo.parent.mkdir(parents=True)
    cargo.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    cargo.chmod(0o755)
    tools = tmp_path / "tools"  # what Rust is looked for with alone: all other languages take long
    tools.mkdir()
    for name in ("sh", "ls", "cargo", "rustc"):
        if found := shutil.which(name):
            (tools / name).symlink_to(found)
    for words in (["bots"], ["new"], ["new", "rust", "r"], ["run", "--shipped", "--seats", "9"]):
        # The program itself: `python -m` would look for its modules here.
        program = Path(sys.executable).with_name("khiva-arena")
        environ = os.environ | {"PATH": str(tools)}
        subprocess.run(
            [program, *words],
            cwd=tmp_path,
            env=environ,
            capture_output=True,
            timeout=60,
            check=False,
        )
    assert not (tmp_path / "ran").exists()


def test_a_compiler_that_hangs_is_ended_with_all_that_it_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shipped, "PROBE_SECONDS", 0.5)
    stuck = Language(
        "stuck",
        "Stuck",
        (),
        ("sh", "-c", f"sleep 600 & echo $! > {tmp_path}/child; wait"),
        (),
        "",
        "",
    )
    assert not shipped.is_here(stuck)
    assert (
        shipped.lacks(stuck)
        == "not known: sh -c took longer than 0.5 s; try again on a quieter machine"
    )
    assert until_gone({int((tmp_path / "child").read_text())})
    assert not shipped.is_here(stuck._replace(probe=("no-such-program-anywhere",)))
    absent = stuck._replace(probe=("no-such-program-anywhere",), debian=("stuck-tools",))
    assert shipped.lacks(absent) == "apt install stuck-tools"
    assert shipped.is_here(stuck._replace(probe=("true",)))


def test_a_probe_that_ran_out_of_time_is_said_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(shipped, "PROBE_SECONDS", 0.2)
    slow = shipped.languages()["ruby"]._replace(probe=("sleep", "60"))
    monkeypatch.setattr(shipped, "languages", lambda: {"ruby": slow})
    said = CliRunner().invoke(command, ["ruby", "mine"]).output
    assert (
        "The tools that the bot needs here are not known: sleep 60 took longer than 0.2 s; "
        "try again" in said
    )
    assert "apt install" not in said
    assert "not known: sleep 60 took longer" in CliRunner().invoke(command, []).output
