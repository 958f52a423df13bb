"""How Sphinx makes the site: `make docs`. The source is the whole checkout, so that a
page lies where it belongs (the rules of a game with the game, SPEC.md with the
protocol) and a link leads to the same place on the site as in the tree.
"""

import html
import re
import sys
from pathlib import Path
from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from pygments.lexers.special import TextLexer
from sphinx.addnodes import pending_xref

sys.path.insert(0, str(Path(__file__).parent))
import for_agents
from side_bar import about, toctrees

project = "Khiva Arena"
author = "The authors of Khiva Arena"
extensions = ["myst_parser", "sphinx.ext.autodoc"]
autodoc_class_signature = "separated"
autodoc_typehints_format = "short"
autodoc_member_order = "bysource"
smartquotes = False  # in docstrings quotes are code: game="emira" and "--seed" are typed so
root_doc = "docs/index"
include_patterns = [
    "docs/*.md",
    "protocol/*.md",
    "protocol/games/*.md",
    "protocol/verifier/*.md",
    "khiva_arena/games/*/RULES.md",
    "bots/README.md",
    "bots/SANDBOX.md",
    "bots/*/README.md",
    "bots/rules/*.md",
    "interpreters/README.md",
    "results/README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
]
# Folders that hold no page are not walked: tests and stores are large.
exclude_patterns = [
    "docs/_build",
    "interpreters/[!R]*",
    "tests",
    "results/[!R]*",
    "protocol/vectors",
    "protocol/schema",
    ".venv",
    ".git",
]

myst_heading_anchors = 4  # the headings that a link may name, as they are named in the tree
myst_enable_extensions = ["dollarmath"]  # formulas are between dollars, as GitHub reads them
html_math_renderer = "mathml"
html_static_path = ["static"]
html_css_files = ["site.css"]
LONG_CELL = 30
"""The characters of a cell that are too many for a column of three on a phone."""
html_theme = "furo"
html_title = "Khiva Arena"
html_show_copyright = False
html_copy_source = False
html_show_sourcelink = False
# Blocks without a language are what one types or what is printed: nothing in them is
# coloured.
highlight_language = "none"

README = "README"
"""The first page of the checkout, whose place on the site the home page has."""
START = """<!doctype html><meta charset="utf-8"><title>{0}</title>
<meta http-equiv="refresh" content="0; url={1}"><a href="{1}">{0}</a>
"""


def _plain_links_to_folders(app: Any, doctree: Any) -> None:
    """A link to a folder of the tree, or to README.md, has no page: its words stay. Any
    other dead link is an error.
    """
    for link in list(doctree.findall(pending_xref)):
        target = str(link.get("reftarget", ""))
        place = Path(app.env.doc2path(app.env.docname)).parent / target.partition("#")[0]
        if target and (place.is_dir() or target == README):
            link.replace_self(nodes.inline("", "", *link.children))


FIELD = re.compile(r"([a-z_0-9]+(?:, [a-z_0-9]+)*): ")


def _fields_as_lists(
    _app: Any, _what: str, _name: str, _obj: Any, _options: Any, lines: list[str]
) -> None:
    """Docstrings have a line a field or argument ("seeds: how many"): on the site these
    are a list.
    """
    shown: list[str] = []
    for line in lines:
        if found := FIELD.match(line):
            shown += ["", f"- **{found[1]}**: {line[found.end() :]}"]
        elif shown and line.strip() and shown[-1].startswith(("- **", "  ")):
            shown.append(f"  {line.strip()}")
        else:
            shown.append(line)
    lines[:] = shown


def _contents(_app: Any, name: str, source: list[str]) -> None:
    """The home page gets the contents, from which the side bar is made."""
    if name == root_doc:
        source[0] += toctrees(root_doc)


def _narrow_tables(_app: Any, doctree: Any, _name: str) -> None:
    """Give each cell of a table with long cells its heading, which the style sheet
    shows where the table becomes a list.
    """
    for table in doctree.findall(nodes.table):
        head, body = next(table.findall(nodes.thead), None), next(table.findall(nodes.tbody), None)
        if not (head and body):
            continue
        headings = [entry.astext() for entry in head.findall(nodes.entry)]
        if len(headings) < 3 or all(
            len(entry.astext()) <= LONG_CELL for entry in body.findall(nodes.entry)
        ):
            continue
        table["classes"].append("narrow-list")
        for row in body.findall(nodes.row):
            for heading, entry in zip(headings, list(row.findall(nodes.entry)), strict=False):
                if heading and entry.astext():
                    entry.insert(0, nodes.inline("", heading, classes=["narrow-head"]))


def _formula(display: str) -> Any:
    """Return what writes a formula as MathML, which browsers draw without a script."""

    def visit(writer: Any, node: Any) -> None:
        writer.body.append(convert(node.astext(), display=display))
        raise nodes.SkipNode

    return visit


def _description(
    _app: Any, name: str, _template: str, context: dict[str, Any], _doctree: Any
) -> None:
    """Tell search engines what a page is for."""
    if words := about(f"{name}.md"):
        context["metatags"] = (
            context.get("metatags", "")
            + f'<meta name="description" content="{html.escape(words)}">'
        )


def _start_page(app: Any, error: Exception | None) -> None:
    """The site opens at its top folder, and programs read it as Markdown."""
    if error is None and app.builder.format == "html":
        Path(app.outdir, "index.html").write_text(
            START.format(project, "docs/index.html"), encoding="utf-8"
        )
        for_agents.write(Path(app.outdir))


def setup(app: Any) -> dict[str, bool]:
    app.add_lexer("hex", TextLexer)
    app.add_html_math_renderer("mathml", (_formula("inline"), None), (_formula("block"), None))
    app.connect("source-read", _contents)
    app.connect("doctree-resolved", _narrow_tables)
    app.connect("html-page-context", _description)
    app.connect("doctree-read", _plain_links_to_folders)
    app.connect("autodoc-process-docstring", _fields_as_lists)
    app.connect("build-finished", _start_page)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
