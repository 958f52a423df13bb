"""A copy of the package without any extension runs the core's own fast tests."""

import re
import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path

import pytest
from arena import ROOT
from removed import copy_without
from sides import EXTENSIONS, TESTS, TOGETHER, core_tests

FAST = "not slow and not soak and not language and not long"
BESIDE = (
    *(".ci", ".importlinter", "interpreters", "results", "Makefile", "pyproject.toml"),
    *("CHANGELOG.md", "CONTRIBUTING.md", "README.md", "SECURITY.md"),
)
"""What tests of the core read beside the package and its folders."""


OF_NO_ROW = tuple(
    TESTS / room
    for room in (
        *(
            "arbiter",
            "bots",
            "crules",
            "env",
            "fuzz",
            "games",
            "kits",
            "native",
            "playthroughs",
            "shipped_bots",
        ),
        *("rating/ratings", "rating/schedule"),
    )
)
"""Rooms that read no row of an extension: the contracts of imports hold what their
tests would.
"""


def without_extensions(folder: str, names: list[str]) -> list[str]:
    """Return the names in a folder of tests that no test of the core reads."""
    return [
        name
        for name in names
        if name == "node_modules" or (folder == str(TESTS) and name in TOGETHER)
    ]


@pytest.mark.soak
def test_the_core_passes_its_fast_tests_without_any_extension(open_folder: Path) -> None:
    copy = copy_without(open_folder, *EXTENSIONS)
    shutil.copytree(TESTS, open_folder / "tests", ignore=without_extensions)
    for name in BESIDE:
        (open_folder / name).symlink_to(ROOT / name)
    for name in (
        "msgpack",
        "wasmtime",
    ):  # a bot or a runner in a sandbox reads no folder outside of its environment
        shutil.copytree(Path(find_spec(name).origin).parent, copy.packages / name)
    program = copy.interpreter.with_name("khiva-arena")
    program.write_text(
        f"#!{copy.interpreter}\nfrom khiva_arena.interface.cli.start import main\nmain()\n"
    )
    program.chmod(0o755)
    files = [
        str(file.relative_to(ROOT))
        for file in core_tests()
        if not set(OF_NO_ROW) & set(file.parents)
    ]
    words = ["-m", "pytest", "-n", "2", "--dist", "loadgroup", "-q", "-m", FAST, *files]
    done = subprocess.run(
        [copy.interpreter, *words], cwd=open_folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-20_000:] + done.stderr
    assert (passed := re.search(r"(\d+) passed", done.stdout))
    assert int(passed[1]) > 1_500
