"""What all tests share: helpers to import, examples without deadlines, a cache and a
configuration that are not the user's, bots that are trusted where no level works, and a
look at the end for processes that a test has left.
"""

import gc
import json
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from browser import Page

# How long an example takes is no one's failure on a shared machine.
settings.register_profile("arena", deadline=None, print_blob=True)
settings.load_profile("arena")

# Two threads for small matrices take half as much CPU again, and a thread that holds a
# lock would stop a forked child.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

os.environ.pop("COLUMNS", None)  # xdist sets it: how wide tables are is each test's own to say

if (
    signal.getsignal(signal.SIGINT) is signal.SIG_IGN
):  # as a job that a script's & starts: tests interrupt what they start
    signal.signal(signal.SIGINT, signal.default_int_handler)

if (
    signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
):  # under nohup: this process goes on, those that tests start can be told to end
    signal.signal(signal.SIGHUP, lambda *_: None)

ROOT = Path(__file__).parent.parent
for support in sorted((ROOT / "tests").glob("**/support")):  # of the core, and of each extension
    sys.path.insert(0, str(support))

gc.set_threshold(50_000, 20, 20)  # a fifth less time: most of what tests make is no cycle

from left_behind import begin, end_processes_since, now  # noqa: E402 - found beside the other helpers
from levels import FIXTURES, open_folders_where_bots_are_other_users, trust_where_nothing_confines  # noqa: E402
from levels import basic as basic  # noqa: E402
from levels import confined as confined  # noqa: E402
from levels import level as level  # noqa: E402
from levels import standard as standard  # noqa: E402
from no_levels import distrusting as distrusting  # noqa: E402
from no_levels import only_trusted as only_trusted  # noqa: E402
from tools import cc as cc  # noqa: E402
from tools import only_of_python, skipped_in_words  # noqa: E402
from tools import rules_in_c as rules_in_c  # noqa: E402

BEGAN = now()
LEFT = pytest.StashKey[list[str]]()


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """Make one cache for all processes of a run: a bot is built once and a module
    compiled once, as for arbiters of one user. Not below pytest's own folder, which is
    closed to others: root's bots run as other users.
    """
    if not hasattr(session.config, "workerinput"):
        begin()
        cache = tempfile.TemporaryDirectory(prefix="khiva-tests-", ignore_cleanup_errors=True)
        os.chmod(cache.name, 0o755)
        os.environ["KHIVA_ARENA_CACHE"] = cache.name
        session.config.add_cleanup(cache.cleanup)
    trust_where_nothing_confines()
    open_folders_where_bots_are_other_users(session.config)


@pytest.fixture(scope="session", autouse=True)
def _own_configuration() -> Iterator[None]:
    with tempfile.TemporaryDirectory(prefix="khiva-tests-") as folder:
        os.environ["XDG_CONFIG_HOME"] = f"{folder}/config"  # tokens, and what a user has agreed to
        yield


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that other users may enter, as bots are under root: pytest's own folders
    are closed to others.
    """
    path = Path(tempfile.mkdtemp(prefix="khiva-arena-test-"))
    path.chmod(0o755)
    yield path
    shutil.rmtree(path)


@pytest.hookimpl(tryfirst=True)
def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark each test that needs a browser, or a cluster of processes, as a soak: both
    are heavy. Mark each test of an isolation level by its fixtures.
    """
    group, fixtures = item.get_closest_marker("xdist_group"), set(getattr(item, "fixturenames", ()))
    if "_browser" in fixtures or (group and group.args[0] == "cluster"):
        item.add_marker(pytest.mark.soak)
    if fixtures & FIXTURES:
        item.add_marker(pytest.mark.level)
    if _skipped_there() & {item.nodeid, f"{item.nodeid}@{group.args[0]}" if group else ""}:
        item.add_marker(pytest.mark.skipped)


@cache
def _skipped_there() -> set[str]:
    """Return the ids of the tests that were skipped in another run, such as that of
    .ci/bare.
    """
    if not (file := os.environ.get("KHIVA_TESTS_SKIPPED")):
        return set()
    return set(json.loads(Path(file).read_text())["skipped"])


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """xdist 3.8 names the group of a test in an attribute that pytest 9.2 does not read
    any more, and then keeps no group together.
    """
    for item in items:
        named = getattr(item, "_nodeid", item.nodeid)
        if named != item.nodeid:
            item._id = type(item._id).parse(named)  # type: ignore[attr-defined]


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Look for no garbage while tests are collected, and leave what was collected out
    of each later search: it stays to the end, and is large.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    if item.get_closest_marker("language"):
        return (yield)
    with only_of_python():
        return (yield)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail a run of which a process is left, once its workers have ended, and end that
    process.
    """
    if not hasattr(session.config, "workerinput"):
        session.config.stash[LEFT] = end_processes_since(BEGAN)
        if session.config.stash[LEFT] and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how many tests were skipped for want of what, and which processes were left.
    Keep this run's ids for .ci/compare.py.
    """
    reports = [
        report
        for report in terminalreporter.stats.get("skipped", [])
        if isinstance(report.longrepr, tuple)
    ]
    reasons = {report.nodeid: report.longrepr[2] for report in reports}
    if cache := getattr(terminalreporter.config, "cache", None):
        ran = [
            report.nodeid
            for how in ("passed", "failed")
            for report in terminalreporter.stats.get(how, [])
        ]
        cache.set("khiva/ids", {"ran": sorted(set(ran)), "skipped": reasons})
    for line in skipped_in_words(reasons.values()):
        terminalreporter.write_line(line)
    for command in terminalreporter.config.stash.get(LEFT, []):
        terminalreporter.write_line(f"FAILED a test has left a process: {command}", red=True)


@pytest.fixture(scope="session")
def _browser() -> "Iterator[Page]":
    """One for all tests of pages that a worker runs."""
    from browser import browser  # not above: most tests need none

    with browser() as page:
        yield page


@pytest.fixture
def page(_browser: "Page") -> "Page":
    """A wide, light window. The page of the test before has gone: it may have lost its
    server, and says so until it is left.
    """
    from browser import WIDE

    _browser.size(WIDE)
    _browser.driver.get("about:blank")
    _browser.wrong()
    return _browser
