"""An audit by several processes finds what one process finds, and none of them outlives
it.
"""

import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from arena import arena
from bundling import forged, lines_of
from forging import forge
from in_targets import long_but
from published import published
from synthesised import planned, play_event
from waiting import until

import khiva_arena

pytestmark = pytest.mark.slow

CHANGES = {
    "nothing changed": "",
    "a score": (
        "UPDATE matches SET record = replace(record, '\"scores\":[', '\"scores\":[1') WHERE "
        "ordinal = 2"
    ),
    "a record nested too deep": (
        "UPDATE matches SET record = replace(hex(zeroblob(50000)), '0', '[') WHERE ordinal = 2"
    ),
    "a match of another seed": "UPDATE matches SET seed = 1 WHERE ordinal = 0",
    "a seed below zero": "UPDATE matches SET seed = -5 WHERE ordinal = 1",
    "the secret of the run": "UPDATE events SET secret = zeroblob(32)",
    "the secret of a seed": "UPDATE reveals SET secret = zeroblob(32) WHERE seed = 0",
    "a match that is missing": (
        "DELETE FROM seats WHERE ordinal = 5; DELETE FROM matches WHERE ordinal = 5"
    ),
    "a damaged definition": "UPDATE events SET definition = 'x'",
}
CASES = ("khiva-round-robin", "silk_road-swiss", "khiva-knockout", "khiva-sprt")


def found(path: Path, jobs: int) -> tuple[list[dict[str, object]], list[str]]:
    result = khiva_arena.verify(path, jobs=jobs)
    return [report.to_dict() for report in result.events], result.problems


@pytest.mark.soak
@pytest.mark.parametrize("statements", CHANGES.values(), ids=CHANGES)
def test_two_processes_find_in_a_store_what_one_finds(tmp_path: Path, statements: str) -> None:
    store = published("khiva-round-robin", tmp_path)
    with closing(sqlite3.connect(store / "arena.db")) as connection:
        forge(connection, statements)
    one = found(store, 1)
    assert any(report["problems"] for report in one[0]) == bool(statements)
    assert found(store, 2) == one


@pytest.mark.soak
@pytest.mark.parametrize(
    "case", long_but(CASES, ("silk_road-swiss", "khiva-knockout"))
)  # they have rounds as well
def test_two_processes_find_in_a_bundle_what_one_finds(tmp_path: Path, case: str) -> None:
    store = published(case, tmp_path)
    arena("bundle", str(store), "bundle", cwd=tmp_path)
    one = found(tmp_path / "bundle", 1)
    assert not one[1]
    assert one[0]
    assert found(tmp_path / "bundle", 2) == one
    lines = lines_of(tmp_path / "bundle")
    matches = [at for at, line in enumerate(lines) if line["kind"] == "match"]
    for at in (
        matches[0],
        matches[-1],
        matches[-1] + 1,
    ):  # a match with another result, another in its place, none at all
        bad = lines_of(tmp_path / "bundle")
        if at == matches[0]:
            bad[at]["record"]["scores"][0] += 1
        elif at == matches[-1]:
            bad[at]["record"] = bad[matches[0]]["record"]
        else:
            del bad[matches[1]]
        (tmp_path / "bad").write_bytes(forged(bad))
        one = found(tmp_path / "bad", 1)
        assert one[1] or any(report["problems"] for report in one[0])
        assert found(tmp_path / "bad", 2) == one


def test_an_audit_leaves_no_process_and_no_descriptor(tmp_path: Path) -> None:
    store = play_event(tmp_path / "store", planned(seeds=3))
    program = tmp_path / "twice.py"
    program.write_text(TWICE)
    done = subprocess.run(
        [sys.executable, str(program), str(store)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "True True\n[] \n", "")


TWICE = """
import os, sys
from pathlib import Path
import khiva_arena
def opened():
    return {name for name in os.listdir("/proc/self/fd") if os.path.exists(f"/proc/self/fd/{name}")}
if __name__ == "__main__":
    before = opened()
    print(*[khiva_arena.verify(sys.argv[1], jobs=2).sound for _ in range(2)])
    print(sorted(opened() - before), Path(f"/proc/self/task/{os.getpid()}/children").read_text())
"""


def test_a_damaged_match_hides_none_that_is_read_with_it(tmp_path: Path) -> None:
    """Matches are read some at a time; of those that are not intact, one by one."""
    damages = (
        "UPDATE seats SET score = score + 1 WHERE ordinal = 7 AND seat = 0",
        "UPDATE matches SET record = 'x' WHERE ordinal = 40",
        "DELETE FROM seats WHERE ordinal = 41",
        "UPDATE times SET by_seat = 'x' WHERE ordinal = 50",
        "UPDATE page_faults SET major = major + 1 WHERE ordinal = 49",
    )
    store = play_event(
        tmp_path / "store", planned(seeds=12), fails=lambda _ordinal, _attempt: False
    )
    with closing(sqlite3.connect(store / "arena.db")) as connection:
        connection.executescript(";".join(damages))
    for jobs in (1, 2):
        (report,), _ = found(store, jobs)
        assert report["unsound_matches"] == [7, 40, 41, 49, 50]
        assert report["sound_matches"] == sorted({*range(72)} - {7, 40, 41, 49, 50})


LONG = """
import os, sys, time
from khiva_arena.competition.audit.parallel_replay import replay, replayers
def main():
    with replayers(2) as pool:
        for _ in range(2):
            pool._pool.submit(time.sleep, 60)
        started = pool._pool._processes
        while len(started) < 2 or not all(one.is_alive() for one in started.values()):
            time.sleep(0.01)
        time.sleep(1)
        print(*pool._pool._processes, flush=True)
        time.sleep(60)
if __name__ == "__main__":
    main()
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_no_process_outlives_an_audit_that_is_killed(tmp_path: Path, how: signal.Signals) -> None:
    program = tmp_path / "long.py"
    program.write_text(LONG)
    with subprocess.Popen(
        [sys.executable, str(program)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        pids = list(map(int, process.stdout.readline().split()))
        assert len(pids) == 2
        process.send_signal(how)
    assert until(lambda: not any(map(_runs, pids)))


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"
