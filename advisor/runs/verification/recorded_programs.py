"""Programs that `advisor run` recorded, run again in the copy of a project as they ran before."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock

from advisor.evidence.simulated.launches.processes.warm_processes import Start, run_process
from advisor.evidence.simulated.launches.store import LaunchStore, ProgramRow, RunRow
from advisor.evidence.simulated.launches.workloads import KeptOutputs, last_words_of

# What starting Python and ending the program may take beyond the seconds that the program has.
_SECONDS_MORE = 60.0
_ENDS = {
    "failed": "it failed when it was recorded",
    "interrupted": "it was interrupted when it was recorded",
    "running": "it did not come to its end when it was recorded",
}


@dataclass(frozen=True)
class RecordedProgram:
    """A program that can be run again: its file from the project's root, how it was called, and the files
    whose kernels it launched.
    """

    path: str
    call: ProgramRow
    files: tuple[str, ...]
    root: Path

    @property
    def name(self) -> str:
        """The command that recorded it."""
        return _shown(self.call)

    def run(
        self,
        store: LaunchStore,
        device: str,
        seconds: float,
        cache_folder: Path | None,
        kept: KeptOutputs,
        predictor: str = "",
    ) -> str:
        """What went wrong in a run in the copy whose record is `store`, an empty text where nothing did."""
        with tempfile.TemporaryDirectory(prefix="advisor-program-", ignore_cleanup_errors=True) as folder:
            place = Path(folder)
            (place / "temporary").mkdir()
            request = {
                "root": str(store.root),
                "original": str(self.root),
                "folder": str(store.file.parent),
                "device": device,
                "seconds": seconds,
                "cache": cache_folder is not None,
                "command": _command(self.call),
                "target": self._target(store.root),
                "arguments": self.call.arguments,
                "module": self.call.module,
                "predictor": predictor,
                "working_folder": str(store.root / self.call.folder),
                "scratch": str(place / "temporary"),
                "outputs": str(kept.folder),
                "most_bytes": kept.most_bytes,
                "answer": str(place / "answer"),
            }
            (place / "request.json").write_text(json.dumps(request), encoding="utf-8")
            said = _ended(place, seconds)
        return f"`{self.name}` failed: {said}" if said else ""

    def moved(self, root: Path) -> RecordedProgram:
        """The same program of a copy of the project."""
        return replace(self, root=root)

    def _target(self, copy: Path) -> str:
        """The program's name; that of the copy where the file was named by its whole path."""
        return str(copy / self.path) if Path(self.call.target).is_absolute() else self.call.target


class RecordedPrograms:
    """The programs in the record of a project, by what they launched. With `left_alone` none is run again."""

    def __init__(self, root: Path, left_alone: bool = False) -> None:
        self._root = root
        self._left_alone = left_alone
        self._lock = Lock()

    def launching(self, kernel: str | None, paths: Sequence[str]) -> RecordedProgram | str:
        """The latest program that can be run again and launched a kernel of these files, or from them; where
        there is none, a clause that says why the latest cannot, empty where nothing is recorded.
        """
        with self._lock, contextlib.closing(LaunchStore(self._root)) as store:
            recorded = store.programs(paths) if store.exists() else []
            named = [one for one in recorded if kernel in one[2]]
            reasons = []
            for run, call, _ in named or recorded:
                found = self._program(store, run, call)
                if not isinstance(found, str):
                    return found
                shown = _shown(call) if call is not None else f"advisor run {run.command}"
                reasons.append(f"`{shown}` is not run again: {found}")
            return reasons[0] if reasons else ""

    def _program(self, store: LaunchStore, run: RunRow, call: ProgramRow | None) -> RecordedProgram | str:
        """The program of a run, or why it is not run again."""
        if self._left_alone:
            return "--no-programs leaves it"
        if run.executed_on != "simt":
            return "it was recorded on a real GPU"
        if run.status != "done":
            return _ENDS.get(run.status, _ENDS["running"])
        if call is None:
            return "its record does not say how it was called; record it again"
        root = self._root.resolve()
        folder = (root / call.folder).resolve()
        if not folder.is_relative_to(root):
            return "it ran in a folder outside of the project"
        names = [call.target]
        if call.module:
            stem = call.target.replace(".", "/")
            names = [f"{stem}.py", f"{stem}/__main__.py"]
        files = [(folder / name).resolve() for name in names]
        inside = [file for file in files if file.is_relative_to(root)]
        found = next((file for file in inside if file.is_file()), None)
        if found is None:
            gone = bool(inside) and not call.module
            return "its file is gone" if gone else "it lies outside of the project"
        launched = [path for path in store.kernel_files(run.id) if _is_inside(root, path)]
        path = found.relative_to(root).as_posix()
        return RecordedProgram(path, call, tuple(sorted({path, *launched})), self._root)


def _is_inside(root: Path, path: str) -> bool:
    return path.endswith(".py") and not Path(path).is_absolute() and (root / path).is_file()


def _command(call: ProgramRow) -> str:
    return shlex.join([*(["-m"] if call.module else []), call.target, *call.arguments])


def _shown(call: ProgramRow) -> str:
    folder = "" if call.folder == "." else f"cd {shlex.quote(call.folder)} && "
    return f"{folder}advisor run {_command(call)}"


def _ended(place: Path, seconds: float) -> str:
    """How the program's process ended: what went wrong, an empty text where nothing did."""
    fixed = {
        "PYTHONFAULTHANDLER": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "TMPDIR": str(place / "temporary"),
        # Sets of texts come in the same order before and after a change.
        "PYTHONHASHSEED": os.environ.get("PYTHONHASHSEED", "0"),
    }
    said = place / "said"
    start = Start(
        "advisor.evidence.simulated.launches.processes.program_worker",
        Path(os.devnull),
        said,
        {**os.environ, **fixed},
        (str(place / "request.json"),),
        new_session=True,
    )
    try:
        status = run_process(start, seconds + _SECONDS_MORE)
    except subprocess.TimeoutExpired:
        return f"it did not end within {seconds:g} s (workload-seconds sets how many)"
    answer = place / "answer"
    if not answer.is_file():
        words = last_words_of(said.read_text(encoding="utf-8", errors="replace"))
        return f"its process ended with status {status}: {words}"
    text = answer.read_text(encoding="utf-8")
    return f"{text} (its standard input is empty here)" if text.startswith("EOFError") else text
