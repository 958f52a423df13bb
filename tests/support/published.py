"""The events of tests/published: their bots, settings and commands."""

import json
import tarfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent.parent / "published"
BOTS = ("first", "last", "lots-1", "lots-2", "lots-3")
GAMES = ("khiva", "emira", "silk_road")
FORMATS = {
    "round-robin": ("--seats", "3", "--seeds", "1"),
    "gauntlet": ("--seats", "3", "--seeds", "1", "--candidate", "lots-1", "--rule", "{rule}"),
    "swiss": ("--seats", "3", "--seeds", "1", "--rounds", "3"),
    "knockout": ("--seats", "3", "--seeds", "1", "--policy", "strict"),
    "sprt": (),  # another command
    "stages": (),  # a settings file
}
RULES = {
    "khiva": "overshoot=bounce",
    "emira": "mode=advanced",
    "silk_road": "tied_decline=original_tie",
}
NEWER_EVENT, NEWER_LEAGUE = "ticks-0.3.0", "league-0.3.0"
KEYS = "keys-0.3.0.json"
"""The fixtures of what 0.3.0 brought, and the keys of its published schemas, which
tests/together/make_newer.py writes.
"""
STAGES = """
seats = 3
[[stage]]
name = "league"
seeds = 1
[[stage]]
name = "final"
take = 3
seeds = 2
"""


def command(game: str, form: str, folder: Path, out: Path) -> list[str]:
    """The words that play an event, or go on with it. ``folder``: where a settings file
    may be written.
    """
    words = [str(HERE / "bots" / bot) for bot in BOTS]
    allowed = ["--isolation", "trusted", "--allow-include"]
    common = [
        "--game",
        game,
        "--seed",
        f"published {game} {form}",
        *allowed,
        "-j",
        "2",
        "--out",
        str(out),
    ]
    if form == "sprt":
        seats = "3" if game == "emira" else "2"
        return [
            "sprt",
            words[2],
            words[0],
            words[1],
            "--seats",
            seats,
            "--seeds",
            "33",
            "--elo1",
            "200",
            *common,
        ]
    bots = [part for word in words for part in ("--bot", word)]
    if form == "lineups-auto":
        return ["run", *bots, "--seats", "2", "--seeds", "4", "--lineups", "auto", *common]
    if form == "extended":  # of the two seeds of ``before``, with a secret that they committed to
        return ["run", *bots, "--seats", "3", "--seeds", "4", *common]
    if form == "stages":
        (folder / "stages.toml").write_text(STAGES)
        return ["run", str(folder / "stages.toml"), *bots, *common]
    return [
        "run",
        *bots,
        "--format",
        form,
        *(word.format(rule=RULES[game]) for word in FORMATS[form]),
        *common,
    ]


def published(case: str, into: Path, version: str = "0.1.0") -> Path:
    """A finished store as it was published, unpacked below a folder; the folder
    "interrupted" beside it has one that is not.
    """
    unpack(HERE / version / case, into)
    return into / "finished"


def unpack(place: Path, into: Path) -> None:
    """Unpack the stores of a fixture below a folder."""
    with tarfile.open(place / "stores.tar.xz") as tar:
        tar.extraction_filter = getattr(tarfile, "data_filter", None)  # Python 3.11.4 brought it
        tar.extractall(into)


def newer_event(out: str) -> list[str]:
    """Return the words that play the event in ticks, from the folder with its bots."""
    seated = [part for name in ("plain", "weights", "script") for part in ("--bot", f"bots/{name}")]
    how = [
        "--clock",
        "ticks",
        "--seats",
        "2",
        "--seeds",
        "2",
        "--rule",
        "max_turns=8",
        "--turn",
        "50ms",
    ]
    return [
        "run",
        *seated,
        *how,
        "--seed",
        "published ticks",
        "--unreleased-interpreters",
        "--out",
        out,
    ]


def schema_keys() -> dict[str, list[str]]:
    """Return the keys that published schemas have, by schema and type of object."""
    root = HERE.parent.parent
    found: dict[str, list[str]] = {}
    for path in sorted(path for path in (root / "protocol" / "schema").rglob("*.json")):
        schema: dict[str, Any] = json.loads(path.read_text())
        for name, value in {"": schema, **schema.get("$defs", {})}.items():
            if keys := sorted(value.get("properties", {})):
                found[f"{path.relative_to(root)} {name}".strip()] = keys
    return found


def contents(folder: Path) -> dict[str, bytes]:
    """Return each file of a folder by its path, without those that SQLite makes beside
    a store to read it: empty, or an index.
    """
    files = {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }
    return {
        name: data
        for name, data in files.items()
        if not name.endswith("-shm") and (data or not name.endswith("-wal"))
    }
