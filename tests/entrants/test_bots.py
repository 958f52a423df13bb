"""Bots as folders and commands: what is read, what identifies them, what is staged and
built, and every mistake named.
"""

import os
import select
import shutil
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest
from wording import pattern, sentence

from khiva_arena.bots.sandbox import regular_files
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.common import shipped
from khiva_arena.entrants import bots, build
from khiva_arena.entrants.bots import load
from khiva_arena.entrants.bots_of_an_event import load_all
from khiva_arena.entrants.loading import Loading, allow_include
from khiva_arena.entrants.own_name import own_name
from khiva_arena.entrants.staging import stage
from khiva_arena.errors import BotError, ConfigError

TOML = 'name = "a"\nrun = "{python} main.py"\n'
ALLOWED = Loading(include=allow_include)


def folder(path: Path, toml: str = TOML, **files: str) -> str:
    path.mkdir(parents=True, exist_ok=True)
    (path / "bot.toml").write_text(toml)
    for name, text in ({"main": "print()"} | files).items():
        (path / f"{name}.py").write_text(text)
    return str(path)


def problems(word: str) -> str:
    with pytest.raises(ConfigError) as caught:
        load(word)
    return "\n".join(caught.value.problems)


def test_identity_is_sources_run_and_build(tmp_path: Path) -> None:
    base = load(folder(tmp_path / "a"))
    assert load(folder(tmp_path / "same place does not matter")).identity == base.identity
    assert load(folder(tmp_path / "b", main="print(1)")).identity != base.identity
    assert (
        load(folder(tmp_path / "c", TOML.replace("main.py", "main.py -v"))).identity
        != base.identity
    )
    assert load(folder(tmp_path / "d", TOML + 'build = "true"\n')).identity != base.identity
    assert load(folder(tmp_path / "e", more="x = 1")).identity != base.identity
    alone = TOML + 'files = ["*.py"]\n'
    hellos = [
        load(folder(tmp_path / name, alone + said)).identity
        for name, said in (("f", ""), ("g", "reports = true\n"))
    ]
    assert hellos[0] != hellos[1], "a bot that may report is sent another hello"
    assert load(folder(tmp_path / "h", alone + "reports = false\n")).identity == hellos[0]
    renamed = load(folder(tmp_path / "f", TOML.replace('"a"', '"z"')))
    assert (renamed.identity, renamed.name) != (base.identity, base.name)


def test_a_stranger_s_bot_takes_nothing_that_is_not_beside_it(tmp_path: Path) -> None:
    """What bot.toml names is copied with the organiser's rights: not files from
    elsewhere, another bot's, or a store's.
    """
    (tmp_path / "private").write_text("x")
    (tmp_path / "bots" / "kit").mkdir(parents=True)
    (tmp_path / "bots" / "kit" / "kit.py").write_text("x")
    (tmp_path / "bots" / "results").mkdir()
    (tmp_path / "bots" / "results" / "arena.db").write_text("x")
    folder(tmp_path / "bots" / "rival", weights="x")
    for name in ("../../private", "/etc/passwd", "../rival/weights.py", "../results/arena.db"):
        said = problems(folder(tmp_path / "bots" / "mine", f'{TOML}include = ["{name}"]\n'))
        assert sentence("entrants", "only-kit-beside-folder") in said, name
    assert (
        load(
            folder(tmp_path / "bots" / "mine", TOML + 'include = ["../kit/kit.py"]\n'), "", ALLOWED
        ).sources[-2][0]
        == "kit.py"
    )
    for name in (
        "c/kit/kit.h",
        "c/greedy/bot.c",
        "README.md",
    ):  # only shipped bots take what lies beside other shipped ones
        said = problems(
            folder(
                tmp_path / "bots" / "mine", f'{TOML}include = ["{shipped.folder("bots") / name}"]\n'
            )
        )
        assert sentence("entrants", "only-kit-beside-folder") in said, name
    (tmp_path / "bots" / ".ssh").mkdir()
    (tmp_path / "bots" / ".ssh" / "id_rsa").write_text("x")
    said = problems(folder(tmp_path / "bots" / "mine", f'{TOML}include = ["../.ssh/id_rsa"]\n'))
    assert (
        "what begins with a dot is never included: put a copy into the folder under another name"
        in said
    )
    os.mkfifo(tmp_path / "bots" / "kit" / "pipe")
    assert "not a file" in problems(
        folder(tmp_path / "bots" / "mine", f'{TOML}include = ["../kit/pipe"]\n')
    )


@pytest.mark.parametrize("leads_to", ["main.py", "../private", "../elsewhere", "sub"])
def test_a_link_in_a_bot_s_folder_is_refused_wherever_it_leads(
    tmp_path: Path, leads_to: str
) -> None:
    """A glob, include and a bot.toml name it; a broken link, and a link to a folder
    that no glob names, are passed by.
    """
    (tmp_path / "private").write_text("x")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "file").write_text("x")
    word = folder(tmp_path / "mine")
    (tmp_path / "mine" / "sub").mkdir()
    (tmp_path / "mine" / "sub" / "file").write_text("x")
    link = tmp_path / "mine" / "data"
    link.symlink_to("nowhere")
    load(word)
    link.unlink()
    link.symlink_to(leads_to)
    refused = sentence("entrants", "link-not-followed", path="data")
    if link.is_dir():
        load(word)
        folder(tmp_path / "mine", TOML + 'files = ["main.py", "data/*"]\n')
    assert refused in problems(word)
    name = "data/file" if link.is_dir() else "data"
    folder(tmp_path / "mine", TOML + f'files = ["main.py"]\ninclude = ["{name}"]\n')
    assert sentence("sandbox", "link-not-followed-here") in problems(word)
    link.rename(tmp_path / "mine" / "bot.toml")
    if not (tmp_path / "mine" / "bot.toml").is_dir():
        assert sentence("sandbox", "link-not-followed-here") in problems(word)


def test_a_link_in_place_of_a_module_is_refused(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("x")
    (tmp_path / "bot.wasm").symlink_to("secret")
    assert sentence("sandbox", "link-not-followed-here") in problems(str(tmp_path / "bot.wasm"))


def test_a_store_in_a_bot_s_folder_is_no_part_of_it(tmp_path: Path) -> None:
    """It changes with every match, and holds what no bot may know."""
    word = folder(tmp_path / "a")
    before = load(word)
    store = tmp_path / "a" / "results" / "latest"
    store.mkdir(parents=True)
    for name in ("arena.db", "arena.db-wal", "log.jsonl"):
        (store / name).write_text("secret")
    assert load(word).identity == before.identity


def test_caches_and_hidden_files_are_no_part_of_it(tmp_path: Path) -> None:
    word = folder(tmp_path / "a")
    before = load(word)
    (tmp_path / "a" / "__pycache__").mkdir()
    (tmp_path / "a" / "__pycache__" / "main.pyc").write_bytes(b"x")
    (tmp_path / "a" / ".swp").write_bytes(b"x")
    assert load(word).identity == before.identity


def test_include_is_copied_to_the_root(tmp_path: Path) -> None:
    (tmp_path / "kit.py").write_text("shared = 1")
    bot = load(
        folder(tmp_path / "a", TOML + 'include = ["../kit.py"]\nfiles = ["main.py"]\n'), "", ALLOWED
    )
    assert [name for name, _ in bot.sources] == ["kit.py", "main.py"]
    staged = Path(stage(bot).folder)
    assert sorted(path.name for path in staged.iterdir()) == ["kit.py", "main.py"]


KIT = (shipped.folder("bots") / "python" / "kit" / "khiva_kit.py").read_text()


@pytest.mark.parametrize(("kit", "compiled"), [(KIT, {"khiva_kit.py"}), (KIT + "# changed", set())])
def test_the_kit_is_compiled_once_and_no_source_of_a_stranger(
    tmp_path: Path, kit: str, compiled: set[str]
) -> None:
    word = folder(tmp_path / "a", TOML + 'files = ["*.py"]\n', main="import khiva_kit, mine")
    (tmp_path / "a" / "mine.py").write_text("")
    (tmp_path / "a" / "khiva_kit.py").write_text(kit)
    bot = load(word)
    command = stage(bot)
    assert not set(compiled_in(command)) & compiled
    assert set(compiled_in(command)) | compiled == {"main.py", "mine.py", "khiva_kit.py"}
    assert load(word).identity == bot.identity
    assert stage(bot) == command


def test_a_start_of_a_shipped_bot_compiles_its_program_alone() -> None:
    assert compiled_in(stage(load("shipped:python/search"))) == ["main.py"]


def compiled_in(command: Command) -> list[str]:
    """The files of its folder that a bot in Python compiles at a start."""
    see = "lambda event, seen: event == 'compile' and print(seen[1])"
    start = (
        f"import sys, runpy; sys.addaudithook({see}); sys.path.insert(0, '.'); "
        "runpy.run_path('main.py')"
    )
    words = [sys.executable, "-c", start]
    done = subprocess.run(
        words,
        cwd=command.folder,
        env=command.environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
    )
    return [
        name
        for line in done.stdout.splitlines()
        if (name := os.path.basename(line)) in os.listdir(command.folder)
    ]


def test_staged_tree_is_read_only_and_made_once(tmp_path: Path) -> None:
    bot = load(folder(tmp_path / "a", TOML + 'build = "cp main.py built.py"\n', main="once = 1"))
    first = stage(bot)
    built = Path(first.folder, "built.py")
    assert stat.S_IMODE(built.stat().st_mode) & 0o222 == 0
    assert stat.S_IMODE(Path(first.folder).stat().st_mode) & 0o222 == 0
    when = built.stat().st_mtime_ns
    assert stage(bot) == first
    assert built.stat().st_mtime_ns == when


def _staged(tmp_path: Path, main: str) -> tuple[Path, bots.Bot]:
    """A staged bot that is built, and the folder it is in."""
    bot = load(folder(tmp_path / "a", TOML + 'build = "cp main.py built.py"\n', main=main))
    return Path(stage(bot).folder), bot


def _open_up(place: Path) -> None:
    place.chmod(0o755)
    for path in place.iterdir():
        path.chmod(0o755)


CHANGES = {
    "a source": lambda place: (place / "main.py").write_text("print('mine')"),
    "what was built": lambda place: (place / "built.py").write_text("print('mine')"),
    "notes kept": lambda place: (place / "notes").write_text("seed 3: pass low"),
    "a folder": lambda place: (place / "more").mkdir(),
    "something gone": lambda place: (place / "built.py").unlink(),
    "a link instead": lambda place: (
        (place / "main.py").unlink(),
        (place / "main.py").symlink_to("built.py"),
    ),
    "no seal": lambda place: place.with_name(f"{place.name}.json").unlink(),
    "another seal": lambda place: place.with_name(f"{place.name}.json").write_text("x"),
    "all of it gone": lambda place: shutil.rmtree(place),
    "a link to elsewhere": lambda place: (
        place.rename(place.with_name("elsewhere")),
        place.symlink_to("elsewhere"),
    ),
}


@pytest.mark.parametrize("what", CHANGES)
def test_a_staged_folder_that_was_changed_is_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    monkeypatch.setenv("KHIVA_ARENA_CACHE", str(tmp_path / "cache"))
    place, bot = _staged(tmp_path, "x = 1")
    names = sorted(path.name for path in place.iterdir())
    _open_up(place)
    CHANGES[what](place)
    assert stage(bot).folder == str(place)
    assert not place.is_symlink()
    assert sorted(path.name for path in place.iterdir()) == names
    assert [(place / name).read_text() for name in ("main.py", "built.py")] == ["x = 1", "x = 1"]
    assert stat.S_IMODE(place.stat().st_mode) == 0o555
    when = place.stat().st_ino
    stage(bot)
    assert place.stat().st_ino == when


def test_links_in_a_build_change_nothing_they_lead_to(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir(mode=0o700)
    (outside / "file").write_text("")
    (outside / "file").chmod(0o600)
    build = f"sh -c 'ln -s {outside} folder; ln -s {outside / 'file'} file; ln -s nowhere broken'"
    bot = load(folder(tmp_path / "a", TOML + f'build = "{build}"\n', main="links"))
    place = Path(stage(bot).folder)
    place.chmod(0o755)
    (place / "more").write_text("")
    stage(bot)
    assert [stat.S_IMODE(path.stat().st_mode) for path in (outside, outside / "file")] == [
        0o700,
        0o600,
    ]


@pytest.mark.parametrize("kind", ["staged", "compiled"])
def test_drafts_that_a_kill_left_are_swept_after_a_day(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setenv("KHIVA_ARENA_CACHE", str(tmp_path / "cache"))
    home = tmp_path / "cache" / kind
    for name, age in (("draft-old", 90_000), ("draft-new", 3_000)):
        (home / name / "sub").mkdir(parents=True)
        (home / name / "sub" / "file").write_text("")
        (home / name / "sub").chmod(0o555)
        os.utime(home / name, (time.time() - age,) * 2)
    _staged(tmp_path, "x = 2")
    assert [path.name for path in home.glob("draft-*")] == ["draft-new"]


def test_what_was_not_built_to_the_end_is_swept_after_a_day(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bot is built in the folder where it stays; until it is sealed that may be
    another arbiter's work.
    """
    monkeypatch.setenv("KHIVA_ARENA_CACHE", str(tmp_path / "cache"))
    home = tmp_path / "cache" / "staged"
    for name, age, sealed in (("a", 90_000, False), ("b", 3_000, False), ("c", 90_000, True)):
        (home / (64 * name)).mkdir(parents=True)
        if sealed:
            (home / f"{64 * name}.json").write_text("{}")
        os.utime(home / (64 * name), (time.time() - age,) * 2)
    staged, _ = _staged(tmp_path, "x = 3")
    assert {path.name for path in home.iterdir() if path.is_dir()} == {
        64 * "b",
        64 * "c",
        staged.name,
    }


def test_a_bot_is_built_where_it_stays(tmp_path: Path) -> None:
    """What compilers write into their output of where that was is so still."""
    place = Path(
        stage(
            load(folder(tmp_path / "a", TOML + "build = \"sh -c 'pwd > where'\"\n", main="pwd"))
        ).folder
    )
    assert (place / "where").read_text() == f"{place}\n"


def test_a_build_that_takes_too_long_is_killed_with_its_children(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build, "BUILD_SECONDS", 1)
    pids = tmp_path / "pids"
    slow = f"sh -c 'sleep 61 & echo $! > {pids}; exec sleep 62'"
    bot = load(folder(tmp_path / "a", TOML + f'build = "{slow}"\n', main="slow"))
    began = time.monotonic()
    with pytest.raises(BotError, match="longer than 1 s"):
        stage(bot)
    assert time.monotonic() - began < 20
    assert _ends(int(pids.read_text()))


def test_what_a_build_leaves_running_is_killed(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    bot = load(
        folder(
            tmp_path / "a",
            TOML + f"build = \"sh -c 'sleep 63 & echo $! > {pids}'\"\n",
            main="leaves one",
        )
    )
    stage(bot)
    assert _ends(int(pids.read_text()))


def _ends(pid: int) -> bool:
    """Whether a process ends soon, or has ended."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    try:
        return bool(poll.poll(10_000))
    finally:
        os.close(descriptor)


def test_of_what_a_build_prints_the_end_is_kept(tmp_path: Path) -> None:
    build = "sh -c 'head -c 50000000 /dev/zero; echo; echo the end; exit 4'"
    bot = load(folder(tmp_path / "a", TOML + f'build = "{build}"\n', main="prints"))
    with pytest.raises(BotError, match="the end") as caught:
        stage(bot)
    assert len(str(caught.value)) < 3_000


def test_a_build_that_fails_says_what_it_printed_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KHIVA_ARENA_CACHE", str(tmp_path / "cache"))
    bot = load(
        folder(
            tmp_path / "a", TOML + "build = \"sh -c 'echo bad flag >&2; exit 4'\"\n", main="fails"
        )
    )
    with pytest.raises(BotError, match=r"exited with code 4:\nbad flag"):
        stage(bot)
    home = tmp_path / "cache" / "staged"
    assert not [
        path
        for path in home.iterdir()
        if path.name.startswith("draft-") or path.name == bot.identity
    ]


def test_a_missing_compiler_is_named(tmp_path: Path) -> None:
    bot = load(folder(tmp_path / "a", TOML + 'build = "no-such-compiler x"\n'))
    with pytest.raises(BotError, match="no-such-compiler"):
        stage(bot)


def test_every_mistake_in_a_bot_toml_is_named_at_once(tmp_path: Path) -> None:
    said = problems(folder(tmp_path / "a", 'name = 3\nfiles = "x"\nlanguage = "C"\n'))
    assert said.count("\n") == 3
    for part in (
        sentence("entrants", "must-string", value="name"),
        "files " + sentence("entrants", "must-list-strings"),
        "unknown key 'language'",
        "run is missing",
    ):
        assert part in said


@pytest.mark.parametrize(
    ("toml", "said"),
    [
        ("name = ", "not TOML"),
        ('name = "a\\n"\nrun = "x"', "printable"),
        ('name = ""\nrun = "x"', "1 to 64"),
        ('name = "a"\nrun = ""', "run is empty"),
        ('name = "a"\nrun = "x \'"', "No closing quotation"),
        (TOML + "reports = 1", "reports is neither true nor false"),
        (TOML + 'files = ["../*.py"]', "outside the folder"),
        (TOML + 'files = ["/etc/*"]', "outside the folder"),
        (TOML + 'files = ["*.rs"]', "matches nothing"),
        (TOML + 'files = ["a**b"]', "files names 'a**b', which"),
        (TOML + 'files = [""]', "not a glob"),
        (TOML + 'include = ["../nothing.py"]', "not a file"),
        (
            TOML + 'include = ["a\\u0000b"]',
            sentence("entrants", "printable-characters-only", value="include"),
        ),
        (TOML + 'version = "\\u001b[2J"', "version has 1 to 64 printable"),
        (TOML + 'build = "sh -c \\u001b]0;x"', sentence("entrants", "words-command-printable-put")),
        (
            TOML + "build = \"sh -c 'a\\n 3 ok forged'\"",
            sentence("entrants", "words-command-printable-put"),
        ),
        (TOML + f'include = ["{"x" * 300}"]', "not a file"),
        ('name = "a"\nrun = "x\\u0000"', sentence("entrants", "words-command-printable-put")),
        ("x = " + "[" * 100_000, "not TOML"),
        (TOML + 'include = ["../main.py"]', "not a file"),
    ],
)
def test_mistakes_in_a_bot_toml(tmp_path: Path, toml: str, said: str) -> None:
    assert said in problems(folder(tmp_path / "a", toml))


def test_folder_without_bot_toml(tmp_path: Path) -> None:
    assert "has no bot.toml" in problems(str(tmp_path))


def test_bare_command_is_known_by_its_bytes(tmp_path: Path) -> None:
    script = tmp_path / "my bot.sh"
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)
    data = tmp_path / "weights"
    data.write_text("1")
    word = f"'{script}' --fast {data}"
    bot = load(word)
    assert (bot.name, bot.complete, bot.run[1:]) == ("weights", False, ("--fast", str(data)))
    data.write_text("2")
    assert load(word).identity != bot.identity
    assert load(f"'{script}' --slow {data}").identity != load(word).identity
    with pytest.raises(BotError, match=pattern("entrants", "files-changed-after-command")):
        stage(bot)  # what would play is another one
    assert stage(load(word)).argv[0] == str(script)


def test_words_are_relative_to_a_base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder(tmp_path / "mine" / "a")
    (tmp_path / "mine" / "go").write_text("#!/bin/sh\n")
    (tmp_path / "mine" / "go").chmod(0o755)
    (tmp_path / "mine" / "weights").write_text("1")
    monkeypatch.chdir(tmp_path / "mine")
    words = ("a", "a/bot.toml", "./go --fast weights", "{python} weights")
    here = [load(word) for word in words]
    monkeypatch.chdir("/")
    there = [load(word, str(tmp_path / "mine")) for word in words]
    assert [(bot.name, bot.identity, bot.run) for bot in there] == [
        (bot.name, bot.identity, bot.run) for bot in here
    ]
    with pytest.raises(ConfigError, match=pattern("entrants", "no-such-folder-command")):
        load("./go --fast weights")


def test_words_that_no_path_can_be() -> None:
    assert sentence("entrants", "no-such-folder-no") in problems("x" * 300)
    assert sentence("entrants", "no-such-folder-command") in problems("./" + "x" * 300)
    assert load("{python} " + "x" * 300).run[1] == "x" * 300


def test_a_file_that_cannot_be_read_is_the_user_s_mistake(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def denied(path: str) -> None:
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr(regular_files, "open_file", denied)
    assert "Permission denied" in problems("{python} x")


def test_commands_that_do_not_exist() -> None:
    assert sentence("entrants", "no-such-folder-command") in problems("./no-such-bot --fast")
    assert sentence("entrants", "no-such-folder-no") in problems("no-such-bot")
    assert "empty command" in problems(" ")


def test_all_bots_are_read_before_anything_is_refused(tmp_path: Path) -> None:
    good = folder(tmp_path / "a")
    with pytest.raises(ConfigError) as caught:
        load_all([good, "no-such-bot", str(tmp_path), good])
    assert len(caught.value.problems) == 3
    assert "--copies" in caught.value.problems[2]


def test_equal_names_get_numbers(tmp_path: Path) -> None:
    words = [folder(tmp_path / name, main=name) for name in ("x", "y", "z")]
    assert [bot.name for bot in load_all(words)] == ["a", "a-2", "a-3"]


def test_a_bare_command_runs_where_it_was_named_with_its_words_unchanged(tmp_path: Path) -> None:
    """A word that happens to be a file's name may mean something else to the
    program.
    """
    (tmp_path / "fast").write_text("")
    staged = stage(load("sh -c true fast", str(tmp_path)))
    assert staged.argv[1:] == ("-c", "true", "fast")
    assert staged.folder == str(tmp_path)


def test_a_bot_has_its_own_name_in_a_command_that_names_no_other(tmp_path: Path) -> None:
    (tmp_path / "copy").mkdir()
    (tmp_path / "copy" / "bot.toml").write_text('name = "mine"\nrun = "true"\n')
    assert own_name(str(tmp_path / "copy"), "mine-2") == "mine"
    assert own_name(str(tmp_path / "gone"), "mine-2") == "mine-2"
