"""The file of models: what is wrong in it, and its prompts."""

import re
import runpy
from pathlib import Path
from string import Template

import pytest
from arena import ROOT, arena
from cases import cases
from models_file import KEY, ROW, bots_of, row, written

from khiva_arena.common.hooks import rows as extension_rows
from khiva_arena.errors import ConfigError
from khiva_arena.extensions.spending import models_file

WRONG = [
    (ROW.replace("https", "ftp"), "url: https:// and a host is expected"),
    (ROW.replace("api.", "me:secret@api."), "url: https:// and a host"),
    (ROW.replace("/v1", "/v1?key=secret"), "url: https:// and a host"),
    (ROW.replace("https", "http") + f'key = "{KEY}"', "others could read the key; write https://"),
    (ROW.replace("name =", "nam ="), "unknown key 'nam' (did you mean name?)"),
    (ROW.replace('"small"', '"a b"'), "name: 1 to 64 letters"),
    (ROW.replace('"small"', "3"), "name: 1 to 64 letters"),
    (ROW.replace('"m"', '"\\u0007"'), "model: the name of a model"),
    (ROW.replace('"m"', '"m at api.openai.com; it gets"'), " is expected, without spaces"),
    (ROW.replace("api.", "api.openai.com;it.gets."), "url: https:// and a host"),
    (ROW + 'key = "sk-secret-secret-secret"', "key: the name of the variable"),
    (ROW + 'key = "NOT_SET_SECRET"', "its key names a variable that is not set"),
    (ROW + 'key = "PATH"', "--env small=PATH: PATH is "),
    (ROW + "legal = 0", "legal: true or false"),
    (ROW + "retries = 6", "retries: a whole number from 0 to 5"),
    (ROW + "retries = true", "retries: a whole number"),
    (ROW + "temperature = nan", "temperature: a number from 0"),
    (ROW + "temperature = 'hot'", "temperature: a number from 0"),
    (ROW + "price_in = -1\nprice_out = inf", "price_out: a number from 0"),
    (ROW + "price_in = 1", "price_in and price_out go together"),
    (ROW + ROW, "models.toml: not TOML"),
    (ROW + "currency = 'EUR and more than that'", "currency: 1 to 16 characters"),
    (ROW + "notes = 'none'", 'notes: "all" or "short" is expected'),
    (ROW + "notes = []", 'notes: "all"'),
    (ROW + "prompt = 'legal-9'", "prompt: no legal-9 comes with the arena (did you mean legal-1?)"),
    (ROW + "prompt = '../prompt.md'", "prompt: a prompt of the arena is expected"),
    (ROW + "prompt = 'none.md'", "prompt: none.md cannot be read: No such file"),
    (ROW + "prompt = 'link.md'", "prompt: link.md cannot be read: "),
    (ROW + "prompt = 'legal-1.md'", "legal-1 is the name of a prompt of the arena"),
    (ROW + "prompt = 'latin.md'", "latin.md is not UTF-8 text"),
    (ROW + "prompt = 'blank.md'", "blank.md is empty"),
    (ROW + "prompt = 'large.md'", "large.md cannot be read: it is longer"),
    (
        ROW + "prompt = 'long.md'",
        (
            "long.md is too long for the notes of a match: 6,003 bytes, with 2 for each line, "
            "and 6,000"
        ),
    ),
    (ROW + "prompt = 'typo.md'", "prompt: typo: '=== questions ===' begins no part"),
    (ROW + "prompt = 'twice.md'", "prompt: twice has a part twice"),
    (ROW + "prompt = 'early.md'", "early: $choices is not filled in in the part system; move it"),
    (ROW + "prompt = 'late.md'", "late: $view is not"),
    (ROW + "prompt = 'spaced.md'", "spaced does not show"),
    (ROW + "prompt = 'leak.md'\nkey = 'HELD'", "model small: prompt holds a key"),
    (ROW + "prompt = 'pasted.md'", "model small: prompt holds a key"),
    (ROW + "# gsk_abcdefghijklmnopqrstuvwx", "models.toml holds a key"),
    (ROW + "# AIzaabcdefghijklmnopqrstuvwx", "models.toml holds a key"),
    (ROW + "# hf_abcdefghijklmnopqrstuvwx", "models.toml holds a key"),
    (ROW + "# r8_abcdefghijklmnopqrstuvwx", "models.toml holds a key"),
    (ROW + "# held-secret-value\nkey = 'HELD'", "models.toml holds a key"),
    (ROW + "legal = false\nprompt = 'legal-1'", "prompt: legal-1 shows the legal choices"),
    (ROW + "prompt = 'free-1'", "prompt: free-1 does not show them; write legal = false"),
    (ROW + "[[model]]\n" + ROW, "model 2 (small): another model has this name"),
    (ROW + "[extra]", "unknown key 'extra'"),
    (ROW + "x = " + "[" * 50 + "]" * 50, "nested more than 32 deep"),
    ("#" * 1_000_001, "models.toml: cannot be read: it is longer"),
]


def test_what_is_wrong_is_refused_before_anything_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HELD", "held-secret-value\r\n")
    for name, text in (
        ("blank", "\n"),
        ("large", "x" * 100_001),
        ("leak", "Use held-secret-value."),
        ("mine", "Play."),
    ):
        (tmp_path / f"{name}.md").write_text(text)
    for name, text in (
        ("long", "x" * 6_000 + "\n"),
        ("typo", "Play.\n=== questions ===\n"),
        ("twice", "Play.\n=== again ===\n=== again ===\n"),
        ("early", "Play $choices.\n"),
        ("late", "Play.\n=== again ===\n${view}\n"),
        ("spaced", "Play.\n=== question === \n$view\n"),
    ):
        (tmp_path / f"{name}.md").write_text(text)
    (tmp_path / "pasted.md").write_text("Authorization: sk-abcdefghijklmnopqrstuvwx")
    (tmp_path / "latin.md").write_bytes(b"\xff")
    (tmp_path / "link.md").symlink_to("mine.md")
    for text, what in WRONG:
        written(tmp_path, text)
        said = arena(
            "run",
            "--yes",
            "--models",
            "models.toml",
            "--bot",
            "shipped:python/greedy",
            "--out",
            "out",
            cwd=tmp_path,
            code=2,
        )
        assert what in " ".join(said.stderr.split()), (what, said.stderr)
        assert "secret" not in said.stderr.casefold().replace(KEY.casefold(), "")
    (tmp_path / "models.txt").write_text(f"[[model]]\n{ROW}")
    said = arena("run", "--yes", "--models", "models.txt", "--out", "out", cwd=tmp_path, code=2)
    assert "models.txt: the name of a file of models ends in .toml" in said.stderr
    assert not (tmp_path / "out").exists()


@cases(
    "text",
    ["", "model = 3", "model = []", "[model]\nname = 'x'", "model = [1]", "[[model]]\n" * 65],
)
def test_a_file_has_tables_of_models(text: str, tmp_path: Path) -> None:
    (tmp_path / "models.toml").write_text(text)
    with pytest.raises(ConfigError, match="1 to 64 tables"):
        models_file.read(tmp_path / "models.toml")


def test_a_word_names_a_row(tmp_path: Path) -> None:
    written(tmp_path, row("small"), row("large"))
    said = arena(
        "match", "--bot", "models.toml:smal", "--bot", "models.toml:large", cwd=tmp_path, code=2
    ).stderr
    assert (
        "--bot models.toml:smal: no model has this name (did you mean small?); there are "
        "small, large" in said
    )
    said = arena(
        "match", "--bot", "none.toml:small", "--bot", "models.toml:large", cwd=tmp_path, code=2
    ).stderr
    assert "--bot none.toml:small: " in said


def test_a_file_of_settings_names_a_row_of_a_file_beside_it(tmp_path: Path) -> None:
    (tmp_path / "cup").mkdir()
    written(tmp_path / "cup", row("small"), row("large"))
    (tmp_path / "cup" / "cup.toml").write_text(
        'bots = ["models.toml:small", "models.toml:large"]\n'
    )
    bots = bots_of(tmp_path, "cup/cup.toml")
    assert {name: bot.network for name, bot in bots.items()} == {"small": False, "large": False}


def test_the_arena_reads_the_parts_and_words_of_a_prompt_as_the_bot_does() -> None:
    """The bot fills in all words of a part, in a prompt that has each word in each
    part, and leaves the others.
    """
    bot = runpy.run_path(str(ROOT / "bots/python/llm/prompt.py"))
    assert bot["PART"].pattern == models_file.PART.pattern
    every = " ".join(f"${word}" for word in sorted(set().union(*models_file.WORDS.values())))
    prompt = bot["Prompt"]("legal-1", "legal-1")
    prompt._parts = dict.fromkeys(prompt._parts, Template(every))
    decide = {"events": [], "view": {}, "legal": [[0]], "kind": "pick"}
    match = {"game": "any", "rules": {}, "seat": 0, "seats": 2}
    texts = {
        "system": prompt.system(match),
        "question": prompt.question(decide, match),
        "again": prompt.again("", decide),
    }
    left = {part: set(re.findall(r"\$(\w+)", text)) for part, text in texts.items()}
    known = set().union(*models_file.WORDS.values())
    assert left == {part: known - words for part, words in models_file.WORDS.items()}


def test_a_shipped_prompt_shows_the_choices_as_its_name_says() -> None:
    assert any(row.name == "spending" for row in extension_rows())
    for name, legal in (("legal-1", True), ("free-1", False)):
        assert models_file._prompt(name, Path(), legal) == (name, "")
        with pytest.raises(ConfigError):
            models_file._prompt(name, Path(), not legal)
