"""Fixtures of the tests of fixes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from simulated_runs import SimulatedRuns


@pytest.fixture(scope="session")
def simulated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SimulatedRuns]:
    """Run sources on the simulated GPU: `simulated.call(source, function, *arguments)`."""
    runs = SimulatedRuns(tmp_path_factory.mktemp("simulated"))
    yield runs
    runs.close()
