"""Runs, fingerprints and a project for tests of what the history tells."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path

from advisor.model.history.fingerprint import Fingerprint, KernelIdentity, Run, RunFacts, Timing
from advisor.model.history.identity import functions
from advisor.model.records import Value
from advisor.model.settings.check_options import CheckOptions
from advisor.model.settings.config import Config

SOURCE = """\
from numba import cuda


@cuda.jit
def column_sum(image, out):
    j, i = cuda.grid(2)
    if i < out.shape[0] and j < out.shape[1]:
        out[i, j] = image[i, j] + 1.0


@cuda.jit
def scale(values, factor):
    i = cuda.grid(1)
    if i < values.size:
        values[i] *= factor
"""


def project(folder: Path, text: str = SOURCE) -> Path:
    """The folder with a configuration and `work.py`."""
    (folder / "pyproject.toml").write_text("[tool.advisor]\n")
    (folder / "work.py").write_text(text)
    return folder


def options(folder: Path) -> CheckOptions:
    return CheckOptions("a100-80gb", folder, evidence="measured", settings=Config(root=folder))


def facts(
    label: str = "first",
    device: str = "a100-80gb",
    executed_on: str = "NVIDIA A100-SXM4-80GB",
    **more: object,
) -> RunFacts:
    return RunFacts("profile", label, "advisor profile .", 1.7e9, device, executed_on, **more)  # type: ignore[arg-type]


def timing(samples: Sequence[float]) -> Timing:
    deviation = statistics.stdev(samples) if len(samples) > 1 else 0.0
    mean, median = statistics.fmean(samples), statistics.median(samples)
    return Timing(len(samples), mean, median, deviation, min(samples), max(samples), tuple(samples))


def fingerprint(
    name: str = "scale",
    samples: Sequence[float] = (2.0,) * 20,
    *,
    path: str | None = "work.py",
    source_hash: str | None = None,
    text: str = SOURCE,
    metrics: Mapping[str, Value] | None = None,
    launches: int = 1,
    grid: int = 391,
    block: int = 256,
    source: str = "measured",
) -> Fingerprint:
    """A fingerprint of a kernel of `text`; the hash is that of its definition there unless given."""
    found = next((one for one in functions(text) if one.name == name), None)
    known = source_hash or (found.source_hash if found and path else None)
    identity = KernelIdentity(name, path, known, ("array(float32, 1d, C)",), (grid, 1, 1), (block, 1, 1))
    measured = timing(samples) if samples else None
    return Fingerprint(
        identity,
        source,
        launches,
        measured,
        metrics or {},
        line=found.line if found else None,  # type: ignore[arg-type]
    )


def run(
    *fingerprints: Fingerprint, number: int = 1, metrics: Mapping[str, Value] | None = None, **more: object
) -> Run:
    status = str(more.pop("status", "done"))
    return Run(facts(**more), metrics or {}, fingerprints, id=number, status=status)  # type: ignore[arg-type]
