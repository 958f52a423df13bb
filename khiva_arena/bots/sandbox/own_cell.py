"""A cell for a process of ours that talks to strangers: it confines itself once it has
opened what it needs.

Afterwards it reads the files that it has named and those that it has open. It opens no
socket, connects nowhere, starts no program and signals nobody, whatever a stranger
sends it.
"""

import _ctypes
import os
import pwd
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from khiva_arena.bots.sandbox import launcher, seccomp, system


def missing() -> list[str]:
    """Return what a cell lacks on this system, a line each."""
    if system.why_no_levels():
        return [f"neither files nor calls are confined: {system.why_no_levels()}"]
    lines = (
        []
        if seccomp.supported()
        else ["calls are not confined: their numbers are not known for this machine"]
    )
    return (
        lines
        if launcher.landlock_version(_c_function("syscall"))
        else [*lines, "files are not: this kernel has no Landlock"]
    )


def confine(readable: Sequence[str], user: pwd.struct_passwd | None = None) -> None:
    """Confine this process for good, by all that the system has. It must have one
    thread.

    readable: the files and folders that it may still open, as far as the user may.
    user: whom root becomes; None to stay the user that this process is.
    """
    has_levels = not system.why_no_levels()
    if has_levels and len(os.listdir("/proc/self/task")) > 1:
        raise RuntimeError("a thread that is there already would not be confined")
    ruleset = _rules(readable) if has_levels else None
    if user:
        os.setgroups([])
        os.setgid(user.pw_gid)
        os.setuid(user.pw_uid)
    if not has_levels:
        return
    syscall, prctl = _c_function("syscall"), _c_function("prctl")
    launcher.checked(prctl, "no_new_privs", launcher.SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    if ruleset is not None:
        launcher.checked(syscall, "Landlock", launcher.RESTRICT_SELF, ruleset, 0)
        os.close(ruleset)
    if seccomp.supported():
        launcher.filter_calls(prctl, seccomp.of_a_server())


def _rules(readable: Sequence[str]) -> int | None:
    """Return the rules of files, made while they can all be found; None if the kernel
    has no Landlock.
    """
    syscall = _c_function("syscall")
    version = launcher.landlock_version(syscall)
    return launcher.restrict_files(syscall, version, list(readable), [], False) if version else None


def _c_function(name: str) -> launcher.Function:
    libc = _ctypes.dlopen(None, os.RTLD_NOW)  # type: ignore[arg-type]
    return launcher.Function(_ctypes.dlsym(libc, name))


@contextmanager
def as_owner(path: str | os.PathLike[str]) -> Iterator[None]:
    """Act as the owner of a file while the block lasts, if this process is root's. So
    nothing that the owner may have put there leads root astray, and new files belong to
    the owner.
    """
    if os.geteuid() != 0:
        yield
        return
    status, groups = os.stat(path), os.getgroups()
    os.setgroups([])
    os.setegid(status.st_gid)
    os.seteuid(status.st_uid)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(0)
        os.setgroups(groups)
