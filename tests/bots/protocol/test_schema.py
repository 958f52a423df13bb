"""The published schemas are those of the message types, and say of real messages what
our codec says.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import msgpack
import pytest
from jobs import job
from make_schemas import FOLDER, MESSAGES, messages, output
from scripted import honest, play

from khiva_arena.bots.sandbox.command import Command
from khiva_arena.common.result import FAULTS, STRIKING
from khiva_arena.games.base import Game
from khiva_arena.games.khiva import GAME
from khiva_arena.games.registry import GAMES
from khiva_arena.games.schema import shapes_of
from khiva_arena.rng import Stream

VECTORS = FOLDER.with_name("vectors")


def test_published_schemas_are_current() -> None:
    published = {str(path.relative_to(FOLDER)): path.read_text() for path in FOLDER.rglob("*.json")}
    others = {name: text for name, text in published.items() if name.split("/")[0] not in GAMES}
    assert others == messages() | output(), "run `make schema` and read the diff"


@pytest.mark.parametrize("name", [*MESSAGES, "event"])
def test_schemas_are_schemas(name: str) -> None:
    schema = json.loads((FOLDER / f"{name}.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_each_kind_and_each_event_has_a_schema_of_its_own(game: Game) -> None:
    shapes = shapes_of(game)
    decision, event, view = (
        json.loads((FOLDER / game.name / f"{name}.json").read_text())
        for name in ("decision", "event", "view")
    )
    assert set(decision["$defs"]) == set(shapes.decisions)
    assert len(event["$defs"]) >= len(shapes.events)
    for whole, field in ((decision, "kind"), (event, "type")):
        for part in whole["anyOf"]:
            name = part["$ref"].removeprefix("#/$defs/")
            assert whole["$defs"][name]["title"] == name
            said = whole["$defs"][name]["properties"][field]
            assert said.get("enum", [said.get("const")]) == [name]
    assert all(whole["title"] for whole in (decision, event, view))


def test_the_events_of_any_game_have_the_words_of_the_verdicts() -> None:
    event = json.loads((FOLDER / "event.json").read_text())
    assert event["$defs"]["default"]["properties"]["why"]["enum"] == sorted(map(str, STRIKING))
    assert event["$defs"]["forfeit"]["properties"]["why"]["enum"] == sorted(map(str, FAULTS))


@cache
def validator(path: str, part: str = "") -> jsonschema.Draft202012Validator:
    """Of a published schema, or of one of its parts."""
    whole = json.loads((FOLDER / path).read_text())
    return jsonschema.Draft202012Validator(
        {"$ref": f"#/$defs/{part}", "$defs": whole["$defs"]} if part else whole
    )


def fits(message: dict[str, Any], game: str) -> None:
    """Hold a message of a match against the schemas: itself, its view, its decision,
    its events.
    """
    name = "bot-hello" if message["type"] == "hello" and "proto" in message else message["type"]
    validator(f"{name}.json").validate(message)
    if name == "decide":
        validator(f"{game}/view.json", "View").validate(message["view"])
        validator(f"{game}/decision.json", message["kind"]).validate(message)
        for event in message["events"]:
            path = "event.json" if event["type"] in ("default", "forfeit") else f"{game}/event.json"
            validator(path, event["type"]).validate(event)


@pytest.mark.parametrize(
    "path", sorted((VECTORS / "transcripts").iterdir()), ids=lambda path: path.stem
)
def test_what_an_arbiter_sends_in_transcripts_fits_the_schemas(path: Path) -> None:
    for line in json.loads(path.read_text())["lines"]:
        if line["from"] == "arbiter" and "json" in line:
            fits(line["json"][0], "khiva")


@pytest.mark.parametrize("game", GAMES)
def test_the_messages_of_the_published_matches_fit_the_schemas(game: str) -> None:
    frames = json.loads((VECTORS / "matches" / f"{game}.json").read_text())["frames"]
    for line in frames[:60] + frames[-20:]:
        fits(line["json"], game)


def test_transcripts_have_every_event_of_any_game() -> None:
    texts = [path.read_text() for path in (VECTORS / "transcripts").iterdir()]
    for kind in ("default", "forfeit"):
        assert any(f'{{"type": "{kind}", "seat"' in text for text in texts)


def test_golden_frames_that_are_accepted_fit_the_schemas() -> None:
    count = 0
    for vector in json.loads((VECTORS / "frames.json").read_text()):
        if vector["verdict"] == "accept" and vector["message"] != "unknown":
            name = (
                "bot-hello"
                if vector["direction"] == "to_arbiter" and vector["message"] == "hello"
                else vector["message"]
            )
            validator(f"{name}.json").validate(vector["json"])
            count += 1
    assert count > 50


def test_golden_frames_for_bots_are_of_one_match_of_khiva_and_its_real_positions() -> None:
    vectors = [
        v["json"]
        for v in json.loads((VECTORS / "frames.json").read_text())
        if v["direction"] == "to_bot"
    ]
    rules, seat, seats = (vectors[0][key] for key in ("rules", "seat", "seats"))
    assert rules == GAME.rules({})
    choices = set()
    for message in vectors:
        if message["type"] == "hello":
            fits(message, "khiva")
            assert [message[key] for key in ("game", "rules", "seat", "seats")] == [
                "khiva",
                rules,
                seat,
                seats,
            ]
        elif message["type"] == "decide":
            known = [event for event in message["events"] if event["type"] != "later"]
            fits({**message, "events": known}, "khiva")
            assert [message["view"][key] for key in ("seat", "seats")] == [seat, seats]
            state = GAME.determinise(message["view"], rules, Stream(bytes(32), "any"))
            asked = state.pending()[seat]
            assert asked.kind == message["kind"]
            assert list(map(list, asked.legal)) == message["legal"]
            choices.add(len(message["legal"]))
        elif message["type"] == "end":
            assert len(message["ranks"]) == len(message["scores"]) == seats
    assert choices == {6, 420}


def test_every_message_of_a_match_fits_its_schema() -> None:
    validators = {
        name: jsonschema.Draft202012Validator(json.loads(text))
        for name, text in ((n, messages()[f"{n}.json"]) for n in MESSAGES)
    }
    count = 0

    def silent_once(message: dict[str, object]) -> list[tuple[float, bytes]]:
        nonlocal count
        count += message["type"] == "decide"
        return [] if count == 1 and message["type"] == "decide" else honest(message)

    _, wire = play(job([Command((), "")] * 3), [silent_once, honest, honest])
    kinds = set()
    for _seat, message in wire.sent:
        validators[str(message["type"])].validate(message)
        kinds.add(message["type"])
    assert kinds == {"hello", "decide", "fault", "end"}
    reply = msgpack.unpackb(honest({"type": "hello"})[0][1][4:])
    validators["bot-hello"].validate(reply)
    validators["act"].validate({"type": "act", "req": 1, "choice": 0, "unknown": "is ignored"})
    with pytest.raises(jsonschema.ValidationError):
        validators["act"].validate({"type": "act", "req": 1, "choice": 2**53})
