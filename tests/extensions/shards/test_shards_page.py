"""Types "Shards" of docs/many-machines.md on several machines, as far as one can be
several: processes with a home, a folder and bots of their own, at the same time.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from arena import ROOT, arena

from khiva_arena.interface.cli.main import cli

pytestmark = pytest.mark.slow

PAGE = (
    (ROOT / "docs" / "many-machines.md")
    .read_text()
    .partition("\n## Shards\n")[2]
    .partition("\n## ")[0]
)
BLOCKS = re.findall(r"^```sh\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
SHARDS = 5
SETTINGS = 'bots = ["bots/ann", "shipped:c/random"]\nseats = 2\nseeds = 5\n'


def machine(folder: Path, **variables: str) -> dict[str, str]:
    """The environment of a machine: a home and a cache of its own, and the arena on its
    PATH.
    """
    home = folder / "home"
    home.mkdir()
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    return (
        os.environ
        | {"HOME": str(home), "KHIVA_ARENA_CACHE": str(home / "cache"), "PATH": path}
        | variables
    )


@pytest.fixture
def cup(tmp_path: Path) -> Path:
    """A folder with a bot and a plan, as the page makes it."""
    folder = tmp_path / "cup"
    (folder / "bots").mkdir(parents=True)
    arena("new", "python", "bots/ann", cwd=folder)
    (folder / "cup.toml").write_text(SETTINGS)
    (line,) = [line for block in BLOCKS for line in block.splitlines() if "--plan cup.plan" in line]
    arena(*shlex.split(line)[1:], "--isolation", "trusted", cwd=folder)
    return folder


def digest(text: str) -> str:
    return re.findall(r"run digest ([0-9a-f]{64})", text)[0]


def ended(running: list[subprocess.Popen[str]]) -> None:
    for process in running:
        said, _ = process.communicate(timeout=300)
        assert process.returncode == 0, said


def started(words: list[str], folder: Path, environment: dict[str, str]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        words,
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


@pytest.mark.soak
def test_five_laptops(cup: Path, tmp_path: Path) -> None:
    """Each with a copy of everything, nothing of which it shares with the others."""
    lines = [line for block in BLOCKS for line in block.splitlines()]
    (line,) = [line for line in lines if "--shard 2/5" in line]
    running = []
    for number in range(1, SHARDS + 1):
        laptop = tmp_path / f"laptop-{number}"
        shutil.copytree(cup, laptop)
        words = shlex.split(
            line.replace("2/5", f"{number}/5").replace("shard-2", f"shard-{number}")
        )
        running.append(started(words, laptop, machine(laptop)))
    ended(running)
    for number in range(1, SHARDS + 1):
        shutil.copytree(tmp_path / f"laptop-{number}" / f"shard-{number}", cup / f"shard-{number}")
    (merge,) = [
        line for line in lines if line.startswith("khiva-arena merge") and "shard-5" in line
    ]
    merged = arena(*shlex.split(merge)[1:], cwd=cup).stdout
    alone = arena("run", "--from-plan", "cup.plan", "--out", "alone", cwd=cup).stderr
    assert digest(merged) == digest(alone)


@pytest.mark.soak
def test_the_script_of_a_slurm_array(cup: Path, tmp_path: Path) -> None:
    """Its tasks at the same time on one shared file system, one of them submitted again
    alone.
    """
    (script,) = [block for block in BLOCKS if "#SBATCH --array" in block]
    assert "SHARDS=20\n" in script
    (cup / "shard.sh").write_text(script.replace("SHARDS=20", f"SHARDS={SHARDS}"))
    (submitted,) = [block for block in BLOCKS if "sbatch --parsable" in block]
    (merge,) = re.findall(r"--wrap '(.*?)'", submitted)

    def task(number: int, tasks: int) -> subprocess.Popen[str]:
        (tmp_path / f"node-{number}").mkdir()
        variables = {"SLURM_ARRAY_TASK_ID": str(number), "SLURM_ARRAY_TASK_COUNT": str(tasks)}
        return started(["bash", "shard.sh"], cup, machine(tmp_path / f"node-{number}", **variables))

    ended([task(number, SHARDS) for number in (1, 2, 4, 5)])
    (tmp_path / "login").mkdir()
    environment = machine(tmp_path / "login")
    done = subprocess.run(
        ["bash", "-c", merge], cwd=cup, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "missing: shard 3/5, seeds 2; to play: " in done.stdout
    ended([task(3, 1)])
    done = subprocess.run(
        ["bash", "-c", merge], cwd=cup, env=environment, capture_output=True, text=True, check=True
    )
    assert "10 of 10 matches, 2 of them new; run digest" in done.stdout


def test_a_mode_that_a_copy_has_lost(cup: Path, tmp_path: Path) -> None:
    """As of the secret of a CI, and of a stick."""
    (line,) = re.findall(r"- run: (umask 077 .*)", PAGE)
    secret = {"CUP_PLAN": (cup / "cup.plan").read_text().rstrip("\n")}
    subprocess.run(["bash", "-c", line], cwd=tmp_path, env=os.environ | secret, check=True)
    assert (tmp_path / "cup.plan").read_bytes() == (cup / "cup.plan").read_bytes()
    assert (tmp_path / "cup.plan").stat().st_mode & 0o777 == 0o600
    (line,) = re.findall(r"`(install -m 600 [^`]*)`", PAGE)
    words = [
        str(cup / "cup.plan") if word == "/media/stick/cup.plan" else word
        for word in shlex.split(line)
    ]
    (cup / "cup.plan").chmod(0o644)
    subprocess.run(words, cwd=tmp_path, check=True)
    assert (tmp_path / "cup.plan").stat().st_mode & 0o777 == 0o600


def test_every_flag_on_the_page_is_one() -> None:
    known = {
        option
        for name in ("run", "merge")
        for param in cli.get_command(None, name).params
        for option in param.opts
    }  # type: ignore[union-attr, arg-type]
    lines = [
        line
        for line in PAGE.replace("\\\n", " ").splitlines()
        if re.search(r"khiva-arena (run|merge) ", line)
    ]
    assert len(lines) > 8
    used = {
        flag
        for line in lines
        for flag in re.findall(r"(?<= )--?[a-z][a-z-]*", line.partition("khiva-arena ")[2])
    }
    assert used <= known, used - known
