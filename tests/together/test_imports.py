"""What a command imports before its user sees something: nothing that only another
command, or a later moment, needs.
"""

import ast
import inspect
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import NamedTemporaryFile

import click
import pytest
from arena import arena, bots
from in_targets import soak_but_every
from once import made_once
from sides import COMMANDS
from stores import FORFEITS, NAIVE, RANDOM, SHORT, TRUSTED

import khiva_arena
from khiva_arena.interface.cli import command_groups, main

PACKAGE = Path(khiva_arena.__file__).parent
FOLDERS = {
    f"khiva_arena.{name}"
    for name in ("common", "rating", "bots", "records", "competition", "display", "interface")
}
"""The folders that hold rooms: packages with a docstring and nothing else."""
ROOMS = {
    f"{folder}.{path.parent.name}"
    for folder in FOLDERS
    for path in PACKAGE.parent.glob(f"{folder.replace('.', '/')}/*/__init__.py")
}


NEVER_EARLY = {
    "email",
    "importlib.metadata",
    "multiprocessing",
    "numpy",
    "scipy",
    "tabulate",
    "unittest",
    "urllib.request",
    "wcwidth",
}
FOR_A_RUN = {"asyncio", "importlib.resources", "sqlite3", "structlog"}
FOR_A_SCREEN = {"pygments", "rich"}
FOR_WORK = {"dataclasses", "difflib", "msgspec", "trio", "traceback"}
BARE = {
    "khiva_arena",
    "khiva_arena.interface.cli",
    "khiva_arena.interface.cli.brief",
    "khiva_arena.interface.cli.completion",
    "khiva_arena.interface.cli.command_groups",
    "khiva_arena.interface.cli.main",
    "khiva_arena.errors",
    "khiva_arena.common.exit_codes",
    "khiva_arena.common.handed",
    "khiva_arena.display.terminal",
    "khiva_arena.display.terminal.console",
    "khiva_arena.display.terminal.interrupts",
    "khiva_arena.display.terminal.tty",
    "khiva_arena.common.text",
}
OF_ROWS = {"khiva_arena.common.hooks", "khiva_arena.common.setting_row", "khiva_arena.words"}
"""The modules that read the rows of extensions."""
OF_PAGES = {"khiva_arena.common.address", "khiva_arena.common.manual", "khiva_arena.common.shipped"}
"""The modules that find the page that each help names at its end."""
OF_EXAMPLES = {"khiva_arena.interface.cli.examples"}
OF_HELP = {
    *OF_ROWS,
    *OF_PAGES,
    *OF_EXAMPLES,
    "khiva_arena.interface.cli.help",
    "khiva_arena.interface.cli.options",
    "khiva_arena.interface.commands",
    "khiva_arena.interface.commands.choices",
    "khiva_arena.competition.settings",
    "khiva_arena.competition.settings.table",
    "khiva_arena.rating.report",
    "khiva_arena.rating.report.section_names",
    "khiva_arena.bots.sandbox",
    "khiva_arena.bots.sandbox.level",
    "khiva_arena.bots.sandbox.limits",
    "khiva_arena.words",
}
"""What the words of commands are made of, beside ``BARE`` and a file for each
command.
"""
LATER = {
    *(
        "khiva_arena.records.replay.story",
        "khiva_arena.rating.schedule.formats",
        "khiva_arena.records.store",
        "khiva_arena.rating.report",
        "khiva_arena.interface.api",
    ),
    *(
        "khiva_arena.competition.events.stored",
        "khiva_arena.competition.run.run",
        "khiva_arena.competition.audit.audit_report",
        "khiva_arena.rating.ratings",
    ),
    "msgpack",
}
"""What a match needs only afterwards, or never."""
HEAVY = {
    *(
        "altair",
        "asyncio",
        "distributed",
        "hypercorn",
        "multiprocessing",
        "numpy",
        "rich",
        "scipy",
        "sqlite3",
        "starlette",
    ),
    *("structlog", "tabulate", "trio", "wasmtime"),
}
"""Libraries that cost a command more than it does itself."""
STORE = {"sqlite3"}
TABLE = STORE | {"numpy"}
MATCH = ("--bot", RANDOM, "--bot", RANDOM, *TRUSTED)
NEEDS: dict[str, tuple[tuple[str, ...], int | None, set[str]]] = {
    "bots": (("bots",), 0, {"tabulate"}),
    "bundle": (("bundle", "out", "b.khiva"), 0, TABLE),
    "check": (("check", RANDOM, *TRUSTED, "--game", "khiva"), 0, {"trio"}),
    "close": (("close", "out", "1"), 2, STORE),
    "compare": (("compare", "nowhere"), 2, set()),
    "decode": (("decode", "out"), 2, set()),
    "doctor": (("doctor",), None, {"tabulate"}),
    "export": (("export", "out", "--format", "csv"), 0, TABLE),
    "games": (("games",), 0, set()),
    "grade": (("grade", "nowhere", "--bot", "my-bot"), 2, TABLE | {"tabulate", "trio"}),
    "init": (("init", "competition.toml"), 0, set()),
    "league": (("league", "new", "spring"), 0, {"sqlite3", "trio"}),
    "match": (("match", *MATCH), 0, {"trio"}),
    "merge": (
        ("merge", "one", "other", "--out", "both"),
        2,
        {"multiprocessing", "sqlite3", "trio"},
    ),
    "new": (("new", "python", "my-bot"), 0, set()),
    "plan": (("plan", "out", "--error", "20"), 0, TABLE),
    "page": (("page", "--runtime", "nothing"), 2, set()),
    "play": (("play", "--seats", "9"), 2, set()),
    "relay": (("relay", "127.0.0.1:1", "ann", "--", "nothing"), 2, set()),
    "replay": (("replay", "out", "1/0", "--seat", "0"), 0, {"sqlite3", "trio"}),
    "report": (("report", "out", "--out", "page.html"), 0, TABLE | {"multiprocessing"}),
    "run": (
        ("run", "--bot", NAIVE, *MATCH[2:], "--out", "again", "--seats", "2", "--seeds", "1"),
        0,
        TABLE | {"asyncio", "structlog", "tabulate", "trio"},
    ),
    "show": (("show", "out", "1/0"), 0, TABLE),
    "sprt": (("sprt", "--alpha", "2"), 2, set()),
    "standings": (("standings", "out"), 0, TABLE | {"tabulate"}),
    "submit": (("submit", "nowhere"), 2, set()),
    "verify": (("verify", "out"), 0, {"multiprocessing", "sqlite3"}),
    "watch": (("watch", "nowhere"), 2, {"rich"}),
}
"""A short use of each command, its exit code (None: the machine's), and which of
``HEAVY`` it may import. A command that waits for somebody is refused here: it may
import nothing before it knows that it has work.
"""
DECIDED = (
    "--seeds",
    "32",
    "--seed",
    "imports",
    "--elo1",
    "200",
    "--alpha",
    "0.2",
    "--rule",
    "max_turns=2",
)
"""Options of a sequential test that ends with a verdict."""
ORDINARY: dict[str, tuple[str, ...]] = {
    "close": ("close", "open", "1", "--yes"),
    "compare": ("compare", NAIVE, FORFEITS, *TRUSTED, "--rule", "max_turns=2", "--seed", "imports"),
    "decode": ("decode", "raw/seat-0.to-bot"),
    "sprt": ("sprt", NAIVE, FORFEITS, *TRUSTED, *DECIDED, "--accept", "better,not-better"),
    "watch": ("watch", "events.jsonl"),
}
"""Ordinary uses of the commands of the core that ``NEEDS`` has refused."""
SEES = """
import os, sys
from khiva_arena.interface.cli import main
for line in sys.stdin:
    where, said, path, until, words = eval(line)
    if not os.fork():
        break
    print(os.wait()[1], flush=True)
else:
    sys.exit()
for descriptor, file in enumerate((os.devnull, os.devnull, said)):
    os.dup2(os.open(file, os.O_RDWR), descriptor)
os.chdir(where)
os.environ["PATH"] = path
seen = set()
if until == "first request":
    from khiva_arena.bots.protocol.session import Session
    ask = Session.ask
    def seeing(*words):
        seen.update(seen or sys.modules)
        return ask(*words)
    Session.ask = seeing
code = main.run(words)
print(code, *sorted(seen or sys.modules), file=sys.stderr)
"""
"""Forks for each line, once it has imported what all commands begin with."""
BOTS = ("--bot", "shipped:python/random", "--bot", "shipped:python/naive")


@pytest.fixture(scope="module", autouse=True)
def _forking() -> Iterator[None]:
    global _begun
    with subprocess.Popen(
        [sys.executable, "-c", SEES], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as _begun:
        yield


_begun: subprocess.Popen[str]


def imported(where: Path, *words: str, until: str = "end", exits: int | None = 0) -> set[str]:
    """Return the modules that a command has imported at its end, or at its first
    request. ``exits``: its code, None for any.
    """
    assert _begun.stdin
    assert _begun.stdout
    with NamedTemporaryFile() as said:
        print(
            (str(where), said.name, os.environ["PATH"], until, words), file=_begun.stdin, flush=True
        )
        status, text = int(_begun.stdout.readline()), said.read().decode()
    assert status == 0, text
    code, *names = text.splitlines()[-1].split()
    assert exits in (int(code), None), text
    assert "click" in names
    return set(names)


def of_extensions(names: set[str]) -> set[str]:
    """Return the modules of extensions, but for the list of them and their rows, which
    are data.
    """
    return {
        name
        for name in own(names)
        if name.startswith("khiva_arena.extensions.") and not is_of_a_row(name)
    }


def own(names: set[str]) -> set[str]:
    return {name for name in names if name.split(".")[0] == "khiva_arena"} - FOLDERS


def is_of_a_row(name: str) -> bool:
    """Tell whether a module only lists extensions: the list, the row of one, or the
    folder of a row.
    """
    return re.fullmatch(r"khiva_arena\.extensions(\.\w+(\.row)?)?", name) is not None


def own_code(names: set[str]) -> list[str]:
    """Return the modules of the package that have code: no folder, and no row of an
    extension.
    """
    modules = (
        name for name in own(names) if not PACKAGE.parent.joinpath(*name.split(".")).is_dir()
    )
    return sorted(name for name in modules if not is_of_a_row(name))


def others(names: set[str]) -> int:
    """Return how many modules are of libraries and of Python."""
    return len({name for name in names if name.split(".")[0] != "khiva_arena"})


def statements(names: set[str]) -> int:
    """Return how many statements the modules of the package with code have, but for
    imports and docstrings. A module that is divided has as many as before.
    """
    files = (
        PACKAGE.parent.joinpath(*name.split(".")).with_suffix(".py") for name in own_code(names)
    )
    nodes = (node for file in files for node in ast.walk(ast.parse(file.read_text())))
    return sum(isinstance(node, ast.stmt) and not _is_frame(node) for node in nodes)


def _is_frame(node: ast.stmt) -> bool:
    """Tell whether a statement is an import or a docstring."""
    is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return is_text or isinstance(node, ast.Import | ast.ImportFrom)


@pytest.mark.parametrize(
    ("word", "besides"),
    [("--version", {"khiva_arena.common.version"}), ("-h", OF_ROWS | OF_PAGES | OF_EXAMPLES)],
)
def test_the_arena_without_a_command_imports_its_words_alone(
    word: str, besides: set[str], tmp_path: Path
) -> None:
    found = imported(tmp_path, word)
    assert {name for name in own(found) if not is_of_a_row(name)} == BARE | besides
    assert not found & (FOR_WORK | FOR_A_RUN | FOR_A_SCREEN | NEVER_EARLY) - {
        "difflib"
    }  # click has need of that one


@pytest.mark.parametrize("command", command_groups.commands())
def test_help_of_a_command_imports_nothing_of_what_it_does(command: str, tmp_path: Path) -> None:
    found = imported(tmp_path, command, "-h")
    options = main.cli.get_command(click.Context(main.cli), command)
    assert options is not None
    module = inspect.unwrap(options.callback or own).__module__
    folder = module.rpartition(".")[0]
    besides = {module, folder}
    if folder.startswith("khiva_arena.extensions.") and folder.endswith(".cli"):
        besides |= {name for name in found if name.startswith(f"{folder}.{command}")}
    assert {name for name in own(found) if not is_of_a_row(name)} <= BARE | OF_HELP | besides
    assert module in found
    others = {"dataclasses"} if command == "check" else set()  # it names the levels
    assert not found & (FOR_WORK | FOR_A_RUN | FOR_A_SCREEN | NEVER_EARLY) - {"difflib"} - others


@pytest.mark.slow
@pytest.mark.usefixtures("standard")
def test_a_match_imports_what_its_first_request_needs(tmp_path: Path) -> None:
    found = imported(tmp_path, "match", *BOTS, until="first request")
    assert "khiva_arena.arbiter.gather" in found
    assert not found & (LATER | FOR_A_RUN | FOR_A_SCREEN | NEVER_EARLY)
    # Of the arbiter two are apart, for pages without trio: job, match_steps. Whatever
    # reads a definition imports league_format.
    assert statements(found) <= 8_750
    assert others(found) <= 289


@pytest.mark.slow
@pytest.mark.usefixtures("standard")
def test_a_run_imports_what_its_first_request_needs(tmp_path: Path) -> None:
    words = ("run", *BOTS, "--seats", "2", "--seeds", "1", "--out", str(tmp_path / "store"))
    found = imported(tmp_path, *words, until="first request")
    assert "khiva_arena.records.store.db" in found
    # structlog, which writes the log of the store, brings asyncio.
    later = {
        "khiva_arena.interface.api",
        "khiva_arena.rating.ratings.elo",
        "khiva_arena.rating.report.sections",
    }
    assert not found & (NEVER_EARLY | FOR_A_SCREEN | later)
    assert statements(found) <= 13_130
    assert others(found) <= 365


@made_once
def played(folder: Path) -> None:
    """Two matches of bots in C in "out", lines about one in "events.jsonl", its bytes
    in "raw", and an event that is to begin in "open".
    """
    run = ("run", *bots(RANDOM, NAIVE), "--seats", "2", *TRUSTED)
    arena(*run, "--seeds", "2", "--out", "out", cwd=folder)
    arena(
        *run, "--seeds", "1", "--out", "more", "--events-file", "events.jsonl", *SHORT, cwd=folder
    )
    arena(*run, "--seeds", "1", "--out", "open", "--commit", cwd=folder)
    arena("match", *bots(RANDOM, NAIVE), *TRUSTED, *SHORT, "--capture", "raw", cwd=folder)


@pytest.mark.slow
def test_a_run_without_a_screen_never_imports_what_draws_it(tmp_path: Path) -> None:
    words = (
        "run",
        *bots(RANDOM, NAIVE),
        *TRUSTED,
        "--seats",
        "2",
        "--seeds",
        "1",
        "--out",
        str(tmp_path / "store"),
    )
    found = imported(tmp_path, *words)
    assert found >= {"structlog", "numpy"}
    assert not found & FOR_A_SCREEN


@pytest.mark.slow
def test_standings_import_nothing_that_plays(played: Path) -> None:
    found = imported(played, "standings", "out")
    assert "khiva_arena.competition.events.pool_tables" in found
    assert not {
        name
        for name in found
        if name.startswith(("khiva_arena.arbiter", "khiva_arena.competition.settings.settings"))
    }
    assert not found & {"trio", "asyncio", "structlog"}


def test_the_guard_covers_every_command() -> None:
    assert sorted(NEEDS) == sorted(command_groups.commands())


@pytest.mark.slow
@pytest.mark.parametrize("command", soak_but_every(NEEDS, 3))
def test_a_command_imports_only_the_libraries_that_it_needs(
    command: str, played: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words, exits, needs = NEEDS[command]
    if command == "bots":
        monkeypatch.setenv("PATH", "")  # it starts the tools of every language that is here
    (tmp_path / "out").symlink_to(played / "out")
    found = imported(tmp_path, *words, exits=exits)
    assert found & HEAVY <= needs


@pytest.mark.slow
@pytest.mark.parametrize(
    "command", [name for name in command_groups.commands() if name not in COMMANDS]
)
def test_a_command_of_the_core_imports_no_extension(
    command: str, played: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if command == "bots":
        monkeypatch.setenv("PATH", "")  # it starts the tools of every language that is here
    folder = shutil.copytree(played, tmp_path / "copy")
    words, exits = (ORDINARY[command], 0) if command in ORDINARY else NEEDS[command][:2]
    assert exits != 2
    assert of_extensions(imported(folder, *words, exits=exits)) == set()


@pytest.mark.slow
def test_the_guard_knows_the_modules_of_extensions(tmp_path: Path) -> None:
    found = of_extensions(imported(tmp_path, *NEEDS["league"][0]))
    assert found >= {
        "khiva_arena.extensions.league.cli.league",
        "khiva_arena.extensions.league.commands.league",
        "khiva_arena.extensions.league.settings",
    }
