"""Projects with one file of kernels, and the numbers of a short search."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from advisor.model.settings.check_options import CheckOptions
from advisor.model.settings.config import load_config
from advisor.runs.tuning import search
from advisor.runs.tuning.numbers import tuning_numbers
from advisor.runs.tuning.search import TuningRequest, TuningResult, tune
from advisor.runs.tuning.target import Target, find_target

HEAD = "import numpy as np\nfrom numba import cuda\n\n"


class Project:
    """A folder with `kernels.py`, to be looked at and tuned."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.file = folder, folder / "kernels.py"

    def write(self, text: str) -> Path:
        self.file.write_text(HEAD + text)
        return self.file

    def options(self, cache: bool = False) -> CheckOptions:
        return CheckOptions(
            device="a100-80gb",
            root=self.folder,
            evidence="source",
            no_run=True,
            settings=load_config(self.folder),
            cache_folder=self.folder / ".advisor" / "cache" if cache else None,
        )

    def target(self, kernel: str = "kernel") -> Target:
        return find_target(self.file, kernel, self.options())

    def tune(self, kernel: str = "kernel", cache: bool = False, **asked: Any) -> TuningResult:
        given: dict[str, Any] = {"seconds": 300.0, "tolerance": 0.0, **asked}
        return tune(TuningRequest(self.file, kernel, self.options(cache), **given))


@pytest.fixture
def project(tmp_path: Path) -> Project:
    (tmp_path / ".git").mkdir()
    return Project(tmp_path)


@pytest.fixture
def simulated() -> None:
    """For tests that run kernels."""
    if sys.platform != "linux":
        pytest.skip("the simulated driver needs Linux")


@pytest.fixture
def numbers(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """A function that changes the numbers of a search."""

    def change(**values: Any) -> None:
        changed = replace(tuning_numbers(), **values)
        monkeypatch.setattr(search, "tuning_numbers", lambda: changed)

    return change
