"""Put the site of the project into docs/_build/site, for any static host: the docs, a
cup of three games with page, bundle and replays, a league's pages, and the page that
checks and plays. A link that leads nowhere ends this with exit code 1.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.parse
import urllib.request
from functools import partial
from html import escape
from pathlib import Path
from string import Template

ROOT = Path(__file__).resolve().parents[1]
SITE = ROOT / "docs" / "_build" / "site"
SHIPPED = {
    "khiva": ("random", "naive", "greedy", "search"),
    "emira": ("random", "greedy_emira", "search_emira"),
    "silk_road": ("random", "greedy_silk_road", "search_silk_road"),
}
"""The bots of the cup by game."""
LINK = re.compile(r"""(?<![\w-])(href|src|action)="([^"]*)"(?=[^<]*>)""")
PLAYER = "khiva-arena.html"
RELEASED, MADE = ROOT / "dist" / PLAYER, ROOT / "docs" / "_build" / PLAYER
"""The page in which a reader checks a bundle or writes a bot: that of a release, with
its hashes, or that of `make page`.
"""
NAMED = f'<code class="docutils literal notranslate"><span class="pre">{PLAYER}</span></code>'
TRIED_IN = ("index", "write-in-a-browser", "first-bot")
"""The pages of the manual that say `khiva-arena.html` to a reader who would try it: on
the site that is a link.
"""
IN_TICKS = (ROOT / "interpreters" / "build" / "python.wasm").exists()
"""Whether the cup is played in ticks, so that a browser can play it again, bots and
all: where `make interpreters` has run.
"""
COLUMNS = {
    "rank_interval": "ranks",
    "name": "bot",
    "elo": "Elo",
    "error": "±",
    "matches": "matches",
    "score": "score %",
}


def arena(*words: str, where: Path) -> str:
    """Run a command of the arena in a folder and return what it prints. Its messages go
    on to whoever runs this.
    """
    command = [sys.executable, "-m", "khiva_arena", *words]
    return subprocess.run(command, cwd=where, check=True, stdout=subprocess.PIPE, text=True).stdout


def make_cup(folder: Path) -> str:
    """Play the cup, write its page, replays and bundle to the site, and return the rows
    of its first table as HTML.
    """
    for game, names in SHIPPED.items():
        seated = [word for name in names for word in ("--bot", f"shipped:python/{name}")]
        seeds = (
            "10" if game == "khiva" else "3"
        )  # the table of the first one stands on the first page
        how = [
            "--seats",
            "3",
            "--seeds",
            seeds,
            "--seed",
            "site",
            "--trust-bots",
            "-j",
            "2",
            "--out",
            "cup",
        ]
        arena("run", "--game", game, *seated, *how, *["--clock", "ticks"] * IN_TICKS, where=folder)
    (SITE / "cup").mkdir()
    page = (
        "--out",
        str(SITE / "cup" / "cup.html"),
        "--title",
        "A cup of three games",
        "--replays",
        "all",
    )
    arena("report", "cup", *page, where=folder)
    arena(
        "bundle",
        "cup",
        str(SITE / "cup" / "cup.khiva"),
        *["--with-modules"] * IN_TICKS,
        where=folder,
    )
    first = json.loads(arena("standings", "cup", "--json", where=folder))["standings"][0]
    lines = [[escape(as_text(row[key])) for key in COLUMNS] for row in first["rows"]]
    heads = "".join(f"<th>{name}</th>" for name in COLUMNS.values())
    return f"<tr>{heads}</tr>" + "".join(
        f"<tr>{''.join(f'<td>{cell}</td>' for cell in line)}</tr>" for line in lines
    )


def as_text(cell: str | float | list[int]) -> str:
    """Return a cell of a table as it is shown: a range of ranks as 1-2, or 1."""
    if isinstance(cell, list):
        return "-".join(str(rank) for rank in sorted(set(cell)))
    return f"{cell:.0f}" if isinstance(cell, float) else str(cell)


def make_league(folder: Path) -> None:
    """Play six batches of a league and write its pages to the site, as its server
    serves them.
    """
    arena("league", "new", "spring", "--seats", "3", where=folder)
    for name, author in (("naive", "ann"), ("search", "bob")):
        arena("league", "author", "add", "spring", author, where=folder)
        bot = str(ROOT / "bots" / "python" / name)
        arena("league", "enter", "spring", bot, "--author", author, "--allow-include", where=folder)
    arena("league", "play", "spring", "--batches", "6", "-j", "2", where=folder)
    command = [
        sys.executable,
        "-m",
        "khiva_arena",
        "league",
        "serve",
        "spring",
        "--listen",
        "127.0.0.1:0",
    ]
    command += ["--user", "nobody"] * (os.geteuid() == 0)
    with subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True) as server:
        try:
            said = server.stderr.readline() if server.stderr else ""
            copy_pages(re.findall(r"http://[\d.]+:\d+", said)[0], SITE / "league")
        finally:
            server.terminate()


def copy_pages(origin: str, folder: Path) -> None:
    """Copy all pages that links lead to from the first page of a server, each link
    relative to its own page.
    """
    todo, texts = ["/"], {}
    while todo:
        path = todo.pop()
        with urllib.request.urlopen(origin + path, timeout=60) as answer:
            texts[path] = (
                answer.read(),
                "html" in answer.headers["content-type"] and not path.endswith(".html"),
            )
        if texts[path][1]:
            links = {
                urllib.parse.urljoin(path, one) for _, one in LINK.findall(texts[path][0].decode())
            }
            todo += {one.split("#")[0] for one in links if is_copied(one)} - {*texts, *todo}
    for path, (data, is_page) in texts.items():
        place = folder / file_of(path)
        place.parent.mkdir(parents=True, exist_ok=True)
        up = "../" * (len(place.relative_to(folder).parts) - 1)
        text = LINK.sub(partial(there, path=path, up=up), data.decode()) if is_page else ""
        place.write_bytes(text.encode() or data)


def is_copied(path: str) -> bool:
    """Tell whether a link leads to a page that a static host can show: not to one for
    authors, nor to older pages of a list.
    """
    return (
        path.startswith("/")
        and not path.startswith(("/author", "/api/submit", "/api/entries"))
        and "?" not in path
    )


def file_of(path: str) -> str:
    """Return the file of a page by its address."""
    name = urllib.parse.unquote(path.split("#")[0].strip("/"))
    return name if "." in name.rsplit("/", 1)[-1] else f"{name}/index.html".lstrip("/")


def there(link: re.Match[str], path: str, up: str) -> str:
    """Return a link of a page of a league as the copy has it; one that no static host
    can answer leads to the page on leagues.
    """
    to, _, part = urllib.parse.urljoin(path, link[2]).partition("#")
    to = (
        up + urllib.parse.quote(file_of(to))
        if is_copied(to)
        else f"{up}../manual/docs/leagues.html"
    )
    return link[0] if ":" in link[2] else f'{link[1]}="{to}{"#" * bool(part)}{part}"'


def add_player() -> str:
    """Put that page on the site, with links to it in the manual, and return as HTML the
    line on the hashes of its release.
    """
    page = RELEASED if RELEASED.exists() else MADE
    shutil.copy(page, SITE)
    for name in TRIED_IN:
        manual = SITE / "manual" / "docs" / f"{name}.html"
        manual.write_text(
            manual.read_text("utf-8").replace(NAMED, f'<a href="../../{PLAYER}">{NAMED}</a>'),
            "utf-8",
        )
    if page == MADE:
        return ""
    shutil.copy(
        page.with_name("SHA256SUMS"), SITE
    )  # the hashes of all of the release stay where anybody finds them
    return (
        '<li><a href="SHA256SUMS">The hashes of this release</a>, which two machines came to</li>'
    )


def dead_links() -> list[str]:
    """Return what links lead nowhere, and what pages would ask of another host."""
    wrong = []
    for page in SITE.rglob("*.html"):
        for kind, link in LINK.findall(page.read_text("utf-8")):
            path = urllib.parse.unquote(link.split("#")[0].split("?")[0])
            away = re.match(r"(?:[a-z]+:)?//", path) is not None
            here = path and not away and ":" not in path
            if (away and kind == "src") or (here and not (page.parent / path).exists()):
                wrong.append(f"{page.relative_to(SITE)}: {link}")
    return wrong


def main() -> int:
    shutil.rmtree(SITE, ignore_errors=True)
    SITE.mkdir(parents=True)
    shutil.copytree(
        SITE.parent / "html",
        SITE / "manual",
        ignore=shutil.ignore_patterns(".buildinfo", ".doctrees"),
    )
    kind = (
        "plays every match of it again, bots and all" if IN_TICKS else "replays every match of it"
    )
    checks = (
        f'<li><a href="{PLAYER}">Check the bundle in your browser</a>, which {kind}; nothing '
        "is sent anywhere</li>"
    )
    checks += add_player()
    with tempfile.TemporaryDirectory(prefix="khiva-site-") as folder:
        os.chmod(folder, 0o755)  # root's server becomes another user
        rows = make_cup(Path(folder))
        make_league(Path(folder))
    page = Template((ROOT / ".ci" / "site.html").read_text("utf-8"))
    (SITE / "index.html").write_text(
        page.substitute(rows=rows, checks=checks, rerun=" --rerun-bots" * IN_TICKS), "utf-8"
    )
    wrong = dead_links()
    print(*wrong, sep="\n", end="\n" * bool(wrong), file=sys.stderr)
    files = [path for path in SITE.rglob("*") if path.is_file()]
    size = sum(path.stat().st_size for path in files) >> 20
    print(
        f"{SITE.relative_to(ROOT)}/index.html: {len(files)} files, {size} MiB, "
        f"{len(wrong)} links that lead nowhere"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
