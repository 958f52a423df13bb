"""Fits the networks of the strong bot of Khiva again: plays it against itself at each
number of seats, asks who finished ahead, and writes bots/c/shared/khiva_weights.h.

    python tests/support/fit_networks.py --matches 10000 \
        --out bots/c/shared/khiva_weights.h

takes about two hours of one core. Each network maps the numbers of a seat to its
outlook, by two hidden layers of rectified sums; it is fitted by Adam to the logistic
loss of all pairs of seats, who finishes ahead by the difference of their outlooks.
"""

import argparse
import subprocess
import tempfile
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

C = Path(__file__).parents[2] / "bots" / "c"
WORLDS = ("6", "3")
WIDE, NARROW = 32, 16
OPEN, PROMISES, ROWS = 29, 44, 56
EPOCHS, BATCH, RATE, RIDGE = 15, 1024, 0.003, 1e-6
HEADER = """\
/* The weights of the networks by which the strong bot of Khiva judges positions, for 2, 3, 4 and \
5 seats. They are fitted to
   {matches} matches of the bot against itself, with {worlds} worlds of its own and {others} of \
each other seat. Made by
   tests/support/fit_networks.py. */
#ifndef KHIVA_WEIGHTS_H
#define KHIVA_WEIGHTS_H

enum {{ OPEN = {open}, PROMISES = {promises}, ROWS = {rows}, WIDE = {wide}, NARROW = {narrow} }};

/* The weights from the numbers of a seat to the first layer, from that to the second one, and \
from that to the outlook. */
typedef struct {{
    float first[ROWS][WIDE], first_bias[WIDE], second[WIDE][NARROW], second_bias[NARROW], \
third[NARROW];
}} network;

static const network NETWORKS[] = {{
"""

Network = dict[str, Any]


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--matches", type=int, default=10000)
    parser.add_argument("--out", type=Path, required=True)
    asked = parser.parse_args()
    networks = [
        fit(play(seats, asked.matches), np.random.default_rng(seats)) for seats in range(2, 6)
    ]
    asked.out.write_text(header(f"{asked.matches:,}", networks), encoding="ascii")


def header(matches: str, networks: list[Network]) -> str:
    """Return the header file that holds the networks for 2, 3, 4 and 5 seats.

    matches: how many each was fitted to, in words
    """
    sizes = {"open": OPEN, "promises": PROMISES, "rows": ROWS, "wide": WIDE, "narrow": NARROW}
    begin = HEADER.format(matches=matches, worlds=WORLDS[0], others=WORLDS[1], **sizes)
    return begin + "".join(map(_written, networks)) + "};\n\n#endif\n"


def play(seats: int, matches: int, optimised: str = "-O3") -> Any:
    """Return the numbers of self-play: position x seat x (ROWS numbers, rank, match).

    optimised: the compiler's word for how much time it takes; the numbers are the same
    """
    with tempfile.TemporaryDirectory() as folder:
        program = f"{folder}/play"
        includes = [f"-I{C / 'kit'}", f"-I{C / 'shared'}", f"-I{C.parent / 'rules'}"]
        source = Path(__file__).with_name("khiva_selfplay.c")
        subprocess.run(
            ["cc", optimised, "-ffp-contract=off", *includes, "-o", program, source, "-lm"],
            check=True,
        )
        said = subprocess.run(
            [program, str(seats), str(matches), *WORLDS], check=True, stdout=subprocess.PIPE
        ).stdout
    return np.frombuffer(said, np.float32).reshape(-1, seats, ROWS + 2)


def fit(played: Any, rng: np.random.Generator) -> Network:
    """Fit a network to what ``play`` returns."""
    numbers, ranks, seats = (
        np.ascontiguousarray(played[:, :, :ROWS]),
        played[:, :, ROWS],
        played.shape[1],
    )
    one, other = np.array(list(combinations(range(seats), 2))).T
    ahead = (ranks[:, one] < ranks[:, other]) + 0.5 * (ranks[:, one] == ranks[:, other])
    sizes = {
        "first": (ROWS, WIDE),
        "first_bias": WIDE,
        "second": (WIDE, NARROW),
        "second_bias": NARROW,
        "third": NARROW,
    }
    spread = {"first": 0.7 * (2 / ROWS) ** 0.5, "second": (2 / WIDE) ** 0.5, "third": 0.1}
    network = {
        name: (spread.get(name, 0.0) * rng.standard_normal(size)).astype(np.float32)
        for name, size in sizes.items()
    }
    mean, square = (
        {name: np.zeros_like(value) for name, value in network.items()} for _ in range(2)
    )
    order, step = np.arange(len(numbers)), 0
    batch = min(BATCH, len(order))
    steps = EPOCHS * (len(order) // batch)
    for _ in range(EPOCHS):
        rng.shuffle(order)
        for at in range(0, len(order) - batch + 1, batch):
            rows = order[at : at + batch]
            slopes, step = _slopes(network, numbers[rows], ahead[rows], one, other), step + 1
            for name, slope in slopes.items():
                slope += RIDGE * network[name]
                mean[name] = 0.9 * mean[name] + 0.1 * slope
                square[name] = 0.999 * square[name] + 0.001 * slope**2
                even = (
                    mean[name]
                    / (1 - 0.9**step)
                    / (np.sqrt(square[name] / (1 - 0.999**step)) + 1e-8)
                )
                network[name] -= ((RATE * (1 - step / steps) + 1e-5) * even).astype(np.float32)
    return network


def outlooks(network: Network, numbers: Any) -> tuple[Any, Any, Any]:
    """Return both hidden layers and the outlooks of seats: any shape x ROWS to any
    shape.
    """
    first = np.maximum(numbers @ network["first"] + network["first_bias"], 0)
    second = np.maximum(first @ network["second"] + network["second_bias"], 0)
    return first, second, second @ network["third"]


def _slopes(network: Network, numbers: Any, ahead: Any, one: Any, other: Any) -> Network:
    """Return the slope of the loss in each weight."""
    first, second, outlook = outlooks(network, numbers)
    error = (1 / (1 + np.exp(outlook[:, other] - outlook[:, one])) - ahead) / ahead.size
    by_seat = np.zeros_like(outlook)
    for pair in range(len(one)):
        by_seat[:, one[pair]] += error[:, pair]
        by_seat[:, other[pair]] -= error[:, pair]
    at_second = by_seat[..., None] * network["third"] * (second > 0)
    at_first = at_second @ network["second"].T * (first > 0)
    return {
        "third": np.einsum("ps,psj->j", by_seat, second),
        "second": np.einsum("psi,psj->ij", first, at_second, optimize=True),
        "second_bias": at_second.sum((0, 1)),
        "first": np.einsum("psi,psj->ij", numbers, at_first, optimize=True),
        "first_bias": at_first.sum((0, 1)),
    }


def _written(network: Network) -> str:
    """Return a network as C writes it."""
    fields = ("first", "first_bias", "second", "second_bias", "third")
    return (
        "    {\n" + "".join(_array(network[name], "     ") + ",\n" for name in fields) + "    },\n"
    )


def _array(values: Any, indent: str) -> str:
    if values.ndim > 1:
        return indent + "{\n" + ",\n".join(_array(row, indent + " ") for row in values) + "}"
    lines, line = [], indent + "{"
    for number, value in enumerate(values, 1):
        word = f"{value:.3f}".replace("-0.000", "0.000") + (
            "f}" if number == len(values) else "f, "
        )
        if len(line) + len(word) > 130:
            lines.append(line.rstrip())
            line = indent + " "
        line += word
    return "\n".join([*lines, line])


if __name__ == "__main__":
    main()
