"""Stand-ins for language models: bots without a network that behave as their run line
says, and log what they report.
"""

from pathlib import Path

KINDS = ("answers", "tenth", "never", "overloaded", "garbles")
"""Always the model's choice; every tenth decision by lot; all by lot; every third by
lot, as its provider failed; every tenth after another try.
"""
LOG = "in all "
_MAIN = """
import json
import sys

from khiva_kit import Lottery, note
from khiva_spent import play

every = {"answers": ("model", 1), "tenth": ("lot", 10), "never": ("lot", 1)}
every |= {"overloaded": ("failed", 3), "garbles": ("retry", 10)}
otherwise, step = every[sys.argv[1]]
spent = dict.fromkeys(("model", "retry", "lot", "failed", "tokens_in", "tokens_out", "waited_ms",
    "cost"), 0)
asked = 0


def choose(decide, match):
    global asked
    asked += 1
    chance = Lottery(match["seed"], asked)
    spent[otherwise if asked % step == 0 else "model"] += 1
    for name, most in (("tokens_in", 4_000), ("tokens_out", 90), ("waited_ms", 2_000),
        ("cost", 1_000)):
        spent[name] += chance.below(most)
    return chance.below(len(decide["legal"]))


play(sys.argv[1], choose, spent, currency="EUR")
note("in all " + json.dumps(spent))
"""


def stand_ins(folder: Path) -> list[Path]:
    """Write a bot of each kind, and return their folders."""
    kit = Path(__file__).parents[4] / "bots" / "python" / "kit"
    folders = [folder / kind for kind in KINDS]
    for place in folders:
        place.mkdir(parents=True)
        (place / "main.py").write_text(_MAIN)
        for name in ("khiva_kit.py", "khiva_spent.py"):
            (place / name).write_bytes((kit / name).read_bytes())
        (place / "bot.toml").write_text(
            f'name = "{place.name}"\nrun = "{{python}} main.py {place.name}"\nreports = true\n'
        )
    return folders


_COSTLY = """
import os
import sys

from khiva_kit import note
from khiva_spent import play

currency, cost, dies = sys.argv[1:]
spent = {"model": 0, "lot": 0, "cost": int(cost)}


def choose(decide, match):
    spent["model"] += 1
    if LOG and spent["model"] == 1:
        with open(LOG, "a") as file:
            print(cost, file=file)
    if dies == "dies" and match["seat"] == 0 and spent["model"] == 3:
        note("in all %d" % spent["cost"])
        os._exit(1)
    return 0


play("costly", choose, spent, currency=currency if currency != "none" else "")
note("in all %d" % spent["cost"])
"""


def costly(
    folder: Path,
    name: str,
    currency: str = "EUR",
    cost: int = 500,
    dies: bool = False,
    log: Path | None = None,
) -> str:
    """Write a bot that reports so many millionths for each match, and return its name.

    currency: that its hello names; "none" for none.
    dies: whether it exits in the first seat at its third decision.
    log: a file to which it adds the cost of each match, when it is first asked.
    """
    place = folder / name
    place.mkdir(parents=True)
    kit = Path(__file__).parents[4] / "bots" / "python" / "kit"
    (place / "main.py").write_text(f"LOG = {str(log or '')!r}\n{_COSTLY}")
    for file in ("khiva_kit.py", "khiva_spent.py"):
        (place / file).write_bytes((kit / file).read_bytes())
    run = f"{{python}} main.py {currency} {cost} {'dies' if dies else 'lives'}"
    (place / "bot.toml").write_text(f'name = "{name}"\nrun = "{run}"\nreports = true\n')
    return name
