"""Descriptors of tensors as each version of Triton hands them to kernels."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("triton.backends", reason="Triton is not installed: pip install 'kernel-advisor[triton]'")

from advisor.evidence.simulated.driver.triton import descriptors

KIND = "tensordesc<fp32[8, 16]>"


def described(monkeypatch: pytest.MonkeyPatch, **options: Any) -> list[Any]:
    monkeypatch.setattr(descriptors, "backends", SimpleNamespace())
    value = SimpleNamespace(base="x", shape=[8, 16], strides=[16, 1], **options)
    return descriptors.without_descriptors([KIND, "i32"], [value, 3], ["d", "n"])


def test_of_3_4(monkeypatch):
    (found, other) = described(monkeypatch)
    extents = (8, 16, 16, 1)
    assert found == (("*fp32", *["i64"] * 4, *["i32"] * 2, *["i64"] * 2), ("x", *extents, *extents), "d")
    assert other == ("i32", 3, "n")


def test_with_padding_since_3_5(monkeypatch):
    (kinds, values, _), _ = described(monkeypatch, padding="nan")
    assert kinds[5:7] == ("i1", "i32")
    assert values[5] is True


def test_with_rounding_since_3_7(monkeypatch):
    (kinds, values, _), _ = described(monkeypatch, padding="zero", round_f32_to_tf32=True)
    assert kinds[5:8] == ("i1", "i1", "i32")
    assert values[5:7] == (False, True)


def test_what_is_not_understood_is_said(monkeypatch):
    monkeypatch.setattr(descriptors, "backends", SimpleNamespace())
    with pytest.raises(RuntimeError, match="tensordesc of another kind is not understood"):
        descriptors.without_descriptors(["tensordesc of another kind"], [SimpleNamespace()], ["d"])
