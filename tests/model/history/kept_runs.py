"""Runs and fingerprints for tests."""

from __future__ import annotations

from pathlib import Path

from advisor.model.history.fingerprint import Fingerprint, KernelIdentity, LineMetrics, RunFacts, Timing


def own_file(root: Path) -> Path:
    return root / ".advisor" / "history.sqlite"


def facts(label: str = "first", device: str = "h200", kind: str = "profile", **more: object) -> RunFacts:
    return RunFacts(kind, label, "advisor profile k.py", 1000.0, device, "simt", **more)  # type: ignore[arg-type]


def fingerprint(
    name: str = "add", path: str | None = "k.py", mean: float | None = 2.0, source: str = "simulated"
) -> Fingerprint:
    timing = (
        None if mean is None else Timing(3, mean, mean, 0.5, mean - 1, mean + 1, (mean - 1, mean, mean + 1))
    )
    return Fingerprint(
        identity=KernelIdentity(
            name, path, "0123456789abcdef", ("array(float32, 1d, C)", "int64"), (391, 1, 1), (256, 1, 1), 64
        ),
        source=source,  # type: ignore[arg-type]
        launches=3,
        timing=timing,
        metrics={"flops": 1e6, "dram_norm": 0.5},
        lines=(LineMetrics("k.py", 12, "access", {"sectors_per_request": 4.0}),),
        ranges=("epoch", "step"),
        line=10,
    )
