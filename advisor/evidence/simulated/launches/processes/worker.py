"""The process that runs workloads: imports the user's modules and calls their functions on the SIMT machine.

Reads a request as JSON from standard input; writes for each workload what went wrong, or an empty text.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import signal
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

from advisor import __version__
from advisor.evidence.simulated.driver.executor import LaunchNote
from advisor.evidence.simulated.launches.defects import FoundDefect
from advisor.evidence.simulated.launches.processes.program_start import install_gpu
from advisor.evidence.simulated.launches.recording.kept_outputs import OutputKeeper
from advisor.evidence.simulated.launches.recording.recorder import Recorder
from advisor.evidence.simulated.launches.simt_executor import Limits, SimtExecutor
from advisor.evidence.simulated.launches.store import LaunchStore
from advisor.evidence.simulated.launches.workloads import file_hash
from advisor.model.devices import find_device
from advisor.model.errors import AdvisorError
from advisor.model.storage.cache import user_cache


def main() -> None:
    """Run the request on standard input."""
    request = json.loads(sys.stdin.read())
    root = Path(request["root"])
    store = LaunchStore(root, Path(request["folder"]))
    answers: dict[str, str] = {}
    try:
        work = _Work(store, request)
    except AdvisorError as error:
        answers = {f"{path}::{name}": str(error) for path, name in request["workloads"]}
    else:
        for path, name in request["workloads"]:
            answers[f"{path}::{name}"] = work.run(path, name)
    Path(request["answer"]).write_text(json.dumps(answers), encoding="utf-8")


class _Work:
    def __init__(self, store: LaunchStore, request: dict[str, Any]) -> None:
        self.store = store
        self.seconds = float(request["seconds"])
        self.device = find_device(request["device"])
        self.recorder: Recorder | None = None
        self.keeper: OutputKeeper | None = None
        self.outputs = Path(request["outputs"]) if "outputs" in request else None
        self.most_bytes = int(request.get("most_bytes", 0))
        cache = user_cache() if request["cache"] else None
        limits = Limits(threads=1, seconds=request["seconds"])
        self.executor = SimtExecutor(self.device, self._listen, limits, cache, self._copied)
        install_gpu(self.executor, self.device, request["predictor"], request["cache"])
        quiet()

    def _listen(self, outcome: Any) -> None:
        if self.recorder is not None:
            self.recorder(outcome)
        if self.keeper is not None:
            self.keeper(outcome)

    def _copied(self, note: LaunchNote, defect: FoundDefect) -> None:
        if self.recorder is not None:
            self.recorder.copied(note, defect)

    def run(self, path: str, name: str) -> str:
        """What went wrong in a workload, an empty text where nothing did."""
        run = self.store.begin_run(f"workload {path}::{name}", self.device.id, "simt")
        self.recorder = Recorder(self.store, run)
        self.keeper = OutputKeeper(self.executor.memory, self.most_bytes) if self.outputs else None
        said = ""
        try:
            with ended_after(self.seconds):
                result = getattr(import_file(self.store.root / path), name)()
                self._keep(result)
        except (Exception, SystemExit) as error:
            said = last_words(error)
        self.recorder.close()
        self.store.end_run(run, "failed" if said else "done", self._inputs(path))
        return said

    def _keep(self, result: Any) -> None:
        if self.keeper is not None and self.outputs is not None:
            self.keeper.keep_result(result)
            self.keeper.write(self.outputs)

    def _inputs(self, path: str) -> dict[str, str]:
        """The files under the root that are imported now, with their hashes."""
        root = self.store.root.resolve()
        files = {path: root / path}
        for module in list(sys.modules.values()):
            file = getattr(module, "__file__", None)
            if isinstance(file, str) and file.startswith(f"{root}{os.sep}") and "site-packages" not in file:
                files[Path(file).relative_to(root).as_posix()] = Path(file)
        hashes = {name: file_hash(file) for name, file in files.items()}
        return {"advisor": __version__, **{name: known for name, known in hashes.items() if known}}


@contextmanager
def ended_after(seconds: float) -> Iterator[None]:
    """A block that ends with TimeoutError after some seconds; waits within C code are not cut short."""

    def stop(number: int, frame: FrameType | None) -> None:
        del number, frame
        raise TimeoutError(f"it did not end within {seconds:g} s (workload-seconds sets how many)")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def quiet() -> None:
    """Leave out what Numba says about grids that are small for the device it believes to use."""
    from numba.core.errors import NumbaPerformanceWarning

    warnings.simplefilter("ignore", NumbaPerformanceWarning)


def last_words(error: BaseException) -> str:
    """The kind of an error and the first line of what it says; of this program's own, what it says alone."""
    if isinstance(error, AdvisorError):
        return str(error).splitlines()[0]
    return f"{type(error).__name__}: {error}".splitlines()[0]


def import_file(file: Path) -> ModuleType:
    """The module of a file, imported under the name it has within its package."""
    folder, parts = file.parent, [file.stem]
    while (folder / "__init__.py").is_file():
        parts.insert(0, folder.name)
        folder = folder.parent
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    if parts[-1] == "__init__":
        parts.pop()
    return importlib.import_module(".".join(parts))


if __name__ == "__main__":
    main()
