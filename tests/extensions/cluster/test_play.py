"""The same matches on a cluster as on one machine, in every format; and nothing secret
in what Dask shows.
"""

import json
import os
import re
import shutil
import socket
import sqlite3
import subprocess
import sys
import urllib.request
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from arena import C_GREEDY, ROOT, C, arena, arena_process, bots, descendants
from dask_cluster import DaskCluster
from waiting import until

from khiva_arena.bots.sandbox.detect import OTHER_PYTHON, run_at
from khiva_arena.bots.sandbox.level import Level

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("cluster")]

STAGES = """
bots = [{bots}]
seats = 2
seeds = 1
seed = "equal"
[[stage]]
name = "all"
[[stage]]
name = "some"
format = "swiss"
rounds = 2
[[stage]]
name = "final"
format = "knockout"
take = 2
"""
OWN = """name = "own"
run = "{python} main.py"
files = ["*.py"]
"""


def digests(text: str) -> list[str]:
    return re.findall(r"run digest ([0-9a-f]{64})", text)


def secrets_of(store: Path) -> set[str]:
    """All that a deal can be worked out from, in hex."""
    connection = sqlite3.connect(store / "arena.db")
    tables = {"events": "secret", "reveals": "secret"}
    found = {
        bytes(row[0]).hex()
        for table, column in tables.items()
        for row in connection.execute(f"SELECT {column} FROM {table}")
    }
    connection.close()
    return found


def own_bot(folder: Path) -> Path:
    """A bot of which no cache knows."""
    bot = folder / "own"
    bot.mkdir()
    shutil.copy(ROOT / "bots/python/kit/khiva_kit.py", bot)
    (bot / "bot.toml").write_text(OWN)
    (bot / "main.py").write_text(
        (ROOT / "bots/python/random/main.py").read_text() + f"\n# {folder}\n"
    )
    return bot


def test_stages_of_every_format_end_as_on_one_machine(cluster: DaskCluster, tmp_path: Path) -> None:
    own_bot(tmp_path)
    named = ", ".join(f'"{bot}"' for bot in (C, C_GREEDY, "own"))
    (tmp_path / "stages.toml").write_text(STAGES.format(bots=named))
    here = arena("run", "stages.toml", "--out", "here", cwd=tmp_path)
    there = arena_process("run", "stages.toml", "--out", "there", *cluster.flags, cwd=tmp_path)
    assert digests(there.stderr) == digests(here.stderr)
    assert len(digests(here.stderr)) == 3
    assert re.search(
        "worker (ann|bob) is ready: 1 match at a time", there.stderr
    )  # one may have played all before the other was
    assert "arena.db" in {path.name for path in (tmp_path / "there").iterdir()}
    arena("verify", "there", cwd=tmp_path)
    staged = (cluster.folder / "cache/staged").glob("*/main.py")
    assert any("# " + str(tmp_path) in path.read_text() for path in staged)
    _nothing_secret(cluster, tmp_path / "there", there.stderr)


def _nothing_secret(cluster: DaskCluster, store: Path, said: str) -> None:
    secrets = secrets_of(store)
    assert len(secrets) > 3
    with urllib.request.urlopen(f"http://127.0.0.1:{cluster.dashboard}/json/counts.json") as answer:
        assert json.load(answer)["workers"] == 2  # so these are the pages of our scheduler
    shown = [said, *(cluster.log(name) for name in cluster.processes)]
    assert all("distributed" in text for text in shown[1:])
    for secret in secrets:
        for text in shown:
            assert secret not in text
            assert repr(bytes.fromhex(secret))[2:-1] not in text


def test_a_shard_has_its_own_seeds_alone(cluster: DaskCluster, tmp_path: Path) -> None:
    words = ["run", *bots(C, C_GREEDY), "--seats", "2", "--seeds", "4", "--seed", "equal"]
    arena(*words, "--plan", "cup.plan", cwd=tmp_path)
    arena("run", "--from-plan", "cup.plan", "--shard", "1/2", "--out", "shard-1", cwd=tmp_path)
    there = ["run", "--from-plan", "cup.plan", "--shard", "2/2", "--out", "shard-2", *cluster.flags]
    said = arena_process(*there, cwd=tmp_path).stderr
    assert "shard 2/2 of it: seeds 2 to 3, 4 matches" in said
    assert digests(said) == []
    played = json.loads(arena("show", "shard-2", "--json", cwd=tmp_path).stdout)["matches"]
    assert [match["seed"] for match in played] == [2, 2, 3, 3]
    merged = arena("merge", "shard-1", "shard-2", "--out", "merged", cwd=tmp_path).stdout
    assert digests(merged) == digests(arena(*words, "--out", "here", cwd=tmp_path).stderr) != []


@pytest.mark.soak
def test_a_sequential_test_decides_alike(cluster: DaskCluster, tmp_path: Path) -> None:
    words = ["sprt", C_GREEDY, C, "--elo1", "400", "--seed", "equal"]
    here = arena(*words, "--out", "here", "--json", cwd=tmp_path)
    there = arena_process(*words, "--out", "there", *cluster.flags, "--json", cwd=tmp_path)
    one, other = json.loads(here.stdout), json.loads(there.stdout)
    assert one == other
    assert digests(there.stderr) == digests(here.stderr) != []


@pytest.mark.soak
def test_a_cluster_of_this_machine(tmp_path: Path) -> None:
    words = ["run", *bots(C, C_GREEDY), "--seats", "2", "--seeds", "2", "--seed", "equal"]
    here = arena(*words, "--out", "here", cwd=tmp_path)
    there = arena_process(*words, "--out", "there", "--dask", "local:2", cwd=tmp_path)
    assert digests(there.stderr) == digests(here.stderr) != []


def test_a_cluster_of_this_machine_serves_no_page_that_nobody_was_told_of() -> None:
    words = [sys.executable, "-m", "khiva_arena.extensions.cluster.own_cluster", "2"]
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout
        told = json.loads(process.stdout.readline())
        ports = listening({process.pid, *descendants(process.pid)})
        assert int(told["address"].rpartition(":")[2]) in ports
        pages = {port for port in ports if serves_pages(port)}
        assert pages == ({urlsplit(told["dashboard"]).port} if told["dashboard"] else set())
        process.communicate()


def listening(pids: set[int]) -> set[int]:
    """The ports of this machine at which these processes listen."""
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    by_inode = {
        f"socket:[{row[9]}]": int(row[1].partition(":")[2], 16) for row in rows if row[3] == "0A"
    }
    links = [link for pid in pids for link in Path(f"/proc/{pid}/fd").iterdir()]
    return {
        by_inode[name]
        for link in links
        if link.is_symlink() and (name := os.readlink(link)) in by_inode
    }


def serves_pages(port: int) -> bool:
    with socket.create_connection(("127.0.0.1", port), 20) as ask:
        ask.sendall(b"GET / HTTP/1.0\r\n\r\n")
        ask.settimeout(5.0)
        try:
            return ask.recv(5) == b"HTTP/"
        except OSError:  # it waits for TLS, or hangs up
            return False


TRIES = """
import json, socket, sys
reached = []
for port in json.loads(sys.argv[1]):
    try:
        socket.create_connection(("127.0.0.1", port), 2).close()
        reached.append(port)
    except OSError:
        pass
print(json.dumps(reached))
"""


@pytest.mark.parametrize("level", [level for level in Level if level.confines], indirect=True)
def test_a_bot_reaches_nothing_of_a_cluster(cluster: DaskCluster, level: Level) -> None:
    """Neither scheduler, worker nor dashboard. At level trusted, where it could, a run
    is refused; see test_refused.py.
    """
    ports = {cluster.port, cluster.dashboard}
    for name in ("ann", "bob"):
        assert until(lambda name=name: "Registered to" in cluster.log(name))
        ports |= {
            int(port)
            for port in re.findall(
                r"(?:at|Dashboard): +(?:tls://)?127\.0\.0\.1:(\d+)", cluster.log(name)
            )
        }
    assert len(ports) >= 6  # a worker has one for tasks and one for its own pages
    for port in ports:
        socket.create_connection(("127.0.0.1", port), 2).close()
    code, out, said = run_at(
        level, (OTHER_PYTHON, "-I", "-S", "-c", TRIES, json.dumps(sorted(ports)))
    )
    assert (code, out.strip()) == (0, "[]"), said
