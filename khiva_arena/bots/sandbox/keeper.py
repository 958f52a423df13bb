"""A keeper of files in memory: maps the files that stdin names and has the system read
missing parts.

Run as a script. Each line of input is a JSON list of paths to add, often empty. After
each line everything mapped is in memory, and a line of JSON tells the files, the bytes,
and whether they are locked, so that nothing can leave. Only root may lock as much. The
keeper ends with its input. It is the first that the system may end if memory runs out.
"""

import ctypes
import json
import mmap
import os
import resource
import sys

READ, SHARED, FIXED, NOTHING, PRIVATE_ANONYMOUS, NO_RESERVE = 1, 1, 0x10, 0, 0x22, 0x4000
POPULATE_READ = 22
PAGE = mmap.PAGESIZE
FAILED = -1


class FileMap:
    """A row of files side by side in the address space, so that one call brings all of
    them in.
    """

    def __init__(self) -> None:
        self.libc = ctypes.CDLL(None, use_errno=True)
        self.libc.mmap.restype = ctypes.c_void_p
        self.libc.mmap.argtypes = [
            ctypes.c_void_p,
            ctypes.c_size_t,
            *[ctypes.c_int] * 3,
            ctypes.c_long,
        ]
        self.libc.mlock.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
        self.libc.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
        self.parts: list[tuple[int, int]] = []
        self.files = self.bytes = 0
        self.locked = True

    def add(self, paths: list[str]) -> None:
        """Map files; a file that is gone or may not be read is left out: a bot cannot
        read it either.
        """
        descriptors = []
        for path in paths:
            try:
                size = os.stat(path).st_size
                descriptors.append((path, -(-size // PAGE) * PAGE))
            except OSError:
                continue
        room = sum(size for _, size in descriptors)
        if not room:
            return
        start = self.libc.mmap(None, room, NOTHING, PRIVATE_ANONYMOUS | NO_RESERVE, FAILED, 0)
        at = start
        for path, size in descriptors:
            try:
                file = os.open(
                    path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK
                )  # a build may have left a pipe there
            except OSError:
                continue
            if size and self.libc.mmap(at, size, READ, SHARED | FIXED, file, 0) == at:
                at += size
                self.files += 1
            os.close(file)
        self.bytes += at - start
        self.parts.append((start, at - start))
        self.locked = self.locked and self.libc.mlock(start, at - start) == 0

    def bring_in(self) -> None:
        """Read all mapped files into memory. Raises OSError if the system cannot."""
        for start, size in self.parts:
            if size and self.libc.madvise(start, size, POPULATE_READ) != 0:
                raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def main() -> None:
    """Serve until the input ends."""
    with open("/proc/self/oom_score_adj", "w") as file:
        file.write("1000")
    hard = resource.getrlimit(resource.RLIMIT_MEMLOCK)[1]
    resource.setrlimit(resource.RLIMIT_MEMLOCK, (hard, hard))
    files = FileMap()
    for line in sys.stdin:
        try:
            files.add(json.loads(line))
            if not files.locked:
                files.bring_in()
            reply = {
                "files": files.files,
                "bytes": files.bytes,
                "locked": files.locked,
                "error": "",
            }
        except OSError as error:
            reply = {
                "files": files.files,
                "bytes": files.bytes,
                "locked": False,
                "error": str(error),
            }
        print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    main()
