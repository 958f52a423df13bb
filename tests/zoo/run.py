"""Play the zoo: every row in every seat, at 2 and 4 seats, at every isolation level
that this machine gives, one match at a time. Prints a table, and exits with 1 if
anything is not as tests/zoo/table.py says.

    python tests/zoo/run.py [ROW ...] [--level LEVEL] [--seats N] [--seat N]
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parent.parent / "support"))

from expect import MIB, deadline_ms, differences
from play import TIME, best_levels, play, remove_notes
from table import ROWS, Row
from tabulate import tabulate

from khiva_arena.bots.sandbox.level import Level

HEADERS = (
    "no.",
    "row",
    "level",
    "seat",
    "verdict",
    "detail",
    "over ms",
    "match ms",
    "grew MiB",
    "left",
)


@dataclass(frozen=True)
class Line:
    """One match. ``over``: ms that the honest bots waited longer than the deadline that
    the row ran into.
    """

    cells: tuple[object, ...]
    over: int | None
    grown: int
    left: int
    wrong: list[str]


def main() -> int:
    """Play what the words say. Returns the exit code."""
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("row", nargs="*", help="only these rows")
    words.add_argument("--level", action="append", choices=list(Level), help="only this level")
    words.add_argument("--seats", action="append", type=int, help="only at so many seats")
    words.add_argument("--seat", type=int, help="only in this seat")
    said = words.parse_args()
    if unknown := set(said.row) - {row.name for row in ROWS}:
        words.error(
            f"no such row: {', '.join(sorted(unknown))}; python3 bots/broken/main.py lists them"
        )
    levels = [level for level in best_levels() if not said.level or level in said.level]
    if missing := set(said.level or ()) - set(levels):
        words.error(
            f"this machine does not give {', '.join(sorted(missing))}; see khiva-arena doctor"
        )
    rows = [row for row in ROWS if row.name and (not said.row or row.name in said.row)]
    began = time.monotonic()
    lines: list[Line] = []
    with tempfile.TemporaryDirectory(prefix="khiva-zoo-cache-") as cache:
        os.chmod(cache, 0o755)  # root's bots run as other users
        os.environ.setdefault("KHIVA_ARENA_CACHE", cache)
        try:
            play(
                ["honest", "honest"], levels[0]
            )  # what the first match loads is not a row's growth
            for row, level, seats, seat in _matches(rows, levels, said.seats or [2, 4], said.seat):
                lines.append(_play(row, level, seats, seat))
                _progress(len(lines), lines[-1])
        finally:
            remove_notes()
    print(tabulate([line.cells for line in lines], headers=HEADERS, tablefmt="plain"))
    return _sum_up(lines, rows, levels, time.monotonic() - began)


def _matches(
    rows: list[Row], levels: list[Level], counts: list[int], only: int | None
) -> Iterator[tuple[Row, Level, int, int]]:
    for row in rows:
        for level in levels:
            for seats in counts:
                for seat in range(seats):
                    if only in (None, seat):
                        yield row, level, seats, seat


def _play(row: Row, level: Level, seats: int, seat: int) -> Line:
    limits = TIME | dict(row.time)
    names = ["honest" if number != seat else row.name for number in range(seats)]
    played = play(names, level, lenient=bool(row.strikes), time_=limits, cpu=row.cpu)
    wrong = differences(row, level, seat, played, limits)
    deadline = deadline_ms(row, limits)
    over = None if deadline is None else played.waited[row.deadline == "turn"] - deadline
    faults = played.outcome.seats[seat].faults if played.outcome.seats else ()
    verdict = played.outcome.record.verdicts[seat] if played.outcome.record else "void"
    detail = faults[-1].detail[:50] if faults else ""
    left = len(played.survivors) + len(played.leftovers)
    cells = (
        row.number,
        row.name,
        level,
        f"{seat} of {seats}",
        verdict,
        detail,
        over,
        round(played.wall * 1000),
    )
    return Line((*cells, round(played.grown / MIB, 1), left), over, played.grown, left, wrong)


def _progress(count: int, line: Line) -> None:
    if line.wrong:
        print(*line.cells[:4], *line.wrong, sep="\n    ", file=sys.stderr)
    elif sys.stderr.isatty():
        print(
            f"\r{count} {line.cells[1]} {line.cells[2]} {line.cells[3]}\033[K",
            end="",
            file=sys.stderr,
        )


def _sum_up(lines: list[Line], rows: list[Row], levels: list[Level], seconds: float) -> int:
    wrong = [line for line in lines if line.wrong]
    latest = sorted(
        ((line.over, line.cells[1]) for line in lines if line.over is not None), reverse=True
    )
    # A bot that computes is waited for as long as the host kept it from computing, see
    # SPEC.md, section 6: that is apart.
    apart = [
        [f"{ms} ms ({name})" for ms, name in latest if (name == "spins") is spins][:1]
        for spins in (False, True)
    ]
    over = [text for texts in apart for text in texts]
    grown = max((line.grown for line in lines), default=0) / MIB
    print(
        f"\n{len(lines)} matches in {seconds:.0f} s: {len(rows)} rows at "
        f"{', '.join(levels)}; {len(wrong)} not as they should be"
    )
    print(
        f"over a deadline at most {', '.join(over) or 'none'}; arbiter grew at most "
        f"{grown:.1f} MiB;"
        f" left behind {sum(line.left for line in lines)}"
    )
    for line in wrong:
        print("WRONG", *line.cells[:4], "; ".join(line.wrong))
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
