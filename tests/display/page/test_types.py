"""Types of the page's modules and of the games' drawings, as their comments give
them.
"""

import re
import subprocess
from pathlib import Path

import pytest
from npm import PAGE, packages

import khiva_arena
from khiva_arena.games import registry
from khiva_arena.rating.report import points_shapes, section_shapes, shapes

HERE = Path(khiva_arena.__file__).parent


def checked(*words: str) -> tuple[int, str]:
    done = subprocess.run(
        [packages() / ".bin" / "tsc", "--project", PAGE, *words],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.slow
def test_modules_and_drawings_have_the_types_that_they_say() -> None:
    assert checked() == (0, "")


def test_tables_have_the_types_that_the_report_gives_them() -> None:
    """A section without a type here has none in a drawing, either, which tsc then
    refuses.
    """
    text = (HERE / "display" / "page" / "browser" / "types.d.ts").read_text()
    bodies = re.findall(r"interface (\w+) {(.+?)\n}", text, re.DOTALL)
    written = {name: {*re.findall(r"^  (\w+)\??:", body, re.MULTILINE)} for name, body in bodies}
    kinds = {
        name: kind
        for name, kind in {**vars(points_shapes), **vars(section_shapes), **vars(shapes)}.items()
        if name in written
    }
    assert {"Pair", "PointsBySource", "Sections", "Standing"} < set(kinds)
    assert {
        name: more
        for name, kind in kinds.items()
        if (more := written[name] - {*kind.__struct_fields__})
    } == {}


@pytest.mark.slow
def test_every_script_of_a_page_is_checked() -> None:
    assert {path.parent.name for path in HERE.rglob("*.js")} - {*registry.NAMES} == {
        "browser",
        "serve",
        "routes",
    }
    _, files = checked("--listFilesOnly")
    modules = [
        *HERE.glob("display/page/browser/*.js"),
        *HERE.glob("extensions/serve/*.js"),
        *HERE.glob("extensions/league/routes/*.js"),
        *HERE.glob("games/*/*.js"),
    ]
    assert len(modules) > 15
    assert [path for path in modules if str(path) not in files.splitlines()] == []


@pytest.mark.slow
def test_a_wrong_type_is_found(tmp_path: Path) -> None:
    (tmp_path / "wrong.js").write_text(
        f'import {{ count }} from "{HERE}/display/page/browser/words.js";\ncount("two", 2);\n'
    )
    (tmp_path / "tsconfig.json").write_text(
        f'{{"extends": "{PAGE}/tsconfig.json", "include": ["wrong.js"]}}'
    )
    code, said = checked("--project", str(tmp_path))
    assert code != 0, said
    assert "not assignable" in said
