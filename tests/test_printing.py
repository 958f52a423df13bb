"""Which modules write to stdout or stderr: commands, the terminal, and programs with a
main of their own.
"""

import ast
from pathlib import Path

from parsed import IN_ONE_PROCESS, nodes_of

import khiva_arena

pytestmark = IN_ONE_PROCESS

PACKAGE = Path(khiva_arena.__file__).parent
MAY_PRINT = (
    "interface/cli/",
    "interface/commands/",
    "display/terminal/",
    "extensions/own_games/template/",
)
PROGRAMS = {
    "interface/api/host.py": "hands the stderr of the playing process through",
    "extensions/cluster/own_cluster.py": "a cluster on this machine, in a process",
    "bots/modules/meter/__main__.py": "the meter alone, for authors of another one",
    "native/build.py": "runs by itself while the package is being installed",
    "bots/sandbox/escape_attempts.py": "a process in a cell that tries to leave it",
    "bots/sandbox/keeper.py": "a process that keeps files in memory",
    "extensions/seats/link.py": "stands for a guest at the table",
    "extensions/seats/relay.py": "the relay, which runs without the arena",
}
"""Modules that are, or speak for, a program of their own."""


def printing(nodes: tuple[ast.AST, ...]) -> list[int]:
    """Return the lines on which a module prints, or writes to stdout or stderr."""
    written = ("sys.stdout.write", "sys.stderr.write", "sys.stdout.buffer", "sys.stderr.buffer")
    calls = [
        node.lineno
        for node in nodes
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "print"
    ]
    ends = {
        word.rpartition(".")[2] for word in written
    }  # few attributes, so that few are made text
    places = [node for node in nodes if isinstance(node, ast.Attribute) and node.attr in ends]
    return calls + [node.lineno for node in places if ast.unparse(node) in written]


def test_only_commands_the_terminal_and_programs_print() -> None:
    """A room below is called by the Python API too, which prints nothing: what it says
    goes to the ``say`` that it was given.
    """
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        name = path.relative_to(PACKAGE).as_posix()
        if (
            "_shipped" not in path.parts
            and not name.startswith(MAY_PRINT)
            and (lines := printing(nodes_of(path)))
        ):
            found[name] = lines
    assert {name: lines for name, lines in found.items() if name not in PROGRAMS} == {}
    assert sorted(found) == sorted(PROGRAMS), "a row of PROGRAMS prints no longer"
