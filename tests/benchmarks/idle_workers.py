"""What workers of a Dask cluster cost that have nothing to do: CPU of the scheduler,
and of a look at who is there.

python tests/benchmarks/idle_workers.py [WORKERS...], by default 0 1 2 8 16 24; a minute
for each.
"""

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))
sys.path.insert(0, str(Path(__file__).parents[1] / "extensions" / "cluster" / "support"))
from dask_cluster import DaskCluster, dask_cluster
from waiting import until

from khiva_arena.extensions.cluster.link import SchedulerLink

SETTLE_SECONDS, SECONDS, LOOKS = 8.0, 40.0, 200


def cpu(pid: int) -> float:
    """Seconds that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def a_look(cluster: DaskCluster, pid: int) -> tuple[float, float]:
    """Milliseconds of CPU of the scheduler and of this process."""
    assert cluster.tls
    link = SchedulerLink(
        cluster.address,
        [str(cluster.tls / name) for name in ("ca.pem", "cert.pem", "key.pem")],
        20.0,
    )
    there, here = cpu(pid), time.process_time()
    for _ in range(LOOKS):
        link.workers()
    took = (1000 * (cpu(pid) - there) / LOOKS, 1000 * (time.process_time() - here) / LOOKS)
    link.close()
    return took


def main() -> None:
    with dask_cluster() as cluster:
        registered: Callable[[str], bool] = lambda name: "Registered to" in cluster.log(name)  # noqa: E731
        assert until(lambda: "Scheduler at" in cluster.log("scheduler"))
        pid = cluster.processes["scheduler"].pid
        names: list[str] = []
        for wanted in map(int, sys.argv[1:] or ("0", "1", "2", "8", "16", "24")):
            for number in range(len(names), wanted):
                names.append(f"w{number}")
                cluster.start_worker(names[-1])
            assert until(lambda: all(map(registered, names)), 600.0)
            time.sleep(SETTLE_SECONDS)
            before, began = cpu(pid), time.monotonic()
            time.sleep(SECONDS)
            rate = 1000 * (cpu(pid) - before) / (time.monotonic() - began)
            scheduler, command = a_look(cluster, pid)
            looks = f"a look: scheduler {scheduler:.2f} ms, command {command:.2f} ms"
            print(f"{wanted} idle workers: scheduler {rate:.1f} ms/s; {looks}", flush=True)


if __name__ == "__main__":
    main()
