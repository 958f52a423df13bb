"""The page that checks bundles and plays bots, ``khiva-arena.html``: one file with the
arena itself, which opens from disk.

It holds the rooms of the package that an audit and a match need, Pyodide to run them, a
meter and a runner in JavaScript, and two scripts that its policy names: an editor, and
all else. The rest is data, which that script hands to a worker. The worker is a blob of
the page, so it has the page's policy: nothing is fetched, sent or stored. The same
files give the same page, byte by byte, by whatever Python: nothing is compressed or
compiled here, the archives of others are in it as they were published, and what Pyodide
made has a pinned hash, too. The rooms are among that: a checkout with others than the
pinned ones adds its own.
"""

import base64
import gzip
import io
import json
import re
import tarfile
import tomllib
from collections.abc import Mapping
from hashlib import sha256
from importlib.resources import files
from typing import Any

from khiva_arena import __version__
from khiva_arena.common.shipped import folder
from khiva_arena.display.page.html import BEGINNING, hash_of, page_script, page_style, script_of
from khiva_arena.errors import ConfigError
from khiva_arena.extensions.checker.rooms import packed, unpacked
from khiva_arena.extensions.checker.workbench.blocks import workbench_blocks
from khiva_arena.games.registry import NAMES, get

FIRSTS = (
    "khiva_arena.extensions.checker.in_pyodide",
    "khiva_arena.extensions.checker.workbench.in_pyodide",
    *(f"khiva_arena.games.{name}" for name in NAMES),
    *(f"khiva_arena.games.{name}.asking" for name in NAMES),  # the words of a person's questions
)
"""The modules that the page imports; with them it carries all that they need."""
BLOCKS = {
    "pyodide": "pyodide.tgz",
    "msgspec": "msgspec.whl",
    "bytecode": "bytecode.zip.gz",
    "licences": "licences.txt",
    "rooms": "rooms.zip.gz",
    "python": "python.wasm.gz",
    "javascript": "javascript.wasm.gz",
}
"""How the page calls what runtime.toml names, but for the editor, which is a script."""
_ID = "editor"
_BLOCK = re.compile(r'<script(?: type="application/base64")? id="([^"]+)">.*?</script>', re.DOTALL)
_OTHERS = re.compile(r"^export \{[^}]*\} from .*\n", re.MULTILINE)
_POLICY = (
    "default-src 'none'; script-src '{script}' '{editor}' 'wasm-unsafe-eval' blob:; worker-src "
    "blob:; style-src '{style}'; connect-src 'none'; base-uri 'none'; form-action 'none'"
)
_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="generator" content="Khiva Arena {engine}">
<meta name="description" content="{carries}">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Khiva Arena: check a bundle, write a bot</title>
<style>{style}</style>
</head>
<body>
<noscript>This page checks bundles and plays bots with scripts of its own, which this browser does \
not run.</noscript>
{data}
<script id="editor">{editor}</script>
<script>{script}</script>
</body>
</html>
"""


def checker_page(runtime: bytes) -> str:
    """Return the page, from an archive of the files that runtime.toml names, or from
    another page that has them.

    Raises ConfigError if that cannot be read, or has other files than these.
    """
    held = _runtime(runtime)
    data = {name: _block(name, content) for name, content in sorted(_contents(held).items())}
    from khiva_arena.extensions.checker.not_checked import carries

    script, style, editor = (
        page_script(NAMES, "doors"),
        page_style(NAMES, "doors"),
        held[_ID].decode(),
    )
    policy = _POLICY.format(script=hash_of(script), editor=hash_of(editor), style=hash_of(style))
    words = {
        "engine": __version__,
        "carries": carries(),
        "policy": policy,
        "style": style,
        "script": script,
        "editor": editor,
    }
    return _PAGE.format(data="\n".join(data.values()), **words)


def costs(page: str) -> dict[str, int]:
    """Return how many bytes of a page each of its blocks costs, and the rest of it."""
    found = {match[1]: len(match[0]) for match in _BLOCK.finditer(page)}
    return found | {"all else": len(page.encode()) - sum(found.values())}


def _contents(runtime: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return what the page holds, by name. ``runtime``: the files of ``runtime.toml``
    by their names there.
    """
    verifier = {
        path.stem: _OTHERS.sub("", path.read_text())
        for path in (folder("protocol") / "verifier").glob("*.js")
    }
    worker = f"(() => {{ {script_of(verifier, 'in_page')}\n_in_page.serve(self);\n}})();"
    games = json.dumps([_game(name) for name in NAMES])
    own = {"worker.js": worker.encode(), "games": games.encode()}
    if unpacked(gzip.decompress(runtime["rooms"])) != unpacked(modules := rooms()):
        own["rooms.zip"] = modules  # this checkout has others than the pinned ones
    return {**{block: runtime[name] for name, block in BLOCKS.items()}, **own, **workbench_blocks()}


def rooms() -> bytes:
    """Return the archive of the modules that the page carries."""
    from khiva_arena.extensions.checker.not_checked import EXTENSIONS

    return packed(FIRSTS, EXTENSIONS)


def _game(name: str) -> dict[str, Any]:
    game = get(name)
    return {"name": name, "title": game.title, "seats": [*game.seats]}


def _runtime(data: bytes) -> dict[str, bytes]:
    pins: dict[str, Any] = tomllib.loads(
        (files(__package__) / "runtime.toml").read_text(encoding="utf-8")
    )
    try:
        held = _in_page(data) if data.startswith(BEGINNING) else _in_archive(data, pins)
    except (OSError, KeyError, ValueError, tarfile.TarError) as error:
        raise ConfigError(f"Pyodide cannot be read out of it ({error})") from None
    for name, pin in pins.items():
        digest = sha256(held.get(name, b"")).hexdigest()
        if digest != pin["sha256"]:
            found = (
                f"has another hash than the pinned one: {digest}"
                if name in held
                else "is not in it"
            )
            raise ConfigError(f"{pin['file']} {found}")
    return held


def _in_archive(data: bytes, pins: Mapping[str, Mapping[str, str]]) -> dict[str, bytes]:
    with tarfile.TarFile(fileobj=io.BytesIO(data)) as archive:
        names = set(archive.getnames())
        opened = {
            name: archive.extractfile(pin["file"])
            for name, pin in pins.items()
            if pin["file"] in names
        }
        return {name: file.read() for name, file in opened.items() if file}


def _in_page(data: bytes) -> dict[str, bytes]:
    found = {
        name: re.search(rb' id="%s">([^<]*)</script>' % re.escape(block.encode()), data)
        for name, block in BLOCKS.items()
    }
    blocks = {name: base64.b64decode(match[1]) for name, match in found.items() if match}
    editor = re.search(rb'<script id="editor">(.*?)</script>', data, re.DOTALL)
    return blocks | ({_ID: editor[1]} if editor else {})


def _block(name: str, content: bytes) -> str:
    return (
        '<script type="application/base64" '
        f'id="{name}">{base64.b64encode(content).decode()}</script>'
    )
