"""The lines of many rounds, compared with a beacon: each round is asked for once, a few
at a time.
"""

import re
import shlex
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from made_league import BEACON, line_of_round

from khiva_arena.extensions.league import beacon as beacons
from khiva_arena.extensions.league.beacon import BeaconLine, NoLine, compare, lines_of
from khiva_arena.extensions.league.chain.links import Beacon

DICE = Beacon("dice", "2020-01-01T00:00:00+00:00", 1, 0)


def noted(folder: Path, *lines: str) -> str:
    """A command that notes in a file each round that it is asked for, and then runs
    lines of shell.
    """
    return shlex.join(["sh", "-c", "\n".join([f'echo "$0" >> {folder / "asked"}', *lines])])


def asked(folder: Path) -> list[str]:
    return (folder / "asked").read_text().split()


def test_a_round_of_several_batches_is_asked_for_once(tmp_path: Path) -> None:
    lines = [
        BeaconLine("batch", batch, DICE, 1 + batch // 2, line_of_round(1 + batch // 2))
        for batch in range(1, 9)
    ]
    compared = compare(noted(tmp_path, 'echo "line $0"'), lines)
    assert (compared.equal, compared.problems, compared.not_compared) == (8, [], [])
    assert sorted(asked(tmp_path)) == ["1", "2", "3", "4", "5"]


def test_each_batch_with_a_false_line_is_named_in_order() -> None:
    lines = [BeaconLine("batch", batch, DICE, batch, "line 7") for batch in range(1, 10)]
    compared = compare(BEACON, lines)
    assert compared.equal == 1
    assert [problem.split(":")[0] for problem in compared.problems] == [
        f"batch {batch}" for batch in (1, 2, 3, 4, 5, 6, 8, 9)
    ]


def test_a_round_to_come_is_not_asked_for(tmp_path: Path) -> None:
    tomorrow = Beacon(
        "dice", (datetime.now(UTC) + timedelta(days=1)).isoformat(timespec="seconds"), 1, 0
    )
    lines = [
        BeaconLine("batch", 1, DICE, 1, "line 1"),
        BeaconLine("batch", 2, tomorrow, 2, "line 2"),
    ]
    compared = compare(noted(tmp_path, 'echo "line $0"'), lines)
    assert (compared.equal, len(compared.problems)) == (1, 1)
    assert asked(tmp_path) == ["1"]


def test_a_beacon_that_is_away_is_not_asked_for_hundreds_of_rounds(tmp_path: Path) -> None:
    told = lines_of(noted(tmp_path, "exit 3"), range(1, 101))
    assert beacons.MOST_VAIN <= len(asked(tmp_path)) < beacons.MOST_VAIN + beacons.AT_A_TIME
    assert all(isinstance(line, NoLine) for line in told.values())
    assert re.fullmatch(
        r"round 100 was not asked for, since the command had no line of [0-9]+ others",
        str(told[100]),
    )


def test_one_line_that_is_missing_hides_no_other(tmp_path: Path) -> None:
    told = lines_of(noted(tmp_path, '[ "$0" -le 3 ] && echo "line $0"'), range(1, 41))
    assert [line for line in told.values() if isinstance(line, str)] == [
        "line 1",
        "line 2",
        "line 3",
    ]
    assert len(asked(tmp_path)) == 40


def test_only_a_few_commands_run_at_a_time(tmp_path: Path) -> None:
    here = (
        f"touch {tmp_path}/$0.here; ls {tmp_path}/*.here | wc -l >> {tmp_path}/most; sleep "
        f"0.1; rm {tmp_path}/$0.here; echo x"
    )
    lines_of(noted(tmp_path, here), range(1, 21))
    counted = [int(number) for number in (tmp_path / "most").read_text().split()]
    assert 1 < max(counted) <= beacons.AT_A_TIME


def test_an_interrupt_ends_all_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beacons, "NAP_SECONDS", 0.05)

    def interrupted(*_: object) -> str:
        raise KeyboardInterrupt

    began = time.monotonic()
    with monkeypatch.context() as patch:
        line_of = beacons.line_of
        patch.setattr(
            beacons,
            "line_of",
            lambda command, number, look: (line_of if number > 1 else interrupted)(
                command, number, look
            ),
        )
        with pytest.raises(KeyboardInterrupt):
            lines_of(noted(tmp_path, "exec sleep 60"), range(1, 100))
    assert time.monotonic() - began < 30
    assert len(asked(tmp_path)) < 20
