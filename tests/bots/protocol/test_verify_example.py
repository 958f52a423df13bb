"""protocol/examples/verify_bundle.py, a verifier written from the documents: what it
takes, and what it refuses.
"""

import ast
import copy
import importlib.util
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from arena import ROOT, arena, bots
from bundling import forged, lines_of, packed
from jobs import SECRET, header
from msgspec.structs import replace
from once import made_once
from stores import FORFEITS, RANDOM, STRIKES
from wording import sentence

from khiva_arena.common.result import Verdict
from khiva_arena.games.khiva.dealing import first_deal
from khiva_arena.games.khiva.tables import CODE
from khiva_arena.records.replay import seeds
from khiva_arena.records.replay.record import Record, canonical

pytestmark = pytest.mark.slow

EXAMPLE = ROOT / "protocol" / "examples" / "verify_bundle.py"
BUNDLES = sorted((ROOT / "tests" / "published" / "0.1.0").glob("*/bundle"))
THREE = [*bots(RANDOM, STRIKES, FORFEITS), "--isolation", "trusted", "--seats", "2", "--seeds", "2"]
EVENT, RUN_SECRET, FIRST_MATCH = 1, 2, 5  # places of lines
Lines = list[dict[str, Any]]


def loaded() -> Any:
    spec = importlib.util.spec_from_file_location("verify_bundle", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def verified(path: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run it as a stranger would: without this folder, and without any package."""
    command = [sys.executable, "-I", "-S", str(EXAMPLE), str(path), *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def test_it_is_short_and_imports_the_standard_library_alone() -> None:
    text = EXAMPLE.read_text()
    assert len(text.splitlines()) <= 230
    found = {
        name
        for node in ast.walk(ast.parse(text))
        for name in (
            [node.module]
            if isinstance(node, ast.ImportFrom)
            else [n.name for n in getattr(node, "names", ())]
        )
        if isinstance(node, ast.Import | ast.ImportFrom)
    }
    assert found
    assert found <= sys.stdlib_module_names


@pytest.mark.parametrize("path", BUNDLES, ids=[path.parent.name for path in BUNDLES])
def test_it_takes_every_bundle_that_was_published(path: Path) -> None:
    lines = lines_of(path)
    done = verified(path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("records are sound") == [line["kind"] for line in lines].count("event")


def test_there_are_published_bundles() -> None:
    assert len(BUNDLES) == 18


def test_it_reads_a_record_in_ticks_whose_digest_holds_them() -> None:
    event = "e" * 16
    head = replace(
        header(2, seeds.match_id(event, 0)), format=2, clock="ticks", meter=1, isolation="module"
    )
    record = Record(head, (), (Verdict.OK,) * 2, (None, None), (1, 1), (0, 0), "over", ((5, 6),))
    plain = json.loads(record.to_json())
    defined = {**plain["header"], "seats": 2}
    check = loaded().check_record
    arguments = (
        {"id": event, "definition": defined},
        0,
        plain,
        SECRET,
        [seat[:2] for seat in head.seats],
    )
    check(*arguments)
    plain["ticks"][0][1] += 1
    with pytest.raises(SystemExit):
        check(*arguments)
    defined["meter"] = 2
    with pytest.raises(SystemExit):
        check(*arguments)


# --- new ones ---


@made_once
def folder(folder: Path) -> None:
    """Bundles of 12 matches with strikes and forfeits: plain, of a public text, of a
    seed that was given, and of two events.
    """
    arena("run", *THREE, "--out", "public", "--commit", cwd=folder)
    for name, more in (
        ("plain", []),
        ("public", ["--public", "drawn: 7 \u2013 9"]),
        ("seed", ["--seed", "x"]),
    ):
        arena("run", *THREE, *more, "--out", name, cwd=folder)
    arena("run", *THREE[:-1], "1", "--turn", "2s", "--out", "plain", cwd=folder)
    for name in ("plain", "public", "seed"):
        arena("bundle", name, f"{name}.khiva", *(["1"] if name == "plain" else []), cwd=folder)
    arena("bundle", "plain", "both.khiva", cwd=folder)


@pytest.mark.soak
@pytest.mark.parametrize(
    ("name", "events"), [("plain", 1), ("public", 1), ("seed", 1), ("both", 2)]
)
def test_it_takes_new_bundles(folder: Path, name: str, events: int) -> None:
    done = verified(folder / f"{name}.khiva")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("records are sound") == events
    assert ("'drawn: 7 \\u2013 9'" in done.stdout) == (name == "public")
    commitments = [
        line["commitment"] for line in lines_of(folder / f"{name}.khiva") if line["kind"] == "event"
    ]
    assert all(commitment in done.stdout for commitment in commitments)


def test_its_deals_are_the_arena_s(folder: Path) -> None:
    verifier = loaded()
    secrets = {
        k: bytes.fromhex(line["secret"])
        for line in lines_of(folder / "public.khiva")
        if (k := line.get("seed")) is not None
    }
    for seats in (2, 3, 4, 5):
        hands = [[CODE[card] for card in hand] for hand in first_deal(secrets[0], seats).hands]
        assert verifier.khiva_hands(secrets[0], seats) == hands
    for deal in json.loads((ROOT / "protocol" / "vectors" / "deals" / "khiva.json").read_text())[
        "deals"
    ]:
        assert (
            verifier.khiva_hands(bytes.fromhex(deal["secret"]), deal["seats"])
            == deal["first"]["hands"]
        )
    said = verified(folder / "public.khiva", "--deals").stdout
    assert [f"seed {k}: hands {verifier.khiva_hands(secrets[k], 2)}" in said for k in (0, 1)] == [
        True,
        True,
    ]


# --- forged ones ---


def put(place: int, *path: Any) -> Callable[[Any], Callable[[Lines], None]]:
    """Set what ``path`` leads to in the line at ``place`` to a value, or to what a
    function makes of it.
    """

    def to(value: Any) -> Callable[[Lines], None]:
        def change(lines: Lines) -> None:
            at: Any = lines[place]
            for key in path[:-1]:
                at = at[key]
            at[path[-1]] = value(at[path[-1]]) if callable(value) else value

        return change

    return to


def other(digits: str) -> str:
    return ("0" if digits[0] != "0" else "1") + digits[1:]


def rechained(change: Callable[[Any], None]) -> Callable[[Lines], None]:
    """Change the first record and work its chain and the run digest out again, as a
    forger would.
    """

    def forge(lines: Lines) -> None:
        record = lines[FIRST_MATCH]["record"]
        change(record)
        record["digest"] = Record.from_json(_chained(record)).digest
        digests = [line["record"]["digest"] for line in lines if line["kind"] == "match"]
        lines[-2]["digest"] = loaded().digest("khiva-run-digest-1\0", *digests).hexdigest()

    return forge


def _chained(record: dict[str, Any]) -> str:
    verifier = loaded()
    link = verifier.digest("khiva-record-1\0", canonical(record["header"])).digest()
    for step in record["steps"]:
        for choice in step:
            link = verifier.digest(link, canonical(choice)).digest()
    result = {key: record[key] for key in ("verdicts", "forfeited_at", "ranks", "scores", "reason")}
    return canonical(
        {**record, "digest": verifier.digest(link, canonical(result)).hexdigest()}
    ).decode()


def swap_seats(record: dict[str, Any]) -> None:
    record["header"]["seats"][0][:2], record["header"]["seats"][1][:2] = (
        record["header"]["seats"][1][:2],
        record["header"]["seats"][0][:2],
    )


def without(*places: int) -> Callable[[Lines], None]:
    def change(lines: Lines) -> None:
        for place in sorted((place % len(lines) for place in places), reverse=True):
            del lines[place]

    return change


def swap_records(lines: Lines) -> None:
    one, two = lines[FIRST_MATCH], lines[FIRST_MATCH + 1]
    one["record"], two["record"] = two["record"], one["record"]


FORGERIES: list[tuple[Callable[[Lines], None], str]] = [
    (put(EVENT, "id")("0" * 16), "the event's id"),
    (put(EVENT, "definition", "policy")("strict"), "the event's id"),
    (put(EVENT, "definition", "limits", "memory")(1), "the event's id"),
    (put(EVENT, "commitment")(other), "the event's id"),
    (put(EVENT, "bots", 0, "name")("other"), "the " + sentence("competition", "bots-not-those")),
    (put(EVENT, "public")("drawn: 7 \u2013 8"), "the secret of seed 0"),
    (lambda lines: lines[EVENT].pop("public"), "the secret of seed 0"),
    (put(RUN_SECRET, "secret")(other), "opens no commitment"),
    (put(RUN_SECRET + 1, "secret")(other), "the secret of seed 0"),
    (without(RUN_SECRET), "KeyError"),
    (without(RUN_SECRET + 1), "no secret of a seed opens its commit"),
    (without(FIRST_MATCH), "matches are missing"),
    (without(FIRST_MATCH + 10, FIRST_MATCH + 11), "the run digest"),
    (swap_records, sentence("audit", "not", it="id")),
    (
        put(FIRST_MATCH, "record", "scores", 0)(lambda score: score + 1),
        "its chain ends in another digest",
    ),
    (
        put(FIRST_MATCH, "record", "steps", 0, 0, 1)(lambda choice: choice + 1),
        "its chain ends in another digest",
    ),
    (put(FIRST_MATCH, "record", "more")(1), "more in it"),
    (rechained(lambda record: record["header"].update(policy="strict")), "its policy is not that"),
    (rechained(lambda record: record["header"]["time"].update(turn_ms=1)), "its time is not that"),
    (
        rechained(lambda record: record["header"].update(commit="0" * 64)),
        "no secret of a seed opens its commit",
    ),
    (
        rechained(lambda record: record["header"].update(match="0" * 16)),
        "no secret of a seed opens its commit",
    ),
    (rechained(lambda record: record["header"]["seats"][0].__setitem__(2, 1)), "seat 0's number"),
    (
        rechained(lambda record: record["header"]["seats"][0].__setitem__(0, "nobody")),
        "seat 0 is none of the bots",
    ),
    (rechained(swap_seats), "not this rotation of its table"),
    (rechained(lambda record: record["ranks"].reverse()), "counts otherwise"),
    (put(-2, "digest")(other), "the run digest"),
    (without(-2), "in no table"),
    (without(-1), "in no table"),
    (put(-1, "table", "matches")(13), "a table counts other matches"),
    (put(-1, "table", "rows", 1, "matches")(9), "counts otherwise"),
    (put(-1, "table", "rows", 1, "finishes")([8, 0]), "counts otherwise"),
    (put(-1, "table", "rows", 0, "faults", "crashed")(5), "counts otherwise"),
    (put(-1, "table", "events")([]), "in no table"),
    (
        lambda lines: lines.insert(FIRST_MATCH, {"kind": "void", "ordinal": 3, "attempt": 2}),
        "void attempts",
    ),
    (
        lambda lines: lines.insert(FIRST_MATCH, {"kind": "void", "ordinal": 3, "attempt": 1}),
        "counts otherwise",
    ),
    (
        lambda lines: lines.insert(FIRST_MATCH, {"kind": "void", "ordinal": 99, "attempt": 1}),
        "a void is of no match",
    ),
    (lambda lines: lines.insert(-1, lines[FIRST_MATCH]), "KeyError"),
    (put(0, "format")(3), "not " + sentence("store", "bundle-format", format="1")),
]


@pytest.mark.soak
@pytest.mark.parametrize(
    ("change", "said"), FORGERIES, ids=[f"{place}" for place in range(len(FORGERIES))]
)
def test_it_refuses_what_was_forged(
    folder: Path,
    tmp_path: Path,
    change: Callable[[Lines], None],
    said: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Each with the last line, and what else a forger can, worked out again."""
    lines = copy.deepcopy(lines_of(folder / "public.khiva"))
    change(lines)
    (tmp_path / "forged").write_bytes(forged(lines))
    done = verified(tmp_path / "forged")
    assert done.returncode == 1
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stderr.startswith("not sound: ")


def test_it_refuses_what_was_damaged(folder: Path, tmp_path: Path) -> None:
    whole = (folder / "public.khiva").read_bytes()
    lines = lines_of(folder / "public.khiva")
    for data in (
        whole[:-30],
        b"",
        b"hello",
        packed(b"{}\n"),
        packed(b"[" * 100_000),
        forged(lines, matches=13),
        forged(lines, sha256="0" * 64),
        packed(b'{"kind": "khiva-bundle"}\n' * 3),
    ):
        (tmp_path / "damaged").write_bytes(data)
        done = verified(tmp_path / "damaged")
        assert (done.returncode, done.stderr.count("\n")) == (1, 1), done.stderr
        assert done.stderr.startswith("not sound: ")
