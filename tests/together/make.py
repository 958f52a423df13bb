"""Write the fixtures of the engine's own version: `python tests/together/make.py`,
once, before the version number rises.

For each game and format, and for each case of ``EXTRA``, with the bots of
tests/published: a finished store, one that a kill -9 interrupted, and a bundle. They
are what users of that version have; a later engine reads, resumes and verifies them for
ever, so nothing here is made again.
"""

import json
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from contextlib import nullcontext
from itertools import product
from pathlib import Path

sys.path.extend(map(str, Path(__file__).parents[1].glob("**/support")))

from arena import arena, kill, started, wait_for_matches
from published import FORMATS, GAMES, HERE
from published_forms import EXTRA, PLAN, REMOTE, before, command

from khiva_arena import __version__
from khiva_arena.records.store.db import FILE, Store


def make(game: str, form: str, place: Path) -> None:
    """Write the stores and the bundle of one case into ``place``, a folder that is not
    there yet.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        finished, interrupted = folder / "finished", folder / "interrupted"
        for words in before(game, form, folder, finished):
            arena(*words, cwd=folder, code=None)
        if finished.exists():
            shutil.copytree(finished, interrupted)
        if form == REMOTE:
            play_remotely(command(game, form, folder, finished), folder)
        else:
            arena(*command(game, form, folder, finished), cwd=folder, code=None)
        with Store.read(finished) as store:
            events = store.events()
            said = [
                {"id": event.id, "commitment": event.commitment, "digests": store.digests(event.id)}
                for event in events
            ]
        if form != REMOTE:
            interrupt(
                command(game, form, folder, interrupted),
                folder,
                interrupted,
                sum(len(event["digests"]) for event in said),
            )
        handed = ["--game", str(HERE / "bidding.py")] if game == "bidding" else []
        arena("bundle", str(finished), str(folder / "bundle"), *handed, cwd=folder)
        place.mkdir(parents=True)
        shutil.copy(folder / "bundle", place / "bundle")
        with tarfile.open(place / "stores.tar.xz", "w:xz", preset=9) as tar:
            for store_folder in (finished, interrupted):
                for file in (FILE, f"{FILE}-wal", "shard.json"):
                    if (store_folder / file).exists():
                        tar.add(store_folder / file, f"{store_folder.name}/{file}")
            if (folder / PLAN).exists():
                tar.add(folder / PLAN, PLAN)
        (place / "events.json").write_text(json.dumps(said, indent=1) + "\n")


def interrupt(words: list[str], folder: Path, store: Path, matches: int) -> None:
    """Kill a run of so many matches between what lies in its store already and its
    end.
    """
    with Store.read(store) if (store / FILE).exists() else nullcontext() as there:
        already = sum(len(there.digests(event.id)) for event in there.events()) if there else 0
    run = started(*words, cwd=folder)
    wait_for_matches(store / FILE, max(already + 1, (already + matches) // 2))
    kill(run)
    run.communicate()


def play_remotely(words: list[str], folder: Path) -> None:
    """Run an event with a bot behind a relay, which is started as the run says."""
    run = started(*words, cwd=folder)
    assert run.stderr
    for line in run.stderr:
        if where := re.search(r"khiva-arena relay (\S+) ann --token (\S+)", line):
            bot = [sys.executable, str(HERE / "bots" / "chooser.py"), "lots-9"]
            relay = [
                sys.executable,
                "-m",
                "khiva_arena",
                "relay",
                where[1],
                "ann",
                "--token",
                where[2],
                "--",
                *bot,
            ]
            with subprocess.Popen(relay, cwd=folder, stderr=subprocess.DEVNULL) as process:
                run.communicate(timeout=120)
                process.terminate()
            return
    raise AssertionError(f"exit {run.wait()} before it waited for a relay")


def main() -> None:
    version = HERE / __version__
    if version.exists():
        sys.exit(f"{version} is there already: what was published is never made again")
    for game, form in [*product(GAMES, FORMATS), *EXTRA]:
        print(game, form, flush=True)
        make(game, form, version / f"{game}-{form}")


if __name__ == "__main__":
    main()
