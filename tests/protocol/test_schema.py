"""The published schemas are those of the message types, and say of real messages what our codec says."""

import json
from pathlib import Path

import jsonschema
import msgpack
import pytest
from jobs import job
from scripted import honest, play

from khiva_arena.arbiter.wire import Command
from khiva_arena.protocol.schema import NAMES, schemas

FOLDER = Path(__file__).parent.parent.parent / "protocol" / "schema"


def test_published_schemas_are_current() -> None:
    published = {path.name: path.read_text() for path in FOLDER.glob("*.json")}
    assert published == schemas(), "run `make schema` and read the diff"


@pytest.mark.parametrize("name", NAMES)
def test_schemas_are_schemas(name: str) -> None:
    schema = json.loads((FOLDER / f"{name}.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)


def test_every_message_of_a_match_fits_its_schema() -> None:
    validators = {
        name: jsonschema.Draft202012Validator(json.loads(text)) for name, text in ((n, schemas()[f"{n}.json"]) for n in NAMES)
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
