"""A format whose schema changes gets another number: formats.json keeps what each one
is under its number, as make_formats.py writes it.
"""

from pathlib import Path
from typing import Annotated, Any

import msgspec
import pytest
from published_formats import (
    Format,
    digests,
    formats,
    json_schema,
    kept,
    rows,
    sql_schema,
    unraised,
)

pytestmark = pytest.mark.slow


class First(msgspec.Struct):
    """A line."""

    title: str
    number: int = 1


class Described(msgspec.Struct, rename={"name": "title"}):
    """A line in other words."""

    name: Annotated[str, msgspec.Meta(description="for people")]
    number: int = 1


class Longer(First):
    more: int = 0


class Narrower(msgspec.Struct):
    title: str
    number: Annotated[int, msgspec.Meta(ge=1)] = 1


def unnamed(kind: Any) -> str:
    """Return the schema of a type, whatever the type is called."""
    return json_schema(kind).replace(kind.__name__, "Line")


def test_no_schema_changes_under_its_number(tmp_path: Path) -> None:
    found = formats(tmp_path)
    assert unraised(found, kept()) == []
    assert digests(found) == kept(), (
        "a number was raised, or a format is new: python tests/together/make_formats.py"
    )


def test_each_format_of_the_page_is_there_with_its_number(tmp_path: Path) -> None:
    found = formats(tmp_path)
    page = {row[0]: row[1] for row in rows("Formats")}
    assert list(found) == list(page)
    for name, one in found.items():
        assert all(word in page[name] for word in one.number.split(" and ")), name


def test_a_schema_that_changes_under_its_number_says_what_to_raise(tmp_path: Path) -> None:
    found = formats(tmp_path)
    for name, one in found.items():
        if one.number:
            changed = {**found, name: one._replace(schema=lambda: "another")}
            assert unraised(changed, kept()) == [
                f"{name}: its schema changed under number {one.number}: raise {one.raises}"
            ]
            raised = {**changed, name: changed[name]._replace(number="99")}
            assert unraised(raised, kept()) == []
    assert unraised({"new": Format("1", lambda: "a", "")}, kept()) == []


def test_a_schema_is_what_files_have_and_no_words() -> None:
    assert unnamed(First) == unnamed(Described)
    assert '"title"' in unnamed(First), "a key of a file"
    assert len({unnamed(kind) for kind in (First, Longer, Narrower)}) == 3
    plain = "CREATE TABLE a (b TEXT) STRICT;"
    assert (
        sql_schema("-- of b\nCREATE TABLE a (\n    b TEXT -- for people\n) STRICT;\n")
        == "CREATE TABLE a ( b TEXT ) STRICT;"
    )
    assert sql_schema(plain) != sql_schema(plain.replace("TEXT", "INTEGER"))
