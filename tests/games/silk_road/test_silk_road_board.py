"""The map R1, other maps, and the maps that are refused."""

import copy
import json

import pytest
from cases import cases
from wording import sentence

from khiva_arena.errors import RulesError
from khiva_arena.games import conformance
from khiva_arena.games.silk_road import GAME
from khiva_arena.games.silk_road import board as validator
from khiva_arena.games.silk_road import routes as search
from khiva_arena.games.silk_road.board import MAPS, board, check_map
from khiva_arena.games.silk_road.routes import MOST_STEPS

DISTANCES = [
    [0, 5, 6, 8, 10, 11],
    [11, 0, 4, 6, 8, 9],
    [10, 12, 0, 5, 7, 8],
    [8, 10, 11, 0, 5, 6],
    [6, 8, 9, 11, 0, 4],
    [5, 7, 8, 10, 12, 0],
]
R1 = board(GAME.rules({})["map"])


def changed(**keys):
    return {**copy.deepcopy(MAPS["r1"]), **keys}


def bound(monkeypatch: pytest.MonkeyPatch, name: str, most: int) -> None:
    """Set a bound of the validator and of the search that it asks."""
    for module in (validator, search):
        monkeypatch.setattr(module, name, most)


def test_R1_has_the_distances_of_the_sheet():
    for start in range(6):
        for target in range(6):
            if start != target:
                lengths = sorted(map(len, R1.routes[start, target]))
                assert lengths == [DISTANCES[start][target], DISTANCES[start][target] + 1], (
                    f"{start=} {target=}"
                )


def test_R1_has_22_villages_six_cities_and_is_labelled_as_reconstructed():
    assert (R1.villages, R1.cities) == (22, 6)
    assert "Reconstructed" in MAPS["r1"]["note"]
    assert len(MAPS["r1"]["tiles"]) == 22


def test_R1_the_three_first_trips_are_of_equal_length():
    assert [
        len(min(R1.routes[ends], key=len)) for ends in zip(R1.starts, R1.targets, strict=True)
    ] == [8, 8, 8]


def test_a_route_obeys_signposts_and_enters_no_other_city():
    posts = {
        (R1.index[village], R1.index[city]): R1.index[way]
        for village, signs in MAPS["r1"]["signposts"].items()
        for city, way in signs.items()
    }
    for (start, target), routes in R1.routes.items():
        for route in routes:
            assert route[-1] == target, f"{routes=} {start=} {target=} {route=}"
            assert min(route[:-1], default=R1.cities) >= R1.cities, (
                f"{routes=} {start=} {target=} {route=}"
            )
            for here, there in zip((start, *route), route, strict=False):
                assert posts.get((here, target), there) == there, (
                    f"{routes=} {start=} {target=} {route=}"
                )


def test_every_place_that_a_caravan_can_stand_on_has_a_way_on():
    for (start, target), routes in R1.routes.items():
        if start < R1.cities:
            assert all((place, target) in R1.routes for route in routes for place in route[:-1])


def test_a_route_passes_no_place_twice():
    assert all(
        len({start, *route}) == len(route) + 1
        for (start, _), routes in R1.routes.items()
        for route in routes
    )


LINE = {
    "name": "line",
    "cities": ["A", "B", "C", "D", "E", "F"],
    "starts": ["A", "B", "C"],
    "targets": ["D", "E", "F"],
    "villages": ["a", "b", "c", "d", "e", "f", "hub"],
    "two_way": [["A", "a"], ["B", "b"], ["C", "c"], ["D", "d"], ["E", "e"], ["F", "f"]]
    + [[village, "hub"] for village in "abcdef"],
    "tiles": dict.fromkeys(["a", "b", "c", "d", "e", "f", "hub"], "bazaar"),
}
STAR = {"map": LINE, "tiles": {"bazaar": 7}}


def test_a_map_of_two_way_roads():
    star = board(GAME.rules(STAR)["map"])
    names = [
        [star.names[place] for place in route]
        for route in star.routes[star.index["hub"], star.index["E"]]
    ]
    assert names == [["e", "E"]]
    # No turning back: from A to D there is one way, and a village off it is not
    # entered.
    assert [[star.names[p] for p in route] for route in star.routes[0, 3]] == [
        ["a", "hub", "d", "D"]
    ]


@pytest.mark.slow
def test_a_match_on_another_map():
    """Its tiles are all alike, so that shuffled ones would be the same match."""
    assert conformance.check_game(GAME, [{**STAR, "layout": "fixed"}], matches=1) > 300
    assert GAME.rules(STAR)["map"]["note"] == ""


def test_rows_are_in_order_and_the_same_objects_again():
    rows = R1.rows(3, R1.index["Chang'an"], 0, -1, -1)
    assert rows is R1.rows(3, R1.index["Chang'an"], 0, R1.index["Samarkand"], -1)
    assert [[family[2] for family in families] for families in rows[:3]] == [
        [[2, 1, 3, "out_Cha"], [2, 1, 3, "in_Cha"]],
        [[2, 2, 3, "r5"], [2, 2, 3, "r6"]],
        [[2, 3, 3, "r6"], [2, 3, 3, "r7"]],
    ]


REFUSED = {
    "an unknown key": (changed(extra=1), "map: unknown key 'extra'"),
    "no cities": (
        {key: value for key, value in MAPS["r1"].items() if key != "cities"},
        "map: cities is missing",
    ),
    "an empty name": (changed(name=""), sentence("games", "map-name-text")),
    "a name with a space before it": (changed(name=" r1"), sentence("games", "map-name-text")),
    "a name with a line end": (changed(name="r\n1"), sentence("games", "map-name-text")),
    "a long name": (
        changed(name="r" * 41),
        sentence("games", "map-name-text-printable", name_length="40"),
    ),
    "a note that is a number": (changed(note=7), sentence("games", "map-note-text-most")),
    "a note that cannot be printed": (
        changed(note="\x1b[2J"),
        sentence("games", "map-note-text-most"),
    ),
    "a long note": (changed(note="-" * 201), sentence("games", "map-note-text-most")),
    "villages that are numbers": (
        changed(villages=[1, 2]),
        sentence("games", "map-list-names", value="villages"),
    ),
    "a village that is a space": (
        changed(villages=["r0", " "]),
        sentence("games", "map-list-names", value="villages"),
    ),
    "a village without a name": (
        changed(villages=["r0", ""]),
        sentence("games", "map-list-names", value="villages"),
    ),
    "a village with a space behind it": (
        changed(villages=["r0", "r1 "]),
        sentence("games", "map-list-names", value="villages"),
    ),
    "a city with a tab": (
        changed(cities=["By\tzanz"]),
        sentence("games", "map-list-names", value="cities"),
    ),
    "a start with a space before it": (
        changed(starts=[" Tashkent"]),
        sentence("games", "map-list-names", value="starts"),
    ),
    "a road with one end": (
        changed(one_way=[["r0"]]),
        sentence("games", "map-list-pairs-names", value="one_way"),
    ),
    "a road to a space": (
        changed(two_way=[["r0", " r1"]]),
        sentence("games", "map-list-pairs-names", value="two_way"),
    ),
    "a signpost at a space": (
        changed(signposts={"r0 ": {}}),
        sentence("games", "map-signposts-table-village"),
    ),
    "a signpost for a space": (
        changed(signposts={"r0": {"Byzanz ": "r1"}}),
        sentence("games", "map-signposts-table-village"),
    ),
    "a tile with a space": (
        changed(tiles={"r0": " bazaar"}),
        sentence("games", "map-tiles-table-village"),
    ),
    "a signpost that is no table": (
        changed(signposts={"r0": "Byzanz"}),
        sentence("games", "map-signposts-table-village"),
    ),
    "tiles that are a list": (
        changed(tiles=["bazaar"]),
        sentence("games", "map-tiles-table-village"),
    ),
    "a village twice": (
        changed(villages=[*MAPS["r1"]["villages"], "r0"]),
        sentence("games", "map-two-places-called", name="'r0'"),
    ),
    "too few cities": (changed(cities=MAPS["r1"]["cities"][:5]), "map: 5 cities; at least 6"),
    "a city called bag": (
        changed(cities=[*MAPS["r1"]["cities"], "bag"]),
        sentence("games", "map-city-cannot-called", bag="'bag'"),
    ),
    "no villages": (changed(villages=[]), sentence("games", "map-no-village")),
    "too many places": (
        changed(villages=[f"v{i}" for i in range(95)]),
        "map: 101 places; at most 100",
    ),
    "too few starts": (
        changed(starts=["Tashkent", "Amritsar"]),
        "map: starts names 2 cities, not 3",
    ),
    "a start that is no city": (
        changed(starts=["Tashkent", "Amritsar", "Palmyra"]),
        sentence("games", "map-names-not-city", value="starts", name="'Palmyra'"),
    ),
    "a start that is a target": (
        changed(targets=["Tashkent", "Samarkand", "Byzanz"]),
        "map: 'Tashkent' is named twice",
    ),
    "a road to nowhere": (
        changed(one_way=[*MAPS["r1"]["one_way"], ["r0", "oasis"]]),
        sentence("games", "map-road-names-not", a="'r0'", b="'oasis'", name="'oasis'"),
    ),
    "a road to itself": (
        changed(one_way=[*MAPS["r1"]["one_way"], ["r0", "r0"]]),
        sentence("games", "map-road-leads-itself", a="'r0'"),
    ),
    "a road twice": (
        changed(one_way=[*MAPS["r1"]["one_way"], ["r1", "r0"]]),
        sentence("games", "map-two-roads-join", a="'r1'", b="'r0'"),
    ),
    "a signpost outside": (
        changed(signposts={"oasis": {}}),
        sentence("games", "map-signpost-stands", village="'oasis'"),
    ),
    "a signpost for no city": (
        changed(signposts={"r0": {"Palmyra": "r1"}}),
        sentence("games", "map-signpost-names-not", village="'r0'", city="'Palmyra'"),
    ),
    "a signpost against a road": (
        changed(signposts={"r1": {"Byzanz": "r0"}}),
        sentence("games", "map-signpost-points-where", village="'r1'", way="'r0'"),
    ),
    "a signpost into a city": (
        changed(signposts={"in_Byz": {"Isfahan": "Byzanz"}}),
        "the signpost at 'in_Byz' for 'Isfahan' points into 'Byzanz'",
    ),
    "a tile outside": (
        changed(tiles={**MAPS["r1"]["tiles"], "oasis": "bazaar"}),
        sentence("games", "map-tile-lies-not", village="'oasis'"),
    ),
    "an unknown tile": (
        changed(tiles={**MAPS["r1"]["tiles"], "r0": "casino"}),
        sentence("games", "map-not-tile", tile="'casino'", village="'r0'"),
    ),
    "too few tiles": (
        changed(tiles={"r0": "bazaar"}),
        sentence("games", "villages-tiles-none", given="22", tiles="1", repr="'r1'"),
    ),
    "a start without a way": (
        changed(two_way=MAPS["r1"]["two_way"][1:]),
        sentence("games", "map-no-way-leads", names="'Samarkand'", names_2="'Byzanz'"),
    ),
    "a village without a way": (
        changed(one_way=[road for road in MAPS["r1"]["one_way"] if road != ["r9", "r0"]]),
        sentence("games", "map-no-way-leads-2"),
    ),
    "a signpost away from a target": (
        changed(signposts={"r2": {"Samarkand": "r3"}}),
        sentence("games", "map-no-way-leads", names="'Byzanz'", names_2="'Samarkand'"),
    ),
    "a way that ends": (
        changed(signposts={"in_Byz": {"Samarkand": "r0"}, "r2": {"Samarkand": "r3"}}),
        sentence("games", "leads-dead-end"),
    ),
    "a village off the roads": (
        changed(villages=[*MAPS["r1"]["villages"], "oasis"], tiles={}),
        sentence("games", "map-village-lies-no", name="'oasis'"),
    ),
}


@cases(("given", "says"), REFUSED.values(), ids=REFUSED)
def test_a_wrong_map_is_refused(given, says):
    canonical, problems = check_map(given)
    assert canonical is None
    assert [problem for problem in problems if says in problem]
    with pytest.raises(RulesError) as caught:
        GAME.rules({"map": given})
    assert set(problems) <= set(caught.value.problems)


def test_every_mistake_of_a_map_is_reported_at_once():
    wrong = changed(
        starts=["Tashkent", "Amritsar", "Palmyra"],
        one_way=[["r0", "oasis"]],
        tiles={"r0": "casino"},
    )
    _, problems = check_map(wrong)
    assert [
        word
        for word in ("Palmyra", "oasis", "casino", "tiles for 1")
        if not any(word in line for line in problems)
    ] == []


# --- bounds ---


def net(villages, joined):
    """Each village is joined with so many next ones, and with every city."""
    names = [f"v{i}" for i in range(villages)]
    roads = [[a, b] for i, a in enumerate(names) for b in names[i + 1 : i + 1 + joined]]
    return {
        **LINE,
        "villages": names,
        "two_way": roads + [[city, v] for city in "ABCDEF" for v in names],
        "tiles": {},
    }


def ring(cities, villages, name="{}{}"):
    """A one-way ring of villages; each city lies beside one of them: from city to city
    there is exactly one way.
    """
    towns = [name.format("c", i) for i in range(cities)]
    stops = [name.format("v", i) for i in range(villages)]
    return {
        "name": "ring",
        "cities": towns,
        "starts": towns[:3],
        "targets": towns[3:6],
        "villages": stops,
        "one_way": [list(pair) for pair in zip(stops, [*stops[1:], stops[0]], strict=True)],
        "two_way": [list(pair) for pair in zip(towns, stops, strict=False)],
    }


def test_a_map_with_too_many_ways_is_refused():
    assert check_map(net(12, 12))[1] == [
        sentence("games", "map-too-many-ways-2", names="'B'", names_2="'A'")
    ]
    assert MOST_STEPS * 3 * 5 < 2000


def test_as_many_steps_as_may_be_are_taken(monkeypatch):
    most = max(sum(map(len, routes)) for routes in R1.routes.values())
    bound(monkeypatch, "MOST_STEPS", most)
    assert check_map("r1")[1] == []
    bound(monkeypatch, "MOST_STEPS", most - 1)
    assert check_map("r1")[1][0].startswith(sentence("games", "map-too-many-ways"))


def test_a_map_as_large_as_may_be_is_searched_whole():
    assert check_map(ring(20, 20))[1] == []
    assert check_map(ring(50, 50))[1] == []
    assert check_map(ring(6, 94))[1] == []


def test_a_search_that_is_cut_off_names_no_two_places(monkeypatch):
    """No two of them need have more than one way between them."""
    bound(monkeypatch, "SEARCH", 50_000)
    assert check_map(ring(50, 50))[1] == [sentence("games", "map-too-many-ways-3", search="50,000")]


def test_the_search_of_a_whole_map_has_one_budget(monkeypatch):
    """One step for each place that a search stands on: here the ring up to its start,
    and the city it starts from.
    """
    steps = 6 * (8 * 8 + 5 * 9)
    bound(monkeypatch, "SEARCH", steps)
    assert check_map(ring(6, 8))[1] == []
    bound(monkeypatch, "SEARCH", steps - 1)
    assert check_map(ring(6, 8))[1] == [sentence("games", "map-too-many-ways-3", search=steps - 1)]


def test_a_careless_map_is_refused_without_a_search():
    """Fifty cities from which roads lead out, none in: what leads nowhere is not walked
    through.
    """
    chart = ring(50, 50)
    stops = chart["villages"]
    chart["one_way"] = chart["two_way"]
    chart["two_way"] = [[stops[i], stops[(i + far) % 50]] for i in range(50) for far in range(1, 8)]
    _, problems = check_map(chart)
    assert (len(problems), problems[0]) == (
        51,
        sentence("games", "map-no-way-leads", names="'c0'", names_2="'c1'"),
    )
    assert problems[-1] == f"and {50 * 49 + 50 - 50} mistakes more"


def test_what_cannot_lead_to_a_city_is_not_searched(monkeypatch):
    """Villages into which a road leads and none out cost no step of the budget that the
    ring takes.
    """
    chart = ring(6, 8)
    blind = [f"x{i}" for i in range(10)]
    chart["villages"] += blind
    chart["one_way"].append(["v0", "x0"])
    chart["two_way"] += [[a, b] for i, a in enumerate(blind) for b in blind[i + 1 :]]
    bound(monkeypatch, "SEARCH", 6 * (8 * 8 + 5 * 9))
    assert check_map(chart)[1] == [
        sentence("games", "map-village-lies-no", name=f"{name!r}") for name in blind
    ]


def test_a_map_has_at_most_400_roads():
    assert check_map(net(30, 30))[1] == ["map: 615 roads; at most 400"]
    roads = [["r0", "r1"]] * 300
    assert (
        "map: 401 roads; at most 400" in check_map(changed(one_way=roads, two_way=roads[:101]))[1]
    )
    assert not [
        line
        for line in check_map(changed(one_way=roads, two_way=roads[:100]))[1]
        if "at most" in line
    ]


def test_a_map_has_at_most_100_places():
    assert not [line for line in check_map(ring(6, 94))[1] if "places" in line]
    assert check_map(ring(6, 95))[1] == ["map: 101 places; at most 100"]


@pytest.mark.parametrize("key", ["starts", "targets", "signposts", "tiles"])
def test_other_lists_of_a_map_have_at_most_100_entries(key):
    for entries in (100, 101):
        names = [f"v{i}" for i in range(entries)]
        value = (
            names
            if key in ("starts", "targets")
            else {name: {} if key == "signposts" else "bazaar" for name in names}
        )
        _, problems = check_map(changed(**{key: value}))
        assert (problems == [f"map: {entries} entries in {key}; at most 100"]) == (entries > 100)


def test_a_map_has_at_most_65_536_characters(monkeypatch):
    """Counted as JSON writes them: twelve for this letter."""
    (problem,) = check_map(ring(50, 50, "\N{BACTRIAN CAMEL}" * 37 + "{}{}"))[1]
    assert problem.endswith(" " + sentence("games", "characters-json-most", most_text="65,536"))
    size = len(json.dumps(GAME.rules({})["map"]))
    monkeypatch.setattr(validator, "MOST_TEXT", size)
    assert check_map("r1")[1] == []
    monkeypatch.setattr(validator, "MOST_TEXT", size - 1)
    assert check_map("r1")[1] == [
        sentence("games", "map-characters-json-most", size=f"{size:,}", most_text=f"{size - 1:,}")
    ]


@pytest.mark.parametrize(
    ("wrong", "told", "last"), [(50, 50, "unknown key 'k49'"), (51, 51, "and 1 mistake more")]
)
def test_of_many_mistakes_the_first_fifty_are_told(wrong, told, last):
    _, problems = check_map(changed(**{f"k{i}": 1 for i in range(wrong)}))
    assert (len(problems), problems[0][:22]) == (told, "map: unknown key 'k0';")
    assert last in problems[-1]


def test_a_village_may_be_called_bag_and_the_longest_names_are_taken():
    long = "x" * 40
    given = json.loads(
        json.dumps({**LINE, "note": "-" * 200})
        .replace('"hub"', '"bag"')
        .replace('"A"', f'"{long}"')
    )
    assert check_map(given)[1] == []
