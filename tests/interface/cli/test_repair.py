"""Sixty inputs that are wrong, each with the command or word of its message by which it
can be repaired without the docs.
"""

import shlex
from pathlib import Path

import pytest
from arena import NAIVE, arena, bots
from once import made_once
from sides import NEEDS_ALL
from stores import RANDOM, SHORT, TRUSTED

WRONG = {
    # guesses for commands
    "test my-bot": "khiva-arena check BOT",
    "validate my-bot": "khiva-arena check BOT",
    "create my-bot": "khiva-arena new python my-bot",
    "list": "khiva-arena show STORE",
    "ls results/first": "khiva-arena show STORE",
    "status results/first": "khiva-arena show STORE",
    "log results/first": "khiva-arena show STORE",
    "leaderboard results/first": "khiva-arena standings STORE",
    "elo results/first": "khiva-arena standings STORE",
    "rank": "khiva-arena standings STORE",
    "tournament cup.toml": "khiva-arena run",
    "languages": "khiva-arena new",
    "serve": "khiva-arena league serve LEAGUE --listen",
    "rnu --bot my-bot": "Did you mean 'run'",
    "standigns results/first": "Did you mean 'standings'",
    "help standigns": "Did you mean 'standings'",
    "league standings spring": "khiva-arena standings LEAGUE",
    "league list spring": "khiva-arena league status LEAGUE",
    # guesses for options
    "run --bot my-bot --players 3": "--seats N",
    "run --bot my-bot --threads 4": "--jobs N",
    "run --bot my-bot --time 1s": "--turn 500ms",
    "run --bot my-bot -n 20": "--seeds N",
    "run --bot my-bot -v": "--events-file FILE",
    "match --bot my-bot --bot my-bot --verbose": "--trace",
    "match --bot my-bot --bot my-bot --seeds 5": "khiva-arena run --seeds N",
    "standings results/first --csv": "khiva-arena export STORE --format csv",
    "standings results/first --format csv": "khiva-arena export STORE --format csv",
    "report results/first --open": "open that file in your browser",
    "play --seats 2": "--bot person --bot shipped:python/greedy",
    "league serve spring --port 8080": "--listen 127.0.0.1:8080",
    "run --bot my-bot --sets 3": "--seats",
    # what is missing
    "sprt my-bot": "khiva-arena sprt my-bot OPPONENTS...",
    "bundle results/first": "khiva-arena bundle results/first OUT",
    "export results/first": "khiva-arena export results/first --format csv",
    "close results/first": "khiva-arena close results/first EVENT",
    "standings": "khiva-arena standings STORE",
    "merge results/first": "khiva-arena merge results/first --out DIR",
    "plan results/first": "--error ELO or --gap ELO",
    "report results/first": "--out FILE",
    "run --bot my-bot": "--copies 3",
    "relay 127.0.0.1:7421": "khiva-arena relay HOST:PORT NAME -- COMMAND",
    "check": "--game FILE",
    # bots
    "match --bot my-bto --bot my-bot": "did you mean my-bot?",
    "match my-bot": "khiva-arena match --bot my-bot --bot shipped:python/random",
    "check nosuch": "khiva-arena new python nosuch",
    "check my-bot/main.py": "folder, my-bot",
    "match --bot shipped:python/gredy --bot my-bot": "did you mean shipped:python/greedy?",
    "match --bot shipped:python/greedy_emira --bot shipped:python/greedy_emira": "--game emira",
    "new pyton my-bot": "did you mean python",
    "new python my-bot": "give another name",
    # results, files and values
    "standings results": "results/first",
    "standings results/frist": "did you mean results/first?",
    "standings first.bundle": "khiva-arena verify",
    "verify first.html": "khiva-arena bundle STORE first.bundle",
    "verify my-bot": "khiva-arena check my-bot",
    "show results/first 9/0": "events here: 1",
    "run nosuch.toml": "khiva-arena init nosuch.toml",
    "init my-bot": "khiva-arena new python my-bot",
    "watch results/first": "--events-file FILE",
    "match --from results/first 1/0 --step 0": "at least 1, not 0",
}
"""By the words behind ``khiva-arena``: the part of the message that repairs them."""


@made_once
def desk(folder: Path) -> None:
    """A bot in "my-bot", the results of two matches in "results/first", its bundle, its
    page, and a settings file.
    """
    arena("new", "python", "my-bot", cwd=folder)
    arena(
        "run",
        *bots(RANDOM, NAIVE),
        "--seats",
        "2",
        "--seeds",
        "1",
        *SHORT,
        *TRUSTED,
        "--out",
        "results/first",
        cwd=folder,
    )
    arena("bundle", "results/first", "first.bundle", cwd=folder)
    arena("report", "results/first", "--out", "first.html", cwd=folder)
    arena("init", "cup.toml", cwd=folder)


@NEEDS_ALL
@pytest.mark.parametrize("words", WRONG)
def test_the_message_repairs_the_command(words: str, desk: Path) -> None:
    done = arena(*shlex.split(words), cwd=desk, code=2)
    first = done.stderr.splitlines()[0]
    assert first.startswith("khiva-arena: error: ")
    assert WRONG[words] in first
    assert done.stdout == ""


def test_there_are_sixty() -> None:
    assert len(WRONG) == 60
