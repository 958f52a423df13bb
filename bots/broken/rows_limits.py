"""Rows of resources: each takes more of one thing than it is given, and stops by itself where nothing stops it.

The zoo plays them under small limits; see tests/zoo/play.py.
"""

import mmap
import os
import resource
import time
from contextlib import suppress

from talk import LONG, Bot, hang, row

MIB = 1 << 20
STEP = 16 * MIB
PLENTY = 512 * MIB


def home() -> str:
    """Our scratch folder."""
    return os.environ.get("TMPDIR", os.environ["HOME"])


# --- memory ---


@row("turn")
def memory(bot: Bot, decide: dict) -> None:
    """fills its heap with 512 MiB, and dies where it is refused more"""
    kept = [b"x" * STEP for _ in range(PLENTY // STEP)]
    hang()
    del kept


@row("turn")
def memory_shared(bot: Bot, decide: dict) -> None:
    """fills 512 MiB of shared memory of its own"""
    fill(mmap.mmap(-1, PLENTY))


@row("turn")
def memory_file(bot: Bot, decide: dict) -> None:
    """fills 512 MiB of a file in memory; where it gets none, of shared memory"""
    try:
        descriptor = os.memfd_create("zoo")
        os.ftruncate(descriptor, PLENTY)
        fill(mmap.mmap(descriptor, PLENTY))
    except OSError:
        fill(mmap.mmap(-1, PLENTY))


def fill(memory: mmap.mmap) -> None:
    """Make all of it real, with a breath after each step, and keep it."""
    for at in range(0, len(memory), STEP):
        memory[at : at + STEP] = b"x" * STEP
        time.sleep(0.002)
    hang()


@row("turn")
def memory_children(bot: Bot, decide: dict) -> None:
    """has four children that fill 128 MiB each"""
    for _ in range(4):
        if os.fork() == 0:
            kept = mmap.mmap(-1, PLENTY // 4, flags=mmap.MAP_PRIVATE)
            fill(kept)
    hang()


@row("turn")
def memory_between(bot: Bot, decide: dict) -> None:
    """answers, ever more slowly, while two children of it fill its memory"""
    for _ in range(2):
        if os.fork() == 0:
            fill(mmap.mmap(-1, PLENTY // 2, flags=mmap.MAP_PRIVATE))
    bot.answer(decide)
    pause = 0.1
    while (message := bot.read()) and message["type"] != "end":
        time.sleep(pause)
        pause = min(pause + 0.1, 2.0)
        bot.answer(message)


@row("turn")
def memory_inherited(bot: Bot, decide: dict) -> None:
    """has eight children that share its 64 MiB with it, as a pool of workers does, answers a little later, and plays on"""
    kept = b"x" * (4 * STEP)
    for _ in range(8):
        if os.fork() == 0:
            time.sleep(LONG)
            os._exit(0)
    time.sleep(0.5)
    bot.answer(decide)
    del kept


@row("turn")
def memory_untouched(bot: Bot, decide: dict) -> None:
    """asks for 8 GiB that it never touches, and plays on whether it gets them or not"""
    try:
        kept = mmap.mmap(-1, 8 << 30, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    except OSError:
        kept = None
    bot.answer(decide)
    del kept


# --- time ---


@row("turn")
def cpu(bot: Bot, decide: dict) -> None:
    """computes for longer than it has CPU time"""
    while True:
        pass


@row("turn")
def cpu_children(bot: Bot, decide: dict) -> None:
    """has four children, one after the other, compute for 0.8 s each"""
    for _ in range(4):
        if os.fork() == 0:
            until = time.process_time() + 0.8
            while time.process_time() < until:
                pass
            os._exit(0)
        os.wait()
    hang()


# --- files ---


@row("turn")
def file_size(bot: Bot, decide: dict) -> None:
    """makes a file of 1 TiB, and dies where it may not"""
    with open(os.path.join(home(), "large"), "wb") as file:
        file.truncate(1 << 40)
    hang()


@row("turn")
def file_size_caught(bot: Bot, decide: dict) -> None:
    """tries to make a file of 1 TiB, and plays on"""
    try:
        with open(os.path.join(home(), "large"), "wb") as file:
            file.truncate(1 << 40)
    except OSError:
        bot.answer(decide)
        return
    bot.answer(decide)


@row("turn")
def open_files(bot: Bot, decide: dict) -> None:
    """opens 10,000 files, and dies where it may not"""
    kept = [os.open("/dev/null", os.O_RDONLY) for _ in range(10_000)]
    hang()
    del kept


@row("turn")
def open_files_caught(bot: Bot, decide: dict) -> None:
    """opens as many files as it may, keeps them, and plays on"""
    try:
        for _ in range(10_000):
            os.open("/dev/null", os.O_RDONLY)
    except OSError:
        bot.answer(decide)
        return
    bot.answer(decide)


@row("turn")
def fills_scratch(bot: Bot, decide: dict) -> None:
    """fills its scratch folder with up to 64 MiB, and dies where it may not"""
    for number in range(64):
        with open(os.path.join(home(), f"filler{number}"), "wb") as file:
            file.write(b"x" * MIB)
    hang()


@row("turn")
def fills_scratch_caught(bot: Bot, decide: dict) -> None:
    """fills its scratch folder with up to 64 MiB, and plays on where it is refused more"""
    try:
        for number in range(64):
            with open(os.path.join(home(), f"filler{number}"), "wb") as file:
                file.write(b"x" * MIB)
    except OSError:
        bot.answer(decide)
        return
    hang()


@row("turn")
def many_files(bot: Bot, decide: dict) -> None:
    """makes 2,000 empty files in its scratch folder, and plays on"""
    for number in range(2000):
        try:
            os.close(os.open(os.path.join(home(), f"empty{number}"), os.O_CREAT | os.O_WRONLY))
        except OSError:
            break
    bot.answer(decide)


@row("turn")
def many_files_11k(bot: Bot, decide: dict) -> None:
    """makes 11,000 empty files in its scratch folder"""
    for number in range(11_000):
        os.close(os.open(os.path.join(home(), f"empty{number}"), os.O_CREAT | os.O_WRONLY))
    hang()


# --- what is left in the scratch folder for whoever cleans up ---


@row("turn")
def deep_folders(bot: Bot, decide: dict) -> None:
    """nests 1,500 folders in its scratch folder, deeper than a path may be long, and plays on"""
    os.chdir(home())
    for _ in range(1500):
        os.mkdir("folder")
        os.chdir("folder")
    bot.answer(decide)


@row("turn")
def locked_folder(bot: Bot, decide: dict) -> None:
    """leaves a folder that nobody may enter, with a file in it, and plays on"""
    folder = os.path.join(home(), "locked")
    os.mkdir(folder)
    with open(os.path.join(folder, "file"), "w"):
        for path in (folder, home()):
            with suppress(PermissionError):  # level basic allows no modes to be set, and the scratch folder may be the system's
                os.chmod(path, 0)
    bot.answer(decide)


@row("turn")
def links_out(bot: Bot, decide: dict) -> None:
    """leaves links to what is not its own, and plays on"""
    os.symlink("/etc/passwd", os.path.join(home(), "file"))
    os.symlink(os.path.dirname(os.environ.get("ZOO_STORE", "/nowhere/file")), os.path.join(home(), "folder"))
    bot.answer(decide)


@row("turn")
def odd_names(bot: Bot, decide: dict) -> None:
    """leaves files with names that no program expects, a pipe and a hole, and plays on"""
    for name in (b"-rf", b"\xff\xfe", b"\x1b[2J", b"line\nend", b"*"):
        with open(os.path.join(home().encode(), name), "wb") as file:
            file.truncate(1 << 20)
    os.mkfifo(os.path.join(home(), "pipe"))
    bot.answer(decide)


@row("turn")
def raises_limits(bot: Bot, decide: dict) -> None:
    """raises each of its limits as far as it may, and then opens 10,000 files"""
    for number in (resource.RLIMIT_NOFILE, resource.RLIMIT_FSIZE, resource.RLIMIT_DATA, resource.RLIMIT_NPROC):
        hard = resource.getrlimit(number)[1]
        for most in (resource.RLIM_INFINITY, hard):
            try:
                resource.setrlimit(number, (most, most))
                break
            except (OSError, ValueError):
                continue
    open_files(bot, decide)
