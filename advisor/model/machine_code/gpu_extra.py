"""The extra `gpu`, which brings the compilers, the simulated GPU's translator and NVIDIA's libraries."""

from __future__ import annotations

from importlib.util import find_spec

from advisor.model.errors import EvidenceUnavailable

INSTALL = "pip install 'kernel-advisor[gpu]'"
REMEDY = f"Install it with `{INSTALL}`."


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
