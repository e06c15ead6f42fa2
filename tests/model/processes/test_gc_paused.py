"""The garbage collector while much is made, and what is never searched."""

from __future__ import annotations

import gc

import pytest

from advisor.model.processes import gc_paused as module
from advisor.model.processes.gc_paused import freeze_for_good, gc_paused


def test_no_search_begins_while_it_is_paused() -> None:
    with gc_paused():
        assert not gc.isenabled()
        with gc_paused():
            pass
        assert not gc.isenabled()
    assert gc.isenabled()


def test_what_is_frozen_for_good_stays_frozen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_frozen", False)
    freeze_for_good()
    frozen = gc.get_freeze_count()
    with gc_paused():
        made: list[list[int]] = [[] for _ in range(9)]
    assert gc.get_freeze_count() == frozen > 0
    assert len(made) == 9
