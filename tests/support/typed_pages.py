"""Types what a page says to type, in one empty folder, and compares what that prints
with what the page shows.
"""

import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from difflib import SequenceMatcher, get_close_matches
from pathlib import Path

from page_steps import Shown, Step, Typed, Written, steps_of

ROOT = Path(__file__).parents[2]
LEFT_OUT = "..."
OF_PYTHON = {
    "openspiel.md": "tests/env/test_openspiel.py",
    "python-api.md": "tests/interface/api/test_page.py",
    "train-a-policy.md": "tests/env/test_pages.py",
    "trainers.md": "tests/env/test_pages.py",
}
"""The pages whose examples in Python are run and compared elsewhere, and the test that
does so.
"""
LONGEST = 20
"""Lines of a difference that are told."""
SECONDS = 30
"""Of CPU of a usual core, for all commands of one page."""
USUAL = 0.18
"""The seconds of CPU that a usual core takes for ``_work``. A core that others share
may take twice as long, from one minute to the next, so the work is timed before and
after the commands of a page.
"""
WALL = 240
"""Seconds after which the commands of a page are killed: they wait for somebody."""
VOLATILE: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = (
    (
        re.compile(r"(--[\w-]+[ =]\S*)|\b\d[\d,.]*(?= ?(?:ms|s|kB|MB|GB)\b)"),
        lambda found: found[1] or "N",
    ),  # no option's value
    (re.compile(r"\b\d[\d,.]*(?= (?:bytes?|seconds?|minutes?|min)\b)"), "N"),
    (re.compile(r"\(commit \w+\)"), "(commit C)"),
    (
        re.compile(r"(?<=@)[0-9a-f]{7}\b"),
        "COMMIT",
    ),  # of a new bot: its AGENTS.md names where the manual lies
    (re.compile(r"\bbundle [0-9a-f]{12,}(\.\.\.)?"), "bundle ID"),  # it holds the time of the run
    (
        re.compile(r"\b([0-9a-f]{12})(?:[0-9a-f]{5,}\b|\.\.\.)"),
        r"\1...",
    ),  # a page shows the first digits of a digest, and all 16 of an id
    (re.compile(r"\b20\d\d-\d\d-\d\d([T ]\d\d:\d\d(:\d\d)?Z?)?"), "DATE"),
    (re.compile(r"\bport \d+|(?<=127\.0\.0\.1:)\d+|(?<=localhost:)\d+"), "PORT"),
)
"""Texts that differ from machine to machine and from run to run, each with the text
that is compared instead. Limits, such as 1 GiB, do not differ.
"""
OF_THE_MACHINE = re.compile(r"warning: (Starts of|\d+ x \d+ bots|isolation trusted)")
"""How lines begin that a command says of this machine only: no page shows them."""
_NUMBER = re.compile(r"[<>=.+-]*\d")


@dataclass(frozen=True)
class Session:
    """The output of a page's commands, the commands with an exit code that the page
    does not tell, and the seconds of CPU that a usual core takes for them.
    """

    printed: dict[Typed, tuple[str, ...]]
    wrong: tuple[str, ...]
    seconds: float


def typed_in(folder: Path, steps: Iterable[Step]) -> Session:
    """Type all commands of a page in this folder, as one user in one shell, and write
    its files.
    """
    commands = [step for step in steps if isinstance(step, Typed)]
    with tempfile.TemporaryDirectory(prefix="khiva-typed-") as kept:
        place = Path(kept)
        (place / "home").mkdir()
        script = "\n".join(_script(steps, commands, place))
        before, work = _cpu(), _work()
        with (place / "shell").open("wb") as said:
            shell = subprocess.Popen(
                ["bash", "-c", script],
                cwd=folder,
                env=_environment(place),
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
                start_new_session=True,
            )
            try:
                with suppress(subprocess.TimeoutExpired):
                    shell.wait(WALL)
            finally:
                _end(shell)
        seconds = (_cpu() - before) * 2 * USUAL / (work + _work())
        printed, wrong = {}, []
        for number, command in enumerate(commands):
            file = place / f"{number}.code"
            text = (
                (place / f"{number}.out").read_text() if (place / f"{number}.out").exists() else ""
            )
            lines = [_here(line, folder) for line in text.splitlines()]
            kept_lines = [line for line in lines if not OF_THE_MACHINE.match(line)]
            printed[command] = tuple(_without_end(kept_lines))
            if not file.exists():
                wrong.append(
                    f"line {command.line}: not typed, or not ended: {command.command}\n{text}"
                )
                break
            if (code := int(file.read_text())) != command.code:
                wrong.append(
                    f"line {command.line}: exits with {code}, not {command.code}: "
                    f"{command.command}\n{text}"
                )
                break
        return Session(printed, tuple(wrong), seconds)


def missing(steps: Iterable[Step]) -> list[str]:
    """Return the programs that commands of a page begin with and that are not on this
    machine.
    """
    words = {step.command.split()[0] for step in steps if isinstance(step, Typed)}
    names = sorted(word for word in words if re.fullmatch(r"[a-z][\w.+-]*", word))
    script = 'for name; do type "$name" >/dev/null 2>&1 || echo "$name"; done'
    asked = subprocess.run(
        ["bash", "-c", script, "bash", *names],
        env=_environment(Path("/")),
        capture_output=True,
        text=True,
        check=True,
    )
    return asked.stdout.split()


def _script(steps: Iterable[Step], commands: list[Typed], place: Path) -> Iterator[str]:
    for number, step in enumerate(steps):
        if isinstance(step, Written):
            (place / f"file{number}").write_text(step.text)
            yield f'mkdir -p "$(dirname "{step.file}")" && cp "{place}/file{number}" "{step.file}"'
            if step.text.startswith("#!"):
                yield f'chmod +x "{step.file}"'
        elif isinstance(step, Typed):
            own = commands.index(step)
            yield f"{{\n{step.command}\n}} >{place}/{own}.out 2>&1"
            yield f"code=$?; echo $code >{place}/{own}.code; [ $code = {step.code} ] || exit 1"


def _environment(place: Path) -> dict[str, str]:
    """The user's, but for the home and what belongs to it; a command prints in the
    order in which a terminal shows it.
    """
    given = {
        name: value
        for name, value in os.environ.items()
        if name not in ("COLUMNS", "LINES", "PYTHONDONTWRITEBYTECODE")
    }
    path = f"{Path(sys.executable).parent}:{given.get('PATH', '')}"
    home = {"HOME": f"{place}/home", "XDG_CONFIG_HOME": f"{place}/home/config"}
    return {"KHIVA_ARENA_CACHE": _cache(), **given, **home, "PATH": path, "PYTHONUNBUFFERED": "1"}


def _cache() -> str:
    from khiva_arena.entrants.staging import cache_folder

    return str(cache_folder())


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _work() -> float:
    """Compile a module of Python fifteen times, and return the seconds of CPU that it
    took.
    """
    text, begun = Path(subprocess.__file__).read_text(), time.process_time()
    for _ in range(15):
        compile(text, "", "exec")
    return time.process_time() - begun


def _end(shell: subprocess.Popen[bytes]) -> None:
    """End what the commands left running, and wait for the shell."""
    with suppress(ProcessLookupError):
        os.killpg(shell.pid, signal.SIGKILL)
    shell.wait()


def _here(line: str, folder: Path) -> str:
    """Return a line with ``...`` instead of the folders of this machine, and without
    the spaces at its end.
    """
    for place in (f"{ROOT}/", f"{folder.resolve()}/", f"{folder}/"):
        line = line.replace(place, ".../")
    return line.replace(str(folder), "...").rstrip()


def _without_end(lines: list[str]) -> list[str]:
    """Return lines without the empty ones at their end."""
    while lines and not lines[-1]:
        lines = lines[:-1]
    return lines


def plain(line: str) -> str:
    """Return a line as it is compared: a row of a table may be wider where a volatile
    number is longer.
    """
    line = line.rstrip()
    compared = line
    for wanted, name in VOLATILE:
        compared = wanted.sub(name, compared)
    return line if compared == line else re.sub(" +", " ", compared)


def shape(line: str) -> str:
    """Return the shape of a line, which is the same with other numbers: one sign a
    word, whether it is a number.
    """
    return "".join("1" if _NUMBER.match(word) else "w" for word in line.split())


def agrees(shown: Sequence[str], printed: Sequence[str]) -> bool:
    """Tell whether these lines are the printed ones, all and in order, with ``...`` for
    any number of lines.
    """
    if LEFT_OUT not in shown:
        return list(shown) == list(printed)
    pieces = pieces_of(shown)
    if len(printed) < sum(map(len, pieces)):
        return False
    first, *rest = pieces
    if list(printed[: len(first)]) != first:
        return False
    last = rest.pop()
    if last and list(printed[-len(last) :]) != last:
        return False
    at, end = len(first), len(printed) - len(last)
    for piece in rest:
        found = next(
            (
                n
                for n in range(at, end - len(piece) + 1)
                if list(printed[n : n + len(piece)]) == piece
            ),
            None,
        )
        if found is None:
            return False
        at = found + len(piece)
    return True


def pieces_of(shown: Sequence[str]) -> list[list[str]]:
    """Split lines at each ``...``: the first and the last piece may be empty."""
    pieces: list[list[str]] = [[]]
    for line in shown:
        if line == LEFT_OUT:
            pieces.append([])
        else:
            pieces[-1].append(line)
    return pieces


def outputs(shown: Shown, session: Session) -> Iterator[tuple[str, ...]]:
    """Return what a block may show: the output of each command before it, the last one
    first, and that of several in a row.
    """
    each = [session.printed.get(command, ()) for command in shown.after]
    for length in range(1, len(each) + 1):
        for first in range(len(each) - length, -1, -1):
            yield tuple(line for one in each[first : first + length] for line in one)


def untrue(shown: Shown, session: Session, exact: bool) -> str:
    """Return why a block is not what the page's commands printed, "" if it is.
    Elsewhere than at the level of the page only the shape of each line is compared.
    """
    if shown.of_python:
        return ""
    if not shown.after:
        return (
            f"line {shown.line}: no command above prints this; end the paragraph above it with "
            '"for example:"'
        )
    every = list(outputs(shown, session))
    if exact:
        wanted = [LEFT_OUT if line.strip() == LEFT_OUT else plain(line) for line in shown.lines]
        if any(agrees(wanted, [plain(line) for line in printed]) for printed in every):
            return ""
        return f"line {shown.line}: " + difference(shown.lines, nearest(shown, session))
    shapes = {shape(plain(line)) for line in every[-1]}
    odd = [
        line
        for line in shown.lines
        if line.strip() not in ("", LEFT_OUT) and shape(plain(line)) not in shapes
    ]
    return (
        f"line {shown.line}: no line that was printed looks like these:\n" + "\n".join(odd)
        if odd
        else ""
    )


def nearest(shown: Shown, session: Session) -> tuple[str, ...]:
    """Return the output that looks most like a block, by the shapes of lines and by
    equal lines.
    """

    def likeness(printed: Sequence[str]) -> float:
        pair = [shape(line) for line in shown.lines], [shape(line) for line in printed]
        same = len(set(map(plain, shown.lines)) & set(map(plain, printed))) / (
            len(shown.lines) or 1
        )
        return SequenceMatcher(None, *pair, autojunk=False).ratio() + 2 * same

    return max(outputs(shown, session), key=likeness)


def difference(shown: Sequence[str], printed: Sequence[str]) -> str:
    """Return in short how a block differs from an output."""
    lines = [plain(line) for line in printed]
    odd = [plain(line) for line in shown if line.strip() != LEFT_OUT and plain(line) not in lines]
    rows = []
    for line in odd[:LONGEST]:
        near = get_close_matches(line, lines, 1)
        rows += [f"- {line}", *(f"+ {one}" for one in near)]
    if odd:
        return "the page shows (-), the command prints (+):\n" + "\n".join(rows)
    said = "all these lines are printed, but others between them for which the page has no line ..."
    return "\n".join([f"{said}:", *printed[:LONGEST]])


def faults_of(page: Path, folder: Path, exact: bool) -> tuple[list[str], float]:
    """Type a page, and return all that is not as it says, and the seconds of CPU that
    it took.
    """
    steps = steps_of(page.read_text())
    of_python = [step.line for step in steps if isinstance(step, Shown) and step.of_python]
    if of_python and page.name not in OF_PYTHON:
        return [
            (
                f"line {of_python[0]}: no test runs the Python of this page: name one in "
                'OF_PYTHON, or write "for example:"'
            )
        ], 0
    session = typed_in(folder, steps)
    faults = list(session.wrong)
    if not faults:
        faults = [
            why
            for step in steps
            if isinstance(step, Shown)
            if (why := untrue(step, session, exact))
        ]
    if session.seconds > SECONDS:
        faults.append(f"its commands take {session.seconds:.0f} s of CPU, not {SECONDS}")
    return faults, session.seconds
