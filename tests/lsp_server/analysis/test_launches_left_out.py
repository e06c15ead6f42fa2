"""Kernels that there was no time to make launches up for are looked at again, once."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from advisor.evidence.compiled.kernel_codes import KernelCodes
from advisor.evidence.simulated.synthesis.evidence import SynthesisedEvidence
from advisor.evidence.simulated.synthesis.result import Synthesis
from advisor.model.devices import find_device
from lsp_server.evidence import launching

DEVICE = find_device("a100")
UNITS = [SimpleNamespace(kernel="first"), SimpleNamespace(kernel="second")]


class Launches:
    """Knows of those kernels alone that are `told`."""

    told: tuple[str, ...] = ()

    def __init__(self, *_: object) -> None:
        pass

    def evidence(self, *_: object, **__: object) -> SynthesisedEvidence:
        return SynthesisedEvidence(by_kernel={name: Synthesis(name) for name in self.told})


@pytest.fixture(params=["SynthesisedLaunches", "TritonLaunches"])
def ask(request, monkeypatch):
    """Asks a launcher of Numba's kernels, or of Triton's; says whether there is nothing more to be had."""
    monkeypatch.setattr(launching, request.param, Launches)
    monkeypatch.setattr(launching, "triton_is_installed", lambda: True)
    launcher = launching.KernelLauncher(KernelCodes(None))
    of_triton = request.param == "TritonLaunches"
    evidence = launcher.evidence_of_triton if of_triton else launcher.evidence

    def asked(*told: str, runs: bool = True) -> bool:
        monkeypatch.setattr(Launches, "told", told)
        launcher.complete = True
        evidence(UNITS, DEVICE, None, runs=runs)
        return launcher.complete

    yield asked
    launcher.close()


def test_what_is_left_out_is_asked_for_again(ask):
    assert not ask("first")
    assert ask("first", "second")


def test_what_is_left_out_again_is_not(ask):
    assert not ask()
    assert not ask("first")
    assert ask("first")


def test_where_nothing_is_run_nothing_is_left_out(ask):
    assert ask("first", runs=False)
