"""The machine of a page, protocol/verifier/machine.js, on Node: without a page around
it, and without Pyodide.
"""

import json
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from second_vm import VERIFIER, node

from khiva_arena.arbiter.wire import HostFault
from khiva_arena.competition.audit.replayed_match import SeatOrder, SeatResult

SCRIPT = f"""
import {{ createInterface }} from "node:readline";
import {{ Machine }} from {json.dumps((VERIFIER / "machine.js").as_uri())};
const bytesOf = (hex) => new Uint8Array(Buffer.from(hex, "hex"));
const machine = new Machine();
for await (const line of createInterface({{ input: process.stdin }})) {{
  const {{ take, run }} = JSON.parse(line);
  if (take) machine.take(take[0], bytesOf(take[1]));
  if (!run) continue;
  const [module, payload, pages, key, orders] = run;
  const told = machine.run(module, payload, pages, bytesOf(key),
    orders.map(([word, ticks, hex]) => [word, ticks, bytesOf(hex)]));
  const results = told.results.map(([word, used, answer]) =>
    [word, used, Buffer.from(answer).toString("hex")]);
  console.log(JSON.stringify({{ why: told.why, results }}));
}}
"""


class PageMachine:
    """A ``Machine`` of ``extensions.checker.in_page`` over a process of Node."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def take(self, digest: str, data: bytes) -> None:
        self._send(take=[digest, data.hex()])

    def run(
        self, module: str, payload: str, pages: int, key: bytes, orders: Sequence[SeatOrder]
    ) -> Sequence[SeatResult]:
        self._send(
            run=[
                module,
                payload,
                pages,
                key.hex(),
                [(word, ticks, frame.hex()) for word, ticks, frame in orders],
            ]
        )
        assert self._process.stdout
        told = json.loads(self._process.stdout.readline())
        if told["why"]:
            raise HostFault(told["why"])
        return [
            SeatResult(word, used, bytes.fromhex(answer)) for word, used, answer in told["results"]
        ]

    def _send(self, **message: Any) -> None:
        assert self._process.stdin
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()


@contextmanager
def page_machine(folder: Path) -> Iterator[PageMachine]:
    """Start a machine, and end it. ``folder``: where its script is put."""
    script = folder / "machine.mjs"
    script.write_text(SCRIPT)
    words = [*node("machine.js")[:-1], str(script)]
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield PageMachine(process)
        assert process.stdin
        process.stdin.close()
        assert process.wait() == 0
