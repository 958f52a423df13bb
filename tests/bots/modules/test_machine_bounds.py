"""What the machine of a page keeps, and that a module which is too much for it costs
nothing the second time.
"""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from arena import ROOT
from tools import need
from wasm import Function, Made

pytestmark = [pytest.mark.language, pytest.mark.slow]

MACHINE = ROOT / "protocol" / "verifier" / "machine.js"
SCRIPT = f"""
import {{ readFileSync }} from "node:fs";
import {{ Machine }} from {json.dumps(MACHINE.as_uri())};
const {{ validate }} = WebAssembly;
let validated = 0;
WebAssembly.validate = (bytes) => (validated++, validate(bytes));
const machine = new Machine();
const run = (module, payload = "") => machine.run(module, payload, 2 ** 24, new Uint8Array(8), []);
"""
LARGE = 15 * 2**20
"""More than a fifth of what is kept of compiled modules, and an eighth of all files."""


def told(code: str, folder: Path) -> Any:
    """What a script prints."""
    need("node")
    (folder / "script.mjs").write_text(SCRIPT + code)
    return json.loads(
        subprocess.run(
            ["node", "script.mjs"], cwd=folder, capture_output=True, timeout=120, check=True
        ).stdout
    )


def test_so_many_bytes_of_files_are_kept_and_a_bot_whose_file_is_not_cannot_be_run(
    tmp_path: Path,
) -> None:
    (tmp_path / "small.wasm").write_bytes(bytes(Made([Function("")])))
    code = """
    machine.take("small", new Uint8Array(readFileSync("small.wasm")));
    for (let number = 0; number < 9; number++) machine.take(`${number}`, new Uint8Array(2 ** 24));
    console.log(JSON.stringify([run("small", "6").why, run("small", "8").why, run("8").why]));
    """
    why = "more than this page takes on: more than 134217728 bytes of modules and payloads"
    assert told(code, tmp_path) == ["", why, why]


def test_a_module_that_was_refused_is_not_looked_at_again(tmp_path: Path) -> None:
    code = """
    machine.take("none", new Uint8Array(100));
    console.log(JSON.stringify([run("none").why, run("none").why, validated]));
    """
    first, second, times = told(code, tmp_path)
    assert (
        first
        == second
        == "this page's meter refuses the module: not valid, or of a later WebAssembly"
    )
    assert times == 1


def test_of_compiled_modules_those_that_were_used_last_are_kept(tmp_path: Path) -> None:
    for number in range(5):
        (tmp_path / f"{number}.wasm").write_bytes(
            bytes(Made([Function("")], data=(bytes([number]) * LARGE,)))
        )
    code = """
    for (const name of ["0", "1", "2", "3", "0", "4", "0", "1"]) {
      machine.take(name, new Uint8Array(readFileSync(`${name}.wasm`)));
      if (run(name).why) throw new Error(run(name).why);
    }
    console.log(JSON.stringify([[...machine.compiled.keys()].map((name) => name.split(" ")[1]),
      validated]));
    """
    assert told(code, tmp_path) == [["3", "4", "0", "1"], 6]


def test_memory_that_this_machine_refuses_is_no_answer_of_the_module(tmp_path: Path) -> None:
    """The VM gives the module 2 pages, where the meter has it have 9; a browser that is
    short of memory does so, too.
    """
    (tmp_path / "grows.wasm").write_bytes(
        bytes(Made([Function("i32.const 5 memory.grow drop")], memory=b"\1\1\x09"))
    )
    code = """
    const { Module } = WebAssembly;
    const short = (bytes) => bytes.map((byte, at) =>
      (byte === 9 && bytes[at - 1] === 1 && bytes[at - 3] === 1 ? 2 : byte));
    machine.take("grows", new Uint8Array(readFileSync("grows.wasm")));
    const asked = () => machine.run("grows", "", 9, new Uint8Array(8),
      [["ask", 10 ** 9, new Uint8Array()]]);
    const sound = asked();
    machine.compiled.clear();
    WebAssembly.Module = class { constructor(bytes) { return new Module(short(bytes)); } };
    console.log(JSON.stringify([sound.results[0][0], sound.why, asked()]));
    """
    word, why, refused = told(code, tmp_path)
    assert (word, why) == ("exited", "")
    assert refused["results"] == []
    assert "too little memory: " in refused["why"]
