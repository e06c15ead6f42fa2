"""A plugin for pytest that keeps every n-th test of those collected; n is in the environment."""

from __future__ import annotations

import os

import pytest


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    step = int(os.environ.get("EVERY_NTH_TEST", "1"))
    kept = items[::step]
    config.hook.pytest_deselected(items=[one for number, one in enumerate(items) if number % step])
    items[:] = kept
