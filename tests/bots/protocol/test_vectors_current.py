"""All that is made for protocol/ is as it is made, every rule has its vectors, and
every vector a rule.
"""

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from golden import VECTORS

MAKERS = ("make_frames", "make_sessions", "make_transcripts", "make_spec")


@pytest.fixture(scope="module")
def makers() -> Iterator[dict[str, ModuleType]]:
    """The makers, which are modules of this folder."""
    loaded = {}
    for name in MAKERS:
        spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
        assert spec is not None
        assert spec.loader is not None
        loaded[name] = sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(loaded[name])
    yield loaded
    for name in MAKERS:
        del sys.modules[name]


@pytest.mark.parametrize("name", MAKERS)
def test_the_files_are_what_is_made(makers: dict[str, ModuleType], name: str) -> None:
    stale = [
        path.name for path, text in makers[name].files().items() if path.read_text("utf-8") != text
    ]
    assert stale == [], "run `make vectors` and read the diff"


@pytest.mark.parametrize("folder", ["transcripts", "matches"])
def test_no_file_is_left_of_what_is_not_made_any_more(
    makers: dict[str, ModuleType], folder: str
) -> None:
    made = {path for path in makers["make_transcripts"].files() if path.parent.name == folder}
    assert set((VECTORS / folder).iterdir()) == made


def test_every_rule_has_its_vectors_and_every_vector_a_rule(makers: dict[str, ModuleType]) -> None:
    spec = makers["make_spec"]
    names = spec.names()
    idle = [
        (rule, pattern)
        for _, rule, patterns in spec.RULES
        for letter, these in patterns.items()
        for pattern in these.split()
        if not spec.held(pattern, names[letter])
    ]
    assert idle == []
    for letter, among in names.items():
        held = {
            name
            for _, _, patterns in spec.RULES
            for name in spec.held(patterns.get(letter, ""), among)
        }
        assert set(among) - held == set(), spec.KINDS[letter]
        assert len(among) == len(set(among))
