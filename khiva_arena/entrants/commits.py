"""The folder of a bot as a commit of its repository has it, for a word such as
``my-bot@HEAD~1``.

The names and sizes of the commit's files are laid out in a private folder, whose files
are holes at first. The checks of any bot's folder choose the bot's files among them;
only these are read from the repository. So a bot of a commit is bounded as any other,
and has the identity of a folder with the same files.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from khiva_arena.common.text import file_name
from khiva_arena.entrants import git, manifest, source_walk, sources, toml_file
from khiva_arena.entrants.bot_words import CommitWord
from khiva_arena.entrants.loading import Bounds, Loading, allow_include
from khiva_arena.entrants.private_bot import PrivateBot, new_parent
from khiva_arena.errors import ConfigError

DIGITS, STORED_DIGITS = 7, 12
"""Digits of a commit in a bot's name, and in the word by which it is found again."""
LONGEST_NAME = 64
BOT_TOML = "bot.toml"
LINK, SUBMODULE = "120000", "160000"
FILES = ("100644", "100755")
"""The modes of files; those of the second kind may be run."""
MOST_PATH, MOST_PARTS = 4096, 100
ENTRIES_PER_FILE = 10
"""Entries of the folder in the commit, for each file that a bot may have."""
MOST_HOLE = 1 << 40
AT_ONCE = 100
POINTER, MOST_POINTER = b"version https://git-lfs.github.com/spec/", 1024
"""The first bytes, and the most bytes, of a file that names contents which Git LFS
keeps elsewhere.
"""


def with_commit(name: str, commit: str) -> str:
    """Return the name of a bot in tables, with the first digits of the commit from
    which it was read if it was read from one.
    """
    return f"{name[: LONGEST_NAME - 1 - DIGITS]}@{commit[:DIGITS]}" if commit else name


def without_commit(name: str, commit: str) -> str:
    """Return the name of a bot in its bot.toml. ``commit``: "" for a bot that lies on
    the disk.
    """
    return name.removesuffix(f"@{commit[:DIGITS]}") if commit else name


def read(named: CommitWord, base: str, loading: Loading) -> PrivateBot:
    """Read the files of a bot from a commit, by the settings of ``loading``. Raises
    ConfigError in one line.

    base: the folder to which paths are relative
    """
    place = os.path.realpath(os.path.join(base, named.folder))
    there = place
    while not os.path.isdir(there):
        there = os.path.dirname(there)
    home = git.place_of(there)
    inside = os.path.normpath(os.path.join(home.inside, os.path.relpath(place, there)))
    commit = _commit(there, named.revision, is_shallow=home.is_shallow)
    at = _At(there, commit, "" if inside == "." else inside)
    entries = _of_the_bot(at, _tree(at, named), named, loading.bounds)
    parent = new_parent("commit")
    folder = parent / (os.path.basename(place) or "bot")
    word = f"{named.folder}@{commit[:STORED_DIGITS]}"
    beside = f"{os.path.dirname(named.folder.rstrip('/')) or '.'}@{commit[:STORED_DIGITS]}"
    shown = ((str(folder), word), (str(parent), beside))
    found = PrivateBot(
        folder,
        word,
        _asking(loading, os.path.join(base, named.folder), place, parent),
        shown,
        commit,
    )
    with found.in_words():
        try:
            _read_files(at, entries, folder, loading)
        except (FileExistsError, NotADirectoryError) as error:
            raise ConfigError(_damaged(found.in_a_message(os.fspath(error.filename)))) from None
    return found


def _read_files(
    at: "_At", entries: Sequence[git.TreeEntry], folder: Path, loading: Loading
) -> None:
    """Lay out the files of a bot in a private folder, and read those that are the
    bot's. Raises ConfigError, and OSError.
    """
    by_path = {folder / entry.path: entry for entry in entries}
    with git.blobs(at.there) as blobs:
        _lay_out(folder, entries, _links(at, entries, blobs), loading.bounds)
        _fill(at, blobs, by_path, [folder / BOT_TOML], toml_file.LONGEST_FILE)
        bot_toml = manifest.read(folder / BOT_TOML, dict(loading.runtimes))
        _refuse_submodules(at, entries, folder, bot_toml)
        by_path |= _beside(at, folder, bot_toml.include) if at.inside else {}
        unasked = replace(
            loading, include=allow_include
        )  # who agrees to them is asked when the folder is loaded
        files = sources.sources(
            folder, folder / BOT_TOML, bot_toml.files, bot_toml.include, unasked
        )
        _fill(at, blobs, by_path, [path for _, path in files], loading.bounds.bot_file_size)


class _At(NamedTuple):
    """A bot's folder in a commit.

    there: a folder of the repository.
    commit: the hash.
    inside: the path of the bot's folder from the top of the repository, "" for the top
        itself.
    """

    there: str
    commit: str
    inside: str

    def elsewhere(self, path: str, what: str) -> ConfigError:
        """Return the error for a path whose contents are not in the commit."""
        digits = self.commit[:DIGITS]
        return ConfigError(
            f"{file_name(path)} is {what}, and its contents are not in the commit; run `git "
            f"worktree add ../{digits} {digits}`, fetch them there, and name the bot's folder there"
        )


def _asking(loading: Loading, folder: str, place: str, parent: Path) -> Loading:
    """Return the loading that asks about included files as it would for the folder
    itself.

    place: the folder, without links.
    parent: the private folder that holds the bot's.
    """

    def include(_: Path, paths: Sequence[str]) -> None:
        beside = os.path.dirname(place)
        loading.include(
            Path(folder, BOT_TOML),
            [os.path.join(beside, os.path.relpath(path, parent)) for path in paths],
        )

    return replace(loading, include=include)


# --- in the repository ---


def _commit(there: str, revision: str, *, is_shallow: bool) -> str:
    """Return the hash of a commit. Raises ConfigError."""
    shown = file_name(revision)
    if not revision or revision.startswith("-") or not revision.isprintable():
        raise ConfigError(f"{shown!r} names no commit; name one behind the @, as my-bot@HEAD~1")
    commit = git.commit_of(there, revision)
    if not commit and is_shallow:
        raise ConfigError(
            f"this clone is shallow and has no commit {shown}; run `git fetch --unshallow`, or "
            "write `fetch-depth: 0` in the workflow"
        )
    if not commit:
        raise ConfigError(
            f"the repository has no commit {shown}; `git log --oneline` lists commits"
        )
    return commit


def _tree(at: _At, named: CommitWord) -> str:
    """Return the tree of the bot's folder in a commit. Raises ConfigError if the commit
    has no such folder.
    """
    if not at.inside:
        return at.commit
    path, digits = at.inside, at.commit[:DIGITS]
    if path.split("/")[0] == "..":
        raise ConfigError(f"{file_name(named.folder)} lies outside of the repository")
    ancestors = [*map(str, reversed(Path(path).parents)), path][1:]
    found = {entry.path: entry for entry in git.entries(at.there, at.commit, ancestors)}
    if submodule := next(
        (up for up in ancestors if up in found and found[up].mode == SUBMODULE), ""
    ):
        raise at.elsewhere(submodule, "a submodule")
    if path not in found:
        raise ConfigError(
            f"the commit {digits} has no {file_name(path)}; `git log --oneline -- PATH` "
            "lists commits of a path"
        )
    if found[path].kind != "tree":
        kind = "a link" if found[path].mode == LINK else "a file"
        raise ConfigError(
            f"{file_name(path)} is {kind} in the commit {digits}; name the bot's folder"
        )
    return f"{at.commit}:{path}"


def _damaged(path: str) -> str:
    return (
        f"{file_name(path)}: the commit has two entries of this name, or one without a name; "
        "`git fsck` says more"
    )


def _of_the_bot(at: _At, tree: str, named: CommitWord, bounds: Bounds) -> list[git.TreeEntry]:
    """Return what the bot's folder has in the commit, without hidden names. Raises
    ConfigError.
    """
    found = git.entries(at.there, tree, below=True)
    if all(entry.path != BOT_TOML for entry in found):
        below = min(
            (entry.path for entry in found if entry.path.split("/")[1:] == [BOT_TOML]), default=""
        )
        hint = file_name(os.path.join(named.folder, os.path.dirname(below))) if below else ""
        advice = (
            f"name a bot in it, as {hint}@{named.revision}" if below else "name the bot's folder"
        )
        raise ConfigError(
            f"the folder has no bot.toml in the commit {at.commit[:DIGITS]}; {advice}"
        )
    bots_own = [
        entry for entry in found if not any(part.startswith(".") for part in entry.path.split("/"))
    ]
    most = ENTRIES_PER_FILE * bounds.bot_files
    if len(bots_own) > most:
        raise ConfigError(
            f"the folder has {len(bots_own):,} files in the commit, {most:,} at most; put the bot "
            "into a folder of its own, or raise --limit bot_files"
        )
    for entry in bots_own:
        if "" in entry.path.split("/"):  # it would lead out of the private folder
            raise ConfigError(_damaged(entry.path))
    return bots_own


def _refuse_submodules(
    at: _At, entries: Sequence[git.TreeEntry], folder: Path, bot_toml: manifest.Manifest
) -> None:
    """Raise ConfigError if files of the bot may lie in a submodule. Other submodules
    are no concern of the bot.
    """
    included = {os.path.normpath(name) for name in bot_toml.include}
    for path in (entry.path for entry in entries if entry.mode == SUBMODULE):
        if any(name.startswith(f"{path}/") for name in included) or sources.lead_below(
            bot_toml.files, folder / BOT_TOML, path
        ):
            raise at.elsewhere(path, "a submodule")


def _links(at: _At, entries: Sequence[git.TreeEntry], blobs: git.Blobs) -> dict[str, bool]:
    """Return the links of a bot's folder that lead somewhere; True if it is a folder of
    the commit.
    """
    targets: dict[str, str] = {}
    for entry in entries:
        if entry.mode == LINK and 0 <= entry.size <= MOST_PATH:
            target = os.fsdecode(b"".join(blobs.pieces(entry)))
            up = os.path.dirname(os.path.join(at.inside, entry.path))
            targets[entry.path] = (
                target if os.path.isabs(target) else os.path.normpath(os.path.join(up, target))
            )
    asked = sorted({target for target in targets.values() if _is_inside(target) and target != "."})
    kinds = {entry.path: entry.kind for entry in _entries(at, asked)} | {".": "tree"}
    there = {
        path: target
        for path, target in targets.items()
        if target in kinds or not _is_inside(target)
    }
    return {path: kinds.get(target) == "tree" for path, target in there.items()}


def _is_inside(path: str) -> bool:
    """Tell whether a path from the top of a repository leads to something in it."""
    return path.split("/")[0] not in ("", "..") and "\0" not in path


def _entries(at: _At, paths: Sequence[str]) -> list[git.TreeEntry]:
    return [
        entry
        for n in range(0, len(paths), AT_ONCE)
        for entry in git.entries(at.there, at.commit, paths[n : n + AT_ONCE])
    ]


def _beside(at: _At, folder: Path, includes: Sequence[str]) -> dict[Path, git.TreeEntry]:
    """Lay out the files that ``include`` names beside the bot's folder, and an empty
    file for each mark that forbids one: the bot.toml of another bot, and a store.
    Return the files by their private path.
    """
    around = os.path.dirname(at.inside)
    wanted: set[str] = set()
    marks = {os.path.join(around, source_walk.STORE)}
    for name in includes[: sources.MOST_GLOBS]:
        path = os.path.normpath(os.path.join(at.inside, name))
        parts = Path(os.path.relpath(path, around or ".")).parts
        if (
            _is_inside(path)
            and parts[0] != ".."
            and len(parts) <= MOST_PARTS
            and len(path) <= MOST_PATH
        ):
            wanted.add(path)
            folders = [os.path.join(around, *parts[:number]) for number in range(1, len(parts))]
            marks |= {
                os.path.join(up, mark) for up in folders for mark in (BOT_TOML, source_walk.STORE)
            }
    asked = sorted(path for path in wanted | marks if not path.startswith(f"{at.inside}/"))
    ups = {str(up) for path in wanted for up in Path(path).parents if str(up) not in (".", around)}
    if submodule := next(
        (entry.path for entry in _entries(at, sorted(ups)) if entry.mode == SUBMODULE), ""
    ):
        raise at.elsewhere(submodule, "a submodule")
    found = {
        folder.parent / os.path.relpath(entry.path, around or "."): entry
        for entry in _entries(at, asked)
    }
    found = {place: entry for place, entry in found.items() if entry.path in asked}
    kept = {
        place: entry
        for place, entry in found.items()
        if entry.path in wanted and entry.mode in FILES
    }
    for place, entry in found.items():
        place.parent.mkdir(parents=True, exist_ok=True)
        _hole(place, entry if place in kept else entry._replace(mode=FILES[0], size=0))
    return kept


# --- on the disk ---


def _lay_out(
    folder: Path, entries: Sequence[git.TreeEntry], links: dict[str, bool], bounds: Bounds
) -> None:
    """Make the folder with its files as holes of their sizes. Raises OSError."""
    folder.mkdir(parents=True)
    made = {""}
    for entry in entries:
        parts = entry.path.split("/")
        # A folder that is too deep is refused when the folder is walked, if the bot's
        # files lead to it.
        ups = [
            "/".join(parts[:number]) for number in range(1, min(len(parts), bounds.bot_depth + 2))
        ]
        for up in ups if "/".join(parts[:-1]) not in made else ():
            if up not in made:
                (folder / up).mkdir()
                made.add(up)
        if len(parts) <= bounds.bot_depth + 2 and entry.mode in FILES:
            _hole(folder / entry.path, entry)
    for path, is_folder in links.items():  # last, so that no path leads through one
        if os.path.isdir(os.path.dirname(folder / path)):
            (folder / path).symlink_to(folder if is_folder else folder / BOT_TOML)


def _hole(path: Path, entry: git.TreeEntry) -> None:
    with path.open("xb") as file:
        file.truncate(min(max(entry.size, 0), MOST_HOLE))
    path.chmod(0o755 if entry.mode == FILES[1] else 0o644)


def _fill(
    at: _At, blobs: git.Blobs, by_path: dict[Path, git.TreeEntry], paths: Sequence[Path], most: int
) -> None:
    """Write the contents of files that have ``most`` bytes at most. Raises ConfigError
    for a pointer of Git LFS.
    """
    for path in paths:
        entry = by_path.get(path)
        if entry is None or entry.mode not in FILES or entry.size > most:
            continue  # a check of the folder says so
        if entry.size < 0:
            raise ConfigError(
                f"{file_name(entry.path)}: {git.LACKS.format(commit=at.commit[:DIGITS])}"
            )
        start = b""
        with path.open("r+b") as file:
            for piece in blobs.pieces(entry):
                start += piece[: len(POINTER) - len(start)]
                file.write(piece)
        if start == POINTER and entry.size <= MOST_POINTER:
            raise at.elsewhere(entry.path, "a pointer of Git LFS")
