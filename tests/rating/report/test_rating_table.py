"""The table as text, compared column by column, and as JSON, whose keys are a
promise.
"""

import json
import random
import re

import msgspec
import pytest
from made_results import listed
from wording import sentence

from khiva_arena.common.result import Measured, Verdict
from khiva_arena.rating.ratings.elo import PRIOR_GAMES
from khiva_arena.rating.report import section_text
from khiva_arena.rating.report.rating_table import shown_columns, to_json, to_text
from khiva_arena.rating.report.sections import SectionRequest, sections
from khiva_arena.rating.report.standings import AnchorAt, Entrant, standings

NAMES = (
    "random",
    "greedy",
    "planner",
    "a-bot-with-quite-a-long-name-indeed",
    "carl",
    "dora",
    "emil",
)
BOTS = tuple(Entrant(f"id-{i}", name) for i, name in enumerate(NAMES))


def rows(bots=7, seeds=12, seats=3, faults=False):
    rng = random.Random(20261120)
    for seed in range(seeds):
        for line_up in range(bots):
            at = [(line_up + i * (1 + seed % 2)) % bots for i in range(seats)]
            for r in range(seats):
                order = [at[(i + r) % seats] for i in range(seats)]
                points = [b / 4 + rng.gauss(0, 1) for b in order]
                bad = [faults and b == 4 and rng.random() < 0.7 for b in order]
                points = [-9 if f else p for f, p in zip(bad, points, strict=True)]
                ranks = tuple(1 + sum(o > p for o in points) for p in points)
                verdicts = tuple((Verdict.CRASHED,) if f else () for f in bad)
                name = f"{seed}/{line_up}"
                yield listed(
                    "e", name, r, f"s{seed}", order, ranks, verdicts, voids=int(faults and r == 0)
                )


def check_shown(found, columns, says):
    """Compare the columns of a table that are given, and all that is said below it,
    where there is room for more columns.
    """
    table, below = to_text(found, width=130).split("\n\n", 1)
    edges = [[cell.end() for cell in re.finditer(r"\S+", line)] for line in table.split("\n")]
    assert len({tuple(ends[:1] + ends[2:]) for ends in edges}) == 1, (
        "all but the name end in one line"
    )
    head, *lines = (re.split(" {2,}", line.strip()) for line in table.split("\n"))
    found = {
        name: "  ".join(cells) for name, cells in zip(head, zip(*lines, strict=True), strict=True)
    }
    assert {name: found.get(name) for name in columns} == columns
    assert f"\n{below}" == says


def test_a_plain_table():
    check_shown(standings(rows(), BOTS), PLAIN, PLAIN_SAYS)


def test_a_table_with_everything_to_say():
    some = list(rows(faults=True))
    some[-1] = listed("e", some[-1].table, 2, "s11", some[-1].bots, voids=2, set_aside=True)
    check_shown(standings([*some[:18], *some[20:]], BOTS), BUSY, BUSY_SAYS)


def test_a_table_without_numbers():
    check_shown(
        standings(rows(bots=3, seeds=1), (*BOTS[:3], Entrant("x", "idle"))), BARE, BARE_SAYS
    )


def test_the_table_fits_100_columns_with_7_bots_on_5_seats():
    text = to_text(standings(rows(seats=5, seeds=30, faults=True), BOTS))
    assert max(map(len, text.split("\n"))) <= 100


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
@pytest.mark.parametrize("faults", [False, True])
def test_a_table_is_as_wide_as_it_may_be_and_no_wider(seats, faults):
    found = standings(rows(seats=seats, seeds=40, faults=faults), BOTS)
    lines = {width: to_text(found, width).split("\n\n")[0].split("\n") for width in (100, 130, 160)}
    assert all(max(map(len, lines[width])) <= width for width in lines)
    assert len({len(line) for line in lines[100]}) == 1
    for text in lines.values():
        assert "1st" in text[0]
        assert ["2nd", "3rd", "4th", "5th"][seats - 2] in text[
            0
        ]  # the last place, whatever had to go
    assert "a-bot-with-quite-a-lo..." in "".join(lines[160])
    assert sum(place in lines[160][0] for place in ("1st", "2nd", "3rd", "4th", "5th")) == seats


@pytest.mark.parametrize("seats", [2, 3, 5])
@pytest.mark.parametrize("width", [50, 60, 80])
def test_a_table_fits_a_narrow_terminal_and_says_what_it_leaves_out(seats, width):
    found = standings(rows(seats=seats, seeds=40, faults=True), BOTS)
    columns, text = shown_columns(found, wide=False), to_text(found, width)
    lines = text.split("\n")
    assert max(map(len, lines)) <= width
    assert len(lines[: len(BOTS) + 1]) == len(
        {line.split()[0] for line in lines[: len(BOTS) + 1]}
    )  # a line a bot, none broken
    heads = lines[0].split()
    assert heads[:5] == ["rank", "bot", "ranks", "elo", "+/-"]
    gone = [column.head for column in columns if column.head not in heads]
    assert gone
    last = max(column.leaves for column in columns if column.head in gone)
    assert [
        column.head for column in columns if 0 < column.leaves < last and column.head in heads
    ] == []  # these went before
    assert sentence("report", "left-out-width-wide", heads=", ".join(gone)) in text.replace(
        "\n ", ""
    )


def test_columns_leave_a_narrow_table_in_this_order():
    columns = shown_columns(standings(rows(seats=5), BOTS), wide=True)
    leaving = sorted(
        (column for column in columns if column.leaves), key=lambda column: column.leaves
    )
    assert [column.head for column in leaving] == [
        *(
            "disk",
            "2nd",
            "3rd",
            "4th",
            "5th",
            "1st",
            "matches",
            "score%",
            "voids",
            "caused",
            "links",
            "seeds",
            "faults",
            "los%",
        ),
        "least",
    ]


@pytest.mark.parametrize(
    ("seats", "width"), [(2, 75), (3, 80), (3, 85), (3, 100), (4, 90), (5, 100)]
)
def test_the_places_stay_when_the_reads_of_a_disk_go(seats, width):
    """A bot of a large runtime brings the column of disk; it takes no other one from a
    table.
    """
    plain = list(rows(seats=seats, seeds=40))
    reads = [
        msgspec.structs.replace(
            row, measured=tuple(Measured(page_faults=14 * (bot == 2)) for bot in row.bots)
        )
        for row in plain
    ]
    assert "disk" in to_text(standings(reads, BOTS), 160).split("\n")[0].split()
    heads = to_text(standings(reads, BOTS), width).split("\n")[0].split()
    assert [head for head in heads if head != "disk"] == to_text(
        standings(plain, BOTS), width
    ).split("\n")[0].split()


def test_letters_that_are_two_columns_wide_do_not_shift_a_column():
    from rich.cells import cell_len

    named = [
        Entrant(bot.id, name)
        for bot, name in zip(
            BOTS,
            ("中文名字", "plain", "e\u0301tude", "한국어 아주 긴 이름의 로봇", "x", "y", "z"),
            strict=True,
        )
    ]
    for width in (60, 100):
        lines = to_text(standings(rows(), named), width).split("\n")[:8]
        assert len({cell_len(line) for line in lines}) == 1
        assert cell_len(lines[0]) <= width


def test_an_error_from_fewer_than_five_seeds_is_marked_as_rough():
    for seeds, rough in ((1, False), (2, True), (4, True), (5, False)):
        found = standings(rows(seeds=seeds), BOTS)
        assert [row.rough for row in found.rows] == [rough and row.error != 0 for row in found.rows]
        text = to_text(found)
        shown = [line.split("  ")[-1] for line in text.split("\n")[1:8]]
        assert len(shown) == 7
        assert text.count("  ~") == 6 * rough
        assert (
            sentence("report", "fewer-seeds-error-itself", rough="~", fewest_seeds="5") in text
        ) is rough


def test_the_likelihood_names_its_prior():
    said = sentence("report", "under-prior-bot-drew")
    assert said in to_text(standings(rows(), BOTS)).replace("\n ", "")
    assert PRIOR_GAMES == 1


def test_a_wide_table_has_every_column_and_whole_names():
    found = standings(rows(seats=5, seeds=12), BOTS)
    head, *lines = to_text(found, wide=True).split("\n\n")[0].split("\n")
    assert head.split() == [
        *(
            "rank",
            "bot",
            "marks",
            "ranks",
            "elo",
            "+/-",
            "least",
            "los%",
            "matches",
            "seeds",
            "score%",
        ),
        *("1st", "2nd", "3rd", "4th", "5th"),
        *(
            "faults",
            "voids",
            "caused",
            "links",
            "disk",
            "ties%",
            "pool+/-",
            "quasi",
            "deff",
            "opp",
            "ff-elo",
            "ff+/-",
        ),
    ]
    assert any(NAMES[3] in line for line in lines)


def test_anchors_with_numbers_are_named_and_one_that_contradicts_the_others_told():
    given = [AnchorAt("random", 0), AnchorAt("emil", 900, 10), AnchorAt("id-1", 50, 200)]
    text = to_text(standings(rows(), BOTS, anchors=given)).replace("\n ", "")
    assert (
        "+/- is 95 %, with random at 0, emil at 900 (sd 10), greedy at 50 (sd 200), clustered"
        in text
    )
    assert "Anchor emil is given as 900.0; the results place it at " in text
    assert "Anchor greedy" not in text


def whitewash(seeds):
    lost = [
        listed("e", f"{k}/0", r, f"s{k}", (0, 1)[:: 1 - 2 * r], (2 - r, 1 + r))
        for k in range(seeds)
        for r in (0, 1)
    ]
    return standings(lost, BOTS[:2])


def test_where_a_bot_never_takes_a_point_there_is_a_bound_in_place_of_an_error():
    found = whitewash(6)
    row = found.rows[0]
    assert (row.error, row.high, row.rank_interval) == (None, None, (1, 1))
    text = to_text(found)
    assert f"  >={row.elo:.1f}  >={row.low:.1f}  {row.los_next:.1f}  " in text.split("\n")[1]
    said = text.replace("\n ", "")
    assert (
        "elo is the prior's, +/- the 95 % bound of the results, or n/a. Give another "
        "--anchor to see" in said
    )
    assert (
        "Where one bot took all points of another, each seed counts as one match: nothing "
        "shows how alike a seed's are."
    ) in said


@pytest.mark.parametrize("seeds", [2, 3, 4, 5])
def test_a_bound_that_does_not_tell_a_bot_from_the_anchor_is_none(seeds):
    """It was printed as ~>=-2398.5, in a column of errors."""
    row = whitewash(seeds).rows[0]
    assert row.bound == ">="
    assert (row.error, row.low, row.high, row.rough) == (None, None, None, False)
    assert "n/a" in to_text(whitewash(seeds)).split("\n")[1]


@pytest.mark.parametrize(("seeds", "ranks"), [(1, None), (3, None), (4, (1, 2)), (6, (1, 1))])
def test_ranks_at_two_seats_need_four_seeds(seeds, ranks):
    found = whitewash(seeds)
    assert found.rows[0].rank_interval == ranks
    assert ("ranks are n/a: at two seats they need 4 seeds or more." in to_text(found)) == (
        ranks is None
    )


def crashing():
    """id-1 beats id-0 always, but in the first match of every fourth seed, in which it
    crashes.
    """
    for k in range(20):
        for r in (0, 1):
            crash = k % 4 == 0 and r == 0
            ranks, faults = ((1, 2), ((), (Verdict.CRASHED,))) if crash else ((2, 1), ((), ()))
            turn = 1 - 2 * r
            yield listed("e", f"{k}/0", r, f"s{k}", (0, 1)[::turn], ranks[::turn], faults[::turn])


def test_a_fault_free_elo_that_is_a_bound_is_never_shown_as_a_number():
    found = standings(crashing(), BOTS[:2])
    row = found.rows[0]
    assert (row.name, row.bound, row.fault_free_bound, row.differs) == ("greedy", "", ">=", None)
    assert row.fault_free_error is None
    assert f"  >={row.fault_free_elo:.1f}  " in to_text(found, wide=True)
    text = to_text(found)
    assert (
        f"greedy: >={row.fault_free_elo:.1f} Elo over the 35 fault-free matches: only a bound."
        in text
    )
    assert text.replace(f">={row.fault_free_elo:.1f}", "").count(f"{row.fault_free_elo:.1f}") == 0


def test_no_seed_that_differs_from_another_is_no_certainty():
    """The first seat always wins: no seed says anything else, so there is no error, and
    nobody is told apart.
    """
    some = [
        listed("e", f"{k}/0", r, f"s{k}", (0, 1)[:: 1 - 2 * r], (1, 2))
        for k in range(30)
        for r in (0, 1)
    ]
    found = standings(some, BOTS[:2])
    (greedy,) = (row for row in found.rows if row.name == "greedy")
    assert (greedy.elo, greedy.bound, greedy.error, greedy.pool_error, greedy.rank_interval) == (
        0,
        "",
        None,
        None,
        (1, 2),
    )
    assert {row.los_next for row in found.rows} == {None}
    text = to_text(found).replace("\n ", "")
    assert (
        "No variance seen, +/- or los% n/a (random, greedy): every seed came out alike, "
        "which says nothing about the next."
    ) in text
    assert "No variance seen" not in to_text(standings(rows(), BOTS)).replace("\n ", "")


def test_one_bot_under_two_names_is_named_where_the_likelihood_is_not_to_be_told():
    """planner and carl do the same on every seed, at tables of two with random and with
    each other.
    """
    some, rng = [], random.Random(1)
    for k in range(20):
        wins = rng.random() < 0.7
        for number, (one, other) in enumerate(((1, 0), (2, 0), (1, 2))):
            for r in (0, 1):
                ranks = (1, 1) if (one, other) == (1, 2) else (1, 2) if wins else (2, 1)
                turn = 1 - 2 * r
                some.append(
                    listed("e", f"{k}/{number}", r, f"s{k}", (one, other)[::turn], ranks[::turn])
                )
    found = standings(some, (BOTS[0], BOTS[2], BOTS[4]))
    assert [row.name for row in found.rows] == ["planner", "carl", "random"]
    assert [row.los_next is None for row in found.rows] == [True, False, True]
    assert None not in {row.error for row in found.rows}
    assert "No variance seen, +/- or los% n/a (planner): every seed" in to_text(found)


def test_an_empty_list_is_a_table_too():
    assert "n/a" in to_text(standings([], BOTS))


def test_json_has_stable_keys_and_null_for_what_there_is_not():
    data = to_json(standings(rows(bots=3, seeds=1, faults=True), (*BOTS[:3], Entrant("x", "idle"))))
    assert json.loads(json.dumps(data)) == data
    assert list(data) == [
        *("anchor", "anchors", "blocks", "tables", "matches", "fault_free_matches"),
        *("left_out", "confidence", "meaning", "shared_deals", "rows", "sections"),
    ]
    assert list(data["left_out"]) == ["matches", "incomplete", "set_aside"]
    assert list(data["rows"][0]) == [
        *(
            "rank",
            "rank_interval",
            "bot",
            "name",
            "elo",
            "error",
            "low",
            "high",
            "least",
            "rough",
            "bound",
            "los_next",
        ),
        *("matches", "seeds", "score", "ties"),
        *(
            "finishes",
            "faults",
            "voids",
            "cpu_s",
            "paused",
            "caused",
            "page_faults",
            "links_lost",
            "spent",
        ),
        "fault_free_elo",
        *(
            "fault_free_error",
            "fault_free_bound",
            "differs",
            "pool_error",
            "quasi_se",
            "design_effect",
            "opponents",
        ),
        "marks",
        "met_next",
    ]
    assert data["rows"][0]["error"] is None
    assert data["rows"][-1]["rank"] is None
    assert list(data["rows"][0]["faults"]) == [
        *("timeout", "illegal", "protocol", "crashed", "flooded", "resource", "start_failed"),
    ]


def test_neighbours_that_never_met_have_a_mark_in_place_of_a_likelihood():
    """Bots 0 and 1 each meet 2 and 3 alone: nobody has seen which of the two is the
    better one.
    """
    random.seed(3)
    pairs = [(0, 2), (1, 2), (0, 3), (1, 3)]
    some = []
    for k in range(12):
        for number, (a, b) in enumerate(pairs):
            for rotation, order in enumerate(((a, b), (b, a))):
                won = random.random() < (0.8 if order[0] == a else 0.2)
                some.append(
                    listed(
                        "e",
                        f"{k}/{number}",
                        rotation,
                        f"s{k}",
                        list(order),
                        (1, 2) if won else (2, 1),
                    )
                )
    found = standings(some, BOTS[:4])
    at = [row.bot for row in found.rows]
    assert sorted(at[:2]) == ["id-0", "id-1"]
    assert [row.met_next for row in found.rows] == [False, True, False, None]
    assert found.rows[0].los_next is not None
    text = to_text(found)
    assert [line.split()[5] for line in text.splitlines()[1:5]] == [
        "unmet",
        found_los(found.rows[1]),
        "unmet",
        "n/a",
    ]
    assert "unmet: this bot and the next never met, so games with others decide their order" in text
    assert "\n-: " + "the two never met." + "\n" in crosstable_of(found)
    lines = [line.split() for line in crosstable_of(found).splitlines()[2:6]]
    assert [(line.count("."), line.count("-")) for line in lines] == [(1, 1)] * 4
    met = standings(rows(), BOTS)
    assert "unmet" not in to_text(met)
    assert "never met" not in crosstable_of(met)


def crosstable_of(found):
    return section_text.to_text(
        found, sections(found, SectionRequest(("crosstable",), ())), ("crosstable",)
    )


def found_los(row):
    return (
        "<0.1"
        if row.los_next < 0.05
        else ">99.9"
        if row.los_next >= 99.95
        else f"{row.los_next:.1f}"
    )


def test_json_numbers_have_3_digits():
    for row in to_json(standings(rows(), BOTS))["rows"]:
        assert row["elo"] == round(row["elo"], 3)
        assert row["score"] == round(row["score"], 3)


PLAIN = {
    "rank": "1  2  3  4  5  6  7",
    "bot": "emil  dora  a-bot-with-quite-a-lo...  planner  carl  greedy  random",
    "ranks": "1-4  1-3  1-7  3-7  2-7  3-7  3-7",
    "elo": "270.1  250.6  143.6  118.0  108.3  44.4  0.0",
    "+/-": "135.1  113.8  131.0  102.0  116.1  99.3  0.0",
    "los%": "68.0  99.2  81.1  62.6  93.1  82.7  n/a",
    "matches": "108  108  108  108  108  108  108",
    "seeds": "12  12  12  12  12  12  12",
    "score%": "71.8  68.1  51.4  52.3  42.1  35.6  28.7",
    "1st": "60  56  36  32  30  18  20",
    "2nd": "35  35  39  49  31  41  22",
    "3rd": "13  17  33  27  47  49  66",
    "faults": "0  0  0  0  0  0  0",
}
PLAIN_SAYS = """
P(A finishes ahead of B) = 1/(1+10^(-dElo/400)), ties half; +/- is 95 %, relative to the anchor \
random, clustered on 12 seeds.
ranks: the places still possible, 95 % for all bots at once; los%: how likely a bot is stronger \
than the next, under the prior
  that each bot drew one game with an average bot.
Design effect of shared deals: 1.05 (95 %: 0.76 .. 1.45): with a deal of its own for each table, \
errors would be 0.97 times as
  wide (0.83 .. 1.14). These seeds leave open whether more line-ups on them would tell as much as \
new deals.
"""
BUSY = {
    "rank": "1  2  3  4  5  6  7",
    "bot": "emil  dora  a-bot-with-quite-a-lo...  planner  greedy  random  carl",
    "ranks": "1-3  1-3  1-3  4-6  4-6  4-7  6-7",
    "elo": "292.1  243.5  223.6  104.9  25.6  0.0  -170.4",
    "+/-": "110.1  84.2  80.1  103.1  88.8  0.0  115.7",
    "los%": "86.0  82.3  >99.9  98.8  73.1  99.6  n/a",
    "matches": "102  108  105  108  102  105  108",
    "seeds": "12  12  12  12  12  12  12",
    "score%": "78.9  68.1  67.1  57.4  34.3  31.9  13.0",
    "1st": "67  54  49  36  14  16  10",
    "2nd": "27  39  43  52  42  35  8",
    "3rd": "8  15  13  20  46  54  90",
    "faults": "0  0  0  0  0  0  81",
    "voids": "37  36  38  36  37  35  36",
}
BUSY_SAYS = """
P(A finishes ahead of B) = 1/(1+10^(-dElo/400)), ties half; +/- is 95 %, relative to the anchor \
random, clustered on 12 seeds.
ranks: the places still possible, 95 % for all bots at once; los%: how likely a bot is stronger \
than the next, under the prior
  that each bot drew one game with an average bot.
Not rated: 1 table incomplete (0/6).
Not rated: 1 table set aside as void (11/6).
Not rated in all: 3 recorded matches.
Design effect of shared deals: 0.81 (95 %: 0.57 .. 1.15): with a deal of its own for each table, \
errors would be 1.11 times as
  wide (0.93 .. 1.32). A match counts about the same on a new deal or on one of these.
Faults of carl: 81 crashed.
carl: 191.8 Elo over the 165 fault-free matches, further from -170.4 than the error.
"""
BARE = {
    "rank": "1  2  3  n/a",
    "bot": "planner  greedy  random  idle",
    "ranks": "1-3  1-3  1-3  n/a",
    "elo": "281.6  140.8  0.0  n/a",
    "+/-": "n/a  n/a  n/a  n/a",
    "los%": "n/a  n/a  n/a  n/a",
    "matches": "9  9  9  0",
    "seeds": "1  1  1  0",
    "score%": "77.8  50.0  22.2  n/a",
    "1st": "6  3  0  0",
    "2nd": "2  3  4  0",
    "3rd": "1  3  5  0",
    "faults": "0  0  0  0",
}
BARE_SAYS = """
P(A finishes ahead of B) = 1/(1+10^(-dElo/400)), ties half; +/- is 95 %, relative to the anchor \
random, clustered on 1 seed.
ranks: the places still possible, 95 % for all bots at once; los%: how likely a bot is stronger \
than the next, under the prior
  that each bot drew one game with an average bot.
Errors are n/a: they need two seeds or more, and seeds whose results differ.
"""
