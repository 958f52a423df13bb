"""Replays that a page of results has no room for, in pages of their own in a folder
beside it.

A page that is opened from disk can follow a link, but it cannot fetch.
"""

import errno
import re
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

from msgspec import structs

from khiva_arena.display.page import html
from khiva_arena.display.page.box import Box
from khiva_arena.display.page.data import PageData, PageMatch, Took
from khiva_arena.errors import ConfigError
from khiva_arena.records.replay.frames import Film
from khiva_arena.records.store.new_file import begins, new_file

PAGE_MOST = 3 * 2**19
"""Bytes of replays in one of these pages; a match that alone takes more has a page to
itself.
"""
_OURS = re.compile(r"[0-9]+-seed-[0-9]+(-[0-9]+)?\.html")


class ReplayFolder:
    """The folder page-replays beside page.html: pages of replays, each with those of
    some matches of one event.

    path: where it is. It is made once there is something to put in.
    paths: the names of its pages.
    """

    def __init__(self, page: Path) -> None:
        self.path = page.with_name(f"{page.stem}-replays")
        self.paths: list[str] = []
        self._home = f"../{quote(page.name)}"
        self._about: PageData | None = None
        self._name = ""
        self._box = Box(PAGE_MOST)
        self._matches = html.MatchList()

    def begin(self, about: PageData) -> None:
        """Begin an event: the matches that are added next belong to it. ``about``: a
        page of this event without its matches.
        """
        self._write()
        self._about = structs.replace(about, home=self._home)

    def add(
        self, plain: PageMatch, made_film: Film, notes: list[str], times: list[dict[int, Took]]
    ) -> str:
        """Add a match and return the address of the page that will hold it, as the page
        beside the folder has it.
        """
        place = self._box.add(made_film, notes, times)
        if place is None:
            self._write()
            place = self._box.add(made_film, notes, times, must=True)
        if not self._matches:
            self._name = self._new_name(f"{plain.event}-seed-{plain.seed}")
        self._matches.add([structs.replace(plain, replay=place)])
        return f"{quote(self.path.name)}/{self._name}"

    def _new_name(self, deal: str) -> str:
        """Return the name of a page that begins with a match on this deal, another one
        for each such page.
        """
        pages = sum(1 for name in self.paths if name.startswith((f"{deal}.", f"{deal}-")))
        return f"{deal}-{pages + 1}.html" if pages else f"{deal}.html"

    def finish(self) -> None:
        """Write the last page, and delete pages of an earlier report."""
        self._write()
        with suppress(OSError):  # there is no folder
            self._refuse_link()
            for old in self.path.iterdir():
                if (
                    _OURS.fullmatch(old.name)
                    and old.name not in self.paths
                    and begins(old, html.BEGINNING)
                ):
                    old.unlink()
            self.path.rmdir()  # if nothing else is in it

    def _refuse_link(self) -> None:
        if self.path.is_symlink():
            raise OSError(errno.ELOOP, "it is a link, which is not followed")

    def _write(self) -> None:
        if self._about is None or not self._matches:
            return
        try:
            self._refuse_link()
            self.path.mkdir(exist_ok=True)
        except OSError as error:
            raise ConfigError(f"{self.path}: cannot be made: {error.strerror or error}") from None
        self._box.close()
        data = structs.replace(self._about, legal=self._box.legal)
        with new_file(self.path / self._name, replaces=html.BEGINNING) as file:
            file.write(html.page(data, self._matches, self._box.blocks).encode())
        self.paths.append(self._name)
        self._box, self._matches = Box(PAGE_MOST), html.MatchList()
