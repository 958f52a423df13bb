"""A page of results as it is served, with a script and a style that keep it up to
date.
"""

import html as markup
import os
import re
from importlib.resources import files
from pathlib import Path

from starlette.responses import HTMLResponse

from khiva_arena import __version__
from khiva_arena.bots.sandbox import regular_files
from khiva_arena.display.page import html

_POLICY = re.compile(r'(?<=<meta http-equiv="Content-Security-Policy" content=")[^"]*(?=">)')
_OWN = "; connect-src 'self'"
WAITING = (
    html.BEGINNING.decode()
    + """{engine}">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Khiva Arena</title>
<style>{style}</style>
</head>
<body>
<noscript>This page draws what comes with a script of its own, which this browser does not \
run.</noscript>
<header class="top"><h1>Khiva Arena</h1></header>
<main><p class="empty">{sentence}</p></main>
</body>
</html>
"""
)
FIRST_SEED = (
    "Tables, charts and matches appear here as soon as all matches of the first deal are recorded."
)


class ServedPage:
    """The newest page that there is.

    path: where it is written again and again; None if it is nowhere
    sentence: the text that is shown before there is a page
    number: of the page that is served, 0 before there is one
    """

    def __init__(self, path: Path | None, sentence: str = FIRST_SEED) -> None:
        self._path = path
        self._stamp: tuple[int, int] | None = None
        self.number = 0
        self._text = _with_live(_waiting(sentence), 0)

    def look(self) -> bool:
        """Look for a newer page. Returns whether there is one."""
        if self._path is None:
            return False
        try:
            with regular_files.open_file(self._path) as file:
                status = os.fstat(file.fileno())
                stamp = status.st_mtime_ns, status.st_ino
                if stamp == self._stamp:
                    return False
                text = file.read().decode()
        except (OSError, ValueError):  # not yet there, or no longer; the arena's pages are UTF-8
            return False
        self._stamp = stamp
        if not html.is_ours(text):  # its policy could let any script run at our address
            return False
        self.number += 1
        self._text = _with_live(text, self.number)
        return True

    def response(self) -> HTMLResponse:
        """Return the page with its policy."""
        policy = _POLICY.search(self._text)
        assert policy
        policy_text = markup.unescape(policy[0]) + "; frame-ancestors 'none'"
        return HTMLResponse(self._text, headers={"content-security-policy": policy_text})


def _waiting(sentence: str) -> str:
    style = html.page_style()
    return WAITING.format(
        engine=__version__,
        policy=html.policy("", style),
        style=style,
        sentence=markup.escape(sentence),
    )


def _with_live(page: str, number: int) -> str:
    """Return a page with the script and the style that keep it up to date, and the
    policy that allows these.
    """
    folder = files(__package__)
    modules = {name: (folder / f"{name}.js").read_text() for name in ("live", "place")}
    # a block, so that its names are none of the page's script
    script = f"{{\n{html.script_of(modules, 'live')}\n}}"
    style = (folder / "live.css").read_text()

    def widened(policy: re.Match[str]) -> str:
        text = policy[0].replace("script-src ", f"script-src '{html.hash_of(script)}' ")
        return text.replace("style-src ", f"style-src '{html.hash_of(style)}' ") + _OWN

    page = _POLICY.sub(widened, page, count=1)
    head = f'<meta name="khiva-page" content="{number}">\n<style>{style}</style>\n</head>\n'
    before, _, after = page.partition("</head>\n")
    before, after = before + head + after.rpartition("</body>")[0], after.rpartition("</body>")[2]
    return f'{before}<script id="served">{script}</script>\n</body>{after}'
