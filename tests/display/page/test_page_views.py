"""The view of each game, drawn in a real browser."""

import re
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from browser import Page
from drawn_views import Made, opened
from pages import STEPPED, page_with
from published import GAMES

import khiva_arena
from khiva_arena.games import registry
from khiva_arena.games.silk_road.board import MAPS
from khiva_arena.games.silk_road.notation import place
from khiva_arena.games.silk_road.tables import COLOURS, GOOD_OF, GOODS


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "every"),
    [
        *(("khiva", 1), ("emira", 30), ("silk_road", 15)),
        *(
            pytest.param(game, 1, marks=[pytest.mark.soak, pytest.mark.long])
            for game in ("emira", "silk_road")
        ),
    ],
)
def test_a_match_is_drawn_step_by_step_as_the_rules_have_it(
    page: Page, made: Made, game: str, every: int
) -> None:
    """Stepped to its end by key; at every step that is looked at, the last too, what is
    drawn is the engine's state.
    """
    store = opened(page, made, f"{game}-round-robin", "#match=1/0")
    match = next(iter(khiva_arena.matches(store)))
    steps = match.replay()
    page.until(
        "return document.querySelector('.where')?.textContent === arguments[0]",
        f"step 0 of {len(steps) - 1}",
    )
    before = 0
    for step in steps:
        if step.number % every and step is not steps[-1]:
            continue
        told = page.js(STEPPED, step.number - before)
        assert told == [
            f"step {number} of {len(steps) - 1}" for number in range(before + 1, step.number + 1)
        ]
        before = step.number
        CHECKS[game](page, [step.state.view(seat) for seat in range(len(match.bots))])
        points = page.js(
            f"return {BY_SEAT}.map((seat) => "
            "seat.querySelector('.points')?.textContent).filter(Boolean)"
        )
        assert [text.split()[-2] for text in points] == [str(score) for score in step.state.scores]
        of_seats = page.js(
            "return [...document.querySelectorAll('.by-source > li')].map((seat) =>"
            "  [...seat.querySelectorAll('li')].map((one) => one.textContent))"
        )
        assert of_seats == [
            [
                f"{name} {number}{words}"
                for part, words in zip(seat, ("", ", not counted"), strict=True)
                for name, number in part.items()
            ]
            for seat in step.state.points_by_source or []
        ]
    page.until("return location.hash.endsWith(arguments[0])", f"step={len(steps) - 1}")
    assert page.wrong() == []


BY_SEAT = (
    "[...document.querySelectorAll('.player')].sort((a, b) => a.dataset.seat - b.dataset.seat)"
)
"""The windows of the seats, wherever they are on the table."""


def drawn(page: Page, what: str) -> list[list[str]]:
    """By seat, the cards that stand beside a word."""
    found: list[list[str]] = page.js(
        f"return {BY_SEAT}"
        ".map((seat) => [...seat.querySelectorAll(`[data-what=${arguments[0]}] "
        ".card`)].map((card) => card.textContent))",
        what,
    )
    return found


def khiva(page: Page, views: list[dict[str, Any]]) -> None:
    camels = page.js(
        "return [...document.querySelectorAll('.camel')].map((camel) => camel.dataset.at)"
    )
    assert camels == [f"{path},{shop}" for path, shop, _ in views[0]["camels"]]
    signs = "WBGPK"
    assert drawn(page, "hand") == [
        [f"{signs[colour]}{value}" for colour, value in view["hand"]] for view in views
    ]
    assert drawn(page, "carpets") == [
        [f"{signs[colour]}{value}" for colour, value in cards] for cards in views[0]["carpets"]
    ]
    gems = page.js(
        f"return {BY_SEAT}.map((seat) => seat.querySelector('[data-what=gems]').textContent)"
    )
    assert gems == [str(count) for count in views[0]["gems"]]
    salts, teapots = (
        "".join(map(str, views[0]["salts_left"])),
        sorted(Counter(views[0]["teapots_left"]).items()),
    )
    for words, text in (
        ("salt left", salts),
        ("teapots left", "".join(f"{value}{TIMES}{many}" for value, many in teapots)),
    ):
        assert page.texts(f".middle [data-what='{words}']") == [text] * bool(text)
    left = page.texts(".middle [data-what='carpets left'] .card")
    assert left == [f"{signs[colour]}{value}" for colour, value in views[0]["carpets_left"]]


def emira(page: Page, views: list[dict[str, Any]]) -> None:
    homes = page.js(
        f"return {BY_SEAT}.map((seat) => [...seat.querySelectorAll('.lives')].map((one) => "
        "one.textContent))"
    )
    assert homes == views[0]["princesses"]
    waiting = page.texts(".princess .who b")
    assert waiting == [*views[0]["active"], *views[0]["coming"], *views[0]["undecided"]]
    assert drawn(page, "events") == [
        [card.replace("_", " ") for card in view["hand"]] for view in views
    ]
    tracks = page.js(
        f"return {BY_SEAT}.map((seat) => ['gold', 'appearance', 'status', 'palace']"
        ".map((what) => Number(seat.querySelector(`[data-what=${what}]`).textContent)))"
    )
    seen = views[0]
    assert tracks == [
        [
            view["gold"][seat],
            seen["appearance"][seat],
            seen["status"][seat],
            seen["palace"][seat] / 2,
        ]
        for seat, view in enumerate(views)
    ]
    free = page.js(f"return {BY_SEAT}.map((seat) => seat.querySelectorAll('.rooms .free').length)")
    assert free == [max(0, many) for many in seen["room"]]
    if seen["auction"] and seen["auction"]["bidder"] is not None:
        rows = page.js(
            "return [...document.querySelectorAll('.bid-table tr')].map((row) => "
            "[row.className, row.cells[1].innerText])"
        )
        kind, bids = rows[seen["auction"]["bidder"]]
        assert "stands" in kind or seen["ask"]["kind"] != "bid"  # it acts already
        assert bids.split()[-1] == str(seen["auction"]["bid"] or "\N{EN DASH}")
    ways = page.js(
        f"return {BY_SEAT}.map((seat) => [...seat.querySelectorAll('.goal')].map((way) => "
        "way.textContent.replace('or ', '')))"
    )
    assert [[sorted(map(talents, way.split(", "))) for way in of_seat] for of_seat in ways] == [
        [sorted((way.count(talent), talent) for talent in set(way)) for way in view["goal"] or ()]
        for view in views
    ]


# Keeps each piece that is set in motion: a motion may be over before a busy machine
# asks the page for it.
NOTE_MOTIONS = """window.moved = []; window.animates ??= Element.prototype.animate;
Element.prototype.animate = function (...all) { window.moved.push(this);
  return window.animates.apply(this, all); };"""


@pytest.mark.slow
def test_a_princess_moves_to_her_palace_and_what_is_bought_to_its_owner(
    page: Page, made: Made
) -> None:
    store = opened(page, made, "emira-round-robin", "#match=1/0")
    events = {
        step.number: [event.data for event in step.events]
        for step in next(iter(khiva_arena.matches(store))).replay()
    }
    for kind, moved in (("join", "home"), ("act", "icon")):
        wanted = [
            n
            for n, all_of in events.items()
            if any(e["type"] == kind and e.get("action") != "none" for e in all_of)
        ]
        page.go(f"#match=1/0&step={wanted[0] - 1}")
        page.until(
            "return document.querySelector('.where')?.textContent.startsWith(arguments[0])",
            f"step {wanted[0] - 1} ",
        )
        page.js(NOTE_MOTIONS)
        page.keys("ArrowRight")
        page.until(
            "return window.moved.some((piece) => piece.classList.contains(arguments[0]))", moved
        )
    assert page.wrong() == []


DRAWN = """
const [game, known, events, asked, rules, scenery] = arguments;
const drawings = { emira: () => _drawing_emira, silk_road: () => _drawing_silk_road };
const drawing = drawings[game]().drawing;
return _packed.unpacked('replay-0').then((block) => {
  const [opening, first] = _film.frames(block, 0, []);
  const frame = { ...first, all: { ...first.all, ...known },
    events: events.map((data) => ({ data, text: '', to: null })) };
  frame.own = first.own.map((own) => ({ ...own, ...known }));
  const choices = asked.map(([kind, piece, words], index) => ({ index, kind, piece, words }));
  const seen = { frame, before: opening, film: [opening, frame], eyes: 0, rules, scenery, choices };
  document.querySelector('.board').replaceChildren(drawing.draw({ ...seen, names: ['a', 'b', 'c'],
    seats: 3, width: 900 }));
});
"""
"""Draw the first step of a match with what else is known, happened and is asked."""


@pytest.mark.slow
def test_emiras_table_says_what_its_rules_and_a_question_say(page: Page, made: Made) -> None:
    opened(page, made, "emira-round-robin", "#match=1/0")
    page.until("return document.querySelector('.where')")
    scenery = registry.get("emira").scenery
    looks = {
        "seat": 0,
        "kind": "order",
        "about": "emiras",
        "cards": ["Halimah", "Sidi Suleiman", "Layla"],
    }
    effects = {
        "golden": 2,
        "interrupted": False,
        "sick": False,
        "quiet": True,
        "doubles": 0,
        "blocked": ["sick_camels"],
    }
    known = {"ask": looks, "emira_turned": [0], "effects": effects, "phase": "prepare"}
    page.js(DRAWN, "emira", known, [], [["order", [1, 0, 2], "as they say"]], {}, scenery)
    assert page.texts(".rest .wishes .unseen") == [
        "wants status, then appearance (swapped)",
        "wants most princesses",
        "wants status, then appearance",
    ]
    assert page.texts(".rest .changed") == []
    assert page.texts(".rest .offer") == ["as they say"]
    assert page.texts(".effect") == [f"golden times {TIMES}2", "quiet days"]
    assert "no more this round: sick camels" in page.texts(".salon .note")
    mind = {"seat": 0, "kind": "mind", "about": 1, "cards": ["Layla"]}
    for turned, words in (
        ([0], "wants status, then appearance"),
        ([1], "wants appearance, then status (swapped)"),
    ):
        page.js(
            DRAWN,
            "emira",
            known | {"ask": mind, "emira_turned": turned},
            [],
            [["mind", ["keep"], "keep"]],
            {},
            scenery,
        )
        assert page.texts(".rest .wishes .unseen") == [words]
    for kind, piece, words in (
        ("place", [0], "the Emira at place 1"),
        ("vermin_move", [3], "the one with 3 left"),
    ):
        page.js(DRAWN, "emira", known | {"ask": mind}, [], [[kind, piece, words]], {}, scenery)
        assert page.texts(".rest .offer") == [words]
    page.js(
        DRAWN,
        "emira",
        known,
        [],
        [["action", ["small_slow"], "a caravan for 450 gold"]],
        {},
        scenery,
    )
    assert page.texts(".stalls .pile > :not([aria-hidden])") == ["a caravan for 450 gold"]
    small, large = page.texts(".deck [aria-hidden=true]:not(svg)")[-2:]
    assert page.texts(".deck .unseen")[-2:] == [
        f"{small[1:]} small caravans left",
        f"{large[1:]} large caravans left",
    ]
    assert page.wrong() == []


@pytest.mark.slow
def test_a_caravan_that_moved_twice_has_one_ring(page: Page, made: Made) -> None:
    opened(page, made, "silk_road-round-robin", "#match=1/0")
    page.until("return document.querySelector('.where')")
    moves = [
        {"type": "move", "seat": 0, "good": 0, "count": 1, "size": 1, "from": one, "place": to}
        for one, to in pairwise(RING)
    ]
    page.js(
        DRAWN, "silk_road", {}, moves, [], {"map": MAPS["r1"]}, registry.get("silk_road").scenery
    )
    assert len(page.texts(".ring")) == 1
    assert len(page.texts(".camel-path")) == 2
    assert page.wrong() == []


RING = ("r0", "r1", "r2")


def talents(words: str) -> tuple[int, str]:
    many, talent = words.split()
    return int(many), talent


def silk_road(page: Page, views: list[dict[str, Any]]) -> None:
    caravans = page.js(
        "return [...document.querySelectorAll('.caravan')].map((one) => one.dataset.at)"
    )
    assert caravans == [caravan[0] for caravan in views[0]["caravans"] if caravan]

    def cards(counts: list[int]) -> list[str]:
        return [
            f"{GOODS[good]} {TIMES}{many}" if many > 1 else GOODS[good]
            for good, many in enumerate(counts)
            if many
        ]

    assert drawn(page, "hand") == [cards(view["hand"]) for view in views]
    assert drawn(page, "display") == [cards(counts) for counts in views[0]["displays"]]
    for number, caravan in enumerate(views[0]["caravans"], 1):
        way = (
            " \u2192 ".join(map(place, dict.fromkeys(caravan[:2]))) if caravan else ""
        )  # in its target it is on no way
        said = (
            [f"camels {TIMES}{len(caravan[2])}{way}"] if caravan and caravan[2] else []
        )  # its camels go, one by one
        assert page.texts(f"[data-what='caravan {number}']") == said
        loads = [loaded(caravan[2])] if caravan and caravan[2] else []
        assert page.texts(f"[data-what='loads of caravan {number}']") == loads
    seen = views[0]
    assert set(page.texts(".village")) == set(map(place, seen["tiles"]))
    assert page.texts("[data-what=caravanserai]") == [loaded(seen["queue"])] * bool(seen["queue"])
    titles = page.js(
        "return [...document.querySelectorAll('.board-svg title')].map((one) => one.textContent)"
    )
    assert [title for title in titles if title.startswith("caravanserai")] == [
        f"caravanserai: {loaded([n])}" for n in seen["queue"]
    ]
    for city, jewels in seen["cities"].items():
        words = [COLOURS[colour] for colour in jewels]
        at_city = page.js(
            "return [...document.querySelectorAll(arguments[0])].map((one) => one.textContent)",
            AT % city,
        )
        assert at_city == [place(city), *(f"{word} jewel" for word in words)]
        assert page.texts(f'[data-what="jewels of {place(city)}"]') == [", ".join(words)] * bool(
            words
        )
    for village, tile in seen["tiles"].items():
        (words,) = page.texts(f'[data-what="{place(village)}"]')
        assert words.split("; signpost ")[0] == tile.replace("_", " ")
        assert f"{place(village)}: {words}" in titles

    def counted(counts: list[int], words: tuple[str, ...] = COLOURS) -> str:
        return "".join(
            f"{word}{TIMES}{many}" if many > 1 else word
            for word, many in zip(words, counts, strict=True)
            if many
        )

    assert page.texts("[data-what='jewels in the bag']") == [counted(seen["bag"])] * any(
        seen["bag"]
    )
    rows = {
        "jewels": [counted(counts) for counts in seen["jewels"]],
        "colourless": [counted([many], ("colourless",)) for many in seen["colourless"]],
        "markers": [counted([many], ("8",)) for many in seen["markers"]],
        "driver": [str(driver) for driver in seen["drivers"]],
    }
    for what, texts in rows.items():
        assert (
            page.js(
                f"return {BY_SEAT}.map((one) => "
                f"one.querySelector('[data-what={what}]')?.textContent ?? '')"
            )
            == texts
        )


AT = '[data-place="%s"] title'


def loaded(camels: list[int]) -> str:
    return "; ".join(f"camel {number}, {GOODS[GOOD_OF[number]]}" for number in camels)


TIMES = "\u00d7"


CHECKS = {"khiva": khiva, "emira": emira, "silk_road": silk_road}


@pytest.mark.slow
def test_places_of_another_map_are_called_as_it_calls_them(page: Page, tmp_path: Path) -> None:
    """Like properties that every object of a script has, too."""
    names = {"Isfahan": "constructor", "r4": "toString", "in_Isf": "valueOf"}
    (tmp_path / "map.toml").write_text(
        re.sub(rf"\b({'|'.join(names)})\b", lambda match: names[match[1]], R1.read_text())
    )
    steps = page_with(tmp_path, "silk_road", "map=@map.toml", "max_turns=12")
    page.open(tmp_path / "page.html", "#match=1/0")
    page.until("return document.querySelector('.where')")
    for step in steps:
        page.js(STEPPED, min(step.number, 1))
        CHECKS["silk_road"](page, [step.state.view(seat) for seat in (0, 1)])
    assert page.wrong() == []


R1 = Path(khiva_arena.__file__).parent / "games" / "silk_road" / "maps" / "r1.toml"


@pytest.mark.slow
def test_no_coin_tells_of_gold_that_is_hidden(page: Page, tmp_path: Path) -> None:
    steps = page_with(tmp_path, "emira", "gold=hidden", "max_rounds=3")
    page.open(tmp_path / "page.html", "#match=1/0&eyes=0")
    page.until("return document.querySelector('.where')")
    before, paid = None, 0
    for step in steps:
        page.js(STEPPED, min(step.number, 1))
        view = step.state.view(0)
        gold = page.js(
            f"return {BY_SEAT}.map((seat) => seat.querySelector('[data-what=gold]').textContent)"
        )
        shown = [f"{one[1]} in round {one[0]}" if one else "hidden" for one in view["gold_shown"]]
        assert gold == [
            str(shown[seat] if one is None else one) for seat, one in enumerate(view["gold"])
        ]
        fell = [
            then > now
            for then, now in zip(before or [], view["gold"], strict=bool(before))
            if None not in (then, now)
        ]
        coins = len(page.texts(".paid"))
        assert coins <= sum(fell), step.number
        before, paid = view["gold"], paid + coins
    assert paid > 0
    assert page.wrong() == []


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_eyes_of_one_seat_see_no_other_hand(page: Page, made: Made, game: str) -> None:
    store = opened(page, made, f"{game}-round-robin", "#match=1/0&step=3&eyes=1")
    page.until("return document.querySelector('.player')")
    match = next(iter(khiva_arena.matches(store)))
    seen = page.js(
        f"return {BY_SEAT}.map((seat) => seat.querySelectorAll('[data-what=hand] .card.back, "
        "[data-what=events] .card.back').length)"
    )
    view = match.replay()[3].state.view(1)
    assert seen == [0 if seat == 1 else many for seat, many in enumerate(view["hands"])]
    page.keys("p")
    page.until(
        "return document.querySelector('.player[data-seat=\"1\"] .card.back') || !arguments[0]",
        view["hands"][1],
    )
    assert page.wrong() == []
