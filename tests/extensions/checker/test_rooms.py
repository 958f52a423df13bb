"""The part of the package that the page of bundles carries: it can be imported without
what a page has not.
"""

import io
import subprocess
import sys
import tomllib
import zipfile
from hashlib import sha256
from importlib.resources import files
from pathlib import Path

import pytest

from khiva_arena.bots.modules.released import newest
from khiva_arena.entrants.runtimes import USUAL_MAXIMUM
from khiva_arena.errors import InternalError
from khiva_arena.extensions.checker.checker import FIRSTS, rooms
from khiva_arena.extensions.checker.not_checked import EXTENSIONS
from khiva_arena.extensions.checker.rooms import ABSENT, Rooms, packed
from khiva_arena.extensions.checker.workbench.in_pyodide import INTERPRETERS

BLOCKED = """
import importlib, sys
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {absent}:
            raise ModuleNotFoundError(f"a page has no {{name}}", name=name)
sys.meta_path.insert(0, Absent())
sys.path.insert(0, {archive!r})
for name in {modules}:
    importlib.import_module(name)
where = sys.modules["khiva_arena"].__file__
assert where.startswith({archive!r}), where
from khiva_arena.games import asked
from khiva_arena.games.registry import NAMES, get
from khiva_arena.games.rules_map import file_in_rules
for name in NAMES:
    game = get(name)
    state, _ = game.new(3, game.rules({{}}), bytes(32))
    while not state.is_over:
        state.apply(dict.fromkeys(state.pending(), 0))
    asking = asked.asking(game)
    assert asking.aim and asking.legend and asking.rulings, f"a person reads nothing of {{name}}"
from khiva_arena.common import hooks
print(len({modules}), *(row.name for row in hooks.rows()))
"""


def test_every_module_of_the_page_is_imported_without_what_a_page_has_not(tmp_path: Path) -> None:
    archive = tmp_path / "rooms"
    (tmp_path / "rooms.zip").write_bytes(packed(FIRSTS, EXTENSIONS))
    with zipfile.ZipFile(tmp_path / "rooms.zip") as files:
        files.extractall(archive)
    modules = Rooms(EXTENSIONS).closure(FIRSTS)
    program = BLOCKED.format(absent=set(ABSENT), archive=str(archive), modules=modules)
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        cwd="/",
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{len(modules)} {' '.join(EXTENSIONS)}\n"
    assert {
        name.split(".")[2] for name in modules if name.startswith("khiva_arena.extensions.")
    } == {*EXTENSIONS}


@pytest.mark.soak
def test_the_archive_is_the_same_each_time() -> None:
    assert packed(FIRSTS, EXTENSIONS) == packed(FIRSTS, EXTENSIONS)
    with zipfile.ZipFile(io.BytesIO(packed(FIRSTS, EXTENSIONS))) as files:
        assert {file.compress_type for file in files.infolist()} == {zipfile.ZIP_STORED}, (
            "nor does it depend on a library"
        )


def test_a_module_that_needs_an_absent_package_is_refused_with_the_way_there() -> None:
    with pytest.raises(
        InternalError, match=r"khiva_arena\.arbiter\.match: (khiva_arena\.arbiter\.clock: )?trio"
    ):
        Rooms().closure(["khiva_arena.arbiter.match"])


def test_what_a_function_imports_is_carried_where_a_page_can_have_it() -> None:
    modules = Rooms().closure(["khiva_arena.competition.audit.bundle"])
    assert "khiva_arena.records.replay.ticks" in modules
    assert "khiva_arena.competition.events.bundling" not in modules, "numpy comes with it"


def test_the_page_that_checks_holds_no_hash_of_itself() -> None:
    assert not [
        name
        for name in Rooms(EXTENSIONS).closure(FIRSTS)
        if name.startswith("khiva_arena.display.page")
    ]


def test_what_the_page_has_of_this_checkout_is_pinned_as_it_is() -> None:
    """With other modules the page would be large and start slowly, and with another
    interpreter it would play nothing.
    """
    pins = tomllib.loads(
        (files("khiva_arena.extensions.checker") / "runtime.toml").read_text("utf-8")
    )
    sources = {
        "rooms": sha256(rooms()).hexdigest(),
        **{word: newest(word, USUAL_MAXIMUM) for word in INTERPRETERS},
    }
    assert {name: pins[name]["source"] for name in sources} == sources, (
        "type: .venv/bin/python .ci/page_runtime.py --pin"
    )
