"""Words of NumbaPro and of earlier releases of Numba: kernels are recognised by them, and they are told."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest
from surveying import records, value

from advisor.program.names.earlier_numba import GONE_NAMES, GONE_OPTIONS, gone_name

KERNEL = """
{before}

@{decorator}
def k(a):
    i = cuda.grid(1)
    if i < a.size:
        a[i] = 2.0

k[16, 256](a)
"""
GONE = {
    "NumbaPro": ("from numbapro import cuda", "cuda.jit", ["numbapro"]),
    "a module of NumbaPro": ("import numbapro.cudalib", "cuda.jit", ["numbapro"]),
    "Accelerate": ("from accelerate.cuda import blas", "cuda.jit", ["accelerate.cuda"]),
    "autojit": ("from numba import autojit", "cuda.jit", ["numba.autojit"]),
    "a module of Numba": ("from numba.decorators import jit", "cuda.jit", ["numba.decorators"]),
    "types by an option": ("", "cuda.jit(argtypes=[f4[:]], restype=None)", ["argtypes"]),
    "a target of cuda.jit": ("", "cuda.jit('void(f4[:])', target='gpu')", ["target"]),
    "a target of jit": ("from numba import jit", "jit('void(f4[:])', target='cuda')", ["target"]),
    "autojit of the GPU": ("", "cuda.autojit", ["numba.cuda.autojit"]),
}
OF_TODAY = {
    "Numba": ("from numba import cuda, float32", "cuda.jit"),
    "types first": ("", "cuda.jit('void(f4[:])')"),
    "an option without a value": ("", "cuda.jit(argtypes=None)"),
    "Accelerate of another": ("from accelerate import Accelerator", "cuda.jit"),
    "prepared for": ("try:\n    from numbapro import cuda\nexcept ImportError:\n    pass", "cuda.jit"),
    "in a function": ("def old():\n    from numbapro import cuda\n    return cuda", "cuda.jit"),
    "under a condition": ("if OLD:\n    from numba import autojit", "cuda.jit"),
    "a wrapper's own option": ("def jit(target):\n    return cuda.jit(fastmath=True)", "jit(target='gpu')"),
}


@pytest.mark.parametrize("name", GONE)
def test_a_word_that_numba_has_no_longer(tmp_path: Path, name: str) -> None:
    before, decorator, words = GONE[name]
    text = KERNEL.format(before=before, decorator=decorator)
    assert [value(one, "name") for one in records(tmp_path, "name", text) if value(one, "gone")] == words
    assert len(records(tmp_path, "kernel", text)) == 1


@pytest.mark.parametrize("name", OF_TODAY)
def test_words_of_today(tmp_path: Path, name: str) -> None:
    before, decorator = OF_TODAY[name]
    text = KERNEL.format(before=before, decorator=decorator)
    assert [one for one in records(tmp_path, "name", text) if value(one, "gone")] == []
    assert len(records(tmp_path, "kernel", text)) == 1


def test_a_kernel_of_numbapro_is_known_with_its_launch(tmp_path: Path) -> None:
    text = "from numbapro import cuda\nfrom numbapro import jit\n" + KERNEL.format(
        before="", decorator="jit(target='gpu')"
    )
    (launch,) = records(tmp_path, "launch", text)
    assert (value(launch, "block_threads"), value(launch, "blocks")) == (256, 16)


@pytest.mark.parametrize("name", sorted(GONE_NAMES))
def test_the_installed_numba_has_none_of_these(name: str) -> None:
    pytest.importorskip("numba")
    assert gone_name(name) == name
    module, _, member = name.rpartition(".")
    with pytest.raises((ImportError, AttributeError)):
        import_module(name) if not module else getattr(import_module(module), member)


@pytest.mark.parametrize("option", GONE_OPTIONS)
def test_the_installed_numba_refuses_the_options(option: str) -> None:
    cuda = pytest.importorskip("numba.cuda")
    with pytest.raises(Exception, match=option):
        cuda.jit("void(float32[:])", **{option: "gpu"})(lambda a: None)
