"""The fork server: a process that has loaded the VM and modules, and forks a child for
each table, one after another.

Theory of operation
===================

Loading Python, the VM and modules takes longer than a table of quick modules. The
parent does so once. It makes the instances of a table too, and keeps them for the next
table of the same modules. Nothing runs in them: the parent forks, and the child serves
the table (table_runner.py) with a copy of its own, and ends. The parent reads the LOADs
of a table and no byte more, and waits for the child's end before it reads again. So
nothing but the child can read what is meant for it, and no frame or key of a match
comes into the parent.

What a module could do through a bug of the VM, it does in a child. Its calls are
filtered before the first module runs: it has memory, threads and its pipes, and can
open nothing, start nothing, and signal, read or trace no process. The parent alone has
stderr, where it tells the arbiter that a child has ended, with the CPU time that both
took: no child can say that in its stead and live on. If a child fails, so does the
parent.
"""

import _ctypes
import posix
from _struct import pack
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage

from . import line
from .main import FAILED
from .table_runner import TickSeats, read_batch, serve
from .vm import Octet, Size, VmFailed, VmFunction, Word64

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .vm import Vm

NO_MEMORY = "it has too little memory; raise --limit memory"
TOLD = 2
"""The descriptor on which the parent tells the end of a table."""
DIE_WITH_PARENT, GAIN_NO_RIGHTS, FILTER = (1, 9), (38, 1), (22, 2)
"""What prctl(2) is asked for: the option, and its first argument."""
ONE_HEAP = (-8, 1)
"""What mallopt(3) is asked for: at most one arena, for all threads."""


def serve_tables(vm: "Vm", filter_: str) -> int:
    """Serve table after table until stdin ends, each in a child. Return the exit code.

    filter_: in hex, the filter of a child's calls (seccomp(2)); "" for none
    """
    share_heap()
    parent, table, told = posix.getpid(), TickSeats(vm), 0.0
    vm.declare_all()
    while loads := read_batch():
        if _attempted(lambda loads=loads: table.load(loads)):  # type: ignore[misc]
            return FAILED
        child = posix.fork()
        if not child:
            posix._exit(_attempted(lambda: _serve_one(table, parent, bytes.fromhex(filter_))))
        if posix.waitpid(child, 0)[1]:
            return FAILED
        uses = getrusage(RUSAGE_SELF), getrusage(RUSAGE_CHILDREN)
        before, told = told, sum(use.ru_utime + use.ru_stime for use in uses)
        posix.write(TOLD, b"%d\n" % round((told - before) * 1e6))
    return 0


def serve_alone(vm: "Vm", filter_: str) -> int:
    """Serve one table in this process, and return the exit code. ``filter_``: as of
    ``serve_tables``.
    """
    share_heap()
    table = TickSeats(vm)
    table.load(read_batch())
    lock(bytes.fromhex(filter_))
    return serve(table)


def _attempted(work: "Callable[[], int | None]") -> int:
    """Do a part of the work, and return the exit code. Tell the arbiter why it
    fails.
    """
    try:
        return work() or 0
    except BaseException as mistake:
        is_told = isinstance(mistake, VmFailed)
        words = (
            NO_MEMORY
            if isinstance(mistake, MemoryError)
            else str(mistake)
            if is_told
            else repr(mistake)
        )
        posix.write(1, line.batch([(0, line.FAILED, 0, words.encode())]))
        return FAILED


def _serve_one(table: TickSeats, parent: int, filter_: bytes) -> int:
    """Serve a table as a child of the fork server. Return the exit code."""
    posix.close(TOLD)
    _prctl(*DIE_WITH_PARENT)  # some cells refuse that, and end all of their processes themselves
    if posix.getppid() != parent:
        return FAILED
    lock(filter_)
    return serve(table)


def share_heap() -> None:
    """Have all threads that this process will start take memory from one heap. Where
    there is room, glibc reserves 64 MiB of address space for a heap of each thread:
    another seat may need them.
    """
    try:
        mallopt = _c_function("mallopt", Word64, Word64)
    except OSError:
        return  # another C library, which reserves none
    mallopt(*ONE_HEAP)


def lock(filter_: bytes) -> None:
    """Filter the calls of this process for ever, unless the filter is empty. Raises
    OSError if the system refuses it.
    """
    if not filter_:
        return
    program = (Octet * len(filter_)).from_buffer_copy(filter_)
    header = (Octet * 16).from_buffer_copy(
        pack("<H6xQ", len(filter_) // 8, _ctypes.addressof(program))
    )
    _prctl(*GAIN_NO_RIGHTS)
    if _prctl(*FILTER, _ctypes.addressof(header)):
        raise OSError("the system does not take the filter of a table's calls")


def _prctl(option: int, argument: int, address: int = 0) -> int:
    result: int = _c_function("prctl", *(Size,) * 5)(option, argument, address, 0, 0)
    return result


def _c_function(name: str, *types: "type[Size | Word64]") -> VmFunction:
    """Return a function of the C library, which takes values of these types. Raises
    OSError if there is none of this name.
    """
    function = VmFunction(_ctypes.dlsym(_ctypes.dlopen("", posix.RTLD_NOW), name))
    function.restype, function.argtypes = Word64, types
    return function
