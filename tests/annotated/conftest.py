"""One check of all annotated examples, with compiled evidence and no cache."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from advisor.check.pipeline import check
from advisor.model.findings import Report
from advisor.model.settings.check_options import CheckOptions

EXAMPLES = Path(__file__).parent / "examples"


@pytest.fixture(scope="session")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    if sys.platform not in ("linux", "win32"):
        pytest.skip("NVIDIA publishes no compiler packages for this system")
    # Outside the folder `tests`, where rules about launches stay silent on purpose.
    root = tmp_path_factory.mktemp("annotated")
    files = [Path(shutil.copy(file, root / file.name)) for file in sorted(EXAMPLES.glob("*.py"))]
    return check(files, CheckOptions(device="a100-80gb", root=root, jobs=2))
