"""The process that runs a recorded program again in a copy of its project, on the SIMT machine.

Its only argument is a file with the request as JSON. What went wrong, or an empty text, is written to the
file that the request names. Standard input is the program's, and empty.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from advisor.evidence.simulated.driver.triton.cache_folder import cache_folder
from advisor.evidence.simulated.launches.outcome import Outcome
from advisor.evidence.simulated.launches.processes.child_processes import share_with_children
from advisor.evidence.simulated.launches.processes.confinement import confine
from advisor.evidence.simulated.launches.processes.program_start import install_gpu
from advisor.evidence.simulated.launches.processes.worker import ended_after, last_words, quiet
from advisor.evidence.simulated.launches.processes.write_guard import guard_writes
from advisor.evidence.simulated.launches.recording.kept_outputs import OutputKeeper
from advisor.evidence.simulated.launches.recording.recorder import Recorder
from advisor.evidence.simulated.launches.recording.script import ScriptRequest, run_program
from advisor.evidence.simulated.launches.simt_executor import Limits, SimtExecutor
from advisor.evidence.simulated.launches.store import LaunchStore
from advisor.model.devices import find_device
from advisor.model.storage.cache import user_cache, user_cache_folder


def main() -> None:
    """Run the program of the request."""
    request = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    copy, scratch = Path(request["root"]), Path(request["scratch"])
    outputs, answer = Path(request["outputs"]), Path(request["answer"])
    folders = keep_to_copy(Path(request["original"]), copy, scratch, [outputs, answer.parent])
    store = LaunchStore(copy, Path(request["folder"]))
    answer.write_text(_run(request, store, [copy, *folders]), encoding="utf-8")
    store.close()


def keep_to_copy(original: Path, copy: Path, scratch: Path, outputs: Sequence[Path]) -> list[Path]:
    """Let this process import the copy's files and write into the copy, and else only into these folders and
    caches; all folders that it may write to beside the copy.
    """
    folders = [scratch, *outputs, Path("/dev"), *_caches(), cache_folder(scratch)]
    confine([copy, *folders])
    guard_writes(copy, folders)
    _imports_from(original, copy)
    return folders


def _caches() -> list[Path]:
    """The folder of this user's caches, this program's among them."""
    own = user_cache_folder()
    return [own.parent] if own is not None else []


def _imports_from(original: Path, copy: Path) -> None:
    """Import from the copy what was imported from the project by an entry of the path."""
    root = str(original.resolve())
    prefix = str(Path(sys.prefix).resolve())
    for number, entry in enumerate(sys.path):
        real = os.path.realpath(entry)
        if (real == root or real.startswith(root + os.sep)) and not real.startswith(prefix):
            sys.path[number] = str(copy / Path(real).relative_to(root))


def _run(request: dict[str, Any], store: LaunchStore, guarded: list[Path]) -> str:
    """What went wrong with the program, an empty text where nothing did."""
    device, seconds = find_device(request["device"]), float(request["seconds"])
    run = store.begin_run(request["command"], device.id, "simt")
    recorder = Recorder(store, run)
    limits = Limits(threads=1, seconds=seconds)

    def listen(outcome: Outcome) -> None:
        recorder(outcome)
        keeper(outcome)

    cache = user_cache() if request["cache"] else None
    executor = SimtExecutor(device, listen, limits, cache, recorder.copied, recorder.read)
    keeper = OutputKeeper(executor.memory, request["most_bytes"])
    install_gpu(executor, device, request["predictor"], request["cache"])
    quiet()
    target, arguments = request["target"], request["arguments"]
    share_with_children(
        ScriptRequest(
            target,
            arguments,
            request["module"],
            device,
            store.root,
            limits,
            keep_code=request["cache"],
            predictor=request["predictor"],
        ),
        run,
        on_gpu=False,
        guarded=guarded,
    )
    said = _ended(request, seconds)
    recorder.close()
    # What programs wrote that this one started is not seen here.
    if store.launch_count(run) != recorder.launches:
        keeper.miss()
    store.end_run(run, "failed" if said else "done")
    keeper.write(Path(request["outputs"]))
    return said


def _ended(request: dict[str, Any], seconds: float) -> str:
    try:
        with ended_after(seconds):
            os.chdir(request["working_folder"])
            run_program(request["target"], request["arguments"], request["module"])
    except SystemExit as end:
        return "" if end.code in (None, 0) else f"it ended with status {end.code}"
    except BaseException as error:
        return last_words(error)
    return ""


if __name__ == "__main__":
    main()
