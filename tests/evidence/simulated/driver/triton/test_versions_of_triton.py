"""Versions of Triton that were not tried, or that are built differently: said, and nothing else happens."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any, cast

import pytest

from advisor.evidence.simulated.driver.api.buffers import Buffers
from advisor.evidence.simulated.driver.gpu import Gpu
from advisor.evidence.simulated.driver.launch_notes import LaunchNotes
from advisor.evidence.simulated.driver.triton import install

NOTHING = (cast(Gpu, None), cast(Buffers, None), cast(LaunchNotes, None))


def imported(monkeypatch: pytest.MonkeyPatch, version: str | None) -> None:
    """Let a Triton of a version be imported that has no parts."""
    for name in [name for name in sys.modules if name.startswith("triton.")]:
        monkeypatch.delitem(sys.modules, name)
    module = ModuleType("triton")
    if version is not None:
        module.__version__ = version  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "triton", module)


@pytest.mark.parametrize(("version", "called"), [("2.0.0", "2.0.0"), (None, "of an unknown version")])
def test_one_that_is_built_differently(monkeypatch, capsys, version: str | None, called: str):
    imported(monkeypatch, version)
    install.install_for_triton(*NOTHING)
    said = capsys.readouterr().err
    assert said.startswith(f"advisor: Triton {called} is built differently (")
    assert said.endswith("; its kernels cannot run here.\n")


def activated(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    calls: list[Any] = []
    monkeypatch.setattr(install, "_activate", lambda *given: calls.append(given))
    return calls


def test_one_that_was_not_tried(monkeypatch, capsys):
    imported(monkeypatch, "4.0.1+git")
    calls = activated(monkeypatch)
    install.install_for_triton(*NOTHING)
    assert calls == [NOTHING]
    tried = ", ".join(install.TRIED)
    assert capsys.readouterr().err == (
        f"advisor: Triton 4.0.1+git was not tried, only {tried}; what differs may fail.\n"
    )


def test_one_that_was_tried(monkeypatch, capsys):
    imported(monkeypatch, f"{install.TRIED[0]}.0")
    calls = activated(monkeypatch)
    install.install_for_triton(*NOTHING)
    assert calls == [NOTHING]
    assert capsys.readouterr().err == ""


def test_without_triton_nothing_is_done(monkeypatch, capsys):
    monkeypatch.delitem(sys.modules, "triton", raising=False)
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    calls = activated(monkeypatch)
    install.install_for_triton(*NOTHING)
    assert calls == []
    assert capsys.readouterr().err == ""
