"""What cannot play is refused by name, in a line each: settings, certificates,
schedulers, workers.
"""

import shutil
import socket
import sqlite3
import ssl
import sys
from pathlib import Path

import pytest
from arena import C_GREEDY, NAME_OF_C, C, arena, arena_process, bots, started
from dask_cluster import DaskCluster, certificates, dask_cluster
from disks import fill, small_disk
from waiting import until
from wording import sentence

from khiva_arena.common import hooks
from khiva_arena.extensions.cluster import link

WORDS = ["run", *bots(C, C_GREEDY), "--seats", "2", "--seeds", "1", "--out", "out"]
LATE = """import sys, time
if any(word.endswith("extensions.cluster.worker_helper") for word in sys.orig_argv):
    now = time.time
    time.time = lambda: now() - 86_400
"""


def said(*words: str, cwd: Path) -> str:
    """The one line of a run that is refused before it has begun."""
    lines = [
        line
        for line in arena(*WORDS, *words, cwd=cwd, code=2).stderr.splitlines()
        if "error: " in line
    ]
    assert len(lines) == 1
    assert not (cwd / "out").exists()
    return lines[0].removeprefix("khiva-arena: error: ")


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["--dask", "local:many"], sentence("cluster", "dask-write-local-how", asked="local:many")),
        (["--dask", "local"], sentence("cluster", "dask-write-local-how", asked="local")),
        (["--dask", "local:0"], sentence("cluster", "dask-write-local-how", asked="local:0")),
        (["--dask", "a b"], "--dask a b: write the scheduler's address, as tls://HOST:8786"),
        (
            ["--dask", "tcp://head:8786"],
            (
                "without TLS anyone who reaches the scheduler or a worker runs programs there as "
                "you, and reads the deals; use tls://, or give --dask-open-to-all"
            ),
        ),
        (["--dask", "head", "--dask-tls", "none"], "--dask-tls none: no such folder"),
        (
            ["--dask", "local:2", "--dask-tls", "none"],
            "--dask-tls: a cluster of this machine makes certificates of its own; leave it out",
        ),
        (
            ["--dask", "head", "--isolation", "trusted"],
            "at isolation trusted bots " + sentence("cluster", "could-reach-scheduler-workers"),
        ),
        (
            ["--dask", "head", "--bot", "remote:ann"],
            "has a seat at this machine, so it cannot play with --dask; leave one of them out",
        ),
        (
            ["--dask", "local:1", "--dask-rerun-bots", "5%"],
            (
                "--dask-rerun-bots: what bots thought by the wall clock is not kept; it needs "
                "--clock ticks"
            ),
        ),
        (
            ["--dask", "local:1", "--dask-take-unconfirmed"],
            (
                "--dask-take-unconfirmed: only with --dask-rerun-bots some match could not be "
                "confirmed; add it"
            ),
        ),
    ],
)
@pytest.mark.usefixtures("distrusting")
def test_what_is_asked_for(tmp_path: Path, words: list[str], line: str) -> None:
    assert line in said(*words, cwd=tmp_path)


@pytest.mark.usefixtures("confined")
def test_a_bot_with_a_network_could_reach_the_cluster(tmp_path: Path) -> None:
    reaches = f"{NAME_OF_C} " + sentence("cluster", "could-reach-scheduler-workers")
    assert reaches in said("--dask", "head", "--network", NAME_OF_C, cwd=tmp_path)


def test_flags_of_a_cluster_without_one(tmp_path: Path) -> None:
    wrong = said("--dask-wait", "5s", "--dask-open-to-all", cwd=tmp_path)
    assert wrong == "--dask-open-to-all, --dask-wait: needs --dask, the address of the cluster"


def test_certificates_that_are_missing_or_open_to_others(tmp_path: Path) -> None:
    tls = certificates(tmp_path / "tls")
    words = ["--dask", "head", "--dask-tls", "tls"]
    (tls / "key.pem").chmod(0o644)
    assert "others may read key.pem; chmod 600 tls/key.pem" in said(*words, cwd=tmp_path)
    (tls / "key.pem").chmod(0o600)
    shutil.copy(certificates(tmp_path / "other") / "key.pem", tls)
    assert "--dask-tls tls: key.pem is not the key of cert.pem" in said(*words, cwd=tmp_path)
    (tls / "key.pem").write_text("no key")
    assert sentence("cluster", "key-pem-no-private") in said(*words, cwd=tmp_path)
    (tls / "ca.pem").write_text("no certificate")
    assert "--dask-tls tls: ca.pem has no certificate in it" in said(*words, cwd=tmp_path)
    (tls / "cert.pem").unlink()
    assert "has no cert.pem" in said(*words, cwd=tmp_path)


def test_the_extra_is_not_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hooks, "find_spec", lambda _name: None)
    assert said("--dask", "local:2", cwd=tmp_path).endswith(
        sentence("hooks", "not-installed-pip-install", extra="dask")
    )


@pytest.mark.parametrize(
    ("error", "cause", "why"),
    [
        (
            OSError("Timed out"),
            ConnectionRefusedError("refused"),
            "nobody answers there; " + sentence("cluster", "dask-scheduler-running"),
        ),
        (
            OSError("Timed out"),
            socket.gaierror("not known"),
            "no machine of that name is known here; write the address that `dask scheduler` says",
        ),
        (
            OSError(""),
            ssl.SSLError(1, "[SSL: WRONG_VERSION_NUMBER]"),
            "the scheduler there speaks no TLS; start it and its workers with certificates: ",
        ),
        (
            OSError("in <TLS>: SSLError: [SSL: X_ALERT_UNKNOWN_CA] no"),
            None,
            "the scheduler does not take your certificate",
        ),
        (
            ssl.SSLError(1, "[X509] none"),
            None,
            (
                "the certificates that Dask's own settings name cannot be used; --dask-tls "
                "FOLDER gives others"
            ),
        ),
    ],
)
def test_why_a_scheduler_is_not_reached(error: OSError, cause: OSError | None, why: str) -> None:
    error.__cause__ = cause
    assert link.explain(error, "tls://head:8786").startswith(why)


@pytest.mark.slow
def test_nobody_is_at_an_address(tmp_path: Path) -> None:
    certificates(tmp_path / "tls")
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        address = f"tls://127.0.0.1:{closed.getsockname()[1]}"
        words = ["--dask", address, "--dask-tls", "tls", "--dask-wait", "1s"]
        done = arena_process(*WORDS, *words, cwd=tmp_path, code=2)
    assert (
        f"--dask {address}: nobody answers there; " + sentence("cluster", "dask-scheduler-running")
        in done.stderr
    )
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.slow
@pytest.mark.xdist_group("cluster")
def test_workers_that_cannot_play(tmp_path: Path) -> None:
    """An old khiva-arena, one before there were clusters, a wrong clock, a full disk:
    each is named, and none is left.
    """
    package = Path(sys.modules["khiva_arena"].__file__ or "").parent
    shutil.copytree(
        package, tmp_path / "old/khiva_arena", ignore=shutil.ignore_patterns("__pycache__")
    )
    shutil.copytree(tmp_path / "old", tmp_path / "before", ignore=shutil.ignore_patterns("cluster"))
    init = tmp_path / "old/khiva_arena/__init__.py"
    init.write_text(init.read_text().replace('__version__ = "', '__version__ = "0.0.'))
    (tmp_path / "late").mkdir()
    (tmp_path / "late/sitecustomize.py").write_text(LATE)
    with dask_cluster() as cluster, small_disk(tmp_path / "disk", "400k") as disk:
        fill(disk)
        cluster.start_worker("old", PYTHONPATH=str(tmp_path / "old"))
        cluster.start_worker("before", PYTHONPATH=str(tmp_path / "before"))
        cluster.start_worker("late", PYTHONPATH=str(tmp_path / "late"))
        cluster.start_worker("full", KHIVA_ARENA_CACHE=str(disk))
        assert until(
            lambda: all(
                "Registered to" in cluster.log(name) for name in ("old", "before", "late", "full")
            )
        )
        _nobody_with_other_certificates(cluster, tmp_path)
        done = arena_process(*WORDS, *cluster.flags, cwd=tmp_path, code=2)
    lines = done.stderr.splitlines()
    assert lines[0] == "khiva-arena: error: no worker can play"  # what each lacks is said once
    assert len(lines) == 5
    there_is_none = "before: " + sentence(
        "cluster", "no-khiva-arena-cluster", why="ModuleNotFoundError"
    )
    for line in (
        "old: it has khiva-arena 0.0.",
        there_is_none,
        "late: " + sentence("cluster", "clock-wrong", late="86,"),
        "full: ",
    ):
        assert any(one.startswith(f"khiva-arena: error: worker {line}") for one in lines), (
            done.stderr
        )
    assert sentence("sandbox", "no-space-left-device") in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
@pytest.mark.xdist_group("cluster")
def test_nobody_plays_and_the_error_says_what_to_do(tmp_path: Path) -> None:
    with dask_cluster() as cluster:
        words = [*WORDS, *cluster.flags, "--dask-wait", "1s"]
        first, start = arena_process(*words, cwd=tmp_path, code=2).stderr.splitlines()
        assert (
            f"error: {cluster.address} had no worker "
            + sentence("cluster", "s-same-command-resumes", wait="1")
            in first
        )
        assert (
            f"start a worker on a machine that can play: dask worker {cluster.address} "
            f"--memory-limit 0 --tls-ca-file {cluster.tls}/ca.pem"
        ) in start
        cluster.start_worker("none", "--resources", "khiva-arena=0")
        assert until(lambda: "Registered to" in cluster.log("none"))
        first, why, again = arena_process(*words, cwd=tmp_path, code=2).stderr.splitlines()
        assert f"error: no worker of {cluster.address} could play for 1 s" in first
        assert "worker none: it offers 0 matches at a time" in why
        assert again == start


def _nobody_with_other_certificates(cluster: DaskCluster, folder: Path) -> None:
    certificates(folder / "other")
    plain = cluster.address.replace("tls:", "tcp:")
    for address, words, why in (
        (
            cluster.address,
            ["--dask-tls", "other"],
            "the scheduler shows a certificate that your ca.pem does not vouch for; give",
        ),
        (
            cluster.address,
            [],
            (
                "there are no certificates; --dask-tls FOLDER gives those that the scheduler "
                "was started with"
            ),
        ),
        (
            plain,
            ["--dask-open-to-all"],
            (
                "the scheduler closed the connection; if it was started with certificates, "
                "write tls://"
            ),
        ),
    ):
        done = arena_process(
            *WORDS, "--dask", address, *words, "--dask-wait", "2s", cwd=folder, code=2
        )
        assert len(done.stderr.splitlines()) == 1
        assert done.stderr.startswith(f"khiva-arena: error: --dask {address}: {why}")


@pytest.mark.slow
@pytest.mark.xdist_group("cluster")
def test_a_scheduler_that_vanishes(tmp_path: Path) -> None:
    """One line and exit 2; what was recorded stays, and this machine can end what a
    cluster began.
    """
    words = [
        "run",
        *bots(C, C_GREEDY),
        "--seats",
        "2",
        "--seeds",
        "60",
        "--seed",
        "x",
        "--out",
        "out",
    ]
    with dask_cluster() as cluster:
        cluster.start_worker("ann")
        assert until(lambda: "Registered to" in cluster.log("ann"))
        run = started(*words, *cluster.flags, "--dask-wait", "3s", cwd=tmp_path)
        assert until(lambda: recorded(tmp_path / "out") > 0)
        cluster.kill("scheduler")
        _, said = run.communicate(timeout=120)
    assert run.returncode == 2
    lines = [line for line in said.splitlines() if "error: " in line]
    assert len(lines) == 1
    assert (
        f"the scheduler of --dask {cluster.address} was away "
        + sentence("cluster", "s-same-command-resumes", wait="3")
        in lines[0]
    )
    assert (
        f"warning: the scheduler of --dask {cluster.address} is away: "
        + "the connection was lost"
        + "; trying again"
        in said
    )
    assert "Traceback" not in said
    before = recorded(tmp_path / "out")
    assert 0 < before < 120
    done = arena(*words, "-j", "2", cwd=tmp_path)
    assert f"{before} " + sentence("competition", "recorded-before") in done.stderr
    assert recorded(tmp_path / "out") == 120


def recorded(store: Path) -> int:
    """How many matches a store has."""
    if not (store / "arena.db").exists():
        return 0
    connection = sqlite3.connect(f"file:{store / 'arena.db'}?mode=ro", uri=True)
    try:
        return int(connection.execute("SELECT count(*) FROM matches").fetchone()[0])
    except sqlite3.OperationalError:
        return 0  # it is being made
    finally:
        connection.close()
