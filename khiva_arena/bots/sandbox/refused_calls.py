"""System calls that the filter of a bot refuses, or allows with some arguments only:
tables for seccomp.
"""

import errno
from typing import NamedTuple

from khiva_arena.bots.sandbox.calls import ABSENT


class Call(NamedTuple):
    """A system call.

    x86_64, aarch64: its number on each machine.
    error: the error that it fails with.
    """

    x86_64: int
    aarch64: int
    error: int = errno.EPERM


REFUSED = {
    "socket": Call(41, 198, errno.EAFNOSUPPORT),
    "ptrace": Call(101, 117),
    "process_vm_readv": Call(310, 270),
    "process_vm_writev": Call(311, 271),
    "process_madvise": Call(440, 440),
    "process_mrelease": Call(448, 448),
    "kcmp": Call(312, 272),
    "pidfd_open": Call(434, 434, errno.ENOSYS),
    "pidfd_getfd": Call(438, 438, errno.ENOSYS),
    "pidfd_send_signal": Call(424, 424, errno.ENOSYS),
    "unshare": Call(272, 97),
    "setns": Call(308, 268),
    "clone3": Call(
        435, 435, errno.ENOSYS
    ),  # its flags lie in memory, which a filter cannot read; clone does as well
    "mount": Call(165, 40),
    "umount2": Call(166, 39),
    "pivot_root": Call(155, 41),
    "chroot": Call(161, 51),
    "open_tree": Call(428, 428),
    "move_mount": Call(429, 429),
    "fsopen": Call(430, 430),
    "fsmount": Call(432, 432),
    "mount_setattr": Call(442, 442),
    "open_by_handle_at": Call(304, 265),
    "name_to_handle_at": Call(303, 264),
    "keyctl": Call(250, 219),
    "add_key": Call(248, 217),
    "request_key": Call(249, 218),
    "bpf": Call(321, 280),
    "perf_event_open": Call(298, 241),
    "userfaultfd": Call(323, 282),
    "fanotify_init": Call(300, 262),
    "syslog": Call(103, 116),
    "io_uring_setup": Call(425, 425, errno.ENOSYS),
    "io_uring_enter": Call(426, 426, errno.ENOSYS),
    "io_uring_register": Call(427, 427, errno.ENOSYS),
    "flock": Call(73, 32),
    "shmget": Call(29, 194),
    "shmat": Call(30, 196),
    "semget": Call(64, 190),
    "msgget": Call(68, 186),
    "semop": Call(65, 193),
    "semtimedop": Call(220, 192),
    "msgsnd": Call(69, 189),
    "msgrcv": Call(70, 188),
    "mq_open": Call(240, 180),
    "inotify_add_watch": Call(
        254, 27, errno.ENOSYS
    ),  # it reports whenever another bot reads a file of the system's
    "io_setup": Call(206, 0, errno.ENOSYS),  # there are so many for the whole machine
    "timer_create": Call(
        222, 107, errno.EAGAIN
    ),  # a stopped bot whose timer sends it SIGCONT would continue
    "memfd_create": Call(319, 279, errno.ENOSYS),  # its pages count against no limit
    "memfd_secret": Call(447, 447, errno.ENOSYS),
    "setpriority": Call(141, 140),
    "sched_setscheduler": Call(144, 119),
    "sched_setparam": Call(142, 118),
    "sched_setattr": Call(314, 274),
    "ioprio_set": Call(251, 30),
    "migrate_pages": Call(256, 238),
    "move_pages": Call(279, 239),
    # Calls that read and write the contents of the page cache: a note from match to
    # match.
    "fadvise64": Call(221, 223),
    "preadv2": Call(327, 286, errno.ENOSYS),
    "cachestat": Call(451, 451, errno.ENOSYS),
    "mincore": Call(27, 232, errno.ENOSYS),
    # Calls that tell of the machine: any file system, how full it is or how much is to
    # be written; the clock; nodes of memory.
    "ustat": Call(136, ABSENT, errno.ENOSYS),
    "syncfs": Call(306, 267),
    "adjtimex": Call(159, 171),
    "clock_adjtime": Call(305, 266),
    "get_mempolicy": Call(239, 236, errno.ENOSYS),
    "mbind": Call(237, 235, errno.ENOSYS),
    "modify_ldt": Call(154, ABSENT, errno.ENOSYS),  # memory of the kernel's that nobody counts
}
# A bot that makes itself wait for a core would be excused for being late: it stays on
# all cores; giving one away does nothing.
WAITING = {"sched_setaffinity": Call(203, 122), "sched_yield": Call(24, 124, 0)}
# A bot that stays in its process group can be stopped and killed as a whole.
LEAVING_THE_GROUP = {"setsid": Call(112, 157), "setpgid": Call(109, 154)}
# Calls that Landlock does not govern: the owner of a file may make them without opening
# it, or through a descriptor that only reads. At level basic an ordinary user's bots
# own all that the user owns, including the store.
MODES = {  # builds need them
    "chmod": Call(90, ABSENT),
    "fchmod": Call(91, 52),
    "fchmodat": Call(268, 53),
    "fchmodat2": Call(452, 452),
}
# Notes to the next match on the machine's devices: everybody may set the times of files
# that everybody may write to, and "change" the owner of anything to nobody, which sets
# a time as well.
TIMES = {  # builds need them
    "utime": Call(132, ABSENT),
    "utimes": Call(235, ABSENT),
    "futimesat": Call(261, ABSENT),
    "utimensat": Call(280, 88),
}
CHANGES_OF_OWNERS = {
    "chown": Call(92, ABSENT),
    "fchown": Call(93, 55),
    "lchown": Call(94, ABSENT),
    "fchownat": Call(260, 54),
}
ATTRIBUTES = {
    "setxattr": Call(188, 5),
    "lsetxattr": Call(189, 6),
    "fsetxattr": Call(190, 7),
    "setxattrat": Call(463, 463),
    "removexattr": Call(197, 14),
    "lremovexattr": Call(198, 15),
    "fremovexattr": Call(199, 16),
    "removexattrat": Call(466, 466),
    "file_setattr": Call(469, 469),
    "truncate": Call(76, 45),  # Landlock governs it from Linux 6.2 on
}
# FS_IOC_SETFLAGS, the same for 32 bits, FS_IOC_FSSETXATTR, FS_IOC_SETVERSION, the same
# for 32 bits
FILE_FLAGS = (0x40086602, 0x40046602, 0x401C5820, 0x40087602, 0x40047602)
# A bot that is stopped while it is not its turn must not be continued by a process of
# its own that is still awake. By call: which argument is the signal. A child's end may
# send one, too.
SIGNALLED_BY = {"kill": 1, "tkill": 1, "rt_sigqueueinfo": 1, "tgkill": 2, "rt_tgsigqueueinfo": 2}
SIGCONT, SIGNAL_OF_CLONE = 18, 0xFF
PRCTL, SET_DEATH_SIGNAL = Call(157, 167), 1  # so that a bot always dies with the arbiter
# Options that concern the caller alone. Not among them: new ones, who may share a core
# with it (62), and having equal pages of all processes merged (67), which tells the
# contents of others' memory.
ABOUT_ITSELF = (
    *(
        2,
        3,
        4,
        7,
        8,
        13,
        14,
        15,
        16,
        21,
        22,
        23,
        24,
        25,
        26,
        27,
        28,
        29,
        30,
        36,
        37,
        38,
        39,
        40,
        41,
        42,
        45,
        46,
        47,
    ),
    *(50, 51, 52, 53, 54, 55, 56, 59, 60, 61, 63, 64, 65, 66, 0x53564D41, 0x59616D61, 0x41555856),
)
# Memory that is shared and has no file stays taken when it is unmapped in part, and
# then counts against no limit.
MMAP, SHARED_AND_ANONYMOUS = Call(9, 222), 0x21
MADVISE, PAGE_OUT = Call(28, 233), 21
# Not among them: pages that are merged with others' (12), sent out of memory (20, 21),
# or broken (100, 101).
ADVICE = (*range(5), 8, 9, 10, 11, *range(13, 20), 22, 23, 25, 102, 103)
# Allowed for the caller itself (0), refused with another process's number; the second
# to builds alone.
ONLY_SELF = {"prlimit64": Call(302, 261), "sched_setaffinity": WAITING["sched_setaffinity"]}
# A bot with a network: sockets of these families (AF_INET, AF_INET6).
SOCKET, FAMILIES = REFUSED["socket"], (2, 10)
# One of a pair of datagram sockets can send to any socket of the machine that has a
# name, and take a name itself: of no bot's.
SOCKETPAIR, TYPE, DATAGRAMS = Call(53, 199), 0xF, (2, 3)
# If nothing else restricts signals (see ``launcher.py``): allowed to one's own group
# and to the bot's first process.
KILLS = {"kill": Call(62, 129), "tgkill": Call(234, 131)}
OTHER_KILLS = {
    "tkill": Call(200, 130),
    "rt_sigqueueinfo": Call(129, 138),
    "rt_tgsigqueueinfo": Call(297, 240),
}
CLONE = Call(56, 220)
NEW_NAMESPACES = 0x7E020080  # CLONE_NEW*: time, mount, cgroup, uts, ipc, user, pid, net
FCNTL = Call(72, 25)
LOCKS = (
    6,
    7,
    37,
    38,
    1024,
    1026,
)  # F_SETLK, F_SETLKW, F_OFD_SETLK, F_OFD_SETLKW, F_SETLEASE, F_NOTIFY
OWNERS = (
    8,
    15,
)  # F_SETOWN, F_SETOWN_EX: they would have the system signal another process in the bot's stead
# Nothing that is kept with a file or shown of it: locks, leases, how long it is said to
# live (1036).
OF_A_DESCRIPTOR = (*range(5), 9, 10, 11, 1027, 1028, *range(1030, 1035))
IOCTL = Call(16, 29)
# Whether it is a terminal, how large and whose; how much is there to be read; whether
# it waits, and stays open in a new program.
OF_A_STREAM = (0x5401, 0x802C542A, 0x540F, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451, 0x5452)
OF_A_SOCKET = (0x5411, 0x8905, 0x8910, 0x8912, 0x8913, 0x8915, 0x891B, 0x8921, 0x8933)
IOCTLS = (
    0x8901,
    0x8902,
    0x5412,
)  # FIOSETOWN, SIOCSPGRP, the same; TIOCSTI, typing at somebody's terminal
# All that a process calls which runs modules that are loaded already: memory and
# threads of its own, the time, its descriptors.
OF_A_TABLE = (
    *(
        "brk",
        "mmap",
        "mprotect",
        "munmap",
        "mremap",
        "madvise",
        "exit",
        "exit_group",
        "futex",
        "rseq",
        "set_robust_list",
    ),
    *(
        "restart_syscall",
        "gettid",
        "getpid",
        "getrandom",
        "clock_gettime",
        "clock_nanosleep",
        "membarrier",
    ),
    *(
        "rt_sigaction",
        "rt_sigprocmask",
        "rt_sigreturn",
        "sigaltstack",
        "getrusage",
        "read",
        "write",
        "close",
    ),
)
A_THREAD = 0x10000  # CLONE_THREAD
# A server of ours has its sockets when its filter begins: it answers on them, opens no
# other, and starts no program.
NOT_A_SERVER_S = {
    "connect": Call(42, 203),
    "bind": Call(49, 200),
    "execve": Call(59, 221),
    "execveat": Call(322, 281),
    "fork": Call(57, ABSENT),
    "vfork": Call(58, ABSENT),
    "sendmmsg": Call(307, 269),
}
# Data that a socket sends while it connects; a listener that was shut down could. By
# call: which argument is the flags.
SENT_BY = {"sendto": (Call(44, 206), 3), "sendmsg": (Call(46, 211), 2)}
FAST_OPEN = 0x20000000
