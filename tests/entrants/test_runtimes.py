"""What a bot.toml may name: its own folder, the PATH, and runtimes of the organiser's;
and that no way leads to what another entrant has sent.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from levels import EVERY_LEVEL, KEEPING, SYSTEM_PYTHON
from runtime import PACKAGE, make_runtime, set_version
from wording import pattern, sentence

from khiva_arena.bots.sandbox import readable_paths
from khiva_arena.bots.sandbox.cell import cell
from khiva_arena.bots.sandbox.level import Level, Sandbox
from khiva_arena.entrants import runtimes
from khiva_arena.entrants.bots import Bot, load
from khiva_arena.entrants.loading import Loading
from khiva_arena.entrants.runtimes import Runtime, of_settings
from khiva_arena.entrants.staging import stage
from khiva_arena.errors import BotError, ConfigError

pytestmark = pytest.mark.slow

LOOKS = """
for how, path in (("r", {prefix!r} + "/pyvenv.cfg"), ("w", {prefix!r} + "/left")):
    try:
        open(path, how)
        print(how, "opened")
    except OSError:
        print(how, "refused")
"""


@pytest.fixture(autouse=True)
def _own_cache(open_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KHIVA_ARENA_CACHE", str(open_folder / "cache"))


@pytest.fixture
def prefix(open_folder: Path) -> Path:
    python = SYSTEM_PYTHON if os.path.exists(SYSTEM_PYTHON) else sys.executable
    return make_runtime(open_folder / "venv", python)


def entry(path: Path, run: str, build: str = "", **files: str) -> Path:
    path.mkdir(parents=True)
    lines = {"name": path.name, "run": run} | ({"build": build} if build else {})
    (path / "bot.toml").write_text(
        "".join(f"{key} = {json.dumps(line)}\n" for key, line in lines.items())
    )
    for name, text in files.items():
        (path / name.replace("_py", ".py")).write_text(text)
        (path / name.replace("_py", ".py")).chmod(0o755)
    return path


def rival(path: Path) -> Path:
    """Another entrant, as tempting as can be: a prefix with bin and lib, a virtual
    environment, a program that can be run.
    """
    entry(path, "./bin/bot")
    (path / "bin").mkdir()
    (path / "lib").mkdir()
    (path / "bin" / "bot").write_text("#!/bin/sh\necho the rival plays\n")
    (path / "bin" / "bot").chmod(0o755)
    (path / "weights").write_text("secret")
    return path


def problems(path: Path, known: dict[str, Runtime] | None = None) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        load(str(path), loading=Loading(runtimes=known or {}))
    return list(caught.value.problems)


def run(bot: Bot, level: Level) -> str:
    """What a staged bot prints."""
    command = stage(bot, level)
    made = cell(command, Sandbox(level), "test")
    try:
        done = subprocess.run(
            made.argv,
            cwd=made.folder,
            env=made.environment,
            pass_fds=made.descriptors,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    finally:
        made.clean()
    return done.stdout + done.stderr


# --- words that lead elsewhere ---


@pytest.mark.parametrize("key", ["run", "build"])
def test_a_word_that_leads_out_of_the_folder_is_refused_with_what_to_write(
    tmp_path: Path, key: str
) -> None:
    other = rival(tmp_path / "rival")
    mine = tmp_path / "mine"
    true = shutil.which("true")
    absolute, out, gone = (
        "an absolute path; ",
        sentence("entrants", "leads-out-folder-put"),
        sentence("entrants", "runtime-not"),
    )
    for line, said in (
        (
            f"{other}/bin/bot",
            (
                f"names '{other}/bin/bot', {absolute}write {{NAME}} in its place, a runtime; "
                "the organiser names"
            ),
        ),
        (f"{true} --fast", f"names '{true}', {absolute}write 'true', which is on the PATH"),
        (
            f"{other}/bin/true",
            f"names '{other}/bin/true', {absolute}"
            + f"write 'true', which on the PATH is {true}, or"
            + " {NAME} in its",
        ),
        (f"{mine}/tools/bot", f"names '{mine}/tools/bot', {absolute}write './tools/bot'"),
        ("../rival/bin/bot", f"names '../rival/bin/bot', {out}"),
        ("bin/../../rival/bin/bot", f"names 'bin/../../rival/bin/bot', {out}"),
        (
            f"{{python}} {other}/main.py",
            f"names '{other}/main.py', {absolute}put the file into the folder and name it from",
        ),
        ("{python} ../rival/main.py", f"names '../rival/main.py', {out}"),
        (
            "{torch} main.py",
            f"names the runtime {{torch}}, {gone} {{python}}, {{jax}}; "
            + sentence("entrants", "organiser-names-runtime"),
        ),
        ("env {torch} main.py", f"names the runtime {{torch}}, {gone}"),
    ):
        shutil.rmtree(mine, ignore_errors=True)
        entry(mine, line if key == "run" else "true", line if key == "build" else "")
        (told,) = problems(mine, {"jax": Runtime("jax", "/opt/jax/bin/python3", "/opt/jax")})
        assert told.startswith(f"{mine}/bot.toml: {key} {said}"), line
    for line in (
        "sh -c 'ls ..'",
        "./bot",
        "a/../bot",
        "java -cp .:/usr/share/java/x.jar Bot",
        "cc /usr/include/x.h",
        "{python} -m x",
    ):
        shutil.rmtree(mine)
        load(str(entry(mine, line if key == "run" else "true", line if key == "build" else "")))


@EVERY_LEVEL
def test_nothing_in_a_bot_s_folder_opens_another_one(
    level: Level, tmp_path: Path, open_folder: Path
) -> None:
    """Not by a link that its build makes, nor by the first line of a script, nor by the
    settings of a virtual environment.
    """
    other = rival(open_folder / "rival")
    (other / "bin" / "python").write_text("")
    for name, words, build, more in (
        ("link", "./bot", "sh make", {"make": f"ln -s {other}/bin/bot bot"}),
        ("first", "./bot", "", {"bot": f"#!{other}/bin/bot\n"}),
        ("dots", "./bot", "", {"bot": f"#!/usr/../{other}/bin/bot\n"}),
    ):
        bot = load(str(entry(tmp_path / name, words, build, **more)))
        with pytest.raises(
            BotError,
            match=pattern(
                "entrants", "leads-link-first-line", name=f"{name}: bot", encode=f"{other}/bin/bot"
            ),
        ) as caught:
            stage(bot, level)
        assert "\n" not in str(caught.value)
    built = entry(tmp_path / "first build", "true", "./make", make=f"#!{other}/bin/bot\n")
    with pytest.raises(BotError, match="make leads out of"):
        stage(load(str(built)), level)


@KEEPING
def test_a_virtual_environment_in_a_folder_opens_nothing(
    level: Level, tmp_path: Path, open_folder: Path
) -> None:
    other = rival(open_folder / "rival")
    mine = entry(tmp_path / "mine", "./env/bin/look")
    (mine / "env" / "bin").mkdir(parents=True)
    (mine / "env" / "lib").mkdir()
    (mine / "env" / "pyvenv.cfg").write_text(f"home = {other}/bin\n")
    (mine / "env" / "bin" / "look").write_text(f"#!/bin/sh\ncat {other}/weights; ls {other}\n")
    (mine / "env" / "bin" / "look").chmod(0o755)
    said = run(load(str(mine)), level)
    assert "secret" not in said
    assert said.count(str(other)) == 2  # both are refused, by name


# --- runtimes ---


def test_what_a_runtime_is(prefix: Path, tmp_path: Path) -> None:
    found = of_settings(
        {"torch": str(prefix), "own": prefix / "bin" / "python3", "tool": "/usr/bin/env"}
    )
    assert found["torch"] == Runtime("torch", f"{prefix}/bin/python3", str(prefix))
    assert found["own"] == Runtime("own", f"{prefix}/bin/python3", str(prefix))
    assert found["tool"] == Runtime("tool", "/usr/bin/env", "/usr")
    shell = of_settings({"shell": "/bin/sh"})["shell"]
    assert (shell.program, shell.prefix) == (
        "/bin/sh",
        "/usr" if os.path.islink("/bin") else "/bin",
    )
    (tmp_path / "opt" / "dotnet").mkdir(parents=True)
    (tmp_path / "opt" / "dotnet" / "dotnet").touch(0o755)
    assert of_settings({"net": tmp_path / "opt" / "dotnet" / "dotnet"})["net"].prefix == str(
        tmp_path / "opt" / "dotnet"
    )


def test_what_is_no_runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "home" / "bin").mkdir(parents=True)
    (tmp_path / "home" / "bin" / "python3").touch(0o755)
    (tmp_path / "home" / "bin" / "closed").touch(0o644)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    given = {
        "torch": tmp_path,
        "Torch": "/usr",
        "python": "/usr",
        "gone": "/no/such",
        "number": 3,
        "home": tmp_path / "home",
        "closed": tmp_path / "home" / "bin" / "closed",
    }
    with pytest.raises(ConfigError) as caught:
        of_settings(given)
    said = "\n".join(caught.value.problems)
    for name, what in (
        (
            "torch",
            sentence("entrants", "no-name-program-itself", path=tmp_path, pythons="bin/python3")
            + f" torch={tmp_path}/bin/torch",
        ),
        (
            "Torch",
            (
                "the name of a runtime has a to z, 0 to 9, _ and -, a letter first, 32 "
                "characters at most"
            ),
        ),
        ("python", sentence("entrants", "arena-s-own", name="python")),
        ("gone", sentence("entrants", "neither-folder-program", path="/no/such")),
        ("number", sentence("entrants", "folder-program-expected")),
        (
            "home",
            (
                f"bots would read all of {tmp_path}/home, and {tmp_path}/home with it; "
                "install the runtime in a folder of its own"
            ),
        ),
        ("closed", sentence("entrants", "may-not-executed", program=f"{tmp_path}/home/bin/closed")),
    ):
        assert f"{name}: {what}" in said


@KEEPING
def test_a_bot_sees_the_runtime_that_it_names_read_only_and_no_other_bot_does(
    level: Level, prefix: Path, tmp_path: Path, open_folder: Path
) -> None:
    loading = Loading(runtimes=of_settings({"torch": prefix}))
    looks = f"import {PACKAGE}\nprint({PACKAGE}.SEVEN)\n{LOOKS.format(prefix=str(prefix))}"
    uses = entry(tmp_path / "uses", "{torch} main.py", main_py=looks)
    assert run(load(str(uses), loading=loading), level).splitlines() == [
        "7",
        "r opened",
        "w refused",
    ]
    other = entry(tmp_path / "other", "sh main", main=f"cat {prefix}/pyvenv.cfg || echo refused\n")
    assert run(load(str(other), loading=loading), level).splitlines()[0] == "refused"
    (open_folder / "main.py").write_text(looks)
    bare = load(f"{{torch}} {open_folder / 'main.py'}", loading=loading)
    assert run(bare, level).splitlines()[0] == "7"


@pytest.mark.usefixtures("standard")
def test_a_build_has_the_runtime_too(prefix: Path, tmp_path: Path) -> None:
    build = f'{{torch}} -c \'import {PACKAGE}; open("made", "w").write(str({PACKAGE}.SEVEN))\''
    made = entry(tmp_path / "a", "cat made", build)
    assert (
        run(
            load(str(made), loading=Loading(runtimes=of_settings({"torch": prefix}))),
            Level.STANDARD,
        )
        == "7"
    )


def test_what_of_a_runtime_defines_an_event(prefix: Path) -> None:
    runtime = of_settings({"torch": prefix})["torch"]
    assert runtimes.packages(runtime) == (f"{PACKAGE.replace('_', '-')} 1.5",)
    defined = runtimes.as_defined(runtime)
    assert len(defined.program) == 64
    assert defined.packages == (f"{PACKAGE.replace('_', '-')} 1.5",)
    runtimes.packages.cache_clear()
    set_version(prefix, "1.6")
    assert runtimes.packages(runtime) == (f"{PACKAGE.replace('_', '-')} 1.6",)
    runtimes.packages.cache_clear()


def test_the_identity_of_a_bot_does_not_depend_on_where_a_runtime_lies(
    prefix: Path, tmp_path: Path
) -> None:
    path = entry(tmp_path / "a", "{torch} main.py", main_py="")
    one, two = (
        load(str(path), loading=Loading(runtimes=of_settings({"torch": place})))
        for place in (prefix, "/usr/bin/env")
    )
    assert (one.identity, one.run) == (two.identity, ("{torch}", "main.py"))
    assert [bot.runtimes[0].prefix for bot in (one, two)] == [str(prefix), "/usr"]


def test_a_bare_command_keeps_its_absolute_words(tmp_path: Path) -> None:
    """The organiser typed them."""
    other = rival(tmp_path / "rival")
    command = stage(load(f"{other}/bin/bot {other}/weights"))
    assert command.argv == (f"{other}/bin/bot", f"{other}/weights")
    assert readable_paths.toolchain(command.argv[0]) == (str(other),)
