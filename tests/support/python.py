"""Bots in Python that play in ticks, by the interpreter that is built in this
checkout.
"""

from pathlib import Path

from javascript import interpreter, payload

from khiva_arena.bots.sandbox.command import Command
from khiva_arena.entrants import bots, staging

WORD = "python"


def stage_shipped(name: str) -> Command:
    """The command of a shipped bot, as it plays in ticks."""
    interpreter(WORD)
    return staging.stage(bots.load(f"shipped:python/{name}").in_ticks)


def payload_folder(folder: Path, files: dict[str, bytes]) -> Path:
    """Write a bot of these files into a folder, as a module and a payload."""
    folder.mkdir()
    (folder / "python.wasm").write_bytes(interpreter(WORD))
    (folder / "files").write_bytes(payload(files, "main.py"))
    (folder / "bot.toml").write_text(
        f'name = "{folder.name}"\nmodule = "python.wasm"\npayload = "files"\n'
    )
    return folder
