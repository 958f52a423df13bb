"""The formats of docs/policy.md, each with its number and its schema, of which
tests/published/formats.json keeps a digest.
"""

import json
import re
from collections.abc import Callable
from functools import partial
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from arena import ROOT
from published import HERE

from khiva_arena.common import stream
from khiva_arena.entrants import archive, payloads
from khiva_arena.entrants.runtimes import Interpreted
from khiva_arena.extensions.league import folder, public_state
from khiva_arena.extensions.league.chain import links
from khiva_arena.extensions.shards import plan_file
from khiva_arena.records.replay import definition, league_format, record
from khiva_arena.records.store import bundle, versions

PAGE = (ROOT / "docs" / "policy.md").read_text()
FORMATS = HERE / "formats.json"
_COMMENT = re.compile(r"--[^\n]*")
_WORDS = ("description", "title")
"""Keys of a schema that are for people."""


def rows(heading: str, page: str = PAGE) -> list[list[str]]:
    """Return the cells of the table below a heading of the page, without its first two
    lines.
    """
    below = page.split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0]
    lines = [line for line in below.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


class Format(NamedTuple):
    """A format of a file.

    number: that the file says, as this code writes it; "" if it says the version of the
        arena.
    schema: gives a text that differs if files do; "" if nothing reads a file of another
        version.
    raises: what has another number once the schema is another one.
    """

    number: str
    schema: Callable[[], str]
    raises: str


def json_schema(*kinds: Any) -> str:
    """Return the schema of types, without what is for people."""
    return json.dumps([_plain(msgspec.json.schema(kind)) for kind in kinds], sort_keys=True)


def _plain(part: Any) -> Any:
    if isinstance(part, list):
        return [_plain(one) for one in part]
    if not isinstance(part, dict):
        return part
    named = {
        key: {name: _plain(one) for name, one in part[key].items()}
        for key in ("properties", "$defs")
        if key in part
    }
    return {
        key: _plain(value) for key, value in part.items() if key not in (*_WORDS, *named)
    } | named


def sql_schema(*texts: str) -> str:
    """Return statements of SQL without comments and layout."""
    return " ".join(_COMMENT.sub("", "\n".join(texts)).split())


def _of_store() -> str:
    return sql_schema(versions.schema())


def _of_queue() -> str:
    return sql_schema(
        files("khiva_arena.extensions.league.submissions").joinpath("queue.sql").read_text()
    )


def _of_payload(place: Path) -> str:
    """Return the payload of two files, whose bytes are the format."""
    for name, text in (("main.py", "one\n"), ("parts/second.py", "two\n")):
        (place / name).parent.mkdir(exist_ok=True)
        (place / name).write_text(text)
    return payloads.packed("bot", Interpreted("python", "main.py"), place, 2**20).hex()


def formats(place: Path) -> dict[str, Format]:
    """Return each format by its row of the page. ``place``: an empty folder to work
    in.
    """
    lines = (bundle._Header, bundle.BundleLine, bundle._End)
    public = (
        public_state.PublicLeague,
        public_state.TableThen,
        public_state.PublicBatch,
        public_state.BatchMatches,
    )
    return {
        "store, `arena.db`": Format(
            str(versions.VERSION),
            _of_store,
            "VERSION in khiva_arena/records/store/versions.py; what is new stands in "
            "another schema_N.sql",
        ),
        "queue of a league, `queue.db`": Format(
            str(folder.QUEUE_VERSION),
            _of_queue,
            "QUEUE_VERSION in khiva_arena/extensions/league/folder.py",
        ),
        "bundle": Format(
            f"{bundle.FORMAT}, and {bundle.EXTENDED} with persons or reports",
            partial(json_schema, *lines),
            "FORMAT or EXTENDED in khiva_arena/records/store/bundle.py, which must read "
            "the old ones, too",
        ),
        "plan": Format(
            str(plan_file.FORMAT),
            partial(json_schema, plan_file._Plan),
            "FORMAT in khiva_arena/extensions/shards/plan_file.py",
        ),
        "record of a match": Format(
            f"{record.FORMAT}, {record.IN_TICKS} and {record.WITH_PERSONS}",
            partial(json_schema, record.Record),
            "FORMAT, IN_TICKS or WITH_PERSONS in khiva_arena/records/replay/record.py, "
            "which must read the old ones, too",
        ),
        "chain of a league, `chain.jsonl`, and its batches": Format(
            str(league_format.FORMAT),
            partial(json_schema, links.AnyLink, definition.Batch),
            "FORMAT in khiva_arena/records/replay/league_format.py",
        ),
        "public files of a league, `league.json` and those beside it": Format(
            str(public_state.FORMAT),
            partial(json_schema, *public),
            "FORMAT in khiva_arena/extensions/league/public_state.py",
        ),
        "stream of events": Format(
            str(stream.VERSION),
            partial(json_schema, stream.Any_line),
            "VERSION in khiva_arena/common/stream.py; not if keys were added, and nothing "
            "else is another one",
        ),
        "page of results": Format("", lambda: "", "the version of the arena"),
        "payload of a bot that an interpreter runs": Format(
            payloads.HEAD.decode().strip(),
            partial(_of_payload, place),
            "HEAD in khiva_arena/entrants/payloads.py",
        ),
        "bot as a league takes it, `.entry`": Format(
            archive.MAGIC.decode().strip(),
            lambda: archive.stream_of(
                {"b/c": archive.PackedContent(b"x", runs=True), "a": archive.PackedContent(b"")}
            ).hex(),
            "MAGIC in khiva_arena/entrants/archive.py, which must read the old one, too",
        ),
    }


def digests(found: dict[str, Format]) -> dict[str, dict[str, str]]:
    """Return the number of each format, and the digest of its schema, as the file keeps
    them.
    """
    return {
        name: {
            "number": one.number,
            "schema": sha256(text.encode()).hexdigest() if (text := one.schema()) else "",
        }
        for name, one in found.items()
    }


def kept() -> dict[str, dict[str, str]]:
    """Return what the file keeps."""
    read: dict[str, dict[str, str]] = json.loads(FORMATS.read_text()) if FORMATS.exists() else {}
    return read


def unraised(found: dict[str, Format], then: dict[str, dict[str, str]]) -> list[str]:
    """Return a line on each format whose schema is another one under the number of
    then, which says what to raise.
    """
    now = digests(found)
    return [
        f"{name}: its schema changed under number {one.number}: raise {one.raises}"
        for name, one in found.items()
        if name in then and then[name]["number"] == one.number and then[name] != now[name]
    ]
