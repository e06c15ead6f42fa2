"""The process that runs workloads for the editor: it is what may hang, crash and be killed.

Reads a request as JSON from standard input, and writes what went wrong in each workload.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from advisor.evidence.metrics.predicted_times import NAME as PREDICTOR
from advisor.evidence.simulated.launches.store import LaunchStore
from advisor.evidence.simulated.launches.workloads import (
    find_workloads,
    run_workloads,
    stale_workloads,
    workload_folder,
)
from advisor.model.errors import AdvisorError
from advisor.model.machine_code.gpu_extra import missing_translator
from advisor.model.settings.config import load_config, prepare_cache_folder
from advisor.model.text.source_text import read_source


def main() -> None:
    """Answer the one request."""
    request = json.loads(sys.stdin.read())
    try:
        answer = _run(Path(request["file"]), request["device"], request["again"])
    except AdvisorError as error:
        answer = {"found": 1, "problems": [["", 1, str(error)]]}
    sys.stdout.write(json.dumps(answer))


def _run(file: Path, device: str, again: bool) -> dict[str, object]:
    """How many workloads the file has, how many were run, and what went wrong; fresh ones only `again`."""
    settings = load_config(file.parent)
    cache = prepare_cache_folder(settings)
    path = file.relative_to(settings.root).as_posix()
    text = read_source(file, path).text
    every = find_workloads(path, text)
    if every and (missing := missing_translator()) is not None:
        return {"found": len(every), "run": 0, "problems": [["", 1, f"{missing} {missing.remedy}"]]}
    store = LaunchStore(settings.root, workload_folder(cache))
    wanted = every if again else stale_workloads(store, [(path, text)], device)
    seconds = settings.workload_seconds
    problems = run_workloads(store, wanted, device, seconds, 1, cache, predictor=PREDICTOR) if wanted else []
    store.close()
    told = [[one.path, one.line, one.message] for one in problems]
    return {"found": len(every), "run": len(wanted), "problems": told}


if __name__ == "__main__":
    main()
