"""The site for programs that read: ``llms.txt`` lists the pages (https://llmstxt.org),
and each page lies beside its HTML as Markdown, ``docs/games.md`` beside
``docs/games.html``.
"""

from pathlib import Path

from side_bar import KINDS, OTHER_KINDS, ROOT, Entry, entries
from wheel_pages import with_links_among

FILE = "llms.txt"
HEAD = """\
# Khiva Arena

> Khiva Arena plays fair tournaments between game-playing bots, written in any language, on one \
Linux machine.

`khiva-arena new python my-bot` makes a bot. AGENTS.md in its folder has all that a coding agent \
needs to begin: the rules of
the game, how strong bots are, and five commands with their JSON and exit codes. The pages "in \
brief" have the same facts of each
game, in a thousand words. Of the other pages read only those of which a question needs the answer.
"""


def llms_txt() -> str:
    """Return the list of all pages by kind, with what a reader finds there."""
    parts = [HEAD]
    for kind, some in entries().items():
        lines = [
            f"- [{title(entry)}]({entry.file}){f': {entry.about}' if entry.about else ''}"
            for entry in some
        ]
        parts.append("\n".join([f"## {(KINDS | OTHER_KINDS)[kind]}", "", *lines, ""]))
    return "\n".join(parts)


def title(entry: Entry) -> str:
    """Return the title of a page: that of the side bar, or its heading."""
    return entry.title or (ROOT / entry.file).read_text("utf-8").partition("\n")[0].removeprefix(
        "# "
    )


def write(site: Path) -> None:
    """Write the list and all pages into a folder."""
    files = {entry.file for some in entries().values() for entry in some}
    for file in sorted(files):
        (site / file).parent.mkdir(parents=True, exist_ok=True)
        (site / file).write_text(with_links_among(file, files), encoding="utf-8")
    (site / FILE).write_text(llms_txt(), encoding="utf-8")
