"""Large events: what each command costs on stores of many valid matches. CPU seconds
(user and system) of the command and of its processes, its peak of memory, and its
bytes; one JSON object a line.

``large.py [--matches 1000 10000] [--only verify ...] [--keep DIR]``. The matches are
valid to the last hash: the schedule, the secrets and the records are an event's own,
written through the store's functions; bots choose by lot in this process. The last ten
matches are left to real bots: ``resume`` goes on with the plan of the event and plays
them.
"""

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from khiva_arena.arbiter.match import Job, Outcome, SeatReport
from khiva_arena.arbiter.wire import Ending
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.common.result import Measured, Verdict
from khiva_arena.competition.playing.jobs import Play
from khiva_arena.extensions.shards.plan_file import read_plan
from khiva_arena.games.registry import get
from khiva_arena.records.replay import seeds
from khiva_arena.records.replay.record import Choice, Record
from khiva_arena.records.store.db import Store
from khiva_arena.records.store.rows import EventRow

BOTS, SEATS, LINE_UPS, LEFT = 10, 3, 10, 10
COMMAND = Command(("/bin/true",), "/")
COMMANDS: dict[str, list[str]] = {
    "resume": ["run", "--from-plan", "PLAN", "--out", "STORE"],
    "show-list": ["show", "STORE"],
    "show-one": ["show", "STORE", "1/7"],
    "standings": ["standings", "STORE"],
    "export": ["export", "STORE", "--format", "csv", "--out", "OUT"],
    "bundle": ["bundle", "STORE", "OUT"],
    "report": ["report", "STORE", "--out", "OUT", "--replays", "none"],
    "verify": ["verify", "STORE"],
    "verify-2": ["verify", "STORE", "--jobs", "2"],
    "verify-sample": ["verify", "STORE", "--sample", "300"],
    "bundle-verify": ["verify", "BUNDLE"],
}


def planned(home: Path, matches: int) -> Path:
    """The plan of an event of about so many matches, between bots from ``khiva-arena
    new``.
    """
    plan = home / f"plan-{matches}"
    words: list[str] = []
    for number in range(BOTS):
        bot = home / "bots" / f"bot-{number}"
        if not bot.exists():
            cost(["new", "python", str(bot)])
        words += ["--bot", str(bot)]
    what = [
        "--trust-bots",
        "--seats",
        str(SEATS),
        "--seeds",
        str(max(1, matches // (LINE_UPS * SEATS))),
    ]
    cost(["run", "--plan", str(plan), *words, *what, "--lineups", str(LINE_UPS)])
    return plan


def made(folder: Path, event: EventRow, leave: int = LEFT) -> int:
    """A store with an event whose matches are played by lot, except a few that are
    left. Returns how many it has.
    """
    with Store.write(folder) as store:
        store._connection.execute("PRAGMA synchronous = OFF")  # how it is written is not measured
        store.add_event(
            event.id, event.text, event.engines[0], event.commitment, event.secret, event.bots
        )
        added = store.event(event.id)
        assert added is not None
        play = Play(store, added, [COMMAND] * len(event.bots))
        rng = random.Random(18)
        for drawn in play.rounds():
            for job in play.jobs(drawn):
                if len(play.done) == play.timetable.matches - leave:
                    return len(play.done)
                play.record(by_lot(job, rng), last=True)
    raise SystemExit("an event of more matches, please")


def by_lot(job: Job, rng: random.Random) -> Outcome:
    """How a match goes whose bots choose by lot."""
    header, steps, often = job.header, [], [0] * len(job.header.seats)
    state, _ = get(header.game).new(len(header.seats), header.rules, job.secret)
    while pending := state.pending():
        choices = {
            seat: int(rng.random() * len(decision.legal)) for seat, decision in pending.items()
        }
        steps.append(tuple(Choice(seat, choices[seat]) for seat in sorted(choices)))
        for seat in choices:
            often[seat] += 1
        state.apply(choices)
    count = len(header.seats)
    ranks, scores = tuple(state.ranks), tuple(state.scores)
    record = Record(
        header, tuple(steps), (Verdict.OK,) * count, (None,) * count, ranks, scores, "over"
    )
    seats = [
        SeatReport(
            "x", "1", (), _times(steps, seat), {}, 10.0, Ending(0, False, _USED, "", 0), _USED
        )
        for seat in range(count)
    ]
    return Outcome(
        job.ordinal,
        1,
        record,
        "",
        tuple(seats),
        seeds.req_start(job.secret, header.match),
        0.25 + rng.random() / 8,
    )


_USED = Measured(0.05, page_faults=0)


def _times(steps: Sequence[tuple[Choice, ...]], seat: int) -> dict[int, float]:
    return {
        number: 0.0004
        for number, step in enumerate(steps, 1)
        for choice in step
        if choice.seat == seat
    }


def cost(words: Sequence[str]) -> dict[str, float]:
    """What a command takes. It must end well."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.monotonic()
    program = (
        "import resource,sys;from khiva_arena.interface.cli.main import run;code=run(sys.argv[1:]);"
    )
    program += "print('peak',resource.getrusage(resource.RUSAGE_SELF).ru_maxrss,file=sys.stderr);"
    program += "sys.exit(code)"
    done = subprocess.run([sys.executable, "-c", program, *words], capture_output=True, check=False)
    if done.returncode:
        raise SystemExit(
            f"{' '.join(words)} ended with {done.returncode}: {done.stderr.decode()[-2000:]}"
        )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    peak = int(done.stderr.split()[-1]) / 1024
    return {
        "cpu_s": round(spent, 2),
        "wall_s": round(time.monotonic() - began, 2),
        "peak_mib": round(peak, 1),
    }


def main() -> None:
    """Make the stores and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, nargs="+", default=[1_000, 10_000])
    parser.add_argument("--only", nargs="+", choices=COMMANDS, default=list(COMMANDS))
    parser.add_argument("--keep", type=Path, help="where stores are, or are made")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        home = given.keep or Path(temporary)
        home.mkdir(exist_ok=True)
        for matches in given.matches:
            folder = home / f"store-{matches}"
            if not folder.exists():
                plan = planned(home, matches)
                began = time.process_time()
                there = made(folder, read_plan(plan).event)
                size = os.stat(folder / "arena.db").st_size
                spent = round(time.process_time() - began, 1)
                print(
                    json.dumps({"what": "made", "matches": there, "cpu_s": spent, "bytes": size}),
                    flush=True,
                )
            out, bundle = home / "out", home / f"bundle-{matches}"
            for name in given.only:
                out.unlink(missing_ok=True)
                if name == "bundle-verify" and not bundle.exists():
                    cost(["bundle", str(folder), str(bundle)])
                places = {
                    "STORE": str(folder),
                    "OUT": str(out),
                    "BUNDLE": str(bundle),
                    "PLAN": str(home / f"plan-{matches}"),
                }
                found = cost([places.get(word, word) for word in COMMANDS[name]])
                print(json.dumps({"what": name, "matches": matches, **found}), flush=True)


if __name__ == "__main__":
    main()
