"""A fork server keeps the code of modules that its next table lacks, within a bound,
since an interpreter takes long to load.
"""

from pathlib import Path
from types import SimpleNamespace

import pytest

from khiva_arena.bots.modules.runner import line, table_runner

MIB = 1 << 20


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is loaded and unloaded, by the name of its file."""
    calls: list[str] = []
    addresses: list[str] = []

    def load(_vm: object, path: str, _digest: str) -> int:
        addresses.append(Path(path).name)
        calls.append(f"load {addresses[-1]}")
        return len(addresses) - 1

    monkeypatch.setattr(table_runner, "load", load)
    monkeypatch.setattr(
        table_runner, "unload", lambda _vm, address: calls.append(f"unload {addresses[address]}")
    )
    monkeypatch.setattr(table_runner, "TickSeat", lambda *_: SimpleNamespace(drop=lambda: None))
    return calls


def test_the_longest_unused_goes_and_none_that_a_seat_has(calls: list[str], tmp_path: Path) -> None:
    for name, size in {"a": 12, "b": 12, "c": 12, "large": 40}.items():
        with open(tmp_path / name, "wb") as file:
            file.truncate(size * MIB)
    seats = table_runner.TickSeats(vm=None)  # type: ignore[arg-type]

    def play(*names: str) -> list[str]:
        calls.clear()
        digests = {name: name.encode().ljust(32) for name in names}
        loads = [
            line.LOADING.pack(0, digests[name]) + str(tmp_path / name).encode() for name in names
        ]
        seats.load([(number, line.LOAD, 0, data) for number, data in enumerate(loads)])
        return calls.copy()

    assert line.KEPT_CODE == 32 * MIB
    assert play("a", "b", "a") == ["load a", "load b"]
    assert play("c") == ["load c"]
    assert play("a", "b") == []
    assert play("large") == ["unload c", "load large"]
    assert play("b") == ["unload a", "unload large"]
    assert play("b") == []
