"""Runs a user's program in this process, its kernels on the SIMT machine, and records its launches."""

from __future__ import annotations

import runpy
import shlex
import sys
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from advisor.evidence.simulated.launches.processes.child_processes import share_with_children
from advisor.evidence.simulated.launches.processes.program_start import install_gpu
from advisor.evidence.simulated.launches.recording.gpu_launches import GpuLaunches, has_gpu
from advisor.evidence.simulated.launches.recording.recorder import Recorder
from advisor.evidence.simulated.launches.simt_executor import Limits, SimtExecutor
from advisor.evidence.simulated.launches.store import LaunchStore, ProgramRow
from advisor.evidence.simulated.simt.machine import stop_launches
from advisor.model.devices import Device
from advisor.model.errors import UsageError
from advisor.model.processes.interruption import Interrupted, users_own_program
from advisor.model.storage.cache import user_cache


@dataclass(frozen=True)
class ScriptRequest:
    """What to run: a file or, with `module`, the name of a module; and its arguments.

    `predictor` names the class that predicts the elapsed times of events, as `module:class`.
    """

    target: str
    arguments: Sequence[str]
    module: bool
    device: Device
    root: Path
    limits: Limits
    keep_code: bool = True
    simulate: bool = False
    predictor: str = ""


@dataclass(frozen=True)
class ScriptEnd:
    """How a program ended: its exit status, the launches recorded, the recorder of its own process, and what
    to say of a signal that ended it.
    """

    status: int
    launches: int
    recorder: Recorder
    interrupted: str = ""


def run_script(request: ScriptRequest) -> ScriptEnd:
    """The end of the program; raises UsageError when there is no such file or module."""
    if not request.module and not Path(request.target).is_file():
        raise UsageError(f"There is no file {request.target}.")
    store = LaunchStore(request.root)
    command = shlex.join([*(["-m"] if request.module else []), request.target, *request.arguments])
    on_gpu = not request.simulate and has_gpu()
    run = store.begin_run(command, request.device.id, "gpu" if on_gpu else "simt")
    store.note_program(run, _noted(request))
    recorder = Recorder(store, run)
    launches = note_gpu_launches(recorder) if on_gpu else None
    if launches is None:
        simulate(request.device, recorder, request.limits, request.keep_code, request.predictor)
    share_with_children(request, run, on_gpu)
    status, words, interrupted = _run(request)
    if launches is not None:
        launches.finish()
    recorder.close()
    store.end_run(run, words)
    launches_seen = store.launch_count(run)
    store.close()
    return ScriptEnd(status, launches_seen, recorder, interrupted)


def _noted(request: ScriptRequest) -> ProgramRow:
    """What is run, as the record keeps it."""
    folder, root = Path.cwd().resolve(), request.root.resolve()
    inside = folder.is_relative_to(root)
    shown = folder.relative_to(root).as_posix() if inside else folder.as_posix()
    return ProgramRow(request.target, tuple(request.arguments), request.module, shown)


def simulate(
    device: Device, recorder: Recorder, limits: Limits, keep_code: bool, predictor: str = ""
) -> None:
    """Run kernels of this process on the SIMT machine from here on."""
    cache = user_cache() if keep_code else None
    executor = SimtExecutor(device, recorder, limits, cache, recorder.copied, recorder.read)
    install_gpu(executor, device, predictor, keep_code)


def note_gpu_launches(recorder: Recorder) -> GpuLaunches:
    """What notes the launches of this process from here on; its `finish` hands them to the recorder."""
    from advisor.evidence.simulated.driver.install import library_folders

    launches = GpuLaunches(recorder, library_folders())
    launches.install()
    return launches


def _run(request: ScriptRequest) -> tuple[int, str, str]:
    """The exit status of the program, how the record calls its end, and what to say of a signal."""
    try:
        with users_own_program(stop_launches):
            run_program(request.target, request.arguments, request.module)
    except SystemExit as end:
        return _exit_status(end), "done", ""
    except KeyboardInterrupt as error:
        reason = error if isinstance(error, Interrupted) else Interrupted()
        return reason.status, "interrupted", reason.words
    except BaseException as error:
        _print_traceback(error)
        return 1, "failed", ""
    finally:
        sys.stdout.flush()
    return 0, "done", ""


def run_program(target: str, arguments: Sequence[str], module: bool) -> None:
    """Run a file or a module in this process as Python does, and raise what it raises."""
    sys.argv = [target, *arguments]
    if module:
        sys.path.insert(0, str(Path.cwd()))
        runpy.run_module(target, run_name="__main__", alter_sys=True)
    else:
        sys.path.insert(0, str(Path(target).resolve().parent))
        runpy.run_path(target, run_name="__main__")


def _exit_status(end: SystemExit) -> int:
    if end.code is None or isinstance(end.code, int):
        return end.code or 0
    print(end.code, file=sys.stderr)
    return 1


def _print_traceback(error: BaseException) -> None:
    """Print a traceback that begins in the user's program."""
    here = error.__traceback__
    while here is not None and here.tb_frame.f_code.co_filename in (__file__, runpy.__file__):
        here = here.tb_next
    while here is not None and "runpy" in here.tb_frame.f_code.co_filename:
        here = here.tb_next
    traceback.print_exception(type(error), error, here or error.__traceback__)
