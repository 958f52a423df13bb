"""The art of tables by arithmetic: contrasts of the palette, how much a shape and a
drawing may have.
"""

import re
from pathlib import Path

import pytest

import khiva_arena
from khiva_arena.games import registry

PACKAGE = Path(khiva_arena.__file__).parent
STYLE = (PACKAGE / "display/page/browser/page.css").read_text()
PALETTE = (PACKAGE / "display/page/browser/palette.css").read_text()
LIGHT, DARK = re.findall(r":root \{(.*?)\}", PALETTE, re.DOTALL)[:2]
TEXTS = [
    ("pen", "table"),
    ("soft", "table"),
    ("gold", "table"),
    ("pen", "sand"),
    ("accent", "table"),
]
SHAPES = [(name, "table") for name in ("pen", "accent", "madder", "saffron", "indigo")]
CARDS = re.findall(r"\.camel-\d \{ --fill: (#\w+);(?: --on: (#\w+);)?", STYLE)
COMMANDS = 12
DRAWING_BYTES, STYLE_BYTES = 40_000, 30_000


def colours(text: str) -> dict[str, str]:
    return dict(re.findall(r"--(\w+): (#[0-9a-f]{3,6});", text))


def contrast(one: str, other: str) -> float:
    """As WCAG has it."""
    lights = sorted(map(light, (one, other)))
    return (lights[1] + 0.05) / (lights[0] + 0.05)


def light(colour: str) -> float:
    digits = colour[1:] if len(colour) == 7 else "".join(digit * 2 for digit in colour[1:])
    parts = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("dark", [False, True])
def test_each_pair_of_the_palette_has_contrast_enough(dark: bool) -> None:
    known = colours(LIGHT) | (colours(DARK) if dark else {})
    least = [*((*pair, 4.5) for pair in TEXTS), *((*pair, 3.0) for pair in SHAPES)]
    assert [
        (one, other) for one, other, enough in least if contrast(known[one], known[other]) < enough
    ] == []


def test_what_is_on_a_card_can_be_read_on_its_colour() -> None:
    assert len(CARDS) == 5
    assert [fill for fill, on in CARDS if contrast(fill, on or "#fff") < 4.5] == []


@pytest.mark.parametrize("game", registry.NAMES)
def test_a_drawing_is_small_and_its_shapes_are_simple(game: str) -> None:
    files = [
        file for file in (PACKAGE / "games" / game).iterdir() if file.suffix in {".js", ".css"}
    ]
    assert sum(file.stat().st_size for file in files) <= DRAWING_BYTES
    paths = [
        path
        for file in files
        if file.name == "symbols.js"
        for path in re.findall(r'"(M[^"]*)"', file.read_text())
    ]
    assert [
        path
        for path in paths
        if len(re.findall("[A-Za-z]", path)) > COMMANDS and "h.01" not in path
    ] == []


def test_the_style_of_all_pages_is_small() -> None:
    assert len((PALETTE + STYLE).encode()) <= STYLE_BYTES
