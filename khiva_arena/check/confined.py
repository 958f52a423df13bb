"""Failures that the sandbox may have caused: shared memory that ran out, memory that was refused, a file of /etc."""

import re

from khiva_arena.shipped import folder

PAGE = folder("bots") / "SANDBOX.md"
REFUSED = re.compile(
    r"ENOMEM|MemoryError|OutOfMemoryError|Cannot allocate|bad_alloc|out of memory|Can't allocate|memory allocation of|"
    r"Heap exhausted|Could not reserve enough space",
    re.IGNORECASE,
)
MISSING = re.compile(r"No such file|Permission denied|not found|cannot find|can't open|cannot open|ENOENT|EACCES", re.IGNORECASE)
OF_ETC = re.compile(r"(?<![\w.\\/-])/etc/[\w.@+~-]+(?:/[\w.@+~-]+)*")
# Options that ask each runtime for a smaller heap.
HEAP = (
    (r"sbcl|lisp", "sbcl --dynamic-space-size 512MB"),
    (r"java|jar", "java -Xmx512m"),
    (r"node", "node --max-old-space-size=512"),
    (r"racket", "(custodian-limit-memory (current-custodian) (* 512 1024 1024))"),
    (r"R|Rscript", "R_MAX_VSIZE"),
)


def hint_of(words: tuple[str, ...], actual: str, notes: str) -> str:
    """Return a line for a bot whose ``run`` is ``words``, which ended as ``actual`` says and left ``notes`` on stderr.

    "" if the sandbox is not known to have anything to do with it.
    """
    if "SIGBUS" in actual:
        return (
            "SIGBUS: it used memory that is mapped from a file that has no room left: of /dev/shm a bot has 24 MiB (none at "
            f"isolation basic), of scratch what --limit scratch= says; keep to private memory ({PAGE})"
        )
    if "memory: " in actual or ("ended" in actual and REFUSED.search(notes)):
        return (
            f"memory was refused: a bot has what --limit memory= says, 1 GiB by default, and what is claimed counts at once: "
            f"{_smaller(words)} ({PAGE})"
        )
    for line in notes.splitlines() if "ended" in actual else ():
        if MISSING.search(line) and (path := OF_ETC.search(line)):
            return (
                f"{path[0]}: of /etc a bot sees only the files that the shipped languages need: put a copy into the "
                f"bot's folder, and name it by an option or variable of the runtime ({PAGE})"
            )
    return ""


def _smaller(words: tuple[str, ...]) -> str:
    names = [word.rsplit("/", 1)[-1] for word in words]
    option = next((how for pattern, how in HEAP if any(re.fullmatch(rf"(?:{pattern})[\d.]*", name) for name in names)), "")
    return f"ask for a smaller heap: {option}" if option else "ask the runtime for a smaller heap"
