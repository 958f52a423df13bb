"""Results of trials are kept in a file beside the store, one a line, and a line that a
kill cut short is left out.
"""

from pathlib import Path

import pytest
from msgspec.structs import replace

from khiva_arena.errors import StoreError
from khiva_arena.records.store import trial_results
from khiva_arena.records.store.files import TRIALS
from khiva_arena.records.store.trial_results import TrialResult

ANN = TrialResult(
    "a" * 64, "c" * 64, "ann", "0f", seconds=0.5, steps=40, decisions=21, mean=0.01, slowest=0.02
)
BOB = TrialResult(
    "b" * 64,
    "c" * 64,
    "bob",
    "1f",
    verdict="illegal",
    step=20,
    line="illegal: choice 9 of 4 legal ones",
)


def test_results_come_back_and_the_newest_counts(tmp_path: Path) -> None:
    assert trial_results.read(tmp_path / "out") == {}
    again = replace(BOB, verdict="", line="", step=0)
    for result in (ANN, BOB, again):
        trial_results.add(tmp_path / "out", result)
    assert trial_results.read(tmp_path / "out") == {ANN.key: ANN, BOB.key: again}
    assert (tmp_path / "out" / TRIALS).stat().st_mode & 0o077 == 0, (
        "others would read what bots wrote"
    )


@pytest.mark.parametrize(
    "cut", [1, 40, None], ids=["the end of the line", "half of it", "other bytes"]
)
def test_a_torn_line_costs_only_its_own_result(tmp_path: Path, cut: int | None) -> None:
    for result in (ANN, BOB):
        trial_results.add(tmp_path, result)
    file = tmp_path / TRIALS
    data = file.read_bytes()
    file.write_bytes(data[:-cut] if cut else data + b'\xff{"bot":3}')
    whole = {ANN.key: ANN, BOB.key: BOB} if cut in (1, None) else {ANN.key: ANN}
    assert trial_results.read(tmp_path) == whole
    trial_results.add(tmp_path, replace(BOB, step=3))
    assert trial_results.read(tmp_path) == {ANN.key: ANN, BOB.key: replace(BOB, step=3)}


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_bytes(b"")
    (tmp_path / TRIALS).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StoreError):
        trial_results.add(tmp_path, ANN)
    with pytest.raises(StoreError):
        trial_results.read(tmp_path)
    assert (tmp_path / "elsewhere").read_bytes() == b""
