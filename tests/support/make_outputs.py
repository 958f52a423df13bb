"""Writes what the commands of pages print into the text blocks below them, for ``make
pages``: read the diff.

``python tests/support/make_outputs.py [--check] [PAGE ...]`` types each page, or all of
docs/pages.toml and README.md, in an empty folder of its own. A block with ``...`` keeps
as many lines on each side of it as it has. The tool tells each block that it cannot
place, and leaves it. ``--check`` writes nothing and tells each block that differs, as
tests/test_typed_pages.py does.
"""

import argparse
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from pathlib import Path

from page_steps import Shown, steps_of
from typed_pages import (
    LEFT_OUT,
    ROOT,
    SECONDS,
    Session,
    agrees,
    faults_of,
    nearest,
    outputs,
    pieces_of,
    plain,
    shape,
    typed_in,
)

from khiva_arena.bots.sandbox.detect import best
from khiva_arena.bots.sandbox.level import Level

ALL = 300
"""Seconds of CPU for the commands of all pages."""


def pages() -> list[Path]:
    """Return the pages whose commands are typed: README, and the manual. The protocol
    has tests of its own.
    """
    table = tomllib.loads((ROOT / "docs" / "pages.toml").read_text("utf-8"))
    files = ["README.md", *(row["file"] for row in table.values() if row["kind"] != "protocol")]
    return [ROOT / file for file in files if (ROOT / file).exists()]


def renewed(shown: Shown, session: Session) -> list[str] | None:
    """Return the lines of a block as they are printed now, or None if it cannot be said
    which these are.
    """
    every = [printed for printed in outputs(shown, session) if printed]
    wanted = [LEFT_OUT if line.strip() == LEFT_OUT else plain(line) for line in shown.lines]
    if any(agrees(wanted, [plain(line) for line in printed]) for printed in every):
        return list(shown.lines)  # nothing but what is volatile differs
    if not every:
        return None
    printed = nearest(shown, session)
    if marked := _marked([line for line in shown.lines if line.strip() != LEFT_OUT], printed):
        return marked
    if LEFT_OUT not in wanted:
        return list(printed)
    return _with_gaps(
        pieces_of([line if line.strip() != LEFT_OUT else LEFT_OUT for line in shown.lines]),
        list(printed),
    )


def _marked(kept: list[str], printed: Sequence[str]) -> list[str] | None:
    """Return these lines with ``...`` wherever printed ones are left out, if all are
    printed in this order.
    """
    made: list[str] = []
    at = 0
    for line in kept:
        found = next((n for n in range(at, len(printed)) if plain(printed[n]) == plain(line)), None)
        if found is None:
            return None
        made += [*([LEFT_OUT] if found > at else []), line]
        at = found + 1
    return [*made, *([LEFT_OUT] if at < len(printed) else [])] if kept else None


def _with_gaps(pieces: list[list[str]], printed: list[str]) -> list[str] | None:
    """Return so many lines from the start and the end, and each other piece where the
    shapes of its lines are found.
    """
    first, *middle, last = pieces
    if sum(map(len, pieces)) > len(printed):
        return None
    made = printed[: len(first)]
    at, end = len(first), len(printed) - len(last)
    for piece in middle:
        found = next(
            (
                n
                for n in range(at, end - len(piece) + 1)
                if _alike(piece, printed[n : n + len(piece)])
            ),
            None,
        )
        if found is None:
            return None
        made += [LEFT_OUT, *printed[found : found + len(piece)]]
        at = found + len(piece)
    if first and not _alike(first, printed[: len(first)]) and not last and not middle:
        return None  # it began elsewhere before
    return [*made, LEFT_OUT, *printed[end:]]


def _alike(piece: Sequence[str], lines: Sequence[str]) -> bool:
    return [_kind(line) for line in piece] == [_kind(line) for line in lines]


def _kind(line: str) -> str:
    """Return a line's shape and its first word, unless that is a number."""
    first = (line.split() or [""])[0]
    return f"{shape(line)} {first if not any(sign.isdigit() for sign in first) else ''}"


def make(page: Path) -> tuple[list[str], float]:
    """Write a page anew, and return what a person has to look at, and the seconds of
    CPU that its commands took.
    """
    with tempfile.TemporaryDirectory(prefix="khiva-arena-page-") as name:
        Path(name).chmod(0o755)
        text = page.read_text()
        steps = steps_of(text)
        session = typed_in(Path(name), steps)
    told = list(session.wrong)
    lines = text.splitlines()
    for step in reversed(
        [] if told else [step for step in steps if isinstance(step, Shown) and not step.of_python]
    ):
        made = renewed(step, session) if step.after else None
        if made is None:
            told.append(
                f"line {step.line}: left as it is, since its place in the output is not sure"
            )
        else:
            lines[step.line - 1 : step.line - 1 + len(step.lines)] = [
                (step.indent + line).rstrip() for line in made
            ]
    changed = "".join(f"{line}\n" for line in lines)
    if changed != text:
        page.write_text(changed)
        told.append("written anew: read the diff")
    if session.seconds > SECONDS:
        told.append(f"its commands take {session.seconds:.0f} s of CPU, not {SECONDS}")
    return told, session.seconds


def main() -> int:
    """Make or check the pages that the command line names, or all."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0], allow_abbrev=False)
    parser.add_argument("--check", action="store_true", help="write nothing, tell what differs")
    parser.add_argument("page", nargs="*", type=Path)
    given = parser.parse_args()
    exact = best() is Level.STANDARD
    if not exact and not given.check:
        sys.exit(f"pages show what is printed at isolation standard, not at {best()}")
    total, wrong = 0.0, 0
    for page in [path.resolve() for path in given.page] or pages():
        if given.check:
            with tempfile.TemporaryDirectory(prefix="khiva-arena-page-") as folder:
                Path(folder).chmod(0o755)
                told, seconds = faults_of(page, Path(folder), exact)
        else:
            told, seconds = make(page)
        total += seconds
        wrong += bool(told) and given.check
        name = page.relative_to(ROOT) if page.is_relative_to(ROOT) else page
        print(
            f"{name}: {seconds:.1f} s of CPU" + "".join(f"\n  {line}" for line in told), flush=True
        )
    print(f"{total:.0f} s of CPU for all, of {ALL}")
    return 1 if wrong or total > ALL else 0


if __name__ == "__main__":
    sys.exit(main())
