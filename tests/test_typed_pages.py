"""What pages show is what their commands print: each page of the manual is typed in an
empty folder.
"""

from pathlib import Path

import pytest
from arena import arena_process
from cases import cases
from make_outputs import ALL, pages, renewed
from once import filled
from page_steps import Shown, Typed, Written, is_elsewhere, steps_of, unread, whole_commands
from tools import lacks
from typed_pages import OF_PYTHON, ROOT, SECONDS, Session, agrees, faults_of, missing, plain, shape

from khiva_arena.bots.sandbox.detect import best
from khiva_arena.bots.sandbox.level import Level

PAGE = """
Write this:

<!-- file: a.txt -->
```text
one
```

<!-- hidden: echo two >> a.txt -->
```sh
cat a.txt    # shown
wc -l < a.txt
```

```text
2
```

On another machine, for
example:

```sh
cat /nowhere
```

```text
never compared
```

<!-- exits: 1 -->
```sh
sudo apt install moon
grep three a.txt
```
"""


@pytest.fixture(scope="module")
def _compiled(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Check a bot in Python, which compiles its interpreter: the page that comes first
    would pay for it, and is counted.
    """
    words = ("check", str(ROOT / "bots/python/random"), "--quick", "--game", "khiva")
    filled(tmp_path_factory, "compiled-interpreter", lambda place: arena_process(*words, cwd=place))


@pytest.mark.soak
@pytest.mark.usefixtures("_compiled")
@pytest.mark.parametrize("page", [str(page.relative_to(ROOT)) for page in pages()])
def test_a_page_shows_what_its_commands_print(page: str, open_folder: Path) -> None:
    """At another level than that of the pages lines only have the shape of what is
    printed.
    """
    if absent := missing(steps_of((ROOT / page).read_text())):
        lacks(f"{', '.join(absent)}: {page} types it")
    faults, _ = faults_of(ROOT / page, open_folder, exact=best() is Level.STANDARD)
    assert not faults, "\n".join(faults)


def test_a_page_is_read_in_its_order() -> None:
    steps = steps_of(PAGE)
    assert [type(step) for step in steps] == [Written, Typed, Typed, Typed, Shown, Shown, Typed]
    assert steps[0] == Written(6, "a.txt", "one\n")
    assert [step.command for step in steps if isinstance(step, Typed)] == [
        "echo two >> a.txt",
        "cat a.txt    # shown",
        "wc -l < a.txt",
        "grep three a.txt",
    ]
    assert [step.code for step in steps if isinstance(step, Typed)] == [0, 0, 0, 1]


def test_a_session_is_typed_or_called_an_example() -> None:
    """One in ``console``, or in no language, is not read as commands and output."""
    assert unread(
        "Type:\n```console\nkhiva-arena run\n```\nFor example:\n```\n$ "
        "ls\n```\nThis:\n```\n$ ls\n```\n"
    ) == [2, 10]
    generated = (
        ROOT / "docs" / "command-line.md"
    )  # by make_commands_page, which its own test compares
    places = [
        (page.name, line)
        for page in pages()
        if page != generated
        for line in unread(page.read_text("utf-8"))
    ]
    assert places == []


def test_what_python_prints_is_compared_by_the_test_that_runs_it(tmp_path: Path) -> None:
    page = "```python\nprint(1)\n```\n```text\n1\n```\n```sh\necho 2\n```\n```text\n2\n```\n"
    for name, why in (("trainers.md", []), ("other.md", ["line 5: no test"])):
        (tmp_path / name).write_text(page)
        assert [fault[:15] for fault in faults_of(tmp_path / name, tmp_path, exact=True)[0]] == why
    for name, test in OF_PYTHON.items():
        assert (ROOT / "docs" / name).exists()
        assert name in (ROOT / test).read_text()


def test_a_page_is_typed_and_compared(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    for text, why in (
        (PAGE, ["line 27: no command above"]),
        (PAGE.replace("never compared", "").replace("```text\n\n```", ""), []),
        (
            PAGE.replace("\n2\n", "\n3\n"),
            ["line 16: the page shows (-), the command prints (+):\n- 3", "line 27"],
        ),
        (PAGE.replace("exits: 1", "exits: 0"), ["line 33: exits with 1, not 0: grep three a.txt"]),
    ):
        page.write_text(text)
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        folder.mkdir()
        faults, seconds = faults_of(page, folder, exact=True)
        assert [fault[: len(start)] for fault, start in zip(faults, why, strict=True)] == why
        assert 0 < seconds < SECONDS < ALL


@cases(
    ("shown", "is_so"),
    [
        (["a", "b", "c"], True),
        (["a", "b"], False),
        (["a", "..."], True),
        (["...", "b", "..."], True),
        (["...", "c"], True),
        (["...", "b"], False),
        (["b", "..."], False),
        (["a", "...", "b", "c"], True),
        (["a", "b", "...", "b", "c"], False),
        (["...", "c", "...", "a", "..."], False),
    ],
)
def test_left_out_lines_are_said(shown: list[str], is_so: bool) -> None:
    assert agrees(shown, ["a", "b", "c"]) is is_so


@cases(
    ("command", "so"),
    [
        ("sudo apt install x", True),
        ("python3 -m venv v && . v/bin/activate && pip install khiva-arena", True),
        ("cat x | ssh other", True),
        ("khiva-arena show x | head -3", False),
        ("git clone x", True),
        ("git init", False),
        ("echo 'sudo; pip'", False),
    ],
)
def test_commands_for_other_machines_are_not_typed(command: str, so: bool) -> None:
    assert is_elsewhere(command) is so


def test_a_program_that_is_not_here_is_named() -> None:
    assert missing(steps_of("```sh\ncd x\nkhiva-arena new\nno-such-tool\n./mine\n```\n")) == [
        "no-such-tool"
    ]


def test_a_command_of_several_lines_is_one() -> None:
    body = (
        "# said",
        "a \\",
        "  b",
        "for n in 1; do",
        "  c",
        "done",
        "cat <<END",
        "d",
        "END",
        "",
        "e  # f",
    )
    assert [(line, command.split("\n")[0]) for line, command in whole_commands(body)] == [
        (2, "a \\"),
        (4, "for n in 1; do"),
        (7, "cat <<END"),
        (11, "e  # f"),
    ]


def test_numbers_of_the_machine_are_not_compared() -> None:
    assert plain("  3  ok      hello: after 26 ms of 10,000 ms ") == plain(
        " 3 ok  hello: after 126 ms of 10,000 ms"
    )
    assert plain("a  1") != plain("a 1")
    assert (
        plain("--turn 20ms is 3 ms late")
        == plain("--turn 20ms is 4 ms late")
        != plain("--turn 30ms is 3 ms late")
    )
    assert plain("if so, 1 min in all") == plain("if so, 12 min in all")
    assert plain("my-bot@1815cba: 3") == plain("my-bot@09ffa7a: 3") != plain("my-bot@09ffa7a: 4")
    assert plain("event b0ca36c246079fe2") != plain("event b0ca36c246079fe3")
    assert plain(f"digest b31cbf00a66e{'7' * 12}") == plain("digest b31cbf00a66e...")
    assert plain("memory 1 GiB") != plain("memory 2 GiB")
    assert shape("   1  greedy  1-2  -3.5  >99.9") == shape("2 c 1 4 5") == "1w111"


@cases(
    ("shown", "printed", "made"),
    [
        (["x 1"], ["x 2"], ["x 2"]),
        (["x 1", "..."], ["x 2", "y", "z"], ["x 2", "..."]),
        (
            ["head", "...", "x 1", "...", "end 4"],
            ["head", "y", "x 2", "z", "end 5"],
            ["head", "...", "x 2", "...", "end 5"],
        ),
        (["head", "...", "nowhere at all", "..."], ["head", "y", "x 2"], None),
        (["took 3 ms"], ["took 4 ms"], ["took 3 ms"]),
        (["b", "...", "d"], ["a", "b", "c", "c", "d", "e"], ["...", "b", "...", "d", "..."]),
    ],
)
def test_a_block_is_made_anew(shown: list[str], printed: list[str], made: list[str] | None) -> None:
    command = Typed(1, "x")
    assert (
        renewed(Shown(2, tuple(shown), "", (command,)), Session({command: tuple(printed)}, (), 0))
        == made
    )
