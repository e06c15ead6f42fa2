"""The process whose launches Nsight Compute counts: one workload, once to warm up and once for the counters.

Standard input is the request as JSON. The file that it names gets the kernels in the order of their launches,
or what went wrong.
"""

from __future__ import annotations

import contextlib
import json
import sys
from pathlib import Path
from typing import Any

from advisor.launches.worker import import_file, last_words
from advisor.profiling.timed_calls import TimedCalls
from advisor.profiling.worker import Work


def main() -> None:
    """Runs the request that the first argument names."""
    request = json.loads(Path(sys.argv[1]).read_text("utf-8"))
    try:
        answer = _run(request)
    except (Exception, SystemExit) as error:
        answer = {"problem": last_words(error)}
    Path(request["answer"]).write_text(json.dumps(answer), encoding="utf-8")


def _run(request: dict[str, Any]) -> dict[str, Any]:
    calls: TimedCalls = Work(request).calls
    from numba import cuda

    workload = getattr(import_file(Path(request["root"]) / request["path"]), request["name"])
    workload()
    cuda.synchronize()
    cuda.profile_start()
    calls.begin()
    try:
        workload()
        cuda.synchronize()
    finally:
        calls.finish()
        # The context may be gone; then the workload's own error tells it.
        with contextlib.suppress(Exception):
            cuda.profile_stop()
    return {"kernels": calls.kernels, "order": calls.order}


if __name__ == "__main__":
    main()
