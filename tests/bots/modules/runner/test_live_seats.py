"""Live seats of protocol/verifier, whose modules wait between two questions, play the
vectors as the runner does; Chromium and Firefox can have a module wait, and Node 20
cannot.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from arena import ROOT
from browser import Page, browser
from firefox import Firefox, firefox
from second_vm import VERIFIER

from khiva_arena.display.page.html import script_of

pytestmark = pytest.mark.soak

VECTORS = ROOT / "protocol" / "vectors"
REEXPORT = 'export { Refused } from "./sections.js";\n'
PAGE = """<!doctype html><meta charset="utf-8"><script>{script}
const bytesOf = (hex) => Uint8Array.from(hex.match(/../g) ?? [], (byte) => parseInt(byte, 16));
const hexOf = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
const short = async (bytes) => bytes.length <= 256 ? hexOf(bytes) : {{
  length: bytes.length, sha256: hexOf(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes))),
}};
async function played({{ module, payload, key, most_bytes, orders }}) {{
  const pages = Math.floor(most_bytes / 65536);
  const own = _meter.rewritten(bytesOf(module), pages);
  const first = _sections.firstPages(own) > pages ? null : await WebAssembly.compile(own);
  const seat = new _runner.LiveSeat(first, bytesOf(key),
    payload === undefined ? null : bytesOf(payload));
  const [results, notes] = [[], []];
  for (const order of orders) {{
    const bytes = bytesOf(order.bytes);
    if (order.order === "say") seat.say(bytes);
    else {{
      const {{ word, used, answer }} = await seat.ask({{ ...order, bytes }});
      results.push([word, used, await short(answer)]);
    }}
    notes.push(...seat.notes());
  }}
  seat.end();
  return {{ results, notes: await short(Uint8Array.from(notes)) }};
}}
async function playAll(rows) {{
  const all = [];
  for (const row of rows) all.push(await played(row).catch((error) => String(error)));
  return all;
}}
async function noted({{ module, key, orders }}) {{
  const machine = new _machine.Machine();
  machine.take("m", bytesOf(module));
  const words = ["m", "", 256, bytesOf(key)];
  const seat = machine.live(...words);
  const asks = orders.map(({{ ticks, bytes }}) => ["ask", ticks, bytesOf(bytes)]);
  for (const [, ticks, bytes] of asks) await seat.ask(ticks, bytes);
  return [seat.notes(), machine.run(...words, asks).notes].map(hexOf);
}}
async function lacking(module) {{
  const machine = new _machine.Machine();
  machine.take("m", bytesOf(module));
  const words = ["m", "", 256, new Uint8Array(8)];
  const thrown = () => {{ try {{ machine.live(...words); }} catch (error) {{
    return error.message; }} }};
  return [thrown(), machine.run(...words, []).why];
}}
</script>"""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page with the verifier."""
    sources = {path.stem: path.read_text().replace(REEXPORT, "") for path in VERIFIER.glob("*.js")}
    path = tmp_path_factory.mktemp("live") / "live.html"
    path.write_text(PAGE.format(script=script_of(sources, "machine")))
    return path


@pytest.fixture(
    scope="module",
    params=["chromium", pytest.param("firefox", marks=pytest.mark.xdist_group("firefox"))],
)
def opened(request: pytest.FixtureRequest, page: Path) -> Iterator[Page | Firefox]:
    with browser() if request.param == "chromium" else firefox() as one:
        one.visit(page.as_uri())
        if not one.js("return 'Suspending' in WebAssembly"):
            pytest.skip(
                f"NOT TESTED: live seats: this {request.param} has no "
                "WebAssembly.Suspending; install a newer one"
            )
        yield one


def rows(file: str) -> list[dict[str, Any]]:
    """Return the seats of a file of vectors, each with its module."""
    held = json.loads((VECTORS / file).read_text())
    return (
        held["rows"]
        if "rows" in held
        else [{**row, "module": held["modules"][row["module"]]} for row in held["seats"]]
    )


def told(opened: Page | Firefox, call: str, *values: Any) -> Any:
    """Return what a promise of the page comes to."""
    opened.js(f"window.found = null; {call}.then((found) => {{ window.found = found; }})", *values)
    opened.until("return window.found")
    return opened.js("return window.found")


@pytest.mark.parametrize("file", ["runner.json", "ticks.json"])
def test_a_live_seat_gives_each_row(opened: Page | Firefox, file: str) -> None:
    all_rows = rows(file)
    for row, played in zip(all_rows, told(opened, "playAll(arguments[0])", all_rows), strict=True):
        wanted = [
            [one["word"], one["used"], one["answer"]]
            for one in row["orders"]
            if one["order"] != "say"
        ]
        assert played == {"results": wanted, "notes": row["stderr"]}, row["name"]


def test_of_long_notes_that_are_not_asked_for_the_end_is_kept(opened: Page | Firefox) -> None:
    (row,) = (
        row for row in rows("runner.json") if row["name"] == "stderr beyond 65,536 bytes in one run"
    )
    live, rerun = told(opened, "noted(arguments[0])", row)
    assert len(rerun) > len(live)
    assert rerun.endswith(live)


def test_a_machine_says_of_a_live_seat_why_it_has_none(opened: Page | Firefox) -> None:
    live, rerun = told(opened, "lacking('00')")
    assert live == rerun
    assert "refuses the module" in live
