"""The words by which ``khiva-arena relay`` names a bot."""

import zipfile
from pathlib import Path
from typing import Any

import pytest
from quick_bots import NAIVE

from khiva_arena.extensions.seats import relay_command


def test_a_relay_starts_the_bot_of_an_archive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with zipfile.ZipFile(tmp_path / "ann.zip", "w") as archive:
        for path in Path(NAIVE).iterdir():
            archive.write(path, path.name)
    started: list[tuple[str, str, bool]] = []

    def relay(
        where: str, name: str, argv: list[str], *, folder: str, environment: dict[str, str]
    ) -> int:
        started.append((where, name, any(Path(folder).iterdir())))
        assert argv != [str(tmp_path / "ann.zip")]
        return 0

    fake: Any = relay
    monkeypatch.setattr(relay_command.one_file, "relay", fake)
    assert relay_command.relay("host:1", "ann", [str(tmp_path / "ann.zip")]) == 0
    assert started == [("host:1", "ann", True)]
