"""The published vectors are what the engine does, and nobody edited them by hand."""

import runpy
from pathlib import Path

import pytest

MAKER = runpy.run_path(str(Path(__file__).parent / "make_vectors.py"))


@pytest.mark.parametrize("name", MAKER["FILES"])
def test_vector_files_are_up_to_date(name):
    text = (MAKER["VECTORS"] / name).read_text(encoding="utf-8")
    assert text == MAKER["dump"](MAKER["FILES"][name]()), (
        "python tests/games/make_vectors.py --write"
    )


def test_there_is_no_vector_file_of_a_game_that_is_gone():
    published = {f"deals/{path.name}" for path in (MAKER["VECTORS"] / "deals").iterdir()}
    assert published == set(MAKER["FILES"]) - {"streams.json"}
