"""Which tests and helpers are the core's, and which are an extension's.

An extension has one folder of tests, with its helpers in ``support`` below it. Each other file below tests is the core's, and it
needs no module of an extension: a copy of the package without extensions runs the core's tests.
"""

from pathlib import Path

TESTS = Path(__file__).parent.parent
EXTENSIONS = {
    "checker": (
        "khiva_arena.extensions.checker.in_page",
        "khiva_arena.extensions.checker.in_pyodide",
        "khiva_arena.extensions.checker.page_options",
        "khiva_arena.extensions.checker.page_command",
        "khiva_arena.extensions.checker.checker",
    ),
    "cluster": ("khiva_arena.extensions.cluster",),
    "league": (
        "khiva_arena.extensions.league.cli.league",
        "khiva_arena.extensions.league.cli.submit",
        "khiva_arena.extensions.league.commands.league",
        "khiva_arena.extensions.league.commands.league_author",
        "khiva_arena.extensions.league.commands.league_serve",
        "khiva_arena.extensions.league.commands.submit",
        "khiva_arena.extensions.league",
    ),
    "outside": (
        "khiva_arena.extensions.own_games.own_game",
        "khiva_arena.extensions.own_games.check_game",
        "khiva_arena.extensions.own_games",
    ),
    "seats": (
        "khiva_arena.extensions.seats.play_options",
        "khiva_arena.extensions.seats.relay_options",
        "khiva_arena.extensions.seats.play_command",
        "khiva_arena.extensions.seats.relay_command",
        "khiva_arena.extensions.seats.taken_seat",
        "khiva_arena.extensions.seats",
    ),
    "shards": (
        "khiva_arena.extensions.shards.merge_function",
        "khiva_arena.extensions.shards.merge_options",
        "khiva_arena.extensions.shards.merge_command",
        "khiva_arena.extensions.shards.plans",
        "khiva_arena.extensions.shards",
    ),
    "web": ("khiva_arena.extensions.serve.live_web", "khiva_arena.extensions.serve"),
}
"""The modules of each extension, or the folders of them, by its folder of tests."""
TOGETHER = ("together", "benchmarks")
"""Folders whose files need several extensions at once: tests of all commands and all formats, and what measures all of it."""
COMMANDS = ("league", "merge", "page", "play", "relay", "submit")
"""The commands of the extensions."""
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
)
"""Tests that read the sources and pages of a whole checkout, with those of all extensions."""
OF_THE_CORE = ("khiva_arena.extensions.league.full_disk",)
"""Modules of the core that still lie in the folder of an extension."""


def extension_of(name: str) -> str:
    """Return the extension that has a module, or a name of one, and "" if it is the core's."""
    if _below(name, OF_THE_CORE):
        return ""
    return next((extension for extension, modules in EXTENSIONS.items() if _below(name, modules)), "")


def _below(name: str, modules: tuple[str, ...]) -> bool:
    return any(name == module or name.startswith(f"{module}.") for module in modules)


def core_files() -> list[Path]:
    """Return the tests and the helpers of the core."""
    of_extensions = {*EXTENSIONS, *TOGETHER}
    return sorted(file for file in TESTS.rglob("*.py") if file.relative_to(TESTS).parts[0] not in of_extensions)


def core_tests() -> list[Path]:
    """Return the files of tests that a copy of the package without extensions runs."""
    names = [file.relative_to(TESTS) for file in core_files()]
    return [TESTS / name for name in names if name.name.startswith("test_") and str(name) not in OF_THE_CHECKOUT]
