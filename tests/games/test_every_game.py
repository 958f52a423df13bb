"""The duties of each registered game: these tests stay red until a new one is whole.
docs/add-a-game.md says how to get there.
"""

import json
import re
import runpy
from collections.abc import Callable, Iterator
from configparser import ConfigParser
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from in_targets import at_seats

from khiva_arena.entrants import bots as bot_files
from khiva_arena.errors import RulesError
from khiva_arena.games import conformance, registry, schema
from khiva_arena.games.base import Game

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PROTOCOL = ROOT / "protocol"
PLAYTHROUGHS = runpy.run_path(str(ROOT / "tests" / "playthroughs" / "make.py"))
MATCHES = PLAYTHROUGHS["MATCHES"]
PAGES = runpy.run_path(str(HERE / "make_pages.py"))
MOST_ENTRIES = 2000
FEWEST_STATES = {"emira": 500, "silk_road": 500}
SHORTER: dict[str, dict[str, Any]] = {"emira": {"max_rounds": 9}, "silk_road": {"max_turns": 40}}

pytestmark = pytest.mark.parametrize("game", registry.GAMES.values(), ids=lambda game: game.name)


def rules_page(game: Game) -> str:
    return (ROOT / "khiva_arena" / "games" / game.name / "RULES.md").read_text("utf-8")


def table(game: Game, title: str) -> list[str]:
    """First cells of the table under a heading of RULES.md."""
    lines = [
        line
        for line in PAGES["section"](rules_page(game), title).splitlines()
        if line.startswith("|")
    ]
    return [line.split("|")[1].strip() for line in lines[2:]]


def event_types(game: Game) -> list[str]:
    return [shape.__annotations__["type"].__args__[0] for shape in schema.shapes_of(game).events]


@pytest.mark.slow
def test_it_conforms_at_every_seat_count(game: Game) -> None:
    """Under the default rules, of which a game with long matches may shorten them: each
    state has a longer view to look at.
    """
    shorter = [SHORTER.get(game.name, {})]
    assert conformance.check_game(game, shorter, matches=1, seed="every game") > FEWEST_STATES.get(
        game.name, len(game.seats)
    )


@pytest.mark.soak
@pytest.mark.parametrize(
    "which",
    [slice(-1, None), pytest.param(slice(None), marks=pytest.mark.long)],
    ids=["most seats", "all seats"],
)
def test_it_conforms_late_in_a_match(game: Game, which: slice) -> None:
    one = at_seats(game, game.seats[which])
    fewest = (
        {"emira": 1000, "silk_road": 700}.get(game.name, len(game.seats))
        * len(one.seats)
        // len(game.seats)
    )
    longer = [{"max_rounds": 18} if game.name == "emira" else {}]
    assert conformance.check_game(one, longer, matches=1, seed="every game") > fewest


@pytest.mark.long
def test_it_conforms_at_every_seat_count_in_whole_matches(game: Game) -> None:
    assert conformance.check_game(game, matches=1, seed="every game") > FEWEST_STATES.get(
        game.name, len(game.seats)
    )


def test_its_rules_page_has_its_decisions_events_and_view(game: Game) -> None:
    state, _ = game.new(game.seats[0], game.rules({}), bytes(32))
    assert re.findall(r"`(\w+)`", " ".join(table(game, "The view"))) == list(state.view(0))
    assert table(game, "Decisions") == [f"`{kind}`" for kind in schema.shapes_of(game).decisions]
    assert table(game, "Events") == [f"`{kind}`" for kind in event_types(game)]


def test_each_of_its_events_has_a_line_for_people(game: Game) -> None:
    lines = import_module(f"khiva_arena.games.{game.name}.notation").LINES
    assert sorted(lines) == sorted(event_types(game))


@pytest.mark.parametrize(
    "title", ["Pieces", "Rulings", "Open points: the rules map", "The deal", "Sanity numbers"]
)
def test_its_rules_page_has_every_section(game: Game, title: str) -> None:
    assert len(PAGES["section"](rules_page(game), title)) > 100


def test_each_rule_and_each_named_variant_is_on_its_rules_page(game: Game) -> None:
    section = PAGES["section"](rules_page(game), "Open points: the rules map")
    assert [key for key in game.variants if f"| `{key}` |" not in section] == []
    named = import_module(f"khiva_arena.games.{game.name}.variants").NAMED
    assert [word for words in named.values() for word in words if f"`{word}`" not in section] == []


def test_each_ruling_and_open_point_is_named_in_the_code_and_has_a_test(game: Game) -> None:
    """As the start of a test's name: ``test_K3_...``."""
    numbers = {
        number
        for title in ("Rulings", "Open points: the rules map")
        for number in table(game, title)
    } - {"-", "no"}
    assert len(numbers) > 10
    code = "\n".join(
        path.read_text("utf-8")
        for path in (ROOT / "khiva_arena" / "games" / game.name).glob("*.py")
    )
    tests = "\n".join(path.read_text("utf-8") for path in (HERE / game.name).glob("test_*.py"))
    assert [number for number in sorted(numbers) if f"def test_{number}_" not in tests] == []
    letters = "".join(sorted({number[0] for number in numbers}))
    named = set(
        re.findall(rf"\b[{letters}]\d+b?\b", code.replace("E741", ""))
    )  # a rule of the linter
    assert named <= numbers, "the code names what RULES.md does not have"
    ranges = {
        f"{a[0]}{n}"
        for a, b in re.findall(r"\b(\w\d+)-(\w?\d+)\b", code)
        for n in range(int(a[1:]), int(re.sub(r"\D", "", b)) + 1)
    }
    assert numbers - named - ranges == set()


def test_its_numbers_are_measured_and_its_views_are_tested(game: Game) -> None:
    for name in (
        "sanity.py",
        "vectors.py",
        "page.md",
        f"test_{game.name}_views.py",
        f"test_{game.name}_conformance.py",
    ):
        assert (HERE / game.name / name).is_file(), f"tests/games/{game.name}/{name} is missing"


def test_each_rule_says_what_it_can_be(game: Game) -> None:
    assert list(game.variants) == list(game.every_rule(game.rules({})))
    assert all(game.variants.values())


def deep() -> list[Any]:
    nest: list[Any] = []
    for _ in range(100_000):
        nest = [nest]
    return nest


def test_no_rules_map_does_anything_but_be_taken_or_be_refused(game: Game) -> None:
    """Every key with junk of every kind: RulesError, in a message of bounded length."""
    for junk in (
        deep(),
        10**6000,
        -1,
        1.5,
        float("nan"),
        b"x",
        "x" * 10**6,
        "",
        {1: 2},
        {"a": deep()},
        [[]] * 10**5,
        {3},
        ...,
    ):
        for key in (*game.variants, "no such rule"):
            with pytest.raises(RulesError) as caught:
                game.rules({key: junk})
            assert len(str(caught.value)) < 20_000
    with pytest.raises(RulesError):
        game.rules({10**6000: 1})  # type: ignore[dict-item]


def test_there_is_a_playthrough_for_each_seat_count_and_for_each_rule(game: Game) -> None:
    assert game.name in MATCHES, "tests/playthroughs/make.py has no line for it"
    matches = MATCHES[game.name]
    assert [match.seats for match in matches if not match.rules] == list(game.seats)
    default = game.every_rule(game.rules({}))
    varied = [game.every_rule(game.rules(match.rules)) for match in matches]
    assert [
        key for key, value in default.items() if all(rules[key] == value for rules in varied)
    ] == []


def test_its_schemas_and_page_are_current(game: Game) -> None:
    folder = PROTOCOL / "schema" / game.name
    published = {f"{game.name}/{path.name}": path.read_text("utf-8") for path in folder.iterdir()}
    made = {
        name: text for name, text in schema.schemas().items() if name.startswith(f"{game.name}/")
    }
    assert published == made, "run `make schema` and read the diff"
    page = (PROTOCOL / "games" / f"{game.name}.md").read_text("utf-8")
    assert page == PAGES["page"](game), "run `make playthroughs` and read the diff"


def lists_of(part: dict[str, Any], defs: dict[str, Any], path: str = "") -> set[str]:
    """Paths to the lists of a schema of a view, not to those within them."""
    part = defs.get(part.get("$ref", "").rpartition("/")[2], part)
    if part.get("type") == "array":
        return {path}
    found = {inner for branch in part.get("anyOf", ()) for inner in lists_of(branch, defs, path)}
    if isinstance(part.get("additionalProperties"), dict):
        found |= lists_of(part["additionalProperties"], defs, path)
    for key, inner in part.get("properties", {}).items():
        found |= lists_of(inner, defs, f"{path}.{key}" if path else key)
    return found


def order_of_lists(game: Game) -> dict[str, str]:
    """What the page of a game says of the order of each list of the view."""
    page = (PROTOCOL / "games" / f"{game.name}.md").read_text("utf-8")
    rows = [
        line.split("|")
        for line in PAGES["section"](page, "Lists, numbers and rules").splitlines()
        if line.startswith("| `")
    ]
    pairs = [
        (name, order.strip())
        for _, names, order, _ in rows
        for name in re.findall(r"`([\w.]+)`", names)
    ]
    assert len(pairs) == len(dict(pairs)), "a list is named twice"
    return dict(pairs)


def found_at(view: Any, path: str) -> Any:
    """The value there, None where a part of the path is null or missing."""
    for key in path.split("."):
        view = view.get(key) if isinstance(view, dict) else None
    return view


@pytest.mark.slow
def test_its_page_says_the_order_of_every_list_of_a_view_and_it_is_so(game: Game) -> None:
    """Of views of all playthroughs: how long the lists by seat and those of fixed
    places are, and which of them rise.
    """
    view_schema = schema.of_game(game)["view"]
    orders = order_of_lists(game)
    assert set(orders) == lists_of(view_schema, view_schema["$defs"])
    checked: set[str] = set()
    for match in MATCHES[game.name]:
        for number, (_, state, _) in enumerate(PLAYTHROUGHS["steps"](game.name, match)):
            if number % 20 and not state.is_over:
                continue
            view = state.view(number % match.seats)
            for path, order in orders.items():
                value = found_at(view, path)
                if not isinstance(value, list):
                    continue
                checked.add(path)
                places = re.match(r"(\d+) places", order)
                if places or order.startswith("by seat"):
                    assert len(value) == (int(places[1]) if places else match.seats), path
                if each := re.search(r"each of (\d+)", order):
                    assert {len(inner) for inner in value} <= {int(each[1])}, path
                for rising in (
                    value
                    if "each rising" in order
                    else [value]
                    if order.startswith("rising")
                    else []
                ):
                    assert rising == sorted(rising), path
    assert set(orders) - checked <= {
        path for path in orders if path == "cities" or path.startswith("ask.")
    }


def test_its_page_says_where_rules_come_and_which_integers_may_be_negative(game: Game) -> None:
    """Those that were negative in the playthroughs are among them, and what is said of
    events and hidden things is.
    """
    page = (PROTOCOL / "games" / f"{game.name}.md").read_text("utf-8")
    part = PAGES["section"](page, "Lists, numbers and rules")
    assert "`rules` come in `hello`" in part
    default = game.rules({})
    assert [
        key for key in game.every_rule(default) if key not in default and f"`{key}`" not in part
    ] == []
    assert "a bot that ignores events loses nothing that is hidden" in " ".join(page.split())
    signed = set(
        re.findall(r"`([\w.]+)`", part.partition("Integers")[2].partition("may be negative")[0])
    )
    seen: set[str] = set()
    for match in MATCHES[game.name]:
        for number, (events, state, _) in enumerate(PLAYTHROUGHS["steps"](game.name, match)):
            for event in events:
                seen |= {f"{event.data['type']}.{path}" for path in negatives(event.data)}
            if number % 10 == 0:
                seen |= set(negatives(state.view(0)))
    assert seen <= signed
    assert bool(seen) == bool(signed)


def negatives(value: Any, path: str = "") -> set[str]:
    """Paths to the integers below 0, lists left out of the path."""
    if isinstance(value, dict):
        return {
            found
            for key, item in value.items()
            for found in negatives(item, f"{path}.{key}" if path else key)
        }
    if isinstance(value, list):
        return {found for item in value for found in negatives(item, path)}
    return {path} if type(value) is int and value < 0 else set()


Keys = jsonschema.validators.extend(jsonschema.Draft202012Validator, {"properties": lambda *_: ()})
"""Checks which keys an object has, and none of their values."""


class Fits:
    """Checks values by a schema, level by level: what fitted its part of the schema
    once is not looked at again.
    """

    def __init__(self, whole: dict[str, Any]) -> None:
        jsonschema.Draft202012Validator.check_schema(whole)
        self._defs = whole["$defs"]
        self._levels: dict[
            int, tuple[Any, Any]
        ] = {}  # by id of a part: that part, so that its id stays its own
        self._good: set[tuple[int, str]] = set()

    def check(self, part: dict[str, Any], value: Any) -> None:
        if (key := (id(part), repr(value))) in self._good:
            return
        part = self._defs.get(part.get("$ref", "").rpartition("/")[2], part)
        if id(part) not in self._levels:
            kind = Keys if "properties" in part else jsonschema.Draft202012Validator
            own = {keyword: rule for keyword, rule in part.items() if keyword != "items"}
            self._levels[id(part)] = part, kind({**own, "$defs": self._defs})
        self._levels[id(part)][1].validate(value)
        if isinstance(value, dict):
            for name, inner in part.get("properties", {}).items():
                if name in value:
                    self.check(inner, value[name])
        elif isinstance(value, list) and "items" in part:
            for item in value[len(part.get("prefixItems", ())) :]:
                self.check(part["items"], item)
        self._good.add(key)


def validators(game: Game) -> dict[str, Callable[[Any], None]]:
    """By "view", kind of decision and type of event; each branch by itself, since
    trying all of them takes long.
    """
    made = schema.of_game(game)
    fits = {name: Fits(whole) for name, whole in made.items()}
    parts = {"view": partial(fits["view"].check, made["view"])}
    for name, schema_of_all in (("legal", "decision"), ("event", "event")):
        for one in made[schema_of_all]["anyOf"]:
            parts[f"{name} {one['$ref'].rpartition('/')[2]}"] = partial(
                fits[schema_of_all].check, one
            )
    return parts


@pytest.mark.slow
def test_all_that_its_bots_get_fits_the_schemas_and_every_shape_occurs(game: Game) -> None:
    """In all matches of the playthroughs: each event, each decision (each list once), a
    view at every third step.
    """
    valid = validators(game)
    seen: set[str] = set()
    lists: dict[int, Any] = {}
    for match in MATCHES[game.name]:
        for number, (events, state, _) in enumerate(PLAYTHROUGHS["steps"](game.name, match)):
            pending = state.pending()
            for event in events:
                seen.add(name := f"event {event.data['type']}")
                valid[name](event.data)
            for seat in (
                range(match.seats) if state.is_over else list(pending) if number % 3 == 0 else ()
            ):
                valid["view"](state.view(seat))
            for decision in pending.values():
                assert len(decision.legal) < MOST_ENTRIES
                seen.add(name := f"legal {decision.kind}")
                if id(decision.legal) not in lists:
                    lists[id(decision.legal)] = (
                        decision.legal
                    )  # kept, so that no other list gets its id
                    valid[name]({"kind": decision.kind, "legal": list(decision.legal)})
    assert seen == set(valid) - {"view"}


def test_what_does_not_fit_is_found_at_every_level(game: Game) -> None:
    """By the check above, which takes a schema apart."""
    valid = validators(game)
    state, _ = game.new(game.seats[0], game.rules({}), bytes(32))
    valid["view"](state.view(0))
    places = list(of_lists(state.view(0)))
    assert len(places) > 3
    for number in range(len(places)):
        view = state.view(0)
        list(of_lists(view))[number].append(1.5)
        with pytest.raises(jsonschema.ValidationError):
            valid["view"](view)
    for key in state.view(0):
        with pytest.raises(jsonschema.ValidationError):
            valid["view"]({name: value for name, value in state.view(0).items() if name != key})
    with pytest.raises(jsonschema.ValidationError):
        valid["view"]({**state.view(0), "more": 1})


def of_lists(value: Any) -> Iterator[list[Any]]:
    if isinstance(value, list):
        yield value
    for inner in (
        value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    ):
        yield from of_lists(inner)


def holes(made: Any, where: str = "") -> list[str]:
    """Places in a schema where anything goes."""
    if isinstance(made, list):
        return [hole for i, item in enumerate(made) for hole in holes(item, f"{where}/{i}")]
    if not isinstance(made, dict):
        return []
    found = [where] if made == {} and not where.endswith("/$defs") else []
    return found + [hole for key, item in made.items() for hole in holes(item, f"{where}/{key}")]


def test_the_schemas_are_closed_and_have_no_holes(game: Game) -> None:
    made = schema.of_game(game)
    assert holes(made) == []
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(5, made["decision"])
    state, (first, *_) = game.new(game.seats[0], game.rules({}), bytes(32))
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**state.view(0), "no such key": 1}, made["view"])
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**first.data, "no such key": 1}, made["event"])
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"kind": "no such kind", "legal": [[0], [1]]}, made["decision"])


def test_its_deals_are_published(game: Game) -> None:
    deals = json.loads((PROTOCOL / "vectors" / "deals" / f"{game.name}.json").read_text("utf-8"))[
        "deals"
    ]
    assert {deal["seats"] for deal in deals} == set(game.seats)


@pytest.mark.slow
def test_a_random_and_a_greedy_bot_play_it(game: Game) -> None:
    shipped = [
        bot_files.load(str(path.parent)) for path in sorted((ROOT / "bots").glob("*/*/bot.toml"))
    ]
    names = {bot.name for bot in shipped if not bot.games or game.name in bot.games}
    assert "random" in names
    assert any(name.startswith("greedy") for name in names)


def test_the_import_contracts_hold_it_apart(game: Game) -> None:
    settings = ConfigParser()
    settings.read(ROOT / ".importlinter")
    contracts = [settings[section] for section in settings.sections() if ":" in section]
    room = f"khiva_arena.games.{game.name}"
    assert any(
        room in contract["modules"].split()
        for contract in contracts
        if contract["type"] == "independence"
    )
    assert any(
        room in contract["containers"].split()
        for contract in contracts
        if contract["type"] == "layers"
    )


def test_the_documents_name_it(game: Game) -> None:
    for path in (
        ROOT / "README.md",
        ROOT / "bots" / "README.md",
        ROOT / "docs" / "games.md",
        PROTOCOL / "README.md",
    ):
        assert f"games/{game.name}.md)" in path.read_text("utf-8"), (
            f"{path} has no link to protocol/games/{game.name}.md"
        )
    assert re.search(rf"\b{game.title} for ", (ROOT / "CHANGELOG.md").read_text("utf-8"))
