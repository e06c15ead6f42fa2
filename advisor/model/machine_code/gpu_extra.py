"""The extra `gpu`, which brings the compilers, the simulated GPU's translator and NVIDIA's libraries."""

from __future__ import annotations

import importlib
from importlib.util import find_spec

from advisor.model.errors import EvidenceUnavailable

INSTALL = "pip install 'kernel-advisor[gpu]'"
REMEDY = f"Install it with `{INSTALL}`."
UPGRADE = "pip install --upgrade 'kernel-advisor[gpu]'"
_COMPILING = ("numba-cuda", "numba", "llvmlite", "numpy")


def missing_translator() -> EvidenceUnavailable | None:
    """What keeps kernels from being compiled or run here and the remedy, None where llvmlite is installed."""
    if find_spec("llvmlite") is not None:
        return None
    return EvidenceUnavailable(
        "Kernels are neither compiled nor run: the package llvmlite is not installed.", REMEDY
    )


def require_translator() -> None:
    """Return where kernels can be run; else raises EvidenceUnavailable, which says what is missing."""
    if (missing := missing_translator()) is not None:
        raise missing


def load_compilers() -> None:
    """Load what the first kernel of a process loads besides `numba.cuda`: what kernels may call.

    Raises EvidenceUnavailable, with the versions, where the installed packages do not go together: numba-cuda
    then fails within the first compilation, whatever the kernel holds.
    """
    try:
        importlib.import_module("numba.cuda")
        # Private to numba-cuda: where a version lacks it, the first kernel shows what fails.
        descriptor = importlib.import_module("numba.cuda.descriptor")
        if (target := getattr(descriptor, "cuda_target", None)) is not None:
            target.typing_context.refresh()
    except Exception as problem:
        raise EvidenceUnavailable(
            f"{_versions()}: {type(problem).__name__}: {' '.join(str(problem).split())[:200]}.",
            f"`{UPGRADE}` brings versions that go together.",
        ) from problem


def _versions() -> str:
    """What does not load beside what, with versions."""
    from importlib.metadata import PackageNotFoundError, version

    found = []
    for name in _COMPILING:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            continue
    compiler, *beside = found or ["numba-cuda"]
    others = " and ".join(filter(None, [", ".join(beside[:-1]), *beside[-1:]]))
    return f"{compiler} does not load{' beside ' + others if others else ''}"
