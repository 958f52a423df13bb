"""The system calls that a bot may make: rows under lines that tell each call's effect
outside of the cell.

A call that has no row fails as on a kernel that lacks it, so a call that a newer kernel
adds is refused until somebody has looked at it. The arguments that a bot may give to
``fcntl``, ``ioctl``, ``prctl``, ``madvise`` and a few more are in seccomp.py. To allow
a call: put it under the line that is true of it, with its numbers on x86-64 and on
ARM64 (-1: there is none), or under a new line.
"""

from functools import cache
from typing import NamedTuple

ABSENT = -1


class Row(NamedTuple):
    """An allowed call: its number on each machine, and its effect outside of the
    cell.
    """

    x86_64: int
    aarch64: int
    outside: str


_ROWS = {
    "nothing: memory of its own": """
        brk 12 214, mmap 9 222, mprotect 10 226, munmap 11 215, mremap 25 216, msync 26 227,
        madvise 28 233, mlock 149 228, munlock 150 229, mlockall 151 230, munlockall 152 231,
        mlock2 325 284, remap_file_pages 216 234, arch_prctl 158 -1, pkey_mprotect 329 288,
        pkey_alloc 330 289, pkey_free 331 290, map_shadow_stack 453 453, mseal 462 462""",
    "nothing: processes and threads of its own, counted by a limit": """
        clone 56 220, fork 57 -1, vfork 58 -1, execve 59 221, execveat 322 281, exit 60 93,
        exit_group 231 94, wait4 61 260, waitid 247 95, set_tid_address 218 96,
        set_robust_list 273 99, get_robust_list 274 100, rseq 334 293, restart_syscall 219 128,
        personality 135 92, prctl 157 167, seccomp 317 277, getrlimit 97 163,
        setrlimit 160 164, prlimit64 302 261, getrusage 98 165, times 100 153, umask 95 166,
        getcwd 79 17, chdir 80 49, fchdir 81 50""",
    "nothing: users and rights, of which it has none to gain": """
        getuid 102 174, geteuid 107 175, getgid 104 176, getegid 108 177, getresuid 118 148,
        getresgid 120 150, getgroups 115 158, setuid 105 146, setgid 106 144, setreuid 113 145,
        setregid 114 143, setresuid 117 147, setresgid 119 149, setgroups 116 159,
        setfsuid 122 151, setfsgid 123 152, capget 125 90, capset 126 91""",
    (
        "numbers of processes, which rise with every process that starts; at basic they are "
        "the machine's"
    ): """
        getpid 39 172, gettid 186 178, getppid 110 173""",
    "at basic whether another process exists, its group and session, and how it is scheduled": """
        getpgid 121 155, getpgrp 111 -1, getsid 124 156, getpriority 140 141,
        ioprio_get 252 31, sched_getparam 143 121, sched_getscheduler 145 120,
        sched_getattr 315 275, sched_getaffinity 204 123, sched_rr_get_interval 148 127,
        kill 62 129, tkill 200 130, tgkill 234 131, rt_sigqueueinfo 129 138,
        rt_tgsigqueueinfo 297 240""",
    "nothing: signals to itself and its timers": """
        rt_sigaction 13 134, rt_sigprocmask 14 135, rt_sigreturn 15 139, rt_sigpending 127 136,
        rt_sigtimedwait 128 137, rt_sigsuspend 130 133, sigaltstack 131 132, pause 34 -1,
        alarm 37 -1, setitimer 38 103, getitimer 36 102, nanosleep 35 101,
        clock_nanosleep 230 115""",
    (
        "the time; by the clock of another process, at basic, how much of the processor that "
        "has had"
    ): """
        clock_gettime 228 113, clock_getres 229 114, gettimeofday 96 169, time 201 -1""",
    "nothing: what the machine is, the same for all bots": """
        uname 63 160, sched_get_priority_max 146 125, sched_get_priority_min 147 126""",
    (
        "how much memory is free and shared, and how many threads there are, on the machine: "
        "libc takes no refusal"
    ): """
        sysinfo 99 179""",
    (
        "which core it runs on, and by the time that takes, how busy it is; timing cannot be "
        "refused"
    ): """
        getcpu 309 168, membarrier 324 283""",
    "others who wait at the same address of a file that both have mapped: threads need it": """
        futex 202 98""",
    "nothing: descriptors that it has, and what it has opened": """
        read 0 63, write 1 64, readv 19 65, writev 20 66, pread64 17 67, pwrite64 18 68,
        preadv 295 69, pwritev 296 70, pwritev2 328 287, lseek 8 62, close 3 57,
        close_range 436 436, dup 32 23, dup2 33 -1, dup3 292 24, fcntl 72 25, ioctl 16 29,
        sendfile 40 71, copy_file_range 326 285, ftruncate 77 46, fallocate 285 47,
        getdents 78 -1, getdents64 217 61, poll 7 -1, ppoll 271 73, select 23 -1,
        pselect6 270 72""",
    (
        "how much of what the system allows a user in all is used: buffers of pipes and pairs, "
        "watches, queued signals"
    ): """
        pipe 22 -1, pipe2 293 59, splice 275 76, tee 276 77, vmsplice 278 75,
        socketpair 53 199, eventfd 284 -1, eventfd2 290 19, signalfd 282 -1, signalfd4 289 74,
        timerfd_create 283 85, timerfd_settime 286 86, timerfd_gettime 287 87,
        epoll_create 213 -1, epoll_create1 291 20, epoll_ctl 233 21, epoll_wait 232 -1,
        epoll_pwait 281 22, epoll_pwait2 441 441""",
    "nothing without a network: only a pair of its own has two ends; with one, who is there": """
        connect 42 203, bind 49 200, listen 50 201, accept 43 202, accept4 288 242,
        sendto 44 206, recvfrom 45 207, sendmsg 46 211, recvmsg 47 212, sendmmsg 307 269,
        recvmmsg 299 243, shutdown 48 210, getsockname 51 204, getpeername 52 205,
        setsockopt 54 208, getsockopt 55 209""",
    (
        "the files that it may read, and at basic when they were read last; what is in memory "
        "of them, see isolation.md"
    ): """
        open 2 -1, openat 257 56, openat2 437 437, readahead 187 213""",
    (
        "names, sizes and times of files: where it may read, and at basic of all whose names "
        "it knows"
    ): """
        stat 4 -1, lstat 6 -1, fstat 5 80, newfstatat 262 79, statx 332 291, access 21 -1,
        faccessat 269 48, faccessat2 439 439, readlink 89 -1, readlinkat 267 78,
        getxattr 191 8, lgetxattr 192 9, fgetxattr 193 10, listxattr 194 11, llistxattr 195 12,
        flistxattr 196 13""",
    "its own scratch; every other folder is read-only": """
        creat 85 -1, mkdir 83 -1, mkdirat 258 34, mknod 133 -1, mknodat 259 33, rmdir 84 -1,
        unlink 87 -1, unlinkat 263 35, rename 82 -1, renameat 264 38, renameat2 316 276,
        link 86 -1, linkat 265 37, symlink 88 -1, symlinkat 266 36""",
    (
        "its own scratch, and modes and attributes of files of its own; refused at basic, "
        "where a bot may own what its user has"
    ): """
        chmod 90 -1, fchmod 91 52, fchmodat 268 53, fchmodat2 452 452, truncate 76 45,
        setxattr 188 5, lsetxattr 189 6, fsetxattr 190 7, setxattrat 463 463,
        removexattr 197 14, lremovexattr 198 15, fremovexattr 199 16, removexattrat 466 466,
        file_setattr 469 469""",
    "how full the disks are that hold what it may read; sem_open needs it where libc is old": """
        statfs 137 43, fstatfs 138 44""",
    "how busy the disk is, by the time that it takes": """
        fsync 74 82, fdatasync 75 83, sync_file_range 277 84""",
    "nothing: random numbers": """
        getrandom 318 278""",
}


@cache
def rows() -> dict[str, Row]:
    """Return the allowed calls by name."""
    numbers = {}
    for outside, lines in _ROWS.items():
        for line in lines.split(","):
            name, x86_64, aarch64 = line.split()
            numbers[name] = Row(int(x86_64), int(aarch64), outside)
    return numbers


@cache
def ranges(machine: str) -> tuple[tuple[int, int], ...]:
    """Return the numbers of the allowed calls on a machine, as the first and the last
    of each unbroken range, in order.
    """
    numbers = sorted({int(getattr(row, machine)) for row in rows().values()} - {ABSENT})
    starts = [number for number in numbers if number - 1 not in numbers]
    ends = [number for number in numbers if number + 1 not in numbers]
    return tuple(zip(starts, ends, strict=True))
