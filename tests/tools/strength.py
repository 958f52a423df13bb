"""The ladder of a game's bots: each of them plays copies of the one before it, and all these events are pooled.

``python -m tests.tools strength --game khiva --seats 3`` takes one to two hours of a core, or more; typed again, it goes on.
"""

import argparse
import subprocess
import sys
import tomllib
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).parents[2]
LADDERS = {
    "khiva": ("python/greedy", "c/search", "python/search_deep", "c/strong_khiva"),
    "emira": ("python/greedy_emira", "python/search_emira", "c/strong_emira"),
    "silk_road": ("python/greedy_silk_road", "python/search_silk_road", "c/strong_silk_road"),
}
"""The bots of a game, from the weakest to the strongest."""


def events(options: argparse.Namespace, out: str) -> list[list[str]]:
    """Return the words of a run for each step of the ladder."""
    how = ["--trust-bots", "--game", options.game, "--format", "gauntlet", "--copies", str(options.seats - 1)]
    how += ["--seats", str(options.seats), "--seeds", str(options.seeds), "--turn", "1m", "--start", "1m", "--seed", "strength"]
    steps = pairwise(options.rungs or LADDERS[options.game])
    return [["run", *how, "--bot", f"shipped:{above}", "--bot", f"shipped:{below}", "--out", out] for below, above in steps]


def anchor(rung: str) -> str:
    """Return the name of the bot at Elo 0."""
    return str(tomllib.loads((ROOT / "bots" / rung / "bot.toml").read_text("utf-8"))["name"])


def main() -> int:
    """Play the events, print the table of all of them, and return the exit code."""
    parser = argparse.ArgumentParser(prog="strength", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", choices=LADDERS, default="silk_road", help="default: silk_road")
    parser.add_argument("--seats", type=int, default=3, help="default: 3")
    parser.add_argument("--seeds", type=int, default=400, help="deals of each step, 400 unless you say so")
    parser.add_argument("--rungs", nargs="+", metavar="BOT", help="as c/search, from the weakest; default: those of the game")
    parser.add_argument("--out", help="the store; default: results/strength/GAME-SEATS")
    options = parser.parse_args()
    out = options.out or f"results/strength/{options.game}-{options.seats}"
    table = ["standings", out, "--anchor", anchor((options.rungs or LADDERS[options.game])[0])]
    for words in (*events(options, out), table):
        shown = None if words is table else subprocess.DEVNULL
        if code := subprocess.run([sys.executable, "-m", "khiva_arena", *words], stdout=shown, check=False).returncode:
            return code
    return 0


if __name__ == "__main__":
    sys.exit(main())
