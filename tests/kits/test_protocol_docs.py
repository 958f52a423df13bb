"""Every code block of the protocol's pages is run: JSON fits the schemas, hex decodes
to it, commands and programs run, formulas give the published numbers, and the decisions
that game pages explain are of the published matches.
"""

import hashlib
import json
import os
import re
import struct
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest

from khiva_arena.bots.protocol import codec
from khiva_arena.bots.protocol.session import TRANSITIONS
from khiva_arena.games.registry import GAMES
from khiva_arena.records.replay import seeds
from khiva_arena.records.replay.record import digest_of, run_digest

PROTOCOL = Path(__file__).parents[2] / "protocol"
PAGES = {
    path.relative_to(PROTOCOL).as_posix(): path.read_text("utf-8")
    for path in PROTOCOL.rglob("*.md")
}
README, SPEC = PAGES["README.md"], PAGES["SPEC.md"]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
RUN = {
    "README.md": {"hex", "json", "sh"},
    "SPEC.md": {"text"},
    "games/emira.md": {
        "json",
        "python",
    },  # its python is run by tests/games/emira/test_emira_views.py
    "verifier/README.md": {
        "console",
        "js",
        "sh",
        "text",
    },  # by tests/bots/modules/test_verifier_page.py, checker/test_checker.py
}
"""The languages of the blocks that a test here runs, by page; other pages of games have
JSON alone.
"""


def blocks(page: str, language: str) -> list[str]:
    return [text for found, text in FENCE.findall(page) if found == language]


@pytest.mark.parametrize("name", PAGES)
def test_each_block_is_of_a_kind_that_is_run(name: str) -> None:
    allowed = RUN.get(name, {"json"} if name.startswith("games/") else set())
    assert {language for language, _ in FENCE.findall(PAGES[name])} <= allowed
    rest = FENCE.sub("", PAGES[name])
    assert "```" not in rest
    assert not re.search(r"\n\n( {4}|\t)", rest), "an indented block is run by nobody"


# --- README.md ---


def test_its_hex_says_what_the_json_below_it_says() -> None:
    shown = [
        (language, text) for language, text in FENCE.findall(README) if language in ("hex", "json")
    ]
    assert [language for language, _ in shown] == ["hex", "json"] * 2
    for (_, lines), (_, text) in zip(shown[::2], shown[1::2], strict=True):
        data = bytes.fromhex(" ".join(line.partition("#")[0] for line in lines.splitlines()))
        message = json.loads(text)
        assert int.from_bytes(data[:4], "big") == len(data) - 4
        assert codec.plain_value(data[4:]) == message
        decode = {"hello": codec.decode_bot_hello, "act": codec.decode_act}[message["type"]]
        assert decode(data[4:])
        schema = {"hello": "bot-hello", "act": "act"}[message["type"]]
        jsonschema.validate(
            message, json.loads((PROTOCOL / "schema" / f"{schema}.json").read_text())
        )


def test_its_commands_run(tmp_path: Path) -> None:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    said = []
    for block in blocks(README, "sh"):
        command = ["sh", "-euc", block]
        done = subprocess.run(
            command,
            cwd=tmp_path,
            env={**os.environ, "PATH": path},
            capture_output=True,
            timeout=60,
            check=True,
        )
        said.append(done.stdout.decode())
    dumped, line = said
    first = blocks(README, "hex")[0]
    assert dumped.split() == " ".join(line.partition("#")[0] for line in first.splitlines()).split()
    assert json.loads(line.split(maxsplit=4)[4]) == {"req": 1_234_567, "choice": 5}


def canonical(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


@pytest.mark.parametrize("game", GAMES)
def test_its_words_on_the_digest_give_the_digest(game: str) -> None:
    match = json.loads((PROTOCOL / "vectors" / "matches" / f"{game}.json").read_text())
    record = match["record"]

    assert r'"khiva-record-1\0"' in SPEC
    link = hashlib.sha256(b"khiva-record-1\0" + canonical(record["header"])).digest()
    for step in record["steps"]:
        for choice in step:
            link = hashlib.sha256(link + canonical(choice)).digest()
    result = {key: record[key] for key in ("verdicts", "forfeited_at", "ranks", "scores", "reason")}
    assert hashlib.sha256(link + canonical(result)).hexdigest() == match["digest"]


# --- SPEC.md ---


def formula(line: str) -> str:
    """What stands in the brackets of the only SHA-256(...) of a line."""
    _, _, rest = line.partition("SHA-256(")
    depth = 1
    for at, sign in enumerate(rest):
        depth += (sign == "(") - (sign == ")")
        if depth == 0:
            assert "SHA-256(" not in rest[at:]
            return rest[:at]
    raise AssertionError(f"no formula in {line}")


def value(text: str, names: Mapping[str, Any]) -> bytes:
    """Evaluate ``||`` of literals, names, u32(name) and u64(name), and of ``for each
    label: ...`` over the labels.
    """
    head, each, body = text.partition("for each label: ")
    out = b""
    for term in filter(None, head.split(" || ")):
        if literal := re.fullmatch(r'"(.*)\\0"', term):
            out += literal[1].encode() + b"\0"
        elif number := re.fullmatch(r"u(32|64)\((.*)\)", term):
            out += struct.pack(">I" if number[1] == "32" else ">Q", names[number[2]])
        else:
            out += names[term]
    for label in names["labels"] if each else ():
        out += value(body, {"length in bytes": len(label), "label": label})
    return out


def digest(line: str, /, **names: Any) -> bytes:
    return hashlib.sha256(
        value(formula(line), {key.replace("_", " "): item for key, item in names.items()})
    ).digest()


def test_its_formula_of_streams_gives_the_published_numbers() -> None:
    key, block, numbers = blocks(SPEC, "text")[0].splitlines()
    assert "four u64" in numbers
    for stream in json.loads((PROTOCOL / "vectors" / "streams.json").read_text())["streams"]:
        labels = [label.encode() for label in stream["labels"]]
        made = digest(key, secret=bytes.fromhex(stream["secret"]), labels=labels)
        data = b"".join(digest(block, key=made, i=i) for i in range(2))
        first = stream["draws"][0]
        assert first["op"] == "u64"
        assert [
            str(number) for number in struct.unpack(">8Q", data)[: len(first["values"])]
        ] == first["values"]


def test_its_formulas_of_secrets_are_the_arena_s() -> None:
    run, stage, extension, seed, seat, req, commit = blocks(SPEC, "text")[1].splitlines()
    assert digest(run, text=b"demo") == seeds.run_secret("demo")
    secret = digest(seed, run_secret=seeds.run_secret("demo"), k=7)
    assert secret == seeds.seed_secret(seeds.run_secret("demo"), 7)
    assert digest(stage, those_32_bytes=secret, i=2) == seeds.stage_secret(secret, 2)
    formula_of = extension.replace("id of the event that it extends", "event id").replace(
        ", if a text was given", ""
    )
    assert digest(formula_of, event_id=b"e1", text=b"demo") == seeds.extension_secret("demo", "e1")
    number = digest(seat, seed_secret=secret, seat=3, match_id=b"m1")
    assert int.from_bytes(number[:8], "big") >> 11 == seeds.seat_number(secret, "m1", 3)
    block = hashlib.sha256(
        value(
            formula(req).replace("u32(0)", "u32(zero)"),
            {"seed secret": secret, "zero": 0, "match id": b"m1"},
        )
    )
    assert req.endswith(") mod 2^31")
    assert 1 + (int.from_bytes(block.digest()[:8], "big") >> 11) % 2**31 == seeds.req_start(
        secret, "m1"
    )
    assert digest(commit, bound_to=b"m1", secret=secret).hex() == seeds.commitment("m1", secret)


def test_its_formulas_of_events_are_the_arena_s() -> None:
    defined, commit, event, match, key, given = blocks(SPEC, "text")[2].splitlines()
    definition, run = {"b": 1, "a": "é"}, bytes(range(32))
    hashed = digest_of(definition)
    assert formula(defined) == "definition in canonical JSON"
    assert hashlib.sha256(b'{"a":"\\u00e9","b":1}').hexdigest() == hashed
    commitment = digest(commit, definition_hash=hashed.encode(), run_secret=run).hex()
    assert commitment == seeds.commitment(hashed, run)
    made = digest(event, definition_hash=hashed.encode(), commitment=commitment.encode()).hex()[:16]
    assert made == seeds.event_id(hashed, commitment)
    assert digest(match, event_id=made.encode(), ordinal_in_decimal=b"17").hex()[
        :16
    ] == seeds.match_id(made, 17)
    assert digest(key, event_id=made.encode()) == seeds.schedule_key(made)
    assert (
        digest(given, run_secret=run).hex()
        == hashlib.sha256(b"khiva-event-seed-1\0" + run).hexdigest()
    )
    text, secret, public_key = blocks(SPEC, "text")[3].splitlines()
    beacon = digest(text, public_text="4 8 é".encode())
    assert digest(secret, run_secret=run, beacon=beacon, k=7) == seeds.seed_secret(run, 7, "4 8 é")
    assert digest(public_key, event_id=made.encode(), beacon=beacon) == seeds.schedule_key(
        made, "4 8 é"
    )


def test_its_formulas_of_records_are_the_arena_s() -> None:
    first, link, last, run = blocks(SPEC, "text")[4].splitlines()
    match = json.loads((PROTOCOL / "vectors" / "matches" / "khiva.json").read_text())
    record = match["record"]
    made = digest(first, header=canonical(record["header"]))
    for step in record["steps"]:
        for choice in step:
            made = digest(link, link_before=made, choice=canonical(choice))
    result = {key: record[key] for key in ("verdicts", "forfeited_at", "ranks", "scores", "reason")}
    assert digest(last, last_link=made, result=canonical(result)).hex() == match["digest"]
    assert formula(run) == r'"khiva-run-digest-1\0" || digests of all matches, in hex, in order'
    assert hashlib.sha256(b"khiva-run-digest-1\0" + b"a1b2").hexdigest() == run_digest(["a1", "b2"])


def test_its_diagram_shows_every_step_of_a_session() -> None:
    """As a picture that a program reads, in the page and in its own words for people
    who do not see it.
    """
    drawn = ElementTree.parse(PROTOCOL / "session.svg").getroot()
    texts = {text.text for text in drawn.iter("{http://www.w3.org/2000/svg}text")}
    assert {phase.name for phase in TRANSITIONS} <= texts
    spoken = drawn.findtext("{http://www.w3.org/2000/svg}title") or ""
    for phase, steps in TRANSITIONS.items():
        for step, after in steps.items():
            assert re.search(rf"\b{phase.name} to {after.name} by [A-Z or]*\b{step.name}\b", spoken)
            assert any(step.name in (text or "").split(", ") for text in texts)
    assert "](session.svg)" in SPEC


# --- the pages of games ---


def fits(part: Any, whole: Any, key: str = "") -> bool:
    """Whether all that a page shows is so: maps may lack keys, ``events`` some of the
    first.
    """
    if isinstance(part, dict):
        return isinstance(whole, dict) and all(
            name in whole and fits(item, whole[name], name) for name, item in part.items()
        )
    if key == "events":
        left = iter(whole)
        return all(event in left for event in part)
    return part == whole


def schema_of(game: str, name: str) -> Any:
    return json.loads((PROTOCOL / "schema" / game / f"{name}.json").read_text())


@cache
def validator(game: str, name: str, part: str) -> jsonschema.Draft202012Validator:
    """Of one kind, event or other part of a schema."""
    return jsonschema.Draft202012Validator(
        {"$ref": f"#/$defs/{part}", "$defs": schema_of(game, name)["$defs"]}
    )


def values(block: str) -> list[Any]:
    """One JSON value, or one a line."""
    try:
        return [json.loads(block)]
    except ValueError:
        return [json.loads(line) for line in block.splitlines()]


@pytest.mark.parametrize("game", GAMES)
def test_all_that_a_game_s_page_shows_fits_the_schemas(game: str) -> None:
    kinds, types = set(), set()
    for block in blocks(PAGES[f"games/{game}.md"], "json"):
        for shown in values(block):
            if "legal" in shown:
                kinds.add(shown["kind"])
                validator(game, "decision", shown["kind"]).validate(shown)
                assert set(shown["view"]) <= set(
                    schema_of(game, "view")["$defs"]["View"]["properties"]
                )
            elif "type" not in shown:
                validator(game, "view", "View").validate(shown)
            for event in shown.get("events", [shown] if "type" in shown else []):
                types.add(event["type"])
                validator(game, "event", event["type"]).validate(event)
    assert kinds == set(schema_of(game, "decision")["$defs"])
    assert {f"#/$defs/{kind}" for kind in types} == {
        part["$ref"] for part in schema_of(game, "event")["anyOf"]
    }


@pytest.mark.parametrize("game", GAMES)
def test_each_kind_s_example_is_followed_by_entries_of_it_in_words(game: str) -> None:
    parts = PAGES[f"games/{game}.md"].split("\n## Events\n")[0].split("\n### `")[1:]
    assert len(parts) == len(schema_of(game, "decision")["$defs"])
    for part in parts:
        (block,) = blocks(part, "json")
        shown, words = json.loads(block), part.split("```")[2]
        entries = [json.loads(quoted) for quoted in re.findall(r"`(\[.*?\])`", words)]
        assert entries
        assert all(entry in shown["legal"] for entry in entries), shown["kind"]
        assert len(shown["view"]) > 1, "nothing is shown that an entry could refer to"
        named = set(re.findall(r"`(\w+)`", words)) & set(
            schema_of(game, "view")["$defs"]["View"]["properties"]
        )
        assert named <= set(shown["view"]), shown["kind"]


@pytest.mark.parametrize("game", GAMES)
def test_the_decision_that_a_game_s_page_explains_is_of_the_published_match(game: str) -> None:
    part = PAGES[f"games/{game}.md"].split("\n## A decision, read\n")[1].split("\n## ")[0]
    (block,) = blocks(part, "json")
    shown = json.loads(block)
    frames = json.loads((PROTOCOL / "vectors" / "matches" / f"{game}.json").read_text())["frames"]
    seat = shown["view"]["seat"]
    (whole,) = [
        f["json"]
        for f in frames
        if f["seat"] == seat and f["json"]["type"] == "decide" and f["json"]["req"] == shown["req"]
    ]
    assert fits(shown, whole)
