"""Ctrl-C while a command, or a helper of it, is still being imported; and a system that
gives too little address space.
"""

import os
import re
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from wording import pattern, sentence

from khiva_arena.bots.sandbox import stops
from khiva_arena.common.exit_codes import INTERRUPTED
from khiva_arena.interface.cli.json_error import error_line

pytestmark = pytest.mark.slow

HIT = "import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n"


def hit_in(folder: Path, module: str, *words: str) -> str:
    """Interrupt a command while a module is imported. Returns its stderr."""
    hit = f"""
import sys
class Finder:
    def find_spec(self, name, *_):
        if name == {module!r}:
            {"; ".join(HIT.splitlines())}
sys.meta_path.insert(0, Finder())
from khiva_arena.interface.cli.start import main
sys.argv = ["khiva-arena", *{words!r}]
main()
"""
    done = subprocess.run(
        [sys.executable, "-c", hit], cwd=folder, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (130, "")
    return done.stderr


@pytest.mark.parametrize("module", ["click", "difflib", "khiva_arena.interface.cli.main"])
def test_an_interrupt_while_the_command_is_imported_is_130_without_a_traceback(
    tmp_path: Path, module: str
) -> None:
    assert hit_in(tmp_path, module, "shwo").split() == ["khiva-arena:", "interrupted"]


def test_an_interrupt_while_a_command_with_json_is_imported_is_one_object(tmp_path: Path) -> None:
    assert (
        hit_in(tmp_path, "click", "show", "--json")
        == f"{error_line(INTERRUPTED, ['interrupted'], [])}\n"
    )
    assert hit_in(tmp_path, "click", "relay", "--", "--json").split() == [
        "khiva-arena:",
        "interrupted",
    ]


def test_the_command_and_the_module_begin_there() -> None:
    """So that nothing large is imported before."""
    root = Path(__file__).parent.parent.parent
    assert (
        'khiva-arena = "khiva_arena.interface.cli.start:main"'
        in (root / "pyproject.toml").read_text()
    )
    assert (
        "from khiva_arena.interface.cli.start import main"
        in (root / "khiva_arena" / "__main__.py").read_text()
    )
    words = [
        sys.executable,
        "-c",
        "import sys; import khiva_arena.interface.cli.start; print('click' in sys.modules)",
    ]
    assert subprocess.run(words, capture_output=True, text=True, check=True).stdout == "False\n"


def test_a_helper_is_born_deaf_to_an_interrupt(tmp_path: Path) -> None:
    """As the process that draws the screen: it would print a traceback over the
    terminal.
    """
    with stops.block((signal.SIGINT,)):
        helper = subprocess.Popen(
            [sys.executable, "-c", HIT + "print('alive')"], stdout=subprocess.PIPE, text=True
        )
    assert helper.communicate()[0] == "alive\n"
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())


@pytest.mark.parametrize(
    ("number", "word", "option", "mib"),
    [(resource.RLIMIT_AS, "address space", "-v", mib) for mib in (96, 128, 144, 152)]
    + [(resource.RLIMIT_DATA, "memory", "-d", mib) for mib in (20, 60, 96, 127)],
)
def test_a_limit_that_is_too_low_is_named(
    tmp_path: Path, number: int, word: str, option: str, mib: int
) -> None:
    """Numerical libraries would end the command without a word of ours, or interrupt
    it.
    """
    limit = lambda: resource.setrlimit(number, (mib << 20, mib << 20))  # noqa: E731
    done = subprocess.run(
        [sys.executable, "-m", "khiva_arena", "standings", "."],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=limit,
    )
    assert done.returncode == 2
    assert (
        "error: " + sentence("cli", "system-limit", word=word, mib=mib, option=option)
        in done.stderr.splitlines()[-1]
    )


def test_numerical_libraries_compute_within_the_lowest_limit(tmp_path: Path) -> None:
    """A thread for each core would take more, and the library then ends the process in
    its own words.
    """
    code = """
import resource, sys
from khiva_arena.interface.cli import memory_limits; from khiva_arena.interface.cli import main
least = {limit.number: limit.least for limit in memory_limits.LIMITS}[resource.RLIMIT_DATA]
resource.setrlimit(resource.RLIMIT_DATA, (least, least))
def computing(*_):
    import numpy
    square = numpy.eye(500) + 1
    return 0 if numpy.isfinite(numpy.linalg.solve(square @ square, numpy.ones(500))).all() else 3
main._answer = computing
sys.exit(main.run(["show"]))
"""
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "4"}
    words = [sys.executable, "-c", code]
    done = subprocess.run(
        words, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("limit", "field", "word", "option"),
    [("AS", 0, "address space", "-v"), ("DATA", 5, "memory", "-d")],
)
def test_what_comes_of_a_limit_that_is_used_up_is_put_down_to_it(
    tmp_path: Path, limit: str, field: int, word: str, option: str
) -> None:
    """A library then raises MemoryError, or sends SIGINT, which was called a bug or an
    interrupt.
    """
    for raised in (
        "MemoryError()",
        "KeyboardInterrupt()",
        'RuntimeError("can\'t start new thread")',
    ):
        code = f"""
import resource, sys
from pathlib import Path
from khiva_arena.interface.cli import main
def failing(*_):
    used = int(Path("/proc/self/statm").read_text().split()[{field}]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_{limit}, (used + 50 * 2**20,) * 2)
    raise {raised}
main._answer = failing
main.why_too_little = lambda: ""
sys.exit(main.run(["show"]))
"""
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode == 2, done.stderr
        assert re.search(
            "error: " + pattern("cli", "system-limit", word=word, mib="[0-9]+", option=option),
            done.stderr,
        )
