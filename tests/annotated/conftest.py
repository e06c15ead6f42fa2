"""Checks of the annotated examples, with compiled evidence and no cache: a few files at a time."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from advisor.check.pipeline import check
from advisor.model.findings import Report
from advisor.model.settings.check_options import CheckOptions

EXAMPLES = sorted((Path(__file__).parent / "examples").glob("*.py"))
# A compiler starts for each check, and a check of all takes minutes.
FILES_AT_A_TIME = 12


@pytest.fixture(scope="session")
def reports(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Path], Report]:
    """The report on an example and its neighbours, by its file."""
    if sys.platform not in ("linux", "win32"):
        pytest.skip("NVIDIA publishes no compiler packages for this system")
    # Outside the folder `tests`, where rules about launches stay silent on purpose.
    root = tmp_path_factory.mktemp("annotated")
    copies = [Path(shutil.copy(file, root / file.name)) for file in EXAMPLES]

    @cache
    def checked(first: int) -> Report:
        files = copies[first : first + FILES_AT_A_TIME]
        return check(files, CheckOptions(device="a100-80gb", root=root, jobs=2))

    return lambda file: checked(EXAMPLES.index(file) // FILES_AT_A_TIME * FILES_AT_A_TIME)
