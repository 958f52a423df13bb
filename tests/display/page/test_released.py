"""Pages of organisers point at the page that checks bundles, and none says of itself
that it is right.
"""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from pages import blocks, text

import khiva_arena.common.version
from khiva_arena.display.page import released

DIGEST = "ab" * 32


def test_a_report_sends_its_reader_to_the_release_and_calls_itself_nothing(
    made: Callable[[str], tuple[Path, Path]],
) -> None:
    _, page = made("khiva-swiss")
    said = blocks(page)["data"]["checker"]
    assert said == released.check_it_yourself()
    assert "organiser's" in said
    assert not re.search(r"\bsound\b", text(page))


def test_a_release_s_hash_is_said_where_it_is_known(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert "SHA-256" not in released.check_it_yourself(), "a checkout is no release"
    monkeypatch.setattr(released, "is_released", lambda: True)
    (tmp_path / released.HASH).write_text(f"{DIGEST}\n")
    monkeypatch.setattr(released, "files", lambda _package: tmp_path)
    assert f"(SHA-256 {DIGEST})" in released.check_it_yourself()


@pytest.mark.parametrize(
    ("version", "said"), [("0.3.0.dev1", "a later release"), ("0.3.0", "Khiva Arena 0.3.0,")]
)
def test_a_page_of_unreleased_code_names_a_later_release(
    version: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(released, "__version__", version)
    monkeypatch.setattr(khiva_arena.common.version, "__version__", version)
    assert said in released.check_it_yourself()
