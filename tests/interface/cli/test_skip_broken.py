"""``run --skip-broken``: a bot that cannot play is left out with a line, and the others
play.
"""

import errno
import json
import os
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NoReturn

import pytest
from arena import C, arena, bots
from scripted_modules import command, script, scripted
from stores import NAIVE, RANDOM
from wording import sentence

from khiva_arena.arbiter import memory_limits
from khiva_arena.bots.sandbox.level import TRUSTING, Level
from khiva_arena.common.machine import of_the_machine
from khiva_arena.common.say import say_nothing
from khiva_arena.competition.playing import starts, trial_starts
from khiva_arena.competition.playing.starts import as_modules, without_broken
from khiva_arena.competition.settings.settings import settings_from
from khiva_arena.entrants import build, modules
from khiva_arena.entrants.bots import load
from khiva_arena.entrants.bots_of_an_event import load_all
from khiva_arena.entrants.engines import load_engines
from khiva_arena.entrants.staging import stage
from khiva_arena.errors import BotError, StagingError

pytestmark = pytest.mark.slow
FAST = ["--isolation", "trusted", "--seats", "2", "--seeds", "2", "--seed", "x", "--out", "out"]


@pytest.fixture
def broken(tmp_path: Path) -> list[str]:
    """One that cannot be read, one that is not built, one that does not start."""
    for name, toml in (
        ("unread", 'name = "unread"\n'),
        (
            "unbuilt",
            (
                'name = "unbuilt"\nrun = "{python} main.py"\nbuild = "{python} '
                'fails.py"\nfiles = ["*.py"]\n'
            ),
        ),
        ("silent", 'name = "silent"\nrun = "{python} main.py"\nfiles = ["*.py"]\n'),
    ):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "bot.toml").write_text(toml)
        (folder / "main.py").write_text(f"raise SystemExit('{name} gives up')\n")
        (folder / "fails.py").write_text("print('no compiler')\nraise SystemExit(3)\n")
    return ["unread", "unbuilt", "silent"]


def test_those_that_cannot_play_are_left_out_by_name(broken: list[str], tmp_path: Path) -> None:
    words = ["run", *bots(*broken[:2], RANDOM, broken[2], NAIVE), *FAST]
    opened = [
        word for name in broken[1:] for word in ("--network", name, "--env", f"{name}=API_KEY")
    ]
    env = {"API_KEY": "sk-0123456789"}
    alone = arena("run", *bots(RANDOM, NAIVE), *FAST[:-1], "alone", cwd=tmp_path)
    done = arena(
        *words, *opened, "--skip-broken", "--events-file", "events.jsonl", cwd=tmp_path, env=env
    )
    lines = [line for line in done.stderr.splitlines() if "is left out: " in line]
    assert [line.split()[1] for line in lines] == broken
    assert "unread/bot.toml: run is missing" in lines[0]
    assert "its build" in lines[1]
    assert (
        "exited with code 3; it wrote last: no compiler; next: khiva-arena check unbuilt "
        "--network unbuilt --env unbuilt=API_KEY" in lines[1]
    )
    assert "start_failed" in lines[2]
    assert lines[2].endswith(
        "it wrote last: silent gives up; next: khiva-arena check silent --network silent "
        "--env silent=API_KEY"
    )
    assert "--skip-broken leaves out unread, unbuilt, silent" in done.stderr
    noted = [json.loads(line) for line in (tmp_path / "events.jsonl").read_text().splitlines()]
    assert any(
        line["type"] == "note" and "leaves out unread" in line["text"] and line["warning"]
        for line in noted
    )
    assert done.stdout == alone.stdout.replace("alone", "out")
    definition = json.loads(arena("show", "out", "--json", cwd=tmp_path).stdout)["events"][0][
        "definition"
    ]
    assert [bot["name"] for bot in definition["bots"]] == ["random", "naive"]
    # the definition is that of a run without the broken ones: the same event, at the
    # same secret
    assert (
        arena("verify", "out", cwd=tmp_path).stdout == arena("verify", "alone", cwd=tmp_path).stdout
    )
    again = arena(*words, *opened, "--skip-broken", cwd=tmp_path, env=env)
    assert "event 1 is over" in again.stderr
    assert again.stdout == done.stdout


FAILS = {
    "torchless": ("", "import torch\n"),
    "programless": ('build = "no-such-compiler main.c"\n', ""),
    "silent": ("", "raise SystemExit('I give up')\n"),
    "erring": (
        'build = "{python} main.py"\n',
        "print('main.c:3:5: error: x')\nprint('y\\n' * 5000)\nraise SystemExit(1)\n",
    ),
}
"""Bots that do not start, each with its line of bot.toml and its program; the cause of
the first two is known.
"""


@pytest.mark.parametrize("name", FAILS)
def test_a_start_that_fails_has_the_hint_of_check(tmp_path: Path, name: str) -> None:
    toml, program = FAILS[name]
    (tmp_path / name).mkdir()
    (tmp_path / name / "bot.toml").write_text(
        f'name = "{name}"\nrun = "{{python}} main.py"\nfiles = ["*.py"]\n{toml}'
    )
    (tmp_path / name / "main.py").write_text(program)
    checked = json.loads(
        arena(
            "check", "--quick", name, "--isolation", "trusted", "--json", cwd=tmp_path, code=1
        ).stdout
    )
    (step,) = [step for step in checked["steps"] if step["status"] == "failed"]
    hint = step["hint"] if name in ("torchless", "programless") else ""
    seated = bots(name, RANDOM, NAIVE)
    for words in (["run", *seated, *FAST], ["match", *seated[:4], "--isolation", "trusted"]):
        said = arena(*words, cwd=tmp_path, code=2).stderr
        assert (f"  hint: {hint}\n" if hint else "") in said, words
        assert hint or "hint: " not in said
    (line,) = [
        line
        for line in arena("run", *seated, *FAST, "--skip-broken", cwd=tmp_path).stderr.splitlines()
        if " is left out: " in line
    ]
    assert line.endswith(f"{f'; hint: {hint}' if hint else ''}; next: khiva-arena check {name}")
    assert ("its first error: main.c:3:5: error: x" in line) == (name == "erring")


def test_nobody_is_left_out_where_the_machine_may_be_to_blame(
    broken: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process may have less address space than a bot's own limit of memory: nobody
    knows why a bot does not start.
    """
    monkeypatch.setattr(memory_limits, "space_limit", lambda: 500 << 20)
    for name in broken[1:]:
        done = arena("run", *bots(RANDOM, name), *FAST, "--skip-broken", cwd=tmp_path, code=2)
        assert "is left out" not in done.stderr
        assert "so this machine may be to blame" in done.stderr
        assert "(ulimit -v " in done.stderr


def test_nobody_is_left_out_on_a_full_disk(
    broken: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build.shutil, "disk_usage", lambda _: SimpleNamespace(free=4096))
    with pytest.raises(StagingError, match="4,096 bytes"):
        stage(load(str(tmp_path / broken[1])))
    monkeypatch.undo()
    with pytest.raises(BotError) as caught:
        stage(load(str(tmp_path / broken[1])))
    assert not isinstance(caught.value, StagingError)


@pytest.mark.parametrize(
    ("ends", "is_host_s"),
    [
        (
            (
                103,
                sentence("arbiter", "runner-fails") + "libwasmtime.so: gone",
                1.0,
                Level.STANDARD,
            ),
            True,
        ),
        (
            (
                103,
                sentence("arbiter", "runner-fails")
                + "it has too little memory; raise --limit memory",
                1.0,
                Level.STANDARD,
            ),
            False,
        ),
        ((-9, "", 1.0, Level.STANDARD), True),
        ((137, "", 1.0, Level.STANDARD), True),
        ((137, "", 119.0, Level.STANDARD), False),
        ((-9, "", 1.0, Level.STRICT), False),
        ((-6, "memory allocation of 9 bytes failed", 1.0, Level.STANDARD), False),
    ],
)
def test_a_compiler_that_ends_by_the_machines_doing_is_no_fault_of_the_module(
    ends: tuple[int, str, float, Level], is_host_s: bool
) -> None:
    """It has limits of its own, which a hostile module may have it meet: of memory, and
    of CPU time.
    """
    assert bool(modules._why_of_host(*ends)) == is_host_s


def test_a_gauntlet_keeps_its_candidate(broken: list[str], tmp_path: Path) -> None:
    gauntlet = [*FAST, "--format", "gauntlet", "--skip-broken"]
    said = arena("run", *bots(broken[2], RANDOM, NAIVE), *gauntlet, cwd=tmp_path, code=2).stderr
    assert (
        "the candidate, silent, cannot play; name another one with --candidate (silent: "
        "left out by --skip-broken)" in said
    )
    arena("run", *bots(broken[2], RANDOM, NAIVE), *gauntlet, "--candidate", "naive", cwd=tmp_path)


def test_a_file_can_say_so_and_engines_are_left_out_too(broken: list[str], tmp_path: Path) -> None:
    engines = [{"name": "gone", "command": "./no-such-engine"}, {"name": "c", "command": C}]
    (tmp_path / "engines.json").write_text(json.dumps(engines))
    text = (
        f'bots = ["{RANDOM}", "{broken[0]}"]\nengines = "engines.json"\nskip_broken = '
        "true\nseats = 2\nseeds = 1\n"
    )
    (tmp_path / "cup.toml").write_text(text + 'out = "out"\n')
    done = arena("run", "cup.toml", "--isolation", "trusted", cwd=tmp_path)
    assert "warning: unread is left out: " in done.stderr
    assert "warning: gone is left out: " in done.stderr
    assert "1 seed x 1 line-up x 2 rotations = 2 matches" in done.stderr


@pytest.mark.language
def test_of_modules_in_ticks_those_that_cannot_be_built_are_left_out(tmp_path: Path) -> None:
    for pause, name in enumerate(("one", "other")):
        (tmp_path / f"{name}.wasm").write_bytes(
            scripted(script("t", command("s", pause), command("a")))
        )
    (tmp_path / "no_module.wasm").write_bytes(b"not a module")
    (tmp_path / "unbuilt").mkdir()
    text = 'name = "unbuilt"\nmodule = "bot.wasm"\nbuild = "{python} fails.py"\nfiles = ["*.py"]\n'
    (tmp_path / "unbuilt" / "bot.toml").write_text(text)
    (tmp_path / "unbuilt" / "fails.py").write_text("print('no compiler')\nraise SystemExit(3)\n")
    words = [
        *bots("unbuilt", "one.wasm", "nowhere.wasm", "no_module.wasm", "other.wasm"),
        "--clock",
        "ticks",
        *FAST[2:],
    ]
    done = arena("run", *words, "--skip-broken", cwd=tmp_path)
    lines = [line for line in done.stderr.splitlines() if "is left out: " in line]
    assert [line.split()[1] for line in lines] == ["unbuilt", "nowhere.wasm", "no_module"]
    assert "it wrote last: no compiler; next: khiva-arena check unbuilt" in lines[0]
    assert lines[2].endswith("next: khiva-arena check no_module.wasm")
    definition = json.loads(arena("show", "out", "--json", cwd=tmp_path).stdout)["events"][0][
        "definition"
    ]
    assert [bot["name"] for bot in definition["bots"]] == ["one", "other"]
    refused = arena("run", *words, cwd=tmp_path, code=2).stderr
    assert "left out" not in refused


def test_too_few_left_are_named(broken: list[str], tmp_path: Path) -> None:
    done = arena("run", *bots(*broken, RANDOM), *FAST, "--skip-broken", cwd=tmp_path, code=2)
    last = done.stderr.splitlines()[-1]
    assert last.startswith("khiva-arena: error: ")
    assert last.endswith("(unread, unbuilt, silent: left out by --skip-broken)")
    assert "2 seats" in last
    none = arena("run", *bots(*broken), *FAST, "--skip-broken", cwd=tmp_path, code=2)
    assert (
        "error: "
        + sentence("playing", "no-bot-left-play")
        + " (unread, unbuilt, silent: left out by --skip-broken)"
        in none.stderr
    )
    assert not (tmp_path / "out").exists()


def test_without_it_a_broken_bot_ends_the_run(broken: list[str], tmp_path: Path) -> None:
    for one in broken:
        done = arena("run", *bots(one, RANDOM, NAIVE), *FAST, cwd=tmp_path, code=2)
        assert "left out" not in done.stderr
    assert not (tmp_path / "out").exists()


def test_what_is_opened_to_one_that_is_left_out_is_no_mistake(
    broken: list[str], tmp_path: Path
) -> None:
    words = [
        "run",
        *bots(RANDOM, NAIVE, broken[2]),
        *FAST,
        "--skip-broken",
        "--env",
        "silent=HOME_OF_SILENT",
    ]
    done = arena(*words, cwd=tmp_path, env={"HOME_OF_SILENT": "x"})
    assert "silent is left out" in done.stderr
    gone = arena(
        "run",
        *bots(RANDOM, NAIVE, broken[2]),
        *FAST,
        "--skip-broken",
        "--env",
        "slient=HOME",
        cwd=tmp_path,
        code=2,
    )
    assert "no bot called 'slient'" in gone.stderr


# --- an error that nobody foresaw ---


PLACES = (
    "khiva_arena.entrants.bots_of_an_event.load",
    "khiva_arena.competition.playing.trial_starts.stage_with_permissions",
    "khiva_arena.competition.playing.trial_starts.start_once",
)


@pytest.mark.parametrize("place", PLACES)
def test_a_bot_at_which_the_arena_fails_is_left_out_with_a_trace(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fail_at(monkeypatch, place, IndexError("not one of theirs"))
    done = arena("run", *bots(NAIVE, RANDOM, C), *FAST, "--skip-broken", cwd=tmp_path)
    (line,) = [line for line in done.stderr.splitlines() if "is left out: " in line]
    assert line.split()[1].rpartition("/")[2] == RANDOM.rpartition("/")[2]
    assert "IndexError" in line
    assert "Traceback" in done.stderr
    assert "run digest" in done.stderr


@pytest.mark.parametrize("skip_broken", [True, False])
def test_a_module_at_which_the_arena_fails_is_left_out_where_that_is_asked(
    skip_broken: bool, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    entrants = [load(NAIVE), load(RANDOM)]
    monkeypatch.setattr("khiva_arena.entrants.only_modules.only_modules", lambda bots, _level: bots)
    fail_at(
        monkeypatch,
        "khiva_arena.entrants.only_modules.only_modules",
        IndexError("not one of theirs"),
    )
    if not skip_broken:
        with pytest.raises(IndexError):
            as_modules(entrants, Level.TRUSTED, skip_broken=False)
        return
    built = as_modules(entrants, Level.TRUSTED, skip_broken=True)
    assert [bool(bot.broken) for bot in built] == [False, True]
    assert "not one of theirs" in caplog.text


def test_a_bot_of_an_engines_file_at_which_the_arena_fails_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "engines.json"
    file.write_text(
        json.dumps(
            [{"name": name, "command": word} for name, word in (("one", NAIVE), ("other", RANDOM))]
        )
    )
    fail_at(monkeypatch, "khiva_arena.entrants.engines.load", IndexError("not one of theirs"))
    assert [bool(bot.broken) for bot in load_engines(file, with_broken=True)] == [False, True]
    with pytest.raises(IndexError):
        load_engines(file)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("error", [MemoryError(), OSError(errno.ENOSPC, "full")])
def test_an_error_of_the_machine_leaves_out_nobody(
    place: str, error: Exception, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fail_at(monkeypatch, place, error)
    done = arena("run", *bots(NAIVE, RANDOM, C), *FAST, "--skip-broken", cwd=tmp_path, code=70)
    assert "is left out: " not in done.stderr


def test_an_error_of_the_machine_in_other_words_is_told_as_it_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its cause stays, which tells the player of a league to wait."""

    def out_of_files(*_: object) -> NoReturn:
        try:
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
        except OSError as error:
            raise BotError(f"its module: {error.strerror}") from None

    for module in (starts, trial_starts):
        monkeypatch.setattr(module, "stage_with_permissions", out_of_files)
    settings, entrants = settings_from({"bots": [NAIVE], "isolation": "trusted"}), [load(NAIVE)]
    with pytest.raises(BotError) as caught:
        starts.ready_to_play(settings, entrants, TRUSTING, say_nothing)
    assert of_the_machine(caught.value)
    with pytest.raises(BotError) as caught:
        without_broken([settings], entrants, TRUSTING, say_nothing)
    assert of_the_machine(caught.value)


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit()])
def test_an_interrupt_leaves_out_nobody(
    error: BaseException, monkeypatch: pytest.MonkeyPatch
) -> None:
    fail_at(monkeypatch, "khiva_arena.entrants.bots_of_an_event.load", error)
    with pytest.raises(type(error)):
        load_all([RANDOM], with_broken=True)
    bot = load(NAIVE)
    for place in PLACES[1:]:
        fail_at(monkeypatch, place, error, NAIVE)
        with pytest.raises(type(error)):
            without_broken(
                [settings_from({"bots": [NAIVE], "isolation": "trusted"})],
                [bot],
                TRUSTING,
                say_nothing,
            )
        monkeypatch.undo()


def fail_at(
    monkeypatch: pytest.MonkeyPatch, place: str, error: BaseException, word: str = RANDOM
) -> None:
    """Let a function fail whenever it meets a bot. ``word``: its name on the command
    line.
    """
    module, _, name = place.rpartition(".")
    function = getattr(sys.modules[module], name)

    def fails(*parts: Any, **more: Any) -> Any:
        if any(_is(part, word) for part in parts):
            raise error
        return function(*parts, **more)

    monkeypatch.setattr(place, fails)


def _is(part: object, word: str) -> bool:
    if isinstance(part, list):
        return any(_is(one, word) for one in part)
    return word in (part, getattr(part, "asked_as", ""))
