"""The kits side by side: how soon each one's random bot greets, and how many real
decisions it takes in a second, beside the instant C bot at the end of the same pipes;
one JSON object a line. Languages that are not here are left out by name.

Bot and driver share one core. CPU and memory are the bot's own account, its start
included; decisions a second are by the wall and need a machine at rest.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgpack

from khiva_arena.common import shipped
from khiva_arena.entrants.bots import load
from khiva_arena.entrants.staging import stage

HERE = Path(__file__).parent
CHOICES = HERE.parents[1] / "protocol" / "vectors" / "choices" / "khiva.json"
STARTS = 7
DECISIONS = 4_000


class Rate(NamedTuple):
    """Seconds to the greeting, decisions a second, CPU in us a decision, CPU of a start
    in ms, memory in MB.
    """

    start: float
    rate: float
    cpu_us: float
    start_cpu_ms: float
    memory_mb: float


def framed(message: dict[str, Any]) -> bytes:
    payload = msgpack.packb(message)
    return len(payload).to_bytes(4, "big") + payload


def requests() -> tuple[bytes, list[bytes]]:
    """A hello, and real positions of Khiva as requests."""
    group = max(json.loads(CHOICES.read_text())["groups"], key=lambda group: len(group["decides"]))
    hello = {
        "type": "hello",
        "protos": [1],
        "caps": [],
        "game": "khiva",
        "rules_version": "1",
        "match": "bench",
        "seat": 0,
        "seed": 1,
        "commit": "0" * 64,
    }
    hello |= group["hello"] | {"time": {"startup_ms": 10_000, "turn_ms": 1_000, "bank_ms": 10_000}}
    rows = [{key: row[key] for key in ("kind", "view", "legal")} for row in group["decides"]]
    times = {"turn_ms": 1_000, "bank_ms": 10_000, "events": []}
    asked = [
        {"type": "decide", "req": req, **times, **rows[req % len(rows)]}
        for req in range(1, DECISIONS + 1)
    ]
    return framed(hello), [framed(message) for message in asked]


def read_frame(source: int) -> bytes:
    data = b""
    while len(data) < 4 or len(data) < 4 + int.from_bytes(data[:4], "big"):
        more = os.read(source, 65_536)
        if not more:
            raise EOFError("the bot ended")
        data += more
    return data


def measured(argv: list[str], folder: str, hello: bytes, asked: list[bytes]) -> Rate:
    """Starts first, the best of them counts; then one long conversation in lockstep."""
    starts = [_conversation(argv, folder, hello, []) for _ in range(STARTS)]
    start, _, start_cpu, _ = min(starts)
    _, seconds, cpu, memory = _conversation(argv, folder, hello, asked)
    return Rate(
        start, len(asked) / seconds, (cpu - start_cpu) / len(asked) * 1e6, start_cpu * 1e3, memory
    )


def _conversation(
    argv: list[str], folder: str, hello: bytes, asked: list[bytes]
) -> tuple[float, float, float, float]:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.perf_counter()
    process = subprocess.Popen(
        argv, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
    )
    assert process.stdin
    assert process.stdout
    sink, source = process.stdin.fileno(), process.stdout.fileno()
    try:
        os.write(sink, hello)
        read_frame(source)
        greeted = time.perf_counter()
        for frame in asked:
            os.write(sink, frame)
            read_frame(source)
        ended = time.perf_counter()
        # Not by rusage: what was forked off a large process begins with its peak.
        status = Path(f"/proc/{process.pid}/status").read_text()
        memory = int(status.split("VmHWM:")[1].split()[0]) / 1024
    finally:
        process.stdin.close()
        process.stdout.close()
        process.wait()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return greeted - began, ended - greeted, cpu, memory


def bots(folder: Path) -> Iterator[tuple[str, list[str], str]]:
    """The instant bot first, then the random bot of each language that is here: name,
    command, folder.
    """
    instant = folder / "instant"
    subprocess.run(["cc", "-O2", "-o", str(instant), str(HERE / "instant.c")], check=True)
    yield "instant (C)", [str(instant), "rotate"], str(folder)
    for language in shipped.languages().values():
        if not shipped.is_here(language):
            print(f"left out: {language.title}: {shipped.remedy(language)}", file=sys.stderr)
            continue
        command = stage(load(f"{shipped.WORD}{language.name}/random"))
        yield language.title, list(command.argv), command.folder


def main() -> None:
    argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    ).parse_args()
    hello, asked = requests()
    # On two cores the figures say how soon an idle one wakes up, which differs from run
    # to run by a factor of four.
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    with tempfile.TemporaryDirectory() as folder:
        (_, *instant), *rest = bots(Path(folder))
        for title, argv, place in (("instant (C)", *instant), *rest):
            base = measured(
                *instant, hello, asked
            )  # again beside each: what else the machine does changes
            found = measured(argv, place, hello, asked)
            line = {
                "name": "kit",
                "bot": title,
                "start_ms": round(found.start * 1e3, 1),
                "decisions_per_s": round(found.rate),
            }
            line |= {
                "of_instant": round(found.rate / base.rate, 2),
                "bot_cpu_us": round(found.cpu_us, 1),
            }
            line |= {
                "start_cpu_ms": round(found.start_cpu_ms, 1),
                "memory_mb": round(found.memory_mb, 1),
            }
            print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
