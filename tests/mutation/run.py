"""Change the program in small ways, one at a time, and see whether the tests notice:
``python tests/mutation/run.py``.

The mutations are cosmic-ray's; which of them are tried, and in which order, is drawn
from a seed. A mutation of a line that two versions share has the same place in the
order of both. All of it happens on a copy of the files that git knows. Prints one JSON
object a mutation, then one a room.
"""

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from cosmic_ray.ast import ast_nodes, get_ast_from_path
from cosmic_ray.mutating import mutate_and_test
from cosmic_ray.plugins import get_operator
from cosmic_ray.testing import run_tests
from cosmic_ray.work_item import MutationSpec, TestOutcome, WorkResult

ROOT = Path(__file__).parents[2]
GAME_TESTS = (
    "tests/games/test_every_game.py tests/games/test_game_vectors.py "
    "tests/games/test_worlds.py tests/playthroughs"
)
ROOMS = {
    "khiva": ("khiva_arena/games/khiva", f"tests/games/khiva {GAME_TESTS}"),
    "emira": ("khiva_arena/games/emira", f"tests/games/emira {GAME_TESTS}"),
    "silk_road": ("khiva_arena/games/silk_road", f"tests/games/silk_road {GAME_TESTS}"),
    "schedule": ("khiva_arena/rating/schedule", "tests/rating/schedule"),
    "ratings": ("khiva_arena/rating/ratings", "tests/rating/ratings"),
    "meter": (
        "khiva_arena/bots/modules/meter",
        "tests/bots/modules/meter/test_vectors.py tests/bots/modules/meter",
    ),
    "runner": (
        "khiva_arena/bots/modules/runner",
        (
            "tests/bots/modules/runner/test_runner_vectors.py "
            "tests/bots/modules/test_tick_vectors.py tests/bots/modules/runner"
        ),
    ),
    "session": (
        "khiva_arena/bots/protocol/session.py",
        "tests/bots/protocol tests/arbiter/test_match_scripted.py",
    ),
}
"""What is changed, and the tests that should notice: those of them that ``make test``
runs.
"""
MARKS = "not soak and not language and not long"
TURNED = ("Lt_GtE", "Gt_LtE", "Eq_NotEq", "NotEq_Eq", "Is_IsNot", "IsNot_Is")
SHIFTED = ("Lt_LtE", "LtE_Lt", "Gt_GtE", "GtE_Gt")
BINARY = ("Add_Sub", "Sub_Add", "Mul_Add", "Div_Mul", "FloorDiv_Mul", "Mod_FloorDiv", "Pow_Mul")
OTHERS = (
    "NumberReplacer",
    "ReplaceTrueWithFalse",
    "ReplaceFalseWithTrue",
    "ReplaceAndWithOr",
    "ReplaceOrWithAnd",
    "AddNot",
    "ReplaceUnaryOperator_Delete_Not",
)
LOOPS = ("ZeroIterationForLoop", "ReplaceBreakWithContinue", "ReplaceContinueWithBreak")
OPERATORS = [
    *(f"core/ReplaceComparisonOperator_{name}" for name in (*TURNED, *SHIFTED)),
    *(f"core/ReplaceBinaryOperator_{name}" for name in BINARY),
    *(f"core/{name}" for name in (*OTHERS, *LOOPS)),
]
"""No others: cosmic-ray has twelve for each sign, and most of those fail at once."""
SECONDS = 1800.0
"""For the tests without a mutation. With one they have three times what they needed: a
mutation may well run for ever.
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mutants", type=int, default=40, help="a room")
    parser.add_argument(
        "--minutes", type=float, default=60, help="a room: no mutation is begun later"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rooms", nargs="*", choices=ROOMS, default=list(ROOMS))
    parser.add_argument(
        "--tree", type=Path, default=ROOT, help="the files to copy, as those of another version"
    )
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="khiva-mutants-") as folder:
        copy_of(given.tree.resolve(), Path(folder))
        os.chdir(folder)
        os.environ["PYTHONPATH"] = folder
        os.environ["PYTHONDONTWRITEBYTECODE"] = (
            "1"  # a mutation may leave size and second of a file as they were
        )
        for room in given.rooms:
            try_room(room, given.mutants, given.minutes, given.seed)
    return 0


def copy_of(tree: Path, folder: Path) -> None:
    names = subprocess.run(
        ["git", "ls-files", "-z"], cwd=tree, capture_output=True, text=True, check=True
    ).stdout
    for name in filter(None, names.split("\0")):
        if (tree / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(tree / name, folder / name)
    subprocess.run(["git", "init", "--quiet"], cwd=folder, check=True)
    # an installation has made the headers and programs that git does not know
    subprocess.run(
        [sys.executable, "khiva_arena/native/build.py"], cwd=folder, check=True, stdout=sys.stderr
    )


def try_room(room: str, count: int, minutes: float, seed: int) -> None:
    where, tests = ROOMS[room]
    command = (
        f"{sys.executable} -m pytest -x -q -p no:cacheprovider --hypothesis-seed={seed} -m "
        f"'{MARKS}' {tests}"
    )
    began = time.monotonic()
    outcome, said = run_tests(command, SECONDS)
    if outcome is not TestOutcome.SURVIVED:
        raise SystemExit(f"{room}: the tests fail without a mutation\n{said}")
    seconds = 30 + 3 * (time.monotonic() - began)
    there = [mutation for path in files(Path(where)) for mutation in mutations(path, seed)]
    counts: Counter[str] = Counter()
    began = time.monotonic()
    for _, mutation in sorted(there)[:count]:
        if time.monotonic() - began > minutes * 60:
            break
        # an example that failed once would be tried again, and kill whatever follows
        shutil.rmtree(".hypothesis", ignore_errors=True)
        result = mutate_and_test([mutation], command, seconds)
        verdict = named(result)
        counts[verdict] += 1
        change = [
            line
            for line in (result.diff or "").splitlines()
            if line[:1] in "+-" and line[:3] not in ("+++", "---")
        ]
        place = f"{mutation.module_path}:{mutation.start_pos[0]}"
        print(
            json.dumps({"room": room, "place": place, "outcome": verdict, "change": change}),
            flush=True,
        )
    print(
        json.dumps({"room": room, "seed": seed, "of": len(there), **dict(sorted(counts.items()))}),
        flush=True,
    )


def files(where: Path) -> list[Path]:
    return sorted(where.rglob("*.py")) if where.is_dir() else [where]


def mutations(path: Path, seed: int) -> Iterator[tuple[str, MutationSpec]]:
    """Yield all that the operators find in a file, each after a text that is its place
    in the order.

    The text depends on the seed, on the file's name, on the operator and on the line,
    but on no line before it.
    """
    nodes = list(ast_nodes(get_ast_from_path(path)))
    lines = path.read_text().splitlines()
    for name in OPERATORS:
        operator = get_operator(name)()
        seen: Counter[str] = Counter()
        for occurrence, (start, end) in enumerate(
            place for node in nodes for place in operator.mutation_positions(node)
        ):
            line = lines[start[0] - 1]
            key = hashlib.sha256(f"{seed} {path} {name} {line} {seen[line]}".encode()).hexdigest()
            seen[line] += 1
            yield key, MutationSpec(path, name, occurrence, start, end)


def named(result: WorkResult) -> str:
    if result.test_outcome is None or result.test_outcome is TestOutcome.INCOMPETENT:
        return "not tried"
    return "survived" if result.test_outcome is TestOutcome.SURVIVED else "killed"


if __name__ == "__main__":
    sys.exit(main())
