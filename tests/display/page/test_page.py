"""Pages of results in a real browser: what a reader sees, clicks and types."""

import os
import re
import subprocess
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from arena import descendants, left_over
from browser import PHONE, WIDE, Page
from in_targets import long_but
from pages import STEPPED, page_of, page_with
from published import FORMATS, GAMES
from waiting import until

import khiva_arena
from khiva_arena.common import manual
from khiva_arena.common.address import ADDRESS
from khiva_arena.competition.pages.write import write_page
from khiva_arena.display.page import html
from khiva_arena.games import registry
from khiva_arena.games.silk_road.board import MAPS
from khiva_arena.games.silk_road.notation import place
from khiva_arena.games.silk_road.tables import COLOURS, GOOD_OF, GOODS
from khiva_arena.interface.api.notebook_tables import standings

Made = Callable[[str], tuple[Path, Path]]
CASES = [f"{game}-{form}" for game in GAMES for form in FORMATS]


def opened(page: Page, made: Made, case: str, view: str = "") -> Path:
    store, file = made(case)
    page.open(file, view)
    return store


EACH_ONCE = [case for case in CASES if case.startswith("khiva-") or case.endswith("-round-robin")]
"""Each format and each game: tables of standings do not depend on the game."""


@pytest.mark.slow
@pytest.mark.parametrize("case", long_but(CASES, EACH_ONCE))
def test_a_page_of_every_format_shows_what_the_terminal_shows(page: Page, made: Made, case: str) -> None:
    store = opened(page, made, case)
    tables = standings(store)
    shown = page.js(
        "return [...document.querySelectorAll('table.standings')].map((table) => [...table.tBodies[0].rows].map((row) => "
        "[...row.cells].map((cell) => cell.textContent)))"
    )
    for table, rows in zip(tables, shown, strict=True):
        assert [row[1] for row in rows] == [row.name for row in table]
    assert page.wrong() == []


UNSTYLED = """
const rules = [];
const collect = (list) => { for (const rule of list) {
  if (rule.selectorText) rules.push(...rule.selectorText.split(/,(?![^(]*\\))/).filter((one) => /\\.[a-z]/.test(one)));
  if (rule.cssRules) collect(rule.cssRules);
} };
for (const sheet of document.styleSheets) collect(sheet.cssRules);
const named = rules.map((one) => one.replace(/::?(before|after|hover|focus[a-z-]*|active)/g, "").trim());
const is_styled = (one) => named.some((rule) => one.matches(rule));
return [...document.querySelectorAll("main ul, main ol, main dl, main svg > :not(title, clipPath, defs, text, g)")]
  .filter((one) => !is_styled(one)).map((one) => one.outerHTML.slice(0, 120));
"""


@pytest.mark.slow
def test_each_list_and_each_mark_of_a_drawing_has_a_style(page: Page, made: Made) -> None:
    opened(page, made, "khiva-round-robin")
    assert page.js(UNSTYLED) == []
    for view in ("bot", "matches", "match"):
        page.js("document.querySelector('main > *').dataset.old = 'old'")
        page.go(page.js("return document.querySelector(`a[href^='#${arguments[0]}=']`).hash", view))
        page.until("return !document.querySelector('[data-old]') && document.querySelector('main > *')")
        assert page.js(UNSTYLED) == [], view


@pytest.mark.slow
def test_nothing_is_loaded_and_the_policy_stands_first(page: Page, made: Made) -> None:
    opened(page, made, "khiva-round-robin")
    assert page.js("return performance.getEntriesByType('resource').map((one) => one.name)") == []
    text = made("khiva-round-robin")[1].read_text()
    assert text.index("Content-Security-Policy") < text.index("<style>") < text.index("<script")
    assert "default-src 'none'" in text
    assert "http" not in text.replace("http-equiv", "").replace("http://www.w3.org/2000/svg", "")


@pytest.mark.slow
def test_a_page_leads_to_the_manual_once_the_project_has_an_address(
    page: Page, made: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, _ = made(EACH_ONCE[0])
    for site, found in (("", []), ("https://example.org/khiva", ["https://example.org/khiva/docs/publish.html"])):
        for module in (html, manual):
            monkeypatch.setattr(module, "ADDRESS", ADDRESS._replace(site=site))
        write_page(tmp_path / "page.html", page_of(store))
        page.open(tmp_path / "page.html")
        assert page.js("return [...document.querySelectorAll('footer a')].map((link) => link.href)") == found
        assert page.wrong() == []


@pytest.mark.slow
def test_a_head_sorts_and_sorts_the_other_way(page: Page, made: Made) -> None:
    opened(page, made, "khiva-round-robin")
    names = "return [...document.querySelectorAll('.standings tbody th')].map((one) => one.textContent)"
    before = page.js(names)
    click = "document.querySelectorAll('.standings .sort')[1].click()"
    page.js(click)
    assert page.js(names) == sorted(before)
    page.js(click)
    assert page.js(names) == sorted(before, reverse=True)
    assert page.js("return document.querySelectorAll('.standings [aria-sort=descending]').length") == 1


@pytest.mark.slow
def test_places_are_one_bar_whose_numbers_show_at_focus(page: Page, made: Made) -> None:
    store = opened(page, made, "khiva-round-robin")
    assert "1st" not in page.texts(".standings .sort")
    for table in standings(store):
        for row, words in zip(table, page.js(WORDS_OF_PLACES), strict=True):
            assert [int(part.split()[1]) for part in words.split("; ")[:-1]] == list(row.finishes)
    page.js("document.querySelector('.places .tipped').focus()")
    page.until("return document.querySelector('.tip:popover-open')")
    page.keys("Escape")
    assert not page.js("return document.querySelector('.tip:popover-open')")
    assert page.wrong() == []


WORDS_OF_PLACES = "return [...document.querySelectorAll('.places .tipped')].map((one) => one.getAttribute('aria-label'))"


@pytest.mark.slow
def test_filters_find_the_matches_of_a_bot(page: Page, made: Made) -> None:
    store = opened(page, made, "khiva-round-robin", "#matches=all")
    every = list(khiva_arena.matches(store))
    page.until("return document.querySelector('h2 .dim').textContent.startsWith(arguments[0])", f"{len(every)} match")
    bot = every[0].record.header.seats[0]
    page.js(
        "const select = document.querySelector('select[name=bot]'); select.value = arguments[0];"
        "select.dispatchEvent(new Event('change', {bubbles: true}))",
        bot.bot,
    )
    mine = [one for one in every if bot.name in one.bots]
    page.until("return document.querySelector('h2 .dim').textContent.startsWith(arguments[0])", f"{len(mine)} match")
    shown = page.texts(".list tbody th")
    assert shown == [f"{one.event}/{one.ordinal}" for one in mine][: len(shown)]
    assert page.wrong() == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "every"),
    [
        *(("khiva", 1), ("emira", 30), ("silk_road", 15)),
        *(pytest.param(game, 1, marks=[pytest.mark.soak, pytest.mark.long]) for game in ("emira", "silk_road")),
    ],
)
def test_a_match_is_drawn_step_by_step_as_the_rules_have_it(page: Page, made: Made, game: str, every: int) -> None:
    """Stepped to its end by key; at every step that is looked at, the last too, what is drawn is the engine's state."""
    store = opened(page, made, f"{game}-round-robin", "#match=1/0")
    match = next(iter(khiva_arena.matches(store)))
    steps = match.replay()
    page.until("return document.querySelector('.where')?.textContent === arguments[0]", f"step 0 of {len(steps) - 1}")
    before = 0
    for step in steps:
        if step.number % every and step is not steps[-1]:
            continue
        told = page.js(STEPPED, step.number - before)
        assert told == [f"step {number} of {len(steps) - 1}" for number in range(before + 1, step.number + 1)]
        before = step.number
        CHECKS[game](page, [step.state.view(seat) for seat in range(len(match.bots))])
        points = page.js(f"return {BY_SEAT}.map((seat) => seat.querySelector('.points')?.textContent).filter(Boolean)")
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


BY_SEAT = "[...document.querySelectorAll('.player')].sort((a, b) => a.dataset.seat - b.dataset.seat)"
"""The windows of the seats, wherever they are on the table."""


def drawn(page: Page, what: str) -> list[list[str]]:
    """By seat, the cards that stand beside a word."""
    found: list[list[str]] = page.js(
        f"return {BY_SEAT}"
        ".map((seat) => [...seat.querySelectorAll(`[data-what=${arguments[0]}] .card`)].map((card) => card.textContent))",
        what,
    )
    return found


def khiva(page: Page, views: list[dict[str, Any]]) -> None:
    camels = page.js("return [...document.querySelectorAll('.camel')].map((camel) => camel.dataset.at)")
    assert camels == [f"{path},{shop}" for path, shop, _ in views[0]["camels"]]
    signs = "WBGPK"
    assert drawn(page, "hand") == [[f"{signs[colour]}{value}" for colour, value in view["hand"]] for view in views]
    assert drawn(page, "carpets") == [[f"{signs[colour]}{value}" for colour, value in cards] for cards in views[0]["carpets"]]
    gems = page.js(f"return {BY_SEAT}.map((seat) => seat.querySelector('[data-what=gems]').textContent)")
    assert gems == [str(count) for count in views[0]["gems"]]
    salts, teapots = "".join(map(str, views[0]["salts_left"])), sorted(Counter(views[0]["teapots_left"]).items())
    for words, text in (("salt left", salts), ("teapots left", "".join(f"{value}{TIMES}{many}" for value, many in teapots))):
        assert page.texts(f".middle [data-what='{words}']") == [text] * bool(text)
    left = page.texts(".middle [data-what='carpets left'] .card")
    assert left == [f"{signs[colour]}{value}" for colour, value in views[0]["carpets_left"]]


def emira(page: Page, views: list[dict[str, Any]]) -> None:
    homes = page.js(f"return {BY_SEAT}.map((seat) => [...seat.querySelectorAll('.lives')].map((one) => one.textContent))")
    assert homes == views[0]["princesses"]
    waiting = page.texts(".princess .who b")
    assert waiting == [*views[0]["active"], *views[0]["coming"], *views[0]["undecided"]]
    assert drawn(page, "events") == [[card.replace("_", " ") for card in view["hand"]] for view in views]
    tracks = page.js(
        f"return {BY_SEAT}.map((seat) => ['gold', 'appearance', 'status', 'palace']"
        ".map((what) => Number(seat.querySelector(`[data-what=${what}]`).textContent)))"
    )
    seen = views[0]
    assert tracks == [
        [view["gold"][seat], seen["appearance"][seat], seen["status"][seat], seen["palace"][seat] / 2]
        for seat, view in enumerate(views)
    ]
    free = page.js(f"return {BY_SEAT}.map((seat) => seat.querySelectorAll('.rooms .free').length)")
    assert free == [max(0, many) for many in seen["room"]]
    if seen["auction"] and seen["auction"]["bidder"] is not None:
        rows = page.js(
            "return [...document.querySelectorAll('.bid-table tr')].map((row) => [row.className, row.cells[1].innerText])"
        )
        kind, bids = rows[seen["auction"]["bidder"]]
        assert "stands" in kind or seen["ask"]["kind"] != "bid"  # it acts already
        assert bids.split()[-1] == str(seen["auction"]["bid"] or "\N{EN DASH}")
    ways = page.js(
        f"return {BY_SEAT}.map((seat) => [...seat.querySelectorAll('.goal')].map((way) => way.textContent.replace('or ', '')))"
    )
    assert [[sorted(map(talents, way.split(", "))) for way in of_seat] for of_seat in ways] == [
        [sorted((way.count(talent), talent) for talent in set(way)) for way in view["goal"] or ()] for view in views
    ]


# Keeps each piece that is set in motion: a motion may be over before a busy machine asks the page for it.
NOTE_MOTIONS = """window.moved = []; window.animates ??= Element.prototype.animate;
Element.prototype.animate = function (...all) { window.moved.push(this); return window.animates.apply(this, all); };"""


@pytest.mark.slow
def test_a_princess_moves_to_her_palace_and_what_is_bought_to_its_owner(page: Page, made: Made) -> None:
    store = opened(page, made, "emira-round-robin", "#match=1/0")
    events = {step.number: [event.data for event in step.events] for step in next(iter(khiva_arena.matches(store))).replay()}
    for kind, moved in (("join", "home"), ("act", "icon")):
        wanted = [n for n, all_of in events.items() if any(e["type"] == kind and e.get("action") != "none" for e in all_of)]
        page.go(f"#match=1/0&step={wanted[0] - 1}")
        page.until("return document.querySelector('.where')?.textContent.startsWith(arguments[0])", f"step {wanted[0] - 1} ")
        page.js(NOTE_MOTIONS)
        page.keys("ArrowRight")
        page.until("return window.moved.some((piece) => piece.classList.contains(arguments[0]))", moved)
    assert page.wrong() == []


DRAWN = """
const [game, known, events, asked, rules, scenery] = arguments;
const drawing = { emira: () => _drawing_emira, silk_road: () => _drawing_silk_road }[game]().drawing;
return _packed.unpacked('replay-0').then((block) => {
  const [opening, first] = _film.frames(block, 0, []);
  const frame = { ...first, all: { ...first.all, ...known }, events: events.map((data) => ({ data, text: '', to: null })) };
  frame.own = first.own.map((own) => ({ ...own, ...known }));
  const choices = asked.map(([kind, piece, words], index) => ({ index, kind, piece, words }));
  const seen = { frame, before: opening, film: [opening, frame], eyes: 0, rules, scenery, choices };
  document.querySelector('.board').replaceChildren(drawing.draw({ ...seen, names: ['a', 'b', 'c'], seats: 3, width: 900 }));
});
"""
"""Draw the first step of a match with what else is known, happened and is asked."""


@pytest.mark.slow
def test_emiras_table_says_what_its_rules_and_a_question_say(page: Page, made: Made) -> None:
    opened(page, made, "emira-round-robin", "#match=1/0")
    page.until("return document.querySelector('.where')")
    scenery = registry.get("emira").scenery
    looks = {"seat": 0, "kind": "order", "about": "emiras", "cards": ["Halimah", "Sidi Suleiman", "Layla"]}
    effects = {"golden": 2, "interrupted": False, "sick": False, "quiet": True, "doubles": 0, "blocked": ["sick_camels"]}
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
    for turned, words in (([0], "wants status, then appearance"), ([1], "wants appearance, then status (swapped)")):
        page.js(DRAWN, "emira", known | {"ask": mind, "emira_turned": turned}, [], [["mind", ["keep"], "keep"]], {}, scenery)
        assert page.texts(".rest .wishes .unseen") == [words]
    for kind, piece, words in (("place", [0], "the Emira at place 1"), ("vermin_move", [3], "the one with 3 left")):
        page.js(DRAWN, "emira", known | {"ask": mind}, [], [[kind, piece, words]], {}, scenery)
        assert page.texts(".rest .offer") == [words]
    page.js(DRAWN, "emira", known, [], [["action", ["small_slow"], "a caravan for 450 gold"]], {}, scenery)
    assert page.texts(".stalls .pile > :not([aria-hidden])") == ["a caravan for 450 gold"]
    small, large = page.texts(".deck [aria-hidden=true]:not(svg)")[-2:]
    assert page.texts(".deck .unseen")[-2:] == [f"{small[1:]} small caravans left", f"{large[1:]} large caravans left"]
    assert page.wrong() == []


@pytest.mark.slow
def test_a_caravan_that_moved_twice_has_one_ring(page: Page, made: Made) -> None:
    opened(page, made, "silk_road-round-robin", "#match=1/0")
    page.until("return document.querySelector('.where')")
    moves = [
        {"type": "move", "seat": 0, "good": 0, "count": 1, "size": 1, "from": one, "place": to} for one, to in pairwise(RING)
    ]
    page.js(DRAWN, "silk_road", {}, moves, [], {"map": MAPS["r1"]}, registry.get("silk_road").scenery)
    assert len(page.texts(".ring")) == 1
    assert len(page.texts(".camel-path")) == 2
    assert page.wrong() == []


RING = ("r0", "r1", "r2")


def talents(words: str) -> tuple[int, str]:
    many, talent = words.split()
    return int(many), talent


def silk_road(page: Page, views: list[dict[str, Any]]) -> None:
    caravans = page.js("return [...document.querySelectorAll('.caravan')].map((one) => one.dataset.at)")
    assert caravans == [caravan[0] for caravan in views[0]["caravans"] if caravan]

    def cards(counts: list[int]) -> list[str]:
        return [f"{GOODS[good]} {TIMES}{many}" if many > 1 else GOODS[good] for good, many in enumerate(counts) if many]

    assert drawn(page, "hand") == [cards(view["hand"]) for view in views]
    assert drawn(page, "display") == [cards(counts) for counts in views[0]["displays"]]
    for number, caravan in enumerate(views[0]["caravans"], 1):
        way = " \u2192 ".join(map(place, dict.fromkeys(caravan[:2]))) if caravan else ""  # in its target it is on no way
        said = [f"camels {TIMES}{len(caravan[2])}{way}"] if caravan and caravan[2] else []  # its camels go, one by one
        assert page.texts(f"[data-what='caravan {number}']") == said
        loads = [loaded(caravan[2])] if caravan and caravan[2] else []
        assert page.texts(f"[data-what='loads of caravan {number}']") == loads
    seen = views[0]
    assert set(page.texts(".village")) == set(map(place, seen["tiles"]))
    assert page.texts("[data-what=caravanserai]") == [loaded(seen["queue"])] * bool(seen["queue"])
    titles = page.js("return [...document.querySelectorAll('.board-svg title')].map((one) => one.textContent)")
    assert [title for title in titles if title.startswith("caravanserai")] == [
        f"caravanserai: {loaded([n])}" for n in seen["queue"]
    ]
    for city, jewels in seen["cities"].items():
        words = [COLOURS[colour] for colour in jewels]
        at_city = page.js("return [...document.querySelectorAll(arguments[0])].map((one) => one.textContent)", AT % city)
        assert at_city == [place(city), *(f"{word} jewel" for word in words)]
        assert page.texts(f'[data-what="jewels of {place(city)}"]') == [", ".join(words)] * bool(words)
    for village, tile in seen["tiles"].items():
        (words,) = page.texts(f'[data-what="{place(village)}"]')
        assert words.split("; signpost ")[0] == tile.replace("_", " ")
        assert f"{place(village)}: {words}" in titles

    def counted(counts: list[int], words: tuple[str, ...] = COLOURS) -> str:
        return "".join(f"{word}{TIMES}{many}" if many > 1 else word for word, many in zip(words, counts, strict=True) if many)

    assert page.texts("[data-what='jewels in the bag']") == [counted(seen["bag"])] * any(seen["bag"])
    rows = {
        "jewels": [counted(counts) for counts in seen["jewels"]],
        "colourless": [counted([many], ("colourless",)) for many in seen["colourless"]],
        "markers": [counted([many], ("8",)) for many in seen["markers"]],
        "driver": [str(driver) for driver in seen["drivers"]],
    }
    for what, texts in rows.items():
        assert page.js(f"return {BY_SEAT}.map((one) => one.querySelector('[data-what={what}]')?.textContent ?? '')") == texts


AT = '[data-place="%s"] title'


def loaded(camels: list[int]) -> str:
    return "; ".join(f"camel {number}, {GOODS[GOOD_OF[number]]}" for number in camels)


TIMES = "\u00d7"
CHECKS = {"khiva": khiva, "emira": emira, "silk_road": silk_road}


@pytest.mark.slow
def test_places_of_another_map_are_called_as_it_calls_them(page: Page, tmp_path: Path) -> None:
    """Like properties that every object of a script has, too."""
    names = {"Isfahan": "constructor", "r4": "toString", "in_Isf": "valueOf"}
    (tmp_path / "map.toml").write_text(re.sub(rf"\b({'|'.join(names)})\b", lambda match: names[match[1]], R1.read_text()))
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
        gold = page.js(f"return {BY_SEAT}.map((seat) => seat.querySelector('[data-what=gold]').textContent)")
        shown = [f"{one[1]} in round {one[0]}" if one else "hidden" for one in view["gold_shown"]]
        assert gold == [str(shown[seat] if one is None else one) for seat, one in enumerate(view["gold"])]
        fell = [then > now for then, now in zip(before or [], view["gold"], strict=bool(before)) if None not in (then, now)]
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
    page.until("return document.querySelector('.player[data-seat=\"1\"] .card.back') || !arguments[0]", view["hands"][1])
    assert page.wrong() == []


@pytest.mark.slow
def test_a_bot_has_a_page_with_its_opponents_seats_and_matches_worth_a_look(page: Page, made: Made) -> None:
    store, file = made("khiva-round-robin")
    (table,) = standings(store, sections="crosstable")
    row, cells = table.rows[0], table.to_dict()["sections"]["crosstable"][0]
    page.open(file, f"#bot={row.bot}")
    rows = page.js(
        "return [...document.querySelectorAll('.in-table .chart')].slice(0, 2)"
        ".map((part) => [...part.querySelectorAll('tbody tr')].map((row) => [...row.cells].map((cell) => cell.textContent)))"
    )
    scored = [
        (seat, one.scores[seat], one.ranks[seat], {n: p for n, p in zip(one.bots, one.scores, strict=True) if n != row.name})
        for one in khiva_arena.matches(store)
        for seat, name in enumerate(one.bots)
        if name == row.name
    ]
    for (name, score, *_, ahead, many, _), (other, cell) in zip(
        rows[0], [(one.name, cell) for one, cell in zip(table, cells, strict=True) if cell], strict=True
    ):
        by = [points - others[other] for _, points, _, others in scored if other in others]
        assert (name, score, many) == (other, f"{cell['score']:.1f} %", str(len(by)))
        assert float(ahead) == pytest.approx(sum(by) / len(by), abs=0.051)
    assert [int(cells[3]) for cells in rows[1]] == [sum(seat == one for one, *_ in scored) for seat in range(3)]
    leads = [points - max(others.values()) for _, points, _, others in scored]
    assert f"{max(leads)} point" in page.texts("[data-which=best]")[0]
    assert f"{abs(min(leads))} point" in page.texts("[data-which=worst]")[0]
    assert f"{min(map(abs, leads))} point" in page.texts("[data-which=closest]")[0]
    worst = page.texts("[data-which=worst] a")[0]
    seat = next(one.bots.index(row.name) for one in khiva_arena.matches(store) if f"{one.event}/{one.ordinal}" == worst)
    asked = [f"khiva-arena replay STORE {worst} --seat {seat} --bot shipped:python/search"]
    asked += [f"khiva-arena match --from STORE {worst} --step N --seat {seat} --choice K"]
    assert page.texts("p.next code") == (asked if min(leads) < 0 else [])
    page.open(file, f"#bot={table.rows[-1].bot}")
    assert [words.split()[1] for words in page.texts("p.next code")] == ["replay", "match"]
    assert page.wrong() == []


@pytest.mark.slow
def test_a_cell_of_the_crosstable_leads_to_the_matches_of_two_bots_by_key(page: Page, made: Made) -> None:
    store = opened(page, made, "khiva-round-robin")
    names = [row.name for row in standings(store)[0]]
    page.js("const cell = document.querySelector('.heat a'); cell.focus(); cell.click()")
    page.until("return document.querySelector('.list')")
    expected = [f"{one.event}/{one.ordinal}" for one in khiva_arena.matches(store) if {names[0], names[1]} <= set(one.bots)]
    assert page.texts("h2 .dim")[0].startswith(f"{len(expected)} match")
    assert page.texts(".list tbody th") == expected[: len(page.texts(".list tbody th"))]
    page.open(made("khiva-round-robin")[1], page.js("return location.hash"))
    assert page.js("return document.querySelector('select[name=against]').selectedOptions[0].text") == names[1]
    assert page.wrong() == []


@pytest.mark.slow
def test_a_deep_link_survives_and_back_goes_back(page: Page, made: Made) -> None:
    opened(page, made, "khiva-round-robin", "#match=1/2&step=5&eyes=0")
    page.until("return document.querySelector('.where')?.textContent.startsWith('step 5 of')")
    assert page.js("return document.querySelector('.eyes input:checked').value") == "0"
    page.keys("End")
    assert "step=" in page.js("return location.hash")
    page.go("#matches=all")
    page.until("return document.querySelector('.list')")
    page.js("history.back()")
    page.until("return document.querySelector('.viewer .where')")
    assert page.js("return document.querySelector('.where').textContent").startswith("step ")
    assert page.wrong() == []


@pytest.mark.slow
@pytest.mark.parametrize("view", ["", "#matches=all", "#match=1/0&step=4"])
@pytest.mark.parametrize("game", GAMES)
def test_no_view_is_wider_than_the_window(page: Page, made: Made, game: str, view: str) -> None:
    for size, dark in ((WIDE, False), (PHONE, True)):
        page.size(size, dark)
        opened(page, made, f"{game}-round-robin", view)
        page.until("return !location.hash.includes('match=') || document.querySelector('.where')")
        assert page.js("return document.documentElement.scrollWidth") <= size[0], (game, view, size)
        assert page.wrong() == []


@pytest.mark.slow
def test_a_rejected_card_shows_the_gem_that_it_brought(page: Page, made: Made) -> None:
    store = opened(page, made, "khiva-round-robin", "#match=1/0")
    page.until("return document.querySelector('.where')")
    gems = 0
    for step in next(iter(khiva_arena.matches(store))).replay():
        for event in (event.data for event in step.events):
            gems = 0 if event["type"] == "reveal" else gems + (event["type"] == "gems" and event["why"] == "rejected")
        assert sum("+1 gem" in text for text in page.texts(".played.rejected")) == gems, step.number
        page.keys("ArrowRight")
    assert page.wrong() == []


@pytest.mark.slow
def test_a_dot_without_an_interval_says_so_and_a_bot_with_one_seed_is_on_the_chart(page: Page, made: Made) -> None:
    store = opened(page, made, "khiva-knockout")
    (table,) = standings(store)
    unsure = [row.error is None and not row.bound for row in table]
    assert any(unsure)
    shown = page.texts(".standings td.whisker")
    assert [text == "+/- n/a" for text in shown] == unsure
    page.until("return document.querySelector('.series')")
    assert page.js(
        "return [...document.querySelectorAll('.series')].every((line) =>"
        " line.querySelector('circle') || line.querySelector('polyline').getAttribute('points').includes(' '))"
    )
    assert page.wrong() == []


@pytest.mark.slow
@pytest.mark.parametrize("size", [WIDE, PHONE])
@pytest.mark.parametrize("case", ["khiva-round-robin", "emira-gauntlet", "silk_road-swiss"])
def test_labels_of_an_axis_do_not_touch_and_no_band_fills_its_frame(
    page: Page, made: Made, case: str, size: tuple[int, int]
) -> None:
    """Few seeds have been played there, so that errors are wide."""
    page.size(size)
    opened(page, made, case)
    axes = page.js(
        "return [...document.querySelectorAll('.chart svg, .standings th svg')].map((drawing) => ({"
        "whole: drawing.getBoundingClientRect().toJSON(), words: [...drawing.querySelectorAll('text[text-anchor=middle]')]"
        ".map((one) => one.getBoundingClientRect().toJSON())}))"
    )
    assert sum(len(axis["words"]) for axis in axes) > 3
    for axis in axes:
        for row in {word["top"] for word in axis["words"]}:
            words = sorted((word["left"], word["right"]) for word in axis["words"] if word["top"] == row)
            assert all(right < left for (_, right), (left, _) in pairwise(words)), axis
            assert words[0][0] >= axis["whole"]["left"] - 1
    ends = page.js(
        "return [...document.querySelectorAll('.band')].map((band) => {"
        " const { y, height } = band.ownerSVGElement.querySelector('clipPath rect'); const points = [...band.points];"
        " const right = Math.max(...points.map((one) => one.x));"
        " return [points.filter((one) => one.x === right).map((one) => one.y), y.baseVal.value, height.baseVal.value]; })"
    )
    for last, top, height in ends:
        assert all(top < y < top + height for y in last)
    assert page.wrong() == []


def test_a_browser_is_nothing_that_a_test_has_left_over(page: Page) -> None:
    """One browser serves many tests, and starts and ends processes whenever it likes."""
    page.size(WIDE)
    assert not [line for line in left_over(set()) if b"chrom" in line]
    before = descendants(os.getpid())
    with subprocess.Popen(["sleep", "60"]) as sleeper:
        assert until(lambda: left_over(before) == [b"sleep\x0060\x00"])
        sleeper.kill()
