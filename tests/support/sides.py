"""Which modules, tests and helpers are the core's, and which are an extension's.

The folder says it: modules of an extension lie in ``khiva_arena/extensions/NAME``, its
tests in ``tests/extensions/NAME`` and its helpers in ``support`` below them. Each other
file is the core's and needs no module of an extension: a copy of the package without
extensions runs the core's tests.
"""

from pathlib import Path

import pytest

from khiva_arena.common import hooks

TESTS = Path(__file__).parent.parent
PACKAGE = TESTS.parent / "khiva_arena"
LIST = "khiva_arena.extensions"
"""The module that lists the extensions, which is the core's."""
EXTENSIONS = tuple(sorted(row.parent.name for row in PACKAGE.glob("extensions/*/row.py")))
COMMANDS = tuple(command.name for row in hooks.rows() for command in row.commands)
"""The commands of the extensions."""
NEEDS_ALL = pytest.mark.skipif(
    len(hooks.rows()) < len(hooks.OWNERS), reason="looks at what every extension adds to the core"
)
"""The mark of a test of the core that a copy without some extension skips."""
TOGETHER = ("extensions", "together", "benchmarks")
"""Folders of tests that are not the core's: those of one extension, and those whose
files need several at once, as tests of all commands and all formats do, and
measurements of all.
"""
OF_THE_CHECKOUT = (
    "test_core_tests.py",
    "test_docs.py",
    "test_docstrings.py",
    "test_layout.py",
    "test_messages.py",
    "test_named_places.py",
    "test_names.py",
    "test_opening.py",
    "test_paths_in_messages.py",
    "test_printing.py",
    "test_release.py",
    "test_size.py",
    "test_targets.py",
    "test_wheel.py",
    "tools/test_tools.py",
)
"""Tests that read the sources and pages of a whole checkout, with those of all
extensions.
"""


def extension_of(name: str) -> str:
    """Return the extension that has a module, or a name of one, and "" if it is the
    core's.
    """
    below = name.removeprefix(f"{LIST}.").split(".")[0] if name.startswith(f"{LIST}.") else ""
    return below if below in EXTENSIONS else ""


def core_files() -> list[Path]:
    """Return the tests and the helpers of the core."""
    return sorted(
        file for file in TESTS.rglob("*.py") if file.relative_to(TESTS).parts[0] not in TOGETHER
    )


def core_tests() -> list[Path]:
    """Return the files of tests that a copy of the package without extensions runs."""
    names = [file.relative_to(TESTS) for file in core_files()]
    return [
        TESTS / name
        for name in names
        if name.name.startswith("test_") and str(name) not in OF_THE_CHECKOUT
    ]
