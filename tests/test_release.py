"""What `make release` and `make rehearse` are made of, and the workflow that runs them;
both run whole in CI.
"""

import re
import runpy
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from arena import ROOT
from hatchling.builders.sdist import SdistBuilder
from hatchling.builders.wheel import WheelBuilder
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from khiva_arena import __version__
from khiva_arena.common.address import Address

WORKFLOW = ROOT / ".github" / "workflows" / "release.yml"


@pytest.fixture(scope="module")
def release() -> dict[str, Any]:
    return runpy.run_path(str(ROOT / ".ci" / "release.py"))


@pytest.fixture(scope="module")
def rehearse() -> dict[str, Any]:
    return runpy.run_path(str(ROOT / ".ci" / "rehearse.py"))


def test_the_notes_of_a_release_are_its_section_of_the_change_log(release: dict[str, Any]) -> None:
    assert (
        release["notes"]("# Changelog\n\n## [0.3.0]\n### Added\n- a\n\n## [0.2.0]\n- b\n")
        == "# [0.3.0]\n### Added\n- a\n"
    )
    with pytest.raises(release["NotBuiltError"]):
        release["notes"]("# Changelog\n")


def test_the_notes_are_short_and_lead_to_the_site_alone(
    release: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    pages = runpy.run_path(str(ROOT / "docs" / "wheel_pages.py"))
    lines = release["notes"](pages["outside"]("CHANGELOG.md")).splitlines()
    assert sum(line.startswith("- ") for line in lines) <= 30
    assert not [line for line in lines if line.startswith(" ")], "a bullet is one line"
    assert links(pages["outside"]("CHANGELOG.md")) <= {"#breaking-changes"}
    monkeypatch.setitem(pages["outside"].__globals__, "site", lambda: "https://example.org/b")
    assert "https://example.org/b/docs/improve-a-bot.html" in links(
        pages["outside"]("CHANGELOG.md")
    )


def links(text: str) -> set[str]:
    """Return the targets of links, but for those to other projects."""
    return {
        target for target in re.findall(r"\]\(([^)]*)\)", text) if "keepachangelog" not in target
    }


def test_unreleased_code_is_no_release(release: dict[str, Any]) -> None:
    with pytest.raises(release["NotBuiltError"], match=r"0\.3\.0\.dev1"):
        release["check_version"]("0.3.0.dev1", unreleased=False)
    release["check_version"]("0.3.0.dev1", unreleased=True)
    release["check_version"]("0.3.0", unreleased=False)


def test_a_release_names_where_the_project_lives_unless_it_is_told_otherwise(
    release: dict[str, Any],
) -> None:
    full = Address("https://example.org/a", "https://example.org/b", "https://example.org/c")
    pages = {
        "README.md": f"{full.repository} {full.site}",
        "SECURITY.md": f"{full.site} {full.reports}",
    }
    release["check_address"](full, pages, without=False)
    for field in full._fields:
        with pytest.raises(release["NotBuiltError"], match=f"{field}.*WITHOUT_ADDRESS=yes"):
            release["check_address"](full._replace(**{field: ""}), pages, without=False)
        release["check_address"](full._replace(**{field: ""}), pages, without=True)
    for name, text in pages.items():
        with pytest.raises(release["NotBuiltError"], match=f"{name} does not name https"):
            release["check_address"](full, pages | {name: text.split()[0]}, without=True)


def test_every_place_has_the_same_version(rehearse: dict[str, Any]) -> None:
    projects = [
        tomllib.loads((ROOT / name / "pyproject.toml").read_text())["project"]
        for name in ("", "interpreters")
    ]
    pinned = [version for line in rehearse["lines"]() for version in re.findall(r"==(\S+)", line)]
    written = [project["version"] for project in projects]
    written += re.findall(r'"engine":"([^"]+)"', (ROOT / "docs" / "files.md").read_text())
    written += re.findall(r"by khiva-arena (\d\S+)", (ROOT / "docs" / "modules.md").read_text())
    assert (len(pinned), len(written)) == (1, 4)
    assert {*pinned, *written} == {__version__}


def test_the_tools_of_a_release_are_all_pinned_by_hashes() -> None:
    """pip asks for a hash of each row, and for a row of all that the rows need."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lock = (ROOT / ".ci" / "release.txt").read_text()
    assert all(
        re.search(r"--hash=sha256:[0-9a-f]{64}", row)
        for row in re.split(r"^(?=[a-z])", lock, flags=re.MULTILINE)[1:]
    )
    rows = [Requirement(row.split(" \\")[0]) for row in re.findall(r"^[a-z].*", lock, re.MULTILINE)]
    pinned = {canonicalize_name(row.name): next(iter(row.specifier)).version for row in rows}
    extras = project["optional-dependencies"]
    named = [
        Requirement(line)
        for line in [*project["dependencies"], *extras["release"], *extras["docs"]]
    ]
    wrong = [
        str(one)
        for one in named
        if one.name != "khiva-arena"
        and pinned.get(canonicalize_name(one.name), "") not in one.specifier
    ]
    assert not wrong


def test_two_builds_that_differ_are_no_release(release: dict[str, Any], tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    for folder in (first, second):
        (folder / "docs").mkdir(parents=True)
        (folder / "docs" / "index.html").write_text("the same")
    release["compare"](release["sums"](first), release["sums"](second))
    (second / "docs" / "index.html").write_text("another")
    with pytest.raises(release["NotBuiltError"], match=r"docs/index\.html"):
        release["compare"](release["sums"](first), release["sums"](second))
    (second / "docs" / "index.html").unlink()
    with pytest.raises(release["NotBuiltError"], match=r"docs/index\.html"):
        release["compare"](release["sums"](first), release["sums"](second))


def test_every_line_of_the_pages_that_installs_the_arena_is_typed(rehearse: dict[str, Any]) -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md"), *(ROOT / "bots").rglob("*.md")]
    written = set(
        re.findall(
            r"pipx? install [^`#\n&;)]*khiva-arena\S*?(?=['\s`)]|$)",
            "\n".join(page.read_text() for page in pages),
        )
    )
    typed = {re.sub(r"'$", "", line.replace("bin/", "")) for line in rehearse["lines"]()}
    assert {one.split("khiva-arena")[1] for one in written} == {
        one.split("khiva-arena")[1] for one in typed
    }
    extras = set(
        tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    )
    assert {extra for line in typed for extra in re.findall(r"\[([\w-]+)\]?", line)} <= extras


def test_the_first_commands_are_the_first_block_below_their_headings(
    rehearse: dict[str, Any],
) -> None:
    for page, heading in rehearse["FIRST"]:
        assert rehearse["commands"](page, heading).startswith("khiva-arena "), heading


def test_a_path_without_compilers_has_none(rehearse: dict[str, Any], tmp_path: Path) -> None:
    folder = Path(rehearse["without_compilers"](tmp_path / "bare"))
    assert (folder / "sh").exists()
    assert not [
        name
        for name in ("cc", "gcc", "clang", "g++", "c99", "x86_64-linux-gnu-gcc")
        if (folder / name).exists()
    ]


def test_a_line_or_a_python_that_is_left_out_is_told(
    rehearse: dict[str, Any], tmp_path: Path
) -> None:
    (absent,) = rehearse["rehearsed"](tmp_path, "python9.9", "")
    assert absent.result.startswith("n/a: no such Python")
    every = list(rehearse["rehearsed"](tmp_path, sys.executable, "", rehearse["lines"]()))
    assert [one.line for one in every] == list(rehearse["lines"]())
    assert {one.result for one in every} == {"n/a: left out"}
    assert rehearse["LINE"] in rehearse["lines"]()


def test_a_link_of_the_site_that_leads_nowhere_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = runpy.run_path(str(ROOT / ".ci" / "site.py"))
    monkeypatch.setitem(site["dead_links"].__globals__, "SITE", tmp_path)
    links = ("b.html#part", "https://example.org/", "#here", "c.html", "https://example.org/page")
    (tmp_path / "b.html").write_text('<img src="https://example.org/picture.png">')
    (tmp_path / "a.html").write_text("".join(f'<a href="{link}">x</a>' for link in links))
    assert sorted(site["dead_links"]()) == [
        "a.html: c.html",
        "b.html: https://example.org/picture.png",
    ]


def test_a_league_s_pages_are_copied_with_links_of_their_own(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    site = runpy.run_path(str(ROOT / ".ci" / "site.py"))
    link = site["LINK"].search('<a href="/bots/crow v1">')
    assert site["there"](link, "/batches/1", "../../") == 'href="../../bots/crow%20v1/index.html"'
    author = site["LINK"].search('<a href="/author">')
    assert site["there"](author, "/", "") == 'href="../manual/docs/leagues.html"'


def test_what_is_published_has_metadata_that_the_action_which_uploads_it_knows() -> None:
    for builder in (
        WheelBuilder(str(ROOT)),
        SdistBuilder(str(ROOT)),
        WheelBuilder(str(ROOT / "interpreters")),
    ):
        written = builder.config.core_metadata_constructor(builder.metadata)
        assert written.splitlines()[0] == "Metadata-Version: 2.4", builder.root


def test_actions_are_named_by_hash() -> None:
    used = [
        name
        for file in WORKFLOW.parent.glob("*.yml")
        for name in re.findall(r"uses: (\S+)", file.read_text())
    ]
    assert used
    assert all(re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", name) for name in used), used


def test_jobs_of_a_release_may_do_only_what_they_need() -> None:
    text = WORKFLOW.read_text()
    assert "permissions: {}" in text
    assert "secrets." not in text
    granted = {}
    for job in re.split(r"(?m)^(?=  \w+:$)", text.split("jobs:\n", 1)[1])[1:]:
        name, commands = job.split(":", 1)[0].strip(), re.findall(r"- run: (.*)", job)
        granted[name] = re.findall(r"^      ([\w-]+: write)$", job, re.MULTILINE)
        assert not granted[name] or not any(word.startswith("make") for word in commands), name
    assert granted == {
        "build": [],
        "attest": ["id-token: write", "attestations: write"],
        "index": ["id-token: write"],
        "pages": ["pages: write", "id-token: write"],
    }
    assert text.count(": write") == sum(map(len, granted.values()))


def test_the_bill_of_materials_names_what_is_within(release: dict[str, Any]) -> None:
    mine = {"url": "file:///home/me/khiva-arena", "type": "distribution"}
    site = {"url": "https://example.org/", "type": "website"}
    packages = [
        {"name": "a", "externalReferences": [mine, site]},
        {"name": "b", "externalReferences": [mine]},
    ]
    first, second, *parts = release["with_parts"]({"components": packages})["components"]
    assert first["externalReferences"] == [site]
    assert "externalReferences" not in second
    names = [part["name"] for part in parts]
    assert names[:5] == [
        "zig, with musl and wasi-libc",
        "quickjs-ng",
        "cpython",
        "pyodide",
        "msgspec",
    ]
    assert {*names[5:]} > {"@codemirror/view", "@lezer/common", "style-mod"}
    assert not [name for name in names if "esbuild" in name]
    assert len({part["bom-ref"] for part in parts}) == len(parts)
    assert all(part["version"] and part["description"] for part in parts)
