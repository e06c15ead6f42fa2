"""What all tests share: the option that renews golden files, one user cache, compiled modules, limits."""

from __future__ import annotations

import compileall
import os
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from left_out import LeftOut, patterns
from time_limits import TimeLimits

# It raises the limit of recursion, which Hypothesis wants to stand while a test runs.
import advisor.model.text.syntax_trees  # noqa: F401
from advisor.model.processes.gc_paused import freeze_for_good, gc_paused

PROGRAM = Path(__file__).parents[1]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--renew-golden", action="store_true", help="write what is printed now to the golden files"
    )
    parser.addoption(
        "--exhaustive",
        action="store_true",
        help="also the tests that tests/processes/suite/left_out.toml names",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(TimeLimits())
    if not config.getoption("--exhaustive"):
        config.pluginmanager.register(LeftOut(patterns()))


def pytest_sessionstart(session: pytest.Session) -> None:
    """Compile the program's modules once, as an installation does.

    Where PYTHONDONTWRITEBYTECODE is set, each process that a test starts would else compile them again: half
    a second each.
    """
    if not hasattr(session.config, "workerinput"):
        for package in ("advisor", "lsp_server"):
            compileall.compile_dir(PROGRAM / package, quiet=2)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Search for no garbage among the tests and their modules: they live to the end.

    They are millions of objects. To collect them, a third of the time went into such searches, and each test
    that asks for one waited for two seconds.
    """
    with gc_paused():
        collected = yield
    freeze_for_good()
    return collected


@pytest.fixture(scope="session", autouse=True)
def user_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The user's cache folder of this run, for all its processes: the shipped rules are parsed once.

    It lies in no home folder, so a test neither reads nor leaves anything there.
    """
    base = tmp_path_factory.getbasetemp()
    # The workers of a parallel run have folders below one of the run.
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "user-cache"
    folder.mkdir(exist_ok=True)
    with pytest.MonkeyPatch.context() as patch:
        for name in ("XDG_CACHE_HOME", "LOCALAPPDATA"):
            patch.setenv(name, str(folder))
        yield folder


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object:
    from whole_files import WholeFiles

    return WholeFiles(config, log)
