"""The events of tests/published that need an extension, beside those of ``published``:
shards, a relay, a game of one's own.
"""

from pathlib import Path

import published
from published import BOTS, HERE

EXTRA = (
    ("khiva", "lineups-auto"),
    ("khiva", "extended"),
    ("khiva", "merged"),
    ("khiva", "remote"),
    ("bidding", "own-game"),
)
"""Cases since 0.2.0 beside those of each game and format."""
REMOTE = "remote"
"""The one case without an interrupted store: it would need its relay again."""
PLAN = "event.plan"
SEATED = [part for bot in BOTS for part in ("--bot", str(HERE / "bots" / bot))]


def command(game: str, form: str, folder: Path, out: Path) -> list[str]:
    """The words that play an event, or go on with it. ``folder``: where a file beside
    it may lie.
    """
    allowed = ["--isolation", "trusted", "--allow-include"]
    end = ["-j", "2", "--out", str(out)]
    if form == "merged":
        return ["run", "--from-plan", str(folder / PLAN), *SEATED, *allowed, *end]
    common = ["--seed", f"published {game} {form}", *allowed, *end]
    if form == "own-game":
        handed = ["--game", str(HERE / "bidding.py"), "--rule", "cards=5"]
        return ["run", *SEATED, *handed, "--seats", "3", "--seeds", "2", *common]
    if form == REMOTE:
        remote = ["--bot", "remote:ann", "--tokens", str(folder), "--listen", "127.0.0.1:0"]
        return [
            "run",
            *SEATED[2:],
            *remote,
            "--seats",
            "2",
            "--seeds",
            "2",
            "--game",
            game,
            *common,
        ]
    return published.command(game, form, folder, out)


def before(game: str, form: str, folder: Path, out: Path) -> list[list[str]]:
    """Return the commands that come before ``command``, so that its kill leaves an
    event of the same secret.
    """
    words = command(game, form, folder, out)
    if form == "extended":
        seeds = words.index("--seeds") + 1
        return [[*words[:seeds], "2", *words[seeds + 1 :]], [*words, "--commit"]]
    if form == "merged":
        settings = [
            "--seats",
            "3",
            "--seeds",
            "3",
            "--seed",
            "published merged",
            "--isolation",
            "trusted",
        ]
        plan, shard = str(folder / PLAN), str(folder / "shard")
        play = ["run", "--from-plan", plan, *SEATED, "--shard", "2/3", "--out", shard]
        return [
            ["run", *SEATED, *settings, "--plan", plan],
            play,
            ["merge", shard, "--out", str(out)],
        ]
    return []
