"""The headline of a page: who leads. How many more seeds would tell, and the command
for them, begin the details.
"""

from pathlib import Path

import pytest
from arena import arena, bots
from pages import blocks, page_of
from stores import NAIVE, RANDOM, SHORT, TRUSTED
from wording import sentence

from khiva_arena.competition.pages.write import write_page

TELLS = sentence("report", "seeds-that-tell", seeds="N").partition("N")[2]


@pytest.mark.slow
def test_what_would_tell_more_is_not_in_the_headline(tmp_path: Path) -> None:
    for seed in "yxzab":
        words = ("--seats", "2", "--seeds", "8", "--seed", seed, *SHORT, *TRUSTED)
        arena("run", *bots(RANDOM, NAIVE), *words, "--out", f"out-{seed}", cwd=tmp_path)
        if TELLS in " ".join(arena("standings", f"out-{seed}", cwd=tmp_path).stdout.split()):
            break
    else:
        pytest.fail("no seed leaves the first place open")
    write_page(tmp_path / "page.html", page_of(tmp_path / f"out-{seed}"))
    (table,) = blocks(tmp_path / "page.html")["data"]["tables"]
    assert "could be luck" in table["verdict"]
    assert "would tell" not in table["verdict"]
    assert TELLS in table["notes"][0]
    assert "khiva-arena plan STORE" in table["notes"][0]
