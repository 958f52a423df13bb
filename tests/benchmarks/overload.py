"""Bots that answer at once, on a machine that is overloaded on purpose, at the shipped
default limits.

    python tests/benchmarks/overload.py [--decisions N] [--busy PER_CORE] [--elsewhere]

As many matches at a time as there are cores, and three busy processes for each core
beside them, each in a session of its own so that the system gives each a share of its
own; with --elsewhere in a pid namespace of its own, too, as what runs in another
container: nobody at the table can be shown to have had the CPU that it takes. Nobody
may forfeit or time out; exit 1 if somebody does. Needs cc.
"""

import argparse
import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field
from pathlib import Path

from msgspec import structs

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent / "support")]

from busy import busy  # noqa: E402 - found beside this folder
from jobs import job  # noqa: E402

from khiva_arena.arbiter import pool  # noqa: E402
from khiva_arena.arbiter.gather import Gatherer, StepResult  # noqa: E402
from khiva_arena.arbiter.match import Job, Outcome  # noqa: E402
from khiva_arena.arbiter.seat import Seat  # noqa: E402
from khiva_arena.bots.sandbox.command import Command  # noqa: E402
from khiva_arena.common.result import Verdict  # noqa: E402
from khiva_arena.records.replay.conditions import TimeLimits  # noqa: E402

SEATS = 3
BUSY = 3


@dataclass
class Found:
    """What matches came to; seconds."""

    decisions: int = 0
    matches: int = 0
    voids: int = 0
    timeouts: int = 0
    forfeits: int = 0
    bank_used: float = 0.0
    took: list[float] = field(default_factory=list)
    waited: list[float] = field(default_factory=list)

    def count(self, outcome: Outcome) -> None:
        """Add a match."""
        self.matches += 1
        self.voids += outcome.record is None
        self.decisions += sum(report.decisions for report in outcome.seats)
        faults = [fault.verdict for report in outcome.seats for fault in report.faults]
        self.timeouts += faults.count(Verdict.TIMEOUT)
        self.forfeits += (
            sum(at is not None for at in outcome.record.forfeited_at) if outcome.record else 0
        )
        self.bank_used += sum(
            TimeLimits(10_000, 1_000, 10_000).bank_ms / 1000 - report.bank_left
            for report in outcome.seats
        )


def overloaded(per_core: int = BUSY, *, elsewhere: bool = False) -> AbstractContextManager[None]:
    """That many busy processes for each core, ended at the end. ``elsewhere``: in a pid
    namespace of their own.
    """
    return busy(per_core * len(os.sched_getaffinity(0)), elsewhere=elsewhere)


def compiled(folder: Path) -> str:
    """The bot in C, built."""
    out = folder / "instant"
    subprocess.run(["cc", "-O2", "-o", str(out), str(HERE / "instant.c")], check=True)
    return str(out)


def jobs(instant: str, start: int = 0, step: int = 1) -> Iterator[Job]:
    """Matches of bots that answer at once, without an end, at the default limits."""
    ordinal = start
    while True:
        yield job(
            [Command((instant, "rotate"), "/tmp")] * SEATS,
            ordinal,
            **structs.asdict(TimeLimits(10_000, 1_000, 10_000)),
        )
        ordinal += step


def share(instant: str, number: int, of: int, decisions: int) -> Found:
    """One process's share of the matches, with the time of each decision as it is
    charged, and by the wall, lag included.
    """
    found = Found()
    took, gather = Seat.took, Gatherer.gather

    def noted(seat: Seat, elapsed: float) -> None:
        if seat.name:  # it has greeted: this is a decision
            found.took.append(elapsed)
        took(seat, elapsed)

    async def timed(
        self: Gatherer, requests: Mapping[int, bytes], allowances: Mapping[int, float]
    ) -> StepResult:
        began = time.monotonic()
        gathered = await gather(self, requests, allowances)
        found.waited.append(time.monotonic() - began)
        return gathered

    Seat.took = noted  # type: ignore[method-assign]
    Gatherer.gather = timed  # type: ignore[method-assign]
    for one in jobs(instant, number, of):
        if found.decisions >= decisions / of:
            return found
        pool.play([one], 1, found.count, 1)
    raise AssertionError("there is always another match")


def spread(seconds: list[float]) -> dict[str, float]:
    """How they are spread, in milliseconds."""
    ranked = sorted(seconds)
    wanted = {"p50": 0.5, "p99": 0.99, "p99.9": 0.999, "max": 1.0}
    return {
        name: round(ranked[min(int(len(ranked) * part), len(ranked) - 1)] * 1000, 2)
        for name, part in wanted.items()
    }


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--decisions", type=int, default=100_000)
    parser.add_argument("--busy", type=int, default=BUSY)
    parser.add_argument("--elsewhere", action="store_true")
    options = parser.parse_args()
    cores = len(os.sched_getaffinity(0))
    began = time.monotonic()
    all_found = Found()
    with tempfile.TemporaryDirectory() as folder:
        instant = compiled(Path(folder))
        with (
            overloaded(options.busy, elsewhere=options.elsewhere),
            ProcessPoolExecutor(cores, multiprocessing.get_context("spawn")) as crew,
        ):
            for found in crew.map(
                share, [instant] * cores, range(cores), [cores] * cores, [options.decisions] * cores
            ):
                for name, value in asdict(found).items():
                    setattr(all_found, name, getattr(all_found, name) + value)
    counted = ("decisions", "matches", "voids", "timeouts", "forfeits")
    told = {name: getattr(all_found, name) for name in counted} | {
        "bank_used_s": round(all_found.bank_used, 3)
    }
    told |= {
        "charged_ms": spread(all_found.took),
        "gathers_by_the_wall_ms": spread(all_found.waited),
    }
    load = {
        "elsewhere": options.elsewhere,
        "cores": cores,
        "busy": options.busy * cores,
        "at_a_time": cores,
        "load": os.getloadavg()[0],
    }
    print(json.dumps(told | load | {"seconds": round(time.monotonic() - began)}), flush=True)
    return 1 if all_found.timeouts or all_found.forfeits else 0


if __name__ == "__main__":
    sys.exit(main())
