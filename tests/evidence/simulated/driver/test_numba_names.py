"""The names of numba-cuda that are not public: a newer numba-cuda without one of them is told of here."""

from __future__ import annotations

import pytest

from advisor.evidence.simulated.driver.numba.names import ATTRIBUTES, INSTANCE_ATTRIBUTES, missing_names

pytest.importorskip("numba.cuda")


def test_every_name_exists() -> None:
    missing = missing_names()
    assert not missing, (
        f"advisor.evidence.simulated.driver touches names that this numba-cuda lacks: {', '.join(missing)}"
    )


def test_a_name_that_is_gone_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    gone = [("numba.cuda.codegen", "CUDACodeLibrary.get_gone"), ("numba.cuda.dispatcher", "Gone.launch")]
    monkeypatch.setattr("advisor.evidence.simulated.driver.numba.names.ATTRIBUTES", (*ATTRIBUTES, *gone))
    instance = ("numba.cuda.cudadrv.driver", "_Linker", "_gone_codes")
    monkeypatch.setattr(
        "advisor.evidence.simulated.driver.numba.names.INSTANCE_ATTRIBUTES", (*INSTANCE_ATTRIBUTES, instance)
    )
    assert missing_names() == [
        "numba.cuda.codegen.CUDACodeLibrary.get_gone",
        "numba.cuda.dispatcher.Gone.launch",
        "numba.cuda.cudadrv.driver._Linker._gone_codes",
    ]
