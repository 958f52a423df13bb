"""The fork server: a process that has loaded the VM, and forks a child for each table, one after another.

Theory of operation
===================

Loading Python and the VM takes longer than a table of quick modules. The parent does so once. It reads nothing: it waits until
there is something to be read, and forks. The child reads that from the same pipe, serves the table (table.py), and ends. Then
alone the parent waits for the next table, so nothing but the child can read what is meant for it.

What a module could do through a bug of the VM, it does in a child. Its calls are filtered before the first module runs: it has
memory, threads and its pipes, and can open nothing, start nothing, and signal, read or trace no process. The parent alone has
stderr, where it tells the arbiter that a child has ended, with the CPU time that this child took: no child can say that in its
stead and live on. If a child fails, so does the parent.
"""

import _ctypes
import posix
from _struct import pack

from . import line
from .main import FAILED
from .table import serve
from .vm import Octet, Size, VmFailed, VmFunction, Word64

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .vm import Vm

NO_MEMORY = "it has too little memory; raise --limit memory"
TOLD = 2
"""The descriptor on which the parent tells the end of a table."""
DIE_WITH_PARENT, GAIN_NO_RIGHTS, FILTER = (1, 9), (38, 1), (22, 2)
"""What prctl(2) is asked for: the option, and its first argument."""


def serve_tables(vm: "Vm", filter_: str) -> int:
    """Serve table after table until stdin ends, each in a child. Return the exit code.

    filter_: in hex, the filter of a child's calls (seccomp(2)); "" for none
    """
    from select import POLLIN, poll  # not above: a runner of one table has no need of it

    orders = poll()
    orders.register(0, POLLIN)
    parent = posix.getpid()
    vm.declare_all()
    while orders.poll()[0][1] & POLLIN:
        child = posix.fork()
        if not child:
            posix._exit(_serve_one(vm, parent, bytes.fromhex(filter_)))
        _, status, use = posix.wait4(child, 0)
        if status:
            return FAILED
        posix.write(TOLD, b"%d\n" % round((use.ru_utime + use.ru_stime) * 1e6))
    return 0


def serve_alone(vm: "Vm", filter_: str) -> int:
    """Serve one table in this process, and return the exit code. ``filter_``: as of ``serve_tables``."""
    return serve(vm, lambda: lock(bytes.fromhex(filter_)))


def _serve_one(vm: "Vm", parent: int, filter_: bytes) -> int:
    """Serve a table as a child of the fork server. Return the exit code."""
    try:
        posix.close(TOLD)
        _prctl(*DIE_WITH_PARENT)  # some cells refuse that, and end all of their processes themselves
        return serve(vm, lambda: lock(filter_)) if posix.getppid() == parent else FAILED
    except BaseException as mistake:
        is_told = isinstance(mistake, VmFailed)
        words = NO_MEMORY if isinstance(mistake, MemoryError) else str(mistake) if is_told else repr(mistake)
        posix.write(1, line.batch([(0, line.FAILED, 0, words.encode())]))
        return FAILED


def lock(filter_: bytes) -> None:
    """Filter the calls of this process for ever, unless the filter is empty. Raises OSError if the system refuses it."""
    if not filter_:
        return
    program = (Octet * len(filter_)).from_buffer_copy(filter_)
    header = (Octet * 16).from_buffer_copy(pack("<H6xQ", len(filter_) // 8, _ctypes.addressof(program)))
    _prctl(*GAIN_NO_RIGHTS)
    if _prctl(*FILTER, _ctypes.addressof(header)):
        raise OSError("the system does not take the filter of a table's calls")


def _prctl(option: int, argument: int, address: int = 0) -> int:
    call = VmFunction(_ctypes.dlsym(_ctypes.dlopen("", posix.RTLD_NOW), "prctl"))
    call.restype, call.argtypes = Word64, (Size,) * 5
    result: int = call(option, argument, address, 0, 0)
    return result
