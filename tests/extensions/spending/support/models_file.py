"""Files of models."""

import json
from pathlib import Path
from typing import Any

from arena import arena

from khiva_arena.records.store.db import Store

KEY, VALUE = "KHIVA_LLM_KEY", "sk-never-to-be-told"


HOW = ("--seats", "2", "--isolation", "trusted", "--trust-bots", "--turn", "30s")


ROW = 'name = "small"\nurl = "https://api.example.com/v1"\nmodel = "m"\n'


def written(folder: Path, *rows: str) -> Path:
    path = folder / "models.toml"
    path.write_text("".join(f"[[model]]\n{row}\n" for row in rows))
    return path


def row(name: str, url: str = "https://api.example.com/v1", **more: object) -> str:
    values = {"name": name, "url": url, "model": name, **more}
    return "".join(f"{key} = {json.dumps(value)}\n" for key, value in values.items())


def bots_of(folder: Path, *words: str) -> dict[str, Any]:
    """The bots of a run's event as its definition has them, which plays nothing."""
    arena(
        "run",
        *words,
        *(["--yes"] if "--models" in words else []),
        *HOW,
        "--seeds",
        "1",
        "--commit",
        "--out",
        "out",
        cwd=folder,
        env={KEY: VALUE},
    )
    with Store.read(folder / "out") as store:
        (event,) = store.events()
    return {bot.name: bot for bot in event.definition.bots}
