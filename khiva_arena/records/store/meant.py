"""The results folder that was most likely meant by a path where there is none."""

from pathlib import Path

from khiva_arena.bots.sandbox import regular_files

_MOST = 3
_PAGE = (b"<!doctype html", b"<html")


def instead(folder: Path, file: str) -> str:
    """Return the end of a message: the results folders below or beside a path, or the
    command that makes one; "" for none.

    file: the file of a results folder.
    """
    if (folder / "bot.toml").exists():
        return f"; this is a bot: `khiva-arena check {folder}` tries it"
    if folder.is_dir():
        below = sorted(
            str(found.parent) for depth in ("*", "*/*") for found in folder.glob(f"{depth}/{file}")
        )
        named, rest = ", ".join(below[:_MOST]), len(below) - _MOST
        return f"; below it lies {named}{f', and {rest} more' if rest > 0 else ''}" if below else ""
    homes = [home for home in (folder.parent, Path("results")) if home.is_dir()]
    there = {
        str(found.parent): found.parent.name for home in homes for found in home.glob(f"*/{file}")
    }
    from difflib import get_close_matches  # not above: few words are mistaken

    near = get_close_matches(folder.name, there.values(), n=1)
    if near:
        return f"; did you mean {next(path for path, name in there.items() if name == near[0])}?"
    listed = ", ".join(sorted(there)[:_MOST])
    return f"; there is {listed}" if listed else "; `khiva-arena run --out DIR` makes one"


def no_bundle(path: Path) -> str:
    """Return the end of a message: what a file is that is no bundle, and how to write
    one.
    """
    with regular_files.open_file(path) as file:
        head = file.read(256)
    what = (
        "this is a page; "
        if head.lstrip().lower().startswith(_PAGE)
        else ""
        if head
        else "this file is empty; "
    )
    return (
        f"; {what}give a results folder, or a file that `khiva-arena bundle STORE "
        f"{path.stem or 'out'}.bundle` wrote"
    )
