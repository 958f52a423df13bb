"""Write the fixtures of the engine's own version: `python tests/published/make.py`, once, before the version number rises.

For each game and format, with the bots of this folder: a finished store, one that a kill -9 interrupted, and a bundle. They are
what users of that version have; a later engine reads, resumes and verifies them for ever, so nothing here is made again.
"""

import json
import shutil
import sys
import tarfile
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "support"))

from arena import arena, kill, started, wait_for_matches  # noqa: E402
from published import FORMATS, GAMES, command  # noqa: E402

from khiva_arena import __version__  # noqa: E402
from khiva_arena.store.db import FILE, Store  # noqa: E402


def make(game: str, form: str, place: Path) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        finished, interrupted = folder / "finished", folder / "interrupted"
        arena(*command(game, form, folder, finished), cwd=folder, code=None)
        with Store.read(finished) as store:
            events = store.events()
            said = [{"id": event.id, "commitment": event.commitment, "digests": store.digests(event.id)} for event in events]
        run = started(*command(game, form, folder, interrupted), cwd=folder)
        wait_for_matches(interrupted / FILE, max(1, len(said[0]["digests"]) // 2))
        kill(run)
        run.communicate()
        arena("bundle", str(finished), str(folder / "bundle"), cwd=folder)
        place.mkdir(parents=True)
        shutil.copy(folder / "bundle", place / "bundle")
        with tarfile.open(place / "stores.tar.xz", "w:xz", preset=9) as tar:
            for store_folder in (finished, interrupted):
                for file in (FILE, f"{FILE}-wal"):
                    if (store_folder / file).exists():
                        tar.add(store_folder / file, f"{store_folder.name}/{file}")
        (place / "events.json").write_text(json.dumps(said, indent=1) + "\n")


def main() -> None:
    version = HERE / __version__
    if version.exists():
        sys.exit(f"{version} is there already: what was published is never made again")
    for game in GAMES:
        for form in FORMATS:
            print(game, form, flush=True)
            make(game, form, version / f"{game}-{form}")


if __name__ == "__main__":
    main()
