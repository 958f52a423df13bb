"""The runner: a program that compiles a module, or runs one as a bot on its own
descriptors 0, 1 and 2.

It is started by a program of entrants/modules.py, with the folder above this one and
the VM's library. It imports only what loads quickly, since each start of a bot waits
for it, and ends without tidying up, since each end of a match waits for that.
"""

import posix
import resource
import sys
from _blake2 import blake2b

from . import vm as machine
from .instance import Instance, Trapped
from .line import FAILED_STATUS, FAILS, OWN_MEMORY
from .vm import MIB, Unfit, Vm, VmFailed
from .wall import Wall

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

TRAPPED, REFUSED, FAILED = 101, 102, FAILED_STATUS
"""Exit codes: the module did what ends it, it cannot be a bot, or this program cannot
do its work.
"""
MODULE = b"\0asm\1\0\0\0"
DIGEST = 32


def main(work: "Callable[..., int]") -> None:
    """Load the VM, do ``work`` with it and the words of the command line, and end with
    the exit code that this returns.
    """
    library, *words = sys.argv[1:]
    try:
        code = work(Vm(library), *words)
    except Unfit as problem:
        code = _say(REFUSED, f"the module cannot be run: {problem}")
    except VmFailed as problem:
        code = _say(FAILED, f"{FAILS}{problem}")
    except Trapped as problem:
        code = _say(TRAPPED, f"the module was ended: {problem}")
    except MemoryError:
        code = _say(FAILED, f"{FAILS}it has too little memory; raise --limit memory")
    except OSError as problem:  # the line may be shown to anybody, so it names no folder
        name = str(problem.filename or library).rpartition("/")[2]
        code = _say(FAILED, f"{FAILS}{name}: {problem.strerror or 'the VM cannot be loaded'}")
    posix._exit(code)


def compile_file(vm: Vm, source: str, target: str, by_function: str = "") -> int:
    """Rewrite the module in one file so that it pays, and compile it into another one.
    Return the exit code. Raises Unfit.

    by_function: any word, if the module is to count its ticks by function
    """
    from meter import rewritten  # type: ignore[import-not-found]  # beside this folder on the path; not above: bots wait for this file

    data = _bytes(source)
    if not data.startswith(MODULE):
        raise Unfit(
            "it does not begin as a module does"
            + (", but as a component" if data.startswith(MODULE[:4]) else "")
        )
    try:
        metered = rewritten(data, by_function=bool(by_function))
    except ValueError as refused:
        raise Unfit(str(refused)) from None
    code = machine.compile_(vm, metered.named)[1]
    file = posix.open(target, posix.O_WRONLY | posix.O_CREAT | posix.O_EXCL, 0o600)
    rest = memoryview(code)
    while rest:
        rest = rest[posix.write(file, rest) :]
    return 0


def run(vm: Vm, path: str, digest: str, *payload: str) -> int:
    """Run compiled code as a bot, and return its exit code. Raises Unfit, Trapped, and
    VmFailed before any of the code has run.

    digest: of the code, in hex. The arena knows it from a note of its own: other code
        would be a program of whoever wrote it.
    payload: path and digest of the bytes that it reads from descriptor 3; none if it
        has no such descriptor
    """
    code, bytes_ = (
        load(vm, path, digest),
        [_as_noted(payload[0], payload[1], "the payload")] if payload else [],
    )
    instance = Instance(vm, code, Wall(), _most_bytes(sum(map(len, bytes_))))
    for data in bytes_:
        instance.add_payload(data)
    try:
        code = instance.run() & 0xFF
    except (VmFailed, MemoryError, OSError) as problem:
        raise Trapped(
            str(problem) or "the runner has too little memory"
        ) from None  # from here on it may be the module's doing
    if code == FAILED:
        raise Trapped(f"it exited with code {FAILED}, which is its runner's own")
    return code


def load(vm: Vm, path: str, digest: str) -> int:
    """Return the address of a compiled module. Raises VmFailed if its code is not what
    was compiled, or is gone.
    """
    return machine.load(vm, _as_noted(path, digest, "the compiled code"))


def _as_noted(path: str, digest: str, what: str) -> bytes:
    """Return the bytes of a file that the arena made. Raises VmFailed if they are not
    those of its note, or are gone.
    """
    try:
        data = _bytes(path)
    except OSError:
        data = b""
    if blake2b(data, digest_size=DIGEST).hexdigest() != digest:
        raise VmFailed(
            f"{what} of a module has changed, or is gone, since the arena made it; a new "
            "run makes it again"
        )
    return data


def _most_bytes(payload: int) -> int:
    """Return the bytes of memory that a module may have: what this process may have,
    less its own, and those of a payload.
    """
    soft = resource.getrlimit(resource.RLIMIT_DATA)[0]
    return -1 if soft == resource.RLIM_INFINITY else max(0, soft - OWN_MEMORY - payload)


def _bytes(path: str) -> bytes:
    file = posix.open(path, posix.O_RDONLY)
    pieces, size = (
        [],
        posix.fstat(file).st_size,
    )  # a larger buffer would be cleared, and copied from
    while piece := posix.read(file, size or MIB):
        pieces.append(piece)
    posix.close(file)
    return b"".join(pieces)


def _say(code: int, line: str) -> int:
    posix.write(2, f"{line}\n".encode())
    return code
