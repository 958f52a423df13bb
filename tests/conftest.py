"""What all tests share: helpers to import, examples without deadlines, a cache and a configuration that are not the user's, and a
count of the work that each room starts."""

import gc
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from browser import Page

# How long an example takes is no one's failure on a shared machine.
settings.register_profile("arena", deadline=None, print_blob=True)
settings.load_profile("arena")

# Two threads for small matrices take half as much CPU again, and a thread that holds a lock would stop a forked child.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

os.environ.pop("COLUMNS", None)  # xdist sets it: how wide tables are is each test's own to say

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as a job that a script's & starts: tests interrupt what they start
    signal.signal(signal.SIGINT, signal.default_int_handler)

if (
    signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
):  # under nohup: this process goes on, those that tests start can be told to end
    signal.signal(signal.SIGHUP, lambda *_: None)

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tests" / "support"))

gc.set_threshold(50_000, 20, 20)  # a fifth less time: most of what tests make is no cycle

import work  # noqa: E402 - found beside the other helpers

work.watch()


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """Make one cache for all processes of a run: a bot is built once and a module compiled once, as for arbiters of one user. Not
    below pytest's own folder, which is closed to others: root's bots run as other users."""
    if not hasattr(session.config, "workerinput"):
        cache = tempfile.TemporaryDirectory(prefix="khiva-tests-", ignore_cleanup_errors=True)
        os.chmod(cache.name, 0o755)
        os.environ["KHIVA_ARENA_CACHE"] = cache.name
        session.config.add_cleanup(cache.cleanup)


@pytest.fixture(scope="session", autouse=True)
def _own_configuration() -> Iterator[None]:
    with tempfile.TemporaryDirectory(prefix="khiva-tests-") as folder:
        os.environ["XDG_CONFIG_HOME"] = f"{folder}/config"  # tokens, and what a user has agreed to
        yield


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that other users may enter, as bots are under root: pytest's own folders are closed to others."""
    path = Path(tempfile.mkdtemp(prefix="khiva-arena-test-"))
    path.chmod(0o755)
    yield path
    shutil.rmtree(path)


@pytest.hookimpl(tryfirst=True)
def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark each test that needs a browser, or a cluster of processes, as a soak: both are heavy."""
    group = item.get_closest_marker("xdist_group")
    if "_browser" in getattr(item, "fixturenames", ()) or (group and group.args[0] == "cluster"):
        item.add_marker(pytest.mark.soak)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """xdist 3.8 names the group of a test in an attribute that pytest 9.2 does not read any more, and then keeps no group
    together."""
    for item in items:
        named = getattr(item, "_nodeid", item.nodeid)
        if named != item.nodeid:
            item._id = type(item._id).parse(named)  # type: ignore[attr-defined]


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Look for no garbage while tests are collected, and leave what was collected out of each later search: it stays to the end,
    and is large."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    import tools

    target = next((mark for mark in work.TARGETS if item.get_closest_marker(mark)), "test")
    with work.charged_to(item.path, target):
        if target == "language" or item.get_closest_marker("language"):
            return (yield)
        with tools.only_of_python():
            return (yield)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Add what one of several processes has counted."""
    work.COUNTS.update({work.Work(*place): number for place, number in getattr(node, "workeroutput", {}).get("work", [])})


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Hand the counts to the process that sums them, which fails a run in which a room starts more than its bound."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["work"] = [(tuple(place), number) for place, number in work.COUNTS.items()]
    elif work.above(work.COUNTS, work.bounds()) and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say which room starts more than its bound; with ``-v`` the counts of all rooms."""
    if terminalreporter.verbosity > 0 or os.environ.get("WORK"):
        terminalreporter.write_line("\n".join(work.table(work.COUNTS)))
    for sentence in work.above(work.COUNTS, work.bounds()):
        terminalreporter.write_line(f"FAILED {sentence}", red=True)


@pytest.fixture(scope="session")
def _browser() -> "Iterator[Page]":
    """One for all tests of pages that a worker runs."""
    from browser import browser  # not above: most tests need none

    with browser() as page:
        yield page


@pytest.fixture
def page(_browser: "Page") -> "Page":
    """A wide, light window."""
    from browser import WIDE

    _browser.size(WIDE)
    _browser.wrong()
    return _browser
