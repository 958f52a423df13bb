"""Files that a stranger may have named are opened by ``bots/sandbox/regular_files.py``:
nothing else of the package opens any.
"""

import ast
from collections import Counter
from collections.abc import Iterator

from arena import ROOT
from parsed import IN_ONE_PROCESS, nodes_of

pytestmark = IN_ONE_PROCESS
PACKAGE = ROOT / "khiva_arena"
MODES = {"r", "w", "a", "x", "rb", "wb", "ab", "xb", "r+", "r+b", "rt", "wt", "ab+"}
READERS = {"read_bytes", "read_text"}


def is_opening(call: ast.Call) -> bool:
    """Whether a call opens a file by its name: ``open``, ``os.open``,
    ``path.open("rb")``, ``read_text``, ``shutil.copyfile``.
    """
    function = call.func
    if isinstance(function, ast.Name):
        return function.id in {"open", "copyfile", "copy2", "copytree"}
    if not isinstance(function, ast.Attribute):
        return False
    of = function.value.id if isinstance(function.value, ast.Name) else ""
    if function.attr == "open":
        modes = [each.value for each in call.args if isinstance(each, ast.Constant)] + [
            word.arg for word in call.keywords
        ]
        return of in {"os", "posix", "io"} or any(
            mode in MODES or mode in {"mode", "encoding"} for mode in modes
        )
    return function.attr in READERS or (of == "shutil" and function.attr.startswith("copy"))


def openings() -> Iterator[str]:
    """The module of each call that opens a file by its name."""
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in nodes_of(path):
            if isinstance(node, ast.Call) and is_opening(node):
                yield path.relative_to(PACKAGE).with_suffix("").as_posix()


TYPED = (
    "a path that this user has typed for this command, which may be a pipe or a terminal, or "
    "is written"
)
OURS = "part of the package"
SYSTEM = "/proc, /sys, /dev or a descriptor of this process"
MADE = "made here: a new file, or one in a folder that is this user's alone, as the cache"
INSIDE = "the opener cannot be imported: confined in a cell, or one file without the package"
OTHERS = {
    "interface/api/checkpoints": (1, TYPED),
    "interface/api/functions": (2, MADE),
    "arbiter/round_trip": (2, MADE),
    "arbiter/seals": (1, MADE),
    "arbiter/trace": (1, TYPED),
    "extensions/checker/workbench/blocks": (3, OURS),
    "extensions/checker/workbench/folders": (1, MADE),
    "extensions/checker/workbench/in_pyodide": (1, MADE),  # by the page, of its own opponents
    "extensions/checker/in_pyodide": (1, MADE),  # by the page, of the bundle that was dropped
    "competition/conformance/bot_process": (2, SYSTEM),
    "competition/conformance/steps_incoming": (1, OURS),
    "interface/cli/memory_limits": (1, SYSTEM),
    "extensions/cluster/worker_helper": (3, SYSTEM),
    "extensions/cluster/offers": (1, OURS),
    "extensions/cluster/own_cluster": (2, MADE),
    "extensions/cluster/task": (1, SYSTEM),
    "interface/commands/decode": (1, TYPED),
    "common/strength": (1, OURS),
    "interface/commands/new": (2, OURS),
    "interface/commands/new_agents": (2, OURS),
    "interface/commands/new_folder": (3, OURS),
    "extensions/grading/new_ladder": (3, OURS),
    "interface/commands/new_readme": (1, OURS),
    "interface/commands/new_repository": (1, OURS),
    "extensions/checker/page_command": (1, TYPED),
    "extensions/seats/relay_command": (2, TYPED),
    "competition/run/events_file": (2, TYPED),
    "entrants/commits": (2, MADE),
    "entrants/modules": (4, MADE),
    "entrants/staging": (4, MADE),
    "entrants/unpacking": (1, MADE),
    "env/players": (1, OURS),
    "extensions/serve/extension": (1, TYPED),
    "games/asked": (1, OURS),
    "games/silk_road/board": (1, OURS),
    "extensions/league/player/appended": (1, MADE),
    "extensions/league/player/publish": (1, MADE),
    "extensions/league/player/published_before": (1, MADE),
    "extensions/league/routes/pages": (1, OURS),
    "extensions/league/routes/public_folder": (2, INSIDE),
    "extensions/league/routes/rules": (1, OURS),
    "extensions/league/seen": (1, TYPED),
    "extensions/league/submissions/queue_file": (1, OURS),
    "records/store/trial_results": (1, MADE),
    "bots/modules/meter/__main__": (1, TYPED),
    "bots/modules/released": (1, OURS),
    "bots/modules/runner/main": (2, INSIDE),
    "native/build": (6, OURS),
    "extensions/own_games/game_host": (2, SYSTEM),
    "extensions/checker/checker": (
        2,
        OURS,
    ),  # and an archive whose files are taken by pinned hashes
    "display/page/html": (4, OURS),
    "display/page/released": (1, OURS),
    "extensions/checker/rooms": (2, OURS),
    "rating/ratings/swiss_factors": (1, OURS),
    "bots/sandbox/cell": (1, SYSTEM),
    "bots/sandbox/cgroup": (4, SYSTEM),
    "bots/sandbox/escape_attempts": (4, INSIDE),
    "bots/sandbox/keeper": (2, INSIDE),
    "bots/sandbox/launcher": (1, INSIDE),
    "bots/sandbox/prepared": (2, SYSTEM),
    "bots/sandbox/proc_mask": (1, SYSTEM),
    "bots/sandbox/proc_usage": (1, SYSTEM),
    "bots/sandbox/pid_namespaces": (1, SYSTEM),
    "bots/sandbox/reap": (2, SYSTEM),
    "bots/sandbox/regular_files": (3, "here files are opened"),
    "bots/sandbox/remedies": (1, SYSTEM),
    "bots/sandbox/silence": (2, SYSTEM),
    "bots/sandbox/standard": (4, SYSTEM),
    "bots/sandbox/uids": (1, SYSTEM),
    "bots/sandbox/warm": (1, SYSTEM),
    "bots/sandbox/wsl": (1, SYSTEM),
    "rating/schedule/coverings": (1, OURS),
    "extensions/seats/link": (1, SYSTEM),
    "extensions/seats/mcp_chair": (1, OURS),
    "extensions/seats/mcp_command": (1, SYSTEM),
    "extensions/seats/relay_protocol": (1, INSIDE),
    "extensions/seats/seating": (1, MADE),
    "extensions/seats/terminal_seat": (3, TYPED),
    "common/shipped": (1, OURS),
    "common/manual": (1, OURS),
    "records/store/versions": (1, OURS),
    "records/store/new_file": (1, MADE),
    "records/store/private": (2, MADE),
    "display/terminal/console": (2, SYSTEM),
    "display/terminal/screen_process": (1, SYSTEM),
    "display/terminal/tty": (1, SYSTEM),
    "display/terminal/viewer": (1, TYPED),
    "extensions/serve/once": (1, SYSTEM),
    "extensions/spending/model_bots": (1, OURS),
    "extensions/spending/models_file": (1, OURS),
    "extensions/serve/served_page": (2, OURS),
}
"""The calls of each other module: how many, and what they open. A stranger named none
of these files.
"""


def test_nothing_else_opens_a_file_that_a_stranger_may_have_named() -> None:
    """A new call goes to ``regular_files.open_file``, with the folder that is trusted;
    else it has a reason here.
    """
    assert dict(Counter(openings())) == {name: count for name, (count, _) in OTHERS.items()}


def test_the_test_sees_each_way_to_open_a_file() -> None:
    ways = [
        "open(p)",
        "os.open(p, 0)",
        "p.open('rb')",
        "p.open(encoding='ascii')",
        "p.read_text()",
        "p.read_bytes()",
    ]
    for way in [*ways, "shutil.copyfile(p, q)", "shutil.copy(p, q)", "posix.open(p, 0)"]:
        (call,) = [node for node in ast.walk(ast.parse(way)) if isinstance(node, ast.Call)]
        assert is_opening(call), way
    for way in ("session.open()", "hub.open(link)", "regular_files.open_file(p)"):
        (call,) = [node for node in ast.walk(ast.parse(way)) if isinstance(node, ast.Call)]
        assert not is_opening(call), way
