"""The process whose launches Nsight Compute counts: each workload once to warm up and once for the counters.

Standard input is the request as JSON. The file that it names gets the kernels in the order of their launches,
or what went wrong.
"""

from __future__ import annotations

import contextlib
import json
import sys
from pathlib import Path
from typing import Any

from advisor.evidence.simulated.launches.processes.worker import import_file, last_words
from advisor.runs.profiling.gpu.timed_calls import TimedCalls
from advisor.runs.profiling.worker.program import Work


def main() -> None:
    """Run the request that the first argument names."""
    request = json.loads(Path(sys.argv[1]).read_text("utf-8"))
    try:
        answer = _run(request)
    except (Exception, SystemExit) as error:
        answer = {"problem": last_words(error)}
    Path(request["answer"]).write_text(json.dumps(answer), encoding="utf-8")


def _run(request: dict[str, Any]) -> dict[str, Any]:
    calls: TimedCalls = Work(request).calls
    _with_lines()
    from numba import cuda

    module = import_file(Path(request["root"]) / request["path"])
    workloads = {name: getattr(module, name) for name in request["names"]}
    for workload in workloads.values():
        workload()
    order: list[tuple[str, int]] = []
    cuda.synchronize()
    cuda.profile_start()
    try:
        for name, workload in workloads.items():
            calls.begin()
            workload()
            cuda.synchronize()
            calls.finish()
            order += [(name, number) for number in calls.order]
    finally:
        # The context may be gone; then the workload's own error tells it.
        with contextlib.suppress(Exception):
            cuda.profile_stop()
    return {"kernels": calls.kernels, "order": order}


def _with_lines() -> None:
    """Let kernels that are declared from here on know the lines of their source."""
    import numba.cuda  # noqa: F401 - the package must be imported before its parts
    from numba.cuda import dispatcher

    original = dispatcher.CUDADispatcher.__init__

    def begin(one: Any, function: Any, targetoptions: dict[str, Any], *more: Any, **options: Any) -> None:
        if not targetoptions.get("debug"):
            targetoptions = {**targetoptions, "lineinfo": True}
        original(one, function, targetoptions, *more, **options)

    dispatcher.CUDADispatcher.__init__ = begin


if __name__ == "__main__":
    main()
