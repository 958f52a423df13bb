"""``match``, ``show``, ``verify`` and ``match --from``: one match to read, to play again, and to catch when it was changed."""

import json
import sqlite3
from pathlib import Path

import pytest
from arena import FAULTY, NAIVE, RANDOM, arena, bots

TWO = bots(RANDOM, NAIVE)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("store")
    arena("run", *TWO, "--seats", "2", "--seeds", "2", "--seed", "demo", "--out", "out", cwd=folder)
    return folder


def test_a_match_is_told_turn_by_turn_and_repeats(tmp_path: Path) -> None:
    words = ["match", *bots(RANDOM, NAIVE, f"{FAULTY} honest 0"), "--seed", "demo"]
    first, second = arena(*words, cwd=tmp_path), arena(*words, cwd=tmp_path)
    assert first.stdout == second.stdout
    assert first.stdout.startswith("match ")
    assert "random#0, naive#1, faulty#2" in first.stdout
    assert "Turn 1:" in first.stdout
    assert first.stdout.splitlines()[-1].startswith("digest ")
    assert arena(*words[:-1], "other", cwd=tmp_path).stdout != first.stdout
    assert list(tmp_path.iterdir()) == []


def test_without_a_seed_the_drawn_one_is_named(tmp_path: Path) -> None:
    first = arena("match", *TWO, cwd=tmp_path)
    seed = first.stderr.split("--seed ")[1].split()[0]
    assert arena("match", *TWO, "--seed", seed, cwd=tmp_path).stdout == first.stdout


def test_a_match_with_a_fault_says_who_and_why(tmp_path: Path) -> None:
    done = arena("match", *bots(RANDOM, f"{FAULTY} print 3"), "--seed", "demo", cwd=tmp_path)
    assert "faulty#1 forfeits: protocol" in done.stdout
    assert "all but one have forfeited" in done.stdout
    assert "thinking hard" in done.stdout


def test_match_json_is_a_record(tmp_path: Path) -> None:
    record = json.loads(arena("match", *TWO, "--seed", "demo", "--json", cwd=tmp_path).stdout)
    assert set(record) >= {"header", "steps", "ranks", "scores", "digest"}


def test_show_ends_with_the_line_that_plays_it_again(store: Path) -> None:
    shown = arena("show", "out", "1/1", cwd=store).stdout
    line = shown.splitlines()[-1]
    assert line == "to play it again: khiva-arena match --from out 1/1"
    again = arena(*line.split("khiva-arena ")[1].split(), cwd=store).stdout
    digest = next(row for row in shown.splitlines() if row.startswith("digest"))
    assert again == f"every choice is the same; {digest}\n"


def test_match_names_by_ordinal_and_id(store: Path) -> None:
    listed = json.loads(arena("show", "out", "--json", cwd=store).stdout)["matches"]
    by_id = arena("show", "out", listed[1]["id"][:10], cwd=store).stdout
    assert by_id == arena("show", "out", "1", cwd=store).stdout == arena("show", "out", "1/1", cwd=store).stdout
    assert "no fixed match" in arena("show", "out", "77", cwd=store, code=2).stderr
    assert "no event" in arena("show", "out", "9/0", cwd=store, code=2).stderr


def test_another_bot_is_found_out_at_its_first_choice(store: Path) -> None:
    other = bots(RANDOM, f"{FAULTY} honest 0")
    done = arena("match", "--from", "out", "1/0", *other, cwd=store, code=1)
    assert done.stdout.startswith("step ")
    assert " then, choice " in done.stdout
    assert "--bot: 1 given" in arena("match", "--from", "out", "1/0", "--bot", RANDOM, cwd=store, code=2).stderr
    assert "only --bot" in arena("match", "--from", "out", "1/0", "--turn", "1s", cwd=store, code=2).stderr


def _damaged(store: Path, tmp_path: Path, statement: str) -> Path:
    copy = tmp_path / "copy"
    copy.mkdir()
    source = sqlite3.connect(store / "out" / "arena.db")
    target = sqlite3.connect(copy / "arena.db")
    source.backup(target)
    source.close()
    target.executescript(statement)
    target.close()
    return copy


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("UPDATE matches SET record = replace(record, '\"scores\":[', '\"scores\":[1') WHERE ordinal = 2", "match 1/2"),
        ("UPDATE matches SET digest = 'x' WHERE ordinal = 1", "match 1/1"),
        ("UPDATE seats SET rank = 3 - rank WHERE ordinal = 3", "match 1/3"),
        ("UPDATE seats SET bot = 1 - bot WHERE ordinal = 0", "match 1/0"),
        ("UPDATE matches SET seed = 1 WHERE ordinal = 0", "match 1/0"),
        ("UPDATE reveals SET secret = zeroblob(32) WHERE seed = 1", "revealed secret of seed 1"),
        ("UPDATE events SET secret = zeroblob(32)", "does not open the commitment"),
        ("UPDATE events SET definition = replace(definition, 'lenient', 'strict')", "its definition hashes to"),
        ("UPDATE bots SET identity = 'x' WHERE position = 1", "not those of its definition"),
        ("DELETE FROM seats WHERE ordinal = 2 AND seat = 1", "match 1/2"),
    ],
)
def test_verify_names_what_was_changed(store: Path, tmp_path: Path, statement: str, said: str) -> None:
    copy = _damaged(store, tmp_path, statement)
    done = arena("verify", str(copy), cwd=tmp_path, code=1)
    assert "first that differs: " in done.stdout
    assert said in done.stdout


def test_verify_without_the_reveals_says_so(store: Path, tmp_path: Path) -> None:
    copy = _damaged(store, tmp_path, "DELETE FROM reveals")
    assert "4 of them were checked with the store's private secrets" in arena("verify", str(copy), cwd=tmp_path).stdout
