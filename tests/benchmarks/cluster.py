"""What a cluster costs: python tests/benchmarks/cluster.py [WORKERS [SEEDS]], a JSON
object a line.

For 1 to WORKERS workers on this machine, and for ``-j`` of as many without: matches a
second, CPU of each process a match, the scheduler's share of all CPU, and bytes a match
on its connections, as the kernel counts them.
"""

import json
import os
import queue
import re
import resource
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "support"))
sys.path.insert(0, str(Path(__file__).parent.parent / "extensions" / "cluster" / "support"))

from arena import bots
from dask_cluster import DaskCluster, dask_cluster
from waiting import until

from khiva_arena.extensions.cluster.access import FILES
from khiva_arena.extensions.cluster.link import SchedulerLink

IDLE_SECONDS = 10.0
PAYLOAD = 6_000
"""Bytes of a table on its way, about."""
TICKS = os.sysconf("SC_CLK_TCK")
BOTS = bots("shipped:python/random", "shipped:python/naive", "shipped:python/greedy")


def cpu(pid: int) -> float:
    """Of a process and of the children that it has waited for."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / TICKS


class Wire:
    """Bytes of every connection with the scheduler, looked at again and again."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._seen: dict[str, int] = {}
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()

    def _watch(self) -> None:
        while not self._over.wait(0.2):
            said = subprocess.run(
                ["ss", "-tinOH", f"sport = :{self._port}"],
                capture_output=True,
                text=True,
                check=True,
            ).stdout
            for line in said.splitlines():
                counts = [
                    int(number) for number in re.findall(r"bytes_(?:sent|received):(\d+)", line)
                ]
                self._seen[line.split()[4]] = sum(counts)

    def total(self) -> int:
        return sum(self._seen.values())

    def close(self) -> None:
        self._over.set()
        self._thread.join()


def run(seeds: int, out: Path, *where: str) -> tuple[float, float, int]:
    """Seconds between the first and the last match, CPU of the command and its
    children, and matches.
    """
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    words = [
        "run",
        *BOTS,
        "--seats",
        "3",
        "--seeds",
        str(seeds),
        "--seed",
        "x",
        "--turn",
        "20s",
        *where,
        "--out",
        str(out),
    ]
    began = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, "-m", "khiva_arena", *words],
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
    )
    assert process.stderr
    for line in process.stderr:
        began = time.monotonic() if line.startswith("commitment") else began
        if line.startswith("run digest"):
            break
    seconds = time.monotonic() - began
    process.stderr.read()
    assert process.wait() == 0
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, seeds * 3


def on_a_cluster(cluster: DaskCluster, seeds: int, workers: int, out: Path) -> dict[str, float]:
    names = [f"w{number}" for number in range(workers)]
    for name in names:
        if not cluster.lives(name):
            cluster.start_worker(name)
    assert until(lambda: all("Registered to" in cluster.log(name) for name in names))
    pids = {name: cluster.processes[name].pid for name in ("scheduler", *names)}
    before = {name: cpu(pid) for name, pid in pids.items()}
    wire = Wire(cluster.port)
    time.sleep(1)
    sent = wire.total()
    seconds, command, matches = run(seeds, out, *cluster.flags)
    used = {name: cpu(pid) - before[name] for name, pid in pids.items()}
    wire.close()
    everything = command + sum(used.values())
    return {
        "workers": workers,
        "matches_per_s": round(matches / seconds, 2),
        "scheduler_cpu_ms_per_match": round(1000 * used["scheduler"] / matches, 2),
        "command_cpu_ms_per_match": round(1000 * command / matches, 1),
        "workers_cpu_ms_per_match": round(1000 * sum(used[name] for name in names) / matches, 1),
        "scheduler_share": round(used["scheduler"] / everything, 4),
        "bytes_per_match": round((wire.total() - sent) / matches),
    }


def of_tasks(cluster: DaskCluster, tasks: int) -> dict[str, float]:
    """What the scheduler has to do for a table, and for a worker that does nothing:
    tasks that a worker gives back at once.
    """
    link = SchedulerLink(cluster.address, [str(cluster.tls / name) for name in FILES], 10.0)
    worker, pid = next(iter(link.workers())), cluster.processes["scheduler"].pid
    idle = cpu(pid)
    time.sleep(IDLE_SECONDS)
    idle = (cpu(pid) - idle) / IDLE_SECONDS
    heard: queue.SimpleQueue[object] = queue.SimpleQueue()
    before, own, wire = cpu(pid), cpu(os.getpid()), Wire(cluster.port)
    time.sleep(1)
    sent, began = wire.total(), time.monotonic()
    for number in range(tasks):
        link.submit(
            f"khiva-table-{number}", worker, bytes(PAYLOAD), lambda *words: heard.put(words)
        )
        heard.get()
    seconds = time.monotonic() - began
    used, mine = cpu(pid) - before - idle * (seconds + 1), cpu(os.getpid()) - own
    time.sleep(1)
    wire.close()
    link.close()
    return {
        "tasks": tasks,
        "scheduler_cpu_ms_per_task": round(1000 * used / tasks, 2),
        "command_cpu_ms_per_task": round(1000 * mine / tasks, 2),
        "scheduler_idle_cpu_ms_per_s": round(1000 * idle, 2),
        "bytes_per_task_beside_payload": round((wire.total() - sent) / tasks - 2 * PAYLOAD),
    }


def main(most: int, seeds: int) -> None:
    with tempfile.TemporaryDirectory(prefix="khiva-bench-") as folder, dask_cluster() as cluster:
        for workers in range(1, most + 1):
            found = on_a_cluster(cluster, seeds, workers, Path(folder, f"there{workers}"))
            seconds, command, matches = run(
                seeds, Path(folder, f"here{workers}"), "-j", str(workers)
            )
            here = {
                "here_matches_per_s": round(matches / seconds, 2),
                "here_cpu_ms_per_match": round(1000 * command / matches, 1),
            }
            print(json.dumps(found | here), flush=True)
        print(json.dumps(of_tasks(cluster, 400)), flush=True)


if __name__ == "__main__":
    given = [int(word) for word in sys.argv[1:]]
    main(*given, *(2, 40)[len(given) :])
