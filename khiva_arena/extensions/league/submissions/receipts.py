"""Receipts: what a league said of its newest link, kept with the time by somebody
outside of it.

An organiser cannot take back what others have kept. A receipt shows that its link was
there at its time, and with it all links before. So it tells whether an end of the chain
was thrown away, and whether a batch was drawn before its beacon's round.
"""

import os
import shlex
from pathlib import Path

from khiva_arena.common.say import Say
from khiva_arena.common.text import harmless
from khiva_arena.extensions.league.submissions.sending import Site, ToldLink
from khiva_arena.records.store import private
from khiva_arena.records.store.rows import now


def keep(site: Site, told: ToldLink, say: Say) -> Path | None:
    """Keep what a league said of its newest link, and return the file; None if it said
    nothing or nothing can be kept.
    """
    if told.link is None or told.digest is None:
        return None
    file = _state_home() / "khiva-arena" / "receipts" / f"{site.file_name}.txt"
    link = f"link {told.link} {told.digest}"
    line = f"{link} commitment {told.commitment or '-'} at {now()} from {site.url}"
    try:
        private.make_folder(file.parent)
        descriptor = private.open_file(file, os.O_RDWR | os.O_APPEND)
        with os.fdopen(descriptor, "r+", encoding="ascii", errors="replace") as opened:
            earlier = [old for old in opened if old.startswith(f"link {told.link} ")]
            opened.write(f"{line}\n")
    except OSError as error:
        say(
            harmless(f"{file}: {error.strerror or error}; keep this line yourself: {line}"),
            warning=True,
        )
        return None
    if not all(old.startswith(link) for old in earlier):
        say(
            f"the league told you another link {told.link} before: an end of its chain was "
            "thrown away",
            warning=True,
        )
    later = f"khiva-arena verify BUNDLE --seen {shlex.quote(str(file))}"
    say(harmless(f"link {told.link} of its chain is kept; once the league is published: {later}"))
    return file


def _state_home() -> Path:
    return Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state")
