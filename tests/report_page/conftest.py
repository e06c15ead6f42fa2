"""A project with a history, and its page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import histories
import pytest
from page_reading import Page

pytest.importorskip(
    "matplotlib", reason="the page's charts need Matplotlib: pip install 'kernel-advisor[report]'"
)

from advisor.check_options import CheckOptions
from advisor.comparing.ranking import rankings
from advisor.config import load_config
from advisor.history.fingerprint import Run
from advisor.history.store import HistoryStore
from advisor.report_page.gathering import gather
from advisor.report_page.page import report_html

MADE = 1_762_000_000.0


def options_for(root: Path) -> CheckOptions:
    return CheckOptions(
        device="a100-40gb", root=root, evidence="measured", no_run=True, settings=load_config(root)
    )


def html_of(root: Path, runs: Sequence[Run] | None = None) -> str:
    """The page of a project's history, or of these runs of it."""
    options = options_for(root)
    store = HistoryStore(root)
    try:
        found = rankings(store.latest() if runs is None else runs, options)
        return report_html(replace(gather(found, store, options), made=MADE))
    finally:
        store.close()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return histories.write_project(tmp_path / "project")


@pytest.fixture
def store(project: Path) -> HistoryStore:
    return HistoryStore(project)


@pytest.fixture
def page(project: Path) -> Callable[[], Page]:
    """Makes the page of the project as its history is now."""
    return lambda: Page(html_of(project))


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A page with every part: measured and predicted runs, two devices, alerts, NVML, numbers of lines."""
    root = histories.write_project(tmp_path_factory.mktemp("whole") / "project")
    store = HistoryStore(root)
    histories.add_measured(store, last_blur=4.0)
    histories.add_predicted(store)
    histories.add_predicted(store, "a100-80gb", 2.0)
    store.close()
    return html_of(root)
