"""What the live screen takes of a run's CPU, in real runs of the random bot in C on a
terminal, two matches at a time.

Prints a JSON object for each: seconds of CPU of the screen's process, and of all that
the run used, arbiter, workers and bots. Needs a C compiler.
"""

import argparse
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "support"))

from arena import bots  # noqa: E402 - found beside this file
from terminal import Terminal  # noqa: E402

from khiva_arena.bots.sandbox.proc_usage import children  # noqa: E402

SECONDS = 60.0
SAMPLE_SECONDS = 0.02
BAR = 2.0
TICKS = os.sysconf("SC_CLK_TCK")


def copies(folder: Path, count: int) -> list[str]:
    """The random bot in C under as many names."""
    shutil.copytree(ROOT / "bots" / "c" / "kit", folder / "kit")
    names = [f"random-{number:02}" for number in range(count)]
    for name in names:
        shutil.copytree(ROOT / "bots" / "c" / "random", folder / name)
        toml = folder / name / "bot.toml"
        toml.write_text(toml.read_text().replace('"random-c"', f'"{name}"'))
        with (folder / name / "bot.c").open("a") as source:
            source.write(f"/* {name}: equal sources would be one bot */\n")
    return names


def screen_of(arbiter: int) -> int | None:
    """The process that draws."""
    found = None
    for pid in children(arbiter):
        with suppress(OSError):  # it has ended
            if b"khiva_arena.display.terminal.screen" in Path(f"/proc/{pid}/cmdline").read_bytes():
                found = pid
    return found


def cpu_of(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


class Sampler(threading.Thread):
    """Looks at the screen's CPU again and again; interrupts the run when it has been
    there for so many seconds.
    """

    def __init__(self, arbiter: int, seconds: float) -> None:
        super().__init__()
        self.over = threading.Event()
        self.cpu = self.played = 0.0
        self._arbiter, self._seconds = arbiter, seconds

    def run(self) -> None:
        screen = began = None
        while not self.over.wait(SAMPLE_SECONDS):
            screen = screen or screen_of(self._arbiter)
            if screen is None:
                continue
            began = began or time.monotonic()
            with suppress(OSError):  # it has ended
                self.cpu = cpu_of(screen)
            if self.played <= self._seconds < time.monotonic() - began:
                os.kill(self._arbiter, signal.SIGINT)
            self.played = time.monotonic() - began


def measure(count: int, seconds: float) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)  # under root bots are users of their own
        words = [
            "run",
            *bots(*copies(folder, count)),
            "--seats",
            "3",
            "--seeds",
            "100000",
            "-j",
            "2",
            "--trust-bots",
        ]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        run = Terminal([*words, "--out", "out"], folder, apart=True)
        sampler = Sampler(run.process.pid, seconds)
        sampler.start()
        run.until(lambda _: False, seconds=2 * seconds + 60)
        code = run.end()
        sampler.over.set()
        sampler.join()
        if code != 130:
            sys.exit(f"the run ended with {code}\n{run.shown.text}")
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        said = subprocess.run(
            [sys.executable, "-m", "khiva_arena", "standings", "out", "--json"],
            cwd=folder,
            capture_output=True,
            check=True,
        )
    total = used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime
    matches = json.loads(said.stdout)["standings"][0]["matches"]
    figures = {
        "screen_s": round(sampler.cpu, 2),
        "run_s": round(total, 2),
        "seconds": round(sampler.played, 1),
    }
    share = {
        "name": f"screen_{count}_bots",
        "value": round(100 * sampler.cpu / total, 2),
        "unit": "% of the run's CPU",
    }
    print(json.dumps({**share, "bar": BAR, **figures, "rated_matches": matches}), flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=SECONDS, help="how long each run plays")
    options = parser.parse_args()
    for count in (3, 20):
        measure(count, options.seconds)
