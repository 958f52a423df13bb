"""What somebody sees who never read a page of results: a sentence, help where it is
asked for, and nothing that is cut unsaid.
"""

from collections.abc import Callable
from pathlib import Path

import pytest
from arena import FAULTY, RANDOM, arena, bots
from browser import Page
from once import made_once

pytestmark = pytest.mark.slow

Made = Callable[[str], tuple[Path, Path]]
SIZES = [(1280, 900), (390, 844)]
GAMES = ["khiva", "emira", "silk_road"]


@made_once
def crashed(folder: Path) -> None:
    words = [
        "run",
        *bots(RANDOM, f"{FAULTY} exit"),
        "--seats",
        "2",
        "--seeds",
        "2",
        "--seed",
        "demo",
        "--isolation",
        "trusted",
    ]
    arena(*words, "--out", "out", "--report", "page.html", cwd=folder)


def test_the_sentence_stands_on_top_and_what_was_played_is_folded(page: Page, made: Made) -> None:
    page.size(SIZES[0])
    page.open(made("khiva-round-robin")[1])
    said = page.texts("main .verdict")
    assert len(said) == 1
    assert said[0].endswith(".")
    tops = page.js(
        "return ['.verdict', '.standings', 'details.facts'].map((one) => "
        "document.querySelector(one).getBoundingClientRect().top)"
    )
    assert tops == sorted(tops)
    assert tops[0] < 200
    shown = (
        "return [...document.querySelectorAll('.facts dl')].filter((one) => "
        "one.checkVisibility()).length"
    )
    assert page.js(shown) == 0
    page.click(".facts > summary")
    assert page.js(shown) == 1


@pytest.mark.parametrize("size", SIZES)
def test_each_help_says_of_what_and_opens_beside_its_button(
    page: Page, made: Made, size: tuple[int, int]
) -> None:
    page.size(size)
    page.open(made("khiva-round-robin")[1])
    names = page.js(
        "return [...document.querySelectorAll('main .what[popovertarget]')].map((one) => "
        "one.getAttribute('aria-label'))"
    )
    assert len(names) > 12
    assert not [name for name in names if name == "What does  mean?"]
    heads = [name for name in names if name.startswith("What does ")]
    assert len(set(heads)) == len(heads)
    far = page.js("""
      return [...document.querySelectorAll('main .what[popovertarget]')].map((button) => {
        button.scrollIntoView({block: 'center', inline: 'center'});
        const note = document.getElementById(button.getAttribute('popovertarget'));
        note.showPopover();
        note.dispatchEvent(new ToggleEvent('toggle', {newState: 'open'}));
        const [a, b] = [button.getBoundingClientRect(), note.getBoundingClientRect()];
        const [text, shown] = [note.innerText, b.left >= 0 && b.right <= innerWidth &&
          b.top >= 0 && b.bottom <= innerHeight];
        note.hidePopover();
        return [Math.max(0, b.top - a.bottom, a.top - b.bottom), shown, text];
      });
    """)
    assert [one for one in far if one[0] > 8 or not one[1]] == []
    assert not [text for _, _, text in far if "(F" in text or "CR3" in text]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("game", GAMES)
def test_the_controls_of_a_replay_are_in_sight(
    page: Page, made: Made, game: str, size: tuple[int, int]
) -> None:
    page.size(size)
    page.open(made(f"{game}-round-robin")[1], "#match=1/0&step=8")
    page.until("return document.querySelector('.controls')")
    box = page.js(
        "const {top, bottom} = "
        "document.querySelector('.controls').getBoundingClientRect(); return [top, bottom]"
    )
    assert 0 <= box[0] < box[1] <= size[1]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("view", ["", "#matches=all"])
def test_a_table_fits_or_says_that_it_goes_on(
    page: Page, made: Made, view: str, size: tuple[int, int]
) -> None:
    page.size(size)
    page.open(made("khiva-round-robin")[1], view)
    page.until("return document.querySelector('.scrolls')")
    unsaid = """
      return [...document.querySelectorAll('.scrolls')].filter((box) => box.checkVisibility())
        .map((box) => {
        const over = box.scrollWidth - box.clientWidth >= 4;
        return [box.ariaLabel, over, !box.nextElementSibling.hidden];
      });
    """
    page.until("return [...document.querySelectorAll('.scrolls')].every((box) => box.clientWidth)")
    found = page.js(unsaid)
    assert found
    assert [one for one in found if one[1] != one[2]] == []
    if size[0] == 1280:
        assert ["Standings", False, False] in found or view


@pytest.mark.parametrize("size", SIZES)
def test_labels_do_not_collide_and_names_are_whole_where_there_is_room(
    page: Page, made: Made, size: tuple[int, int]
) -> None:
    page.size(size)
    page.open(made("khiva-round-robin")[1])
    collide = """
      return [...document.querySelectorAll('.chart svg')].flatMap((svg) => {
        const all = [...svg.querySelectorAll('text')]
          .map((one) => [one.textContent, one.getBoundingClientRect()]);
        return all.flatMap(([text, a], at) => all.slice(at + 1).filter(([, b]) =>
          a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 4 &&
            b.top < a.bottom - 4
        ).map(([other]) => [text, other]));
      });
    """
    assert page.js(collide) == []
    if size[0] == 1280:
        assert not [text for text in page.texts(".chart svg text") if text.endswith("…")]


def test_a_bot_that_crashed_has_its_faults_and_no_bars(page: Page, crashed: Path) -> None:
    page.size(SIZES[0])
    page.open(crashed / "page.html")
    (points,) = page.js(
        "const all = [...document.querySelectorAll('.chart')];"
        "return all.filter((one) => "
        "one.querySelector('h3').textContent.startsWith('Points')).map((one) =>"
        "  [[...one.querySelectorAll('rect title')].map((bar) => bar.textContent), "
        "one.querySelector('svg').textContent])"
    )
    assert not [bar for bar in points[0] if bar.startswith("faulty")]
    assert "crashed 4 times" in points[1]


def test_places_of_silk_road_have_names_and_no_caravan_hides_a_sign(page: Page, made: Made) -> None:
    page.size(SIZES[0])
    page.open(made("silk_road-round-robin")[1], "#match=1/0&step=8")
    page.until("return document.querySelector('.board-svg')")
    drawn = " ".join(page.texts(".board-svg text"))
    assert "Byzantium gate" in drawn
    assert "ring 3" in drawn
    words = page.js(
        "return document.querySelector('.silk-road').textContent + "
        "document.querySelector('.story').textContent"
    )
    assert not [word for word in ("Byzanz", "in_", "out_", " r3") if word in words or word in drawn]
    assert (
        page.js("""
      const over = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 &&
        a.top < b.bottom - 2 && b.top < a.bottom - 2;
      const sign_of = (place) =>
        document.querySelector(`[data-place="${place}"]`).querySelector('.round, .walls');
      const own = [...document.querySelectorAll('.caravan')].flatMap((one) => {
        const sign = sign_of(one.dataset.at).getBoundingClientRect();
        return [...one.querySelectorAll('.f, circle')]
          .filter((shape) => over(shape.getBoundingClientRect(), sign));
      });
      return own.length;
    """)
        == 0
    )


@pytest.mark.parametrize("game", ["emira", "silk_road"])
def test_choices_and_goals_are_words(page: Page, made: Made, game: str) -> None:
    page.size(SIZES[0])
    for step in (3, 12, 30):
        page.open(made(f"{game}-round-robin")[1], f"#match=1/0&step={step}")
        page.until("return document.querySelector('.choices')")
        assert not [
            text
            for text in page.texts(".choices summary")
            if text.split(": ", 1)[1].split(",")[0].isdigit()
        ]
        assert "I I" not in page.texts(".story")[0]
