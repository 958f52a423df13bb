"""Other arbiters beside this one, in the same minutes: ``bench-peers
fastchess=/path/to/it cutechess=/path/to/it``.

Knows c-chess-cli, fastchess and cutechess (its program cutechess-cli); those that are
not named are left out, and a line says so. Each is sampled in turn with this arbiter at
two seats, pinned to the same core, with bots in C that answer at once: for chess uci.c,
whose moves are the same in every game. All is counted alike, as microseconds of CPU a
decision, of the arbiter alone and with its bots; what short games take, starts
included, is taken off. Rules are in it, of each one's own game. Needs a C compiler.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE)]

from bench import ROOT, compiled, plain, sampled  # noqa: E402 - found beside this file
from samples import one_core  # noqa: E402
from spread import spread  # noqa: E402

ROUNDS = 9
GAMES = 800
WHOLE, SHORT = 48, 8
"""Plies of a game by uci.c, and of a short one."""
ENDED = "3-fold repetition"
"""What each of them says of the end of such a game."""
TICK = 1 / os.sysconf("SC_CLK_TCK")

Words = list[str]


def c_chess_cli(engine: str, arg: str) -> Words:
    bots = [word for name in "ab" for word in ("-engine", f"name={name}")]
    return ["-each", f"cmd={engine} {arg}".strip(), "tc=60+1", *bots, "-games", str(GAMES)]


def fastchess(engine: str, arg: str) -> Words:
    bots = [
        word
        for name in "ab"
        for word in ("-engine", f"cmd={engine}", f"name={name}", *([f"args={arg}"] if arg else []))
    ]
    return [*bots, "-each", "tc=60+1", "-rounds", str(GAMES), "-games", "1"]


def cutechess(engine: str, arg: str) -> Words:
    bots = [
        word
        for name in "ab"
        for word in ("-engine", f"cmd={engine}", f"name={name}", *([f"arg={arg}"] if arg else []))
    ]
    return [*bots, "-each", "proto=uci", "tc=60+1", "-games", str(GAMES)]


PEERS: dict[str, Callable[[str, str], Words]] = {
    "c-chess-cli": c_chess_cli,
    "fastchess": fastchess,
    "cutechess": cutechess,
}


def named(words: Sequence[str]) -> dict[str, str]:
    """The programs by the names of PEERS, of words NAME=PROGRAM. Exits if a name is not
    one of them, or a program not there.
    """
    programs = {}
    for word in words:
        name, _, program = word.partition("=")
        if name not in PEERS:
            sys.exit(f"bench-peers: {word!r} is not NAME=PROGRAM with one of {', '.join(PEERS)}")
        if not os.access(program, os.X_OK) or os.path.isdir(program):
            sys.exit(f"bench-peers: {name}: {program!r} is no program")
        programs[name] = str(Path(program).absolute())
    return programs


def sample(name: str, program: str, engine: str) -> dict[str, float]:
    """One sample of another arbiter: microseconds of CPU a decision, of it alone and
    with its bots.
    """
    with one_core():
        short, whole = (_cpu([program, *PEERS[name](engine, arg)]) for arg in ("short", ""))
    decisions = GAMES * (WHOLE - SHORT)
    own, of_bots = (
        (long - brief) / decisions * 1e6 for long, brief in zip(whole, short, strict=True)
    )
    return {"alone": own, "with_bots": own + of_bots}


def _cpu(words: Words) -> tuple[float, float]:
    """CPU seconds of a program that plays GAMES games, and of the engines that it
    waited for.
    """
    with tempfile.TemporaryDirectory() as folder, Path(folder, "said").open("w+") as said:
        process = subprocess.Popen(
            words, cwd=folder, stdin=subprocess.DEVNULL, stdout=said, stderr=subprocess.STDOUT
        )
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
        process.wait()
        said.seek(0)
        text = said.read()
    if sum("Finished game" in line and ENDED in line for line in text.splitlines()) != GAMES:
        sys.exit(
            f"bench-peers: {words[0]} did not play {GAMES} games to their ends:\n{text[-2000:]}"
        )
    # Behind the name: state is field 3 of proc(5), so utime, stime, cutime, cstime are
    # 14-17.
    own, system, of_children, their_system = (int(field) * TICK for field in fields[11:15])
    return own + system, of_children + their_system


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("peer", nargs="*", metavar="NAME=PATH", help="as fastchess=/path/to/it")
    programs = named(parser.parse_args().peer)
    for name in PEERS:
        if name not in programs:
            print(
                json.dumps(
                    {
                        "name": f"peer_{name}",
                        "left_out": f"name its program: PEERS={name}=/path/to/it",
                    }
                ),
                flush=True,
            )
    ours: list[dict[str, float]] = []
    theirs: dict[str, list[dict[str, float]]] = {name: [] for name in programs}
    with tempfile.TemporaryDirectory() as name:
        instant, engine = compiled(Path(name), "instant"), compiled(Path(name), "uci")
        for _ in range(ROUNDS):
            ours.append(sampled(ROOT, ("arbiter_and_bots", instant, "2")))
            for peer, samples in theirs.items():
                samples.append(sample(peer, programs[peer], engine))
    for what in ("alone", "with_bots"):
        mine = [one[what] for one in ours]
        print(
            json.dumps(
                {"name": f"arbiter_2_seats_{what}", "unit": "us/decision", **plain(spread(mine))}
            )
        )
        for peer, samples in theirs.items():
            found = [one[what] for one in samples]
            ratio = spread([one / other for one, other in zip(mine, found, strict=True)])
            line = {"name": f"peer_{peer}_{what}", "unit": "us/decision", **plain(spread(found))}
            print(json.dumps({**line, "arbiter_times_it": plain(ratio)}), flush=True)


if __name__ == "__main__":
    main()
