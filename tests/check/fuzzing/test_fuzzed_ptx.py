"""Damaged PTX: it is read and translated, or what is not understood is told with its line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from bounds import bounded, search, seeds
from effort import NIGHTLY
from hypothesis import given
from mutations import mutated, steps

from advisor.evidence.compiled.instructions.ptx import count_ptx, static_shared_bytes
from advisor.evidence.simulated.driver.api.modules import static_shared
from advisor.evidence.simulated.simt.ptx.ptx_reader import PtxError, read_ptx
from advisor.evidence.simulated.simt.unsupported import Unsupported
from advisor.evidence.simulated.simt.vector.kernels import compile_kernel

_SAMPLE = (Path(__file__).parent / "samples" / "tile.ptx").read_bytes()
_TRANSLATED_EACH = 8


def survives(data: bytes, is_translated: bool) -> None:
    """Assert that a text is read, or refused at one of its lines; what is read may be translated as well."""
    text = data.decode("utf-8", "replace")
    with bounded():
        count_ptx(text)
        static_shared_bytes(text)
        try:
            module = read_ptx(text)
        except PtxError as error:
            assert 1 <= error.line <= text.count("\n") + 1
            assert re.fullmatch(r"PTX line \d+: .+", str(error), re.DOTALL)
            return
    for function in module.functions.values():
        static_shared(function, module)
        if is_translated and function.entry and not function.external:
            with bounded():
                try:
                    compile_kernel(module, function.name)
                except (Unsupported, PtxError) as error:
                    assert str(error)


@pytest.mark.timeout(7200 if NIGHTLY else 300)
def test_a_damaged_text_is_read_or_refused_at_a_line() -> None:
    count = 0

    @search(150)
    @given(steps(3))
    def damaged(those: list[tuple[int, int]]) -> None:
        nonlocal count
        count += 1
        survives(mutated(_SAMPLE, those), count % _TRANSLATED_EACH == 0)

    survives(_SAMPLE, True)
    damaged()


@pytest.mark.parametrize("seed", seeds("ptx"), ids=lambda file: file.name)
def test_texts_that_were_bad_once(seed: Path) -> None:
    survives(seed.read_bytes(), True)
