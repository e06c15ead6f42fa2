"""Verdicts by what two trials showed; the trials are made up."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from advisor.proving.trial import KernelMetrics, Trial
from advisor.proving.verdicts import judged

KEY = ("k.py", "rows")
OTHER = ("k.py", "columns")


def trial(milliseconds: float | None = 2.0, launches: float = 1.0, **changes: object) -> Trial:
    metrics = {"launches": launches} | ({} if milliseconds is None else {"predicted_ms": milliseconds})
    kernels = {
        KEY: KernelMetrics(*KEY, metrics),
        OTHER: KernelMetrics(*OTHER, {"launches": 1.0, "predicted_ms": 8.0}),
        ("k.py", "never"): KernelMetrics("k.py", "never", {}),
    }
    outputs = {"rows:1:out": np.arange(4, dtype=np.float32)}
    return replace(Trial("", True, outputs, kernels), **changes)


OUTPUTS = {"rows:1:out": np.arange(4, dtype=np.float32) + 1}
CASES = [
    (trial(), trial(1.0), "proven faster", 2.0, "1 output equal bit by bit"),
    (trial(), trial(1.98), "no difference", 2.0 / 1.98, "1 output equal bit by bit"),
    (trial(), trial(4.0), "slower", 0.5, "1 output equal bit by bit"),
    # Three launches of 1 ms take longer than one of 2 ms.
    (trial(), trial(1.0, launches=3.0), "slower", 2.0 / 3.0, "1 output equal bit by bit"),
    (trial(), trial(1.0, outputs=OUTPUTS), "results differ", 2.0, "4 of 4 elements differ"),
    (trial(), trial(1.0, outputs={}), "results differ", 2.0, "only before the change"),
    (trial(outputs={}), trial(1.0, outputs={}), "cannot tell", 2.0, "nothing that could be compared"),
    (trial(), trial(1.0, whole=False), "cannot tell", 2.0, "not all outputs could be kept"),
    (trial(), trial(None), "cannot tell", None, "the time of the kernel is not known"),
    (trial(), Trial("NameError: x"), "results differ", None, "it fails after the change: NameError: x"),
    (Trial("no data"), trial(), "cannot tell", None, "it does not run before the change: no data"),
    (
        trial(),
        trial(1.0, defects=frozenset({("shared_race", "rows")})),
        "results differ", 2.0, "the change brings a defect into rows: shared race",
    ),
    # A defect that was there before is not the change's.
    (
        trial(defects=frozenset({("shared_race", "rows")})),
        trial(1.0, defects=frozenset({("shared_race", "rows")})),
        "proven faster", 2.0, "1 output equal bit by bit",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after", "verdict", "speedup", "said"), CASES)
def test_verdict(before: Trial, after: Trial, verdict: str, speedup: float | None, said: str) -> None:
    found = judged(before, after, [KEY], "simulated on X")
    assert (found.verdict, found.speedup) == (verdict, speedup if speedup is None else pytest.approx(speedup))
    assert said in found.detail


def test_without_a_kernel_all_that_were_launched_count() -> None:
    found = judged(trial(2.0), trial(1.0), None, "simulated on X")
    assert (found.before_ms, found.after_ms) == (10.0, 9.0)
    assert judged(trial(2.0), trial(None), None, "simulated on X").verdict == "cannot tell"
    both = judged(trial(2.0), trial(1.0), [KEY, OTHER], "simulated on X")
    assert (both.before_ms, both.after_ms) == (10.0, 9.0)
