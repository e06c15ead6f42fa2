"""Searches that are kept for the next time, and questions that no search answers."""

from __future__ import annotations

import pytest
from tuned_programs import GUARDED

from advisor.model.errors import AdvisorError, SourceProblem, UsageError

pytestmark = pytest.mark.usefixtures("simulated")


def test_a_second_search_is_answered_from_the_cache(project, numbers):
    numbers(one_axis=(64, 128))
    project.write(GUARDED)
    first = project.tune(cache=True)
    # Nothing is run again: with what is kept, no limit of time is felt.
    again = project.tune(cache=True, seconds=0.0)
    assert (first.kept, again.kept) == (False, True)
    assert (again.trials, again.edited, again.arguments) == (first.trials, first.edited, first.arguments)
    numbers(one_axis=(64,))
    assert not project.tune(cache=True, fresh=True).kept
    assert len(project.tune(cache=True).trials) == 2
    project.write(GUARDED.replace("100_000", "200_000"))
    changed = project.tune(cache=True)
    assert (changed.kept, changed.arguments[0][2]) == (False, [200_000])


def test_a_search_that_was_cut_short_serves_no_longer_one(project, numbers):
    numbers(one_axis=(64,))
    project.write(GUARDED)
    short = project.tune(cache=True, seconds=0.0)
    assert (short.complete, len(short.trials), short.edited) == (False, 1, {})
    assert project.tune(cache=True, seconds=0.0).kept
    longer = project.tune(cache=True)
    assert (longer.kept, longer.complete, len(longer.trials)) == (False, True, 2)


@pytest.mark.parametrize(
    ("text", "kernel", "kind", "message"),
    [
        (
            GUARDED,
            "kernal",
            UsageError,
            "kernels.py has no kernel `kernal`. Did you mean `kernel`? Its kernels: kernel.",
        ),
        ("def f():\n    pass\n", "f", UsageError, "kernels.py has no kernel."),
        ("def f(:\n", "f", SourceProblem, "kernels.py:4: "),
        (
            GUARDED.replace("def workload", "def other"),
            "kernel",
            AdvisorError,
            "has no workload that launches",
        ),
        (
            GUARDED.replace("    out = ", "    raise OSError('no data')\n    out = "),
            "kernel",
            AdvisorError,
            "kernels.py::workload() failed: OSError: no data",
        ),
        (
            GUARDED + "\n\n@cuda.jit\ndef idle(x):\n    x[cuda.grid(1)] = 1\n",
            "idle",
            AdvisorError,
            "kernels.py::workload() does not launch idle.",
        ),
        (
            GUARDED + "    kernel[(x.size + 63) // 64, 64](x, out)\n",
            "kernel",
            AdvisorError,
            "blocks that contradict each other: kernels.py:20 with 100, kernels.py:21 with 64",
        ),
    ],
)
def test_errors(project, text, kernel, kind, message):
    project.write(text)
    with pytest.raises(kind) as caught:
        project.tune(kernel)
    assert message in str(caught.value)
