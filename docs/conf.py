"""How Sphinx makes the site: `make docs`. The source is the whole checkout, so that a page lies where it belongs (the rules of a
game with the game, SPEC.md with the protocol) and a link leads to the same place on the site as in the tree."""

import re
from pathlib import Path
from typing import Any

from docutils import nodes
from pygments.lexers.special import TextLexer
from sphinx.addnodes import pending_xref

project = "Khiva Arena"
author = "The authors of Khiva Arena"
extensions = ["myst_parser", "sphinx.ext.autodoc"]
autodoc_class_signature = "separated"
autodoc_typehints_format = "short"
autodoc_member_order = "bysource"
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
    "README.md",
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
html_theme = "furo"
html_title = "Khiva Arena"
html_show_copyright = False
html_copy_source = False
html_show_sourcelink = False
# Blocks without a language are what one types or what is printed: nothing in them is coloured.
highlight_language = "none"

START = """<!doctype html><meta charset="utf-8"><title>{0}</title>
<meta http-equiv="refresh" content="0; url={1}"><a href="{1}">{0}</a>
"""


def _plain_links_to_folders(app: Any, doctree: Any) -> None:
    """A link to a folder of the tree has no page to lead to: its words stay, without a link. Any other dead link is an error."""
    for link in list(doctree.findall(pending_xref)):
        target = str(link.get("reftarget", ""))
        if target and (Path(app.env.doc2path(app.env.docname)).parent / target).is_dir():
            link.replace_self(nodes.inline("", "", *link.children))


FIELD = re.compile(r"([a-z_0-9]+(?:, [a-z_0-9]+)*): ")


def _fields_as_lists(_app: Any, _what: str, _name: str, _obj: Any, _options: Any, lines: list[str]) -> None:
    """Docstrings have a line a field or argument ("seeds: how many"): on the site these are a list."""
    shown: list[str] = []
    for line in lines:
        if found := FIELD.match(line):
            shown += ["", f"- **{found[1]}**: {line[found.end() :]}"]
        elif shown and line and not line.startswith(" ") and shown[-1].startswith(("- **", "  ")):
            shown.append(f"  {line}")
        else:
            shown.append(line)
    lines[:] = shown


def _start_page(app: Any, error: Exception | None) -> None:
    """The site opens at its top folder."""
    if error is None and app.builder.format == "html":
        Path(app.outdir, "index.html").write_text(START.format(project, "docs/index.html"), encoding="utf-8")


def setup(app: Any) -> dict[str, bool]:
    for name in ("hex", "mermaid"):
        app.add_lexer(name, TextLexer)
    app.connect("doctree-read", _plain_links_to_folders)
    app.connect("autodoc-process-docstring", _fields_as_lists)
    app.connect("build-finished", _start_page)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
