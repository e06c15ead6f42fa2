"""A project with a history, and its page."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import histories
import pytest
from page_reading import Page

pytest.importorskip(
    "matplotlib", reason="the page's charts need Matplotlib: pip install 'kernel-advisor[report]'"
)

from drawn_pages import html_of

from advisor.model.history.store import HistoryStore


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return histories.write_project(tmp_path / "project")


@pytest.fixture
def store(project: Path) -> HistoryStore:
    return HistoryStore(project)


@pytest.fixture
def page(project: Path) -> Callable[[], Page]:
    """Make the page of the project as its history is now."""
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
