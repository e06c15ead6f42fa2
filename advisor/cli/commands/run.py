"""`advisor run`: runs a program without a GPU and records its launches."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.cli.checking.telling import tell
from advisor.cli.options import add_device, add_simulate

if TYPE_CHECKING:
    from advisor.evidence.simulated.launches.recording.script import ScriptEnd

SUMMARY = "Run a program, its kernels on the simulated GPU, and record its launches for `advisor check`."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `advisor run`."""
    parser.add_argument("-m", dest="module", action="store_true", help="TARGET is a module, as for python -m")
    add_device(parser, "the GPU to simulate")
    parser.add_argument(
        "--threads", type=int, default=0, metavar="N", help="threads of the host that run blocks"
    )
    parser.add_argument("--time-limit", type=float, metavar="S", help="seconds that one launch may take")
    add_simulate(parser)
    parser.add_argument("target", metavar="TARGET", help="the program: a Python file, or a module with -m")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, metavar="ARG", help="its arguments")


def run(args: argparse.Namespace) -> int:
    """The exit status of the program."""
    from advisor.model.machine_code.gpu_extra import require_translator

    require_translator()  # before what follows imports llvmlite
    from advisor.cli.verification.python_files import refuse_notebooks
    from advisor.evidence.metrics.predicted_times import NAME as PREDICTOR
    from advisor.evidence.simulated.launches.recording.script import ScriptRequest, run_script
    from advisor.evidence.simulated.launches.simt_executor import Limits
    from advisor.model.devices import find_device
    from advisor.model.settings.config import prepare_cache_folder, program_config

    if not args.module:
        refuse_notebooks([args.target], "run")
    config = program_config(None if args.module else Path(args.target))
    end = run_script(
        ScriptRequest(
            target=args.target,
            arguments=args.arguments,
            module=args.module,
            device=find_device(args.device or config.device),
            root=config.root,
            limits=Limits(threads=args.threads, seconds=args.time_limit),
            keep_code=prepare_cache_folder(config) is not None,
            simulate=args.simulate,
            predictor=PREDICTOR,
        )
    )
    if end.interrupted:
        import gc

        # What the program left is not searched for garbage: who interrupts does not wait for that.
        gc.freeze()
        more = "" if args.quiet else f" {_launches(end.launches)} recorded."
        tell(f"\n{end.interrupted}{more}")
    elif not args.quiet:
        _tell(end)
    return end.status


def _launches(count: int) -> str:
    return f"{count:,} launch{'' if count == 1 else 'es'}"


def _tell(end: ScriptEnd) -> None:
    recorder = end.recorder
    tell(f"advisor: {_launches(end.launches)} recorded.")
    for (kernel, path, line), count in recorder.of_cuda_source.items():
        if path.endswith((".py", ".cu", ".cuh")):
            continue
        words = f"{_launches(count)} of {kernel}, in CUDA C++ that no Python or .cu file has: not advised on"
        tell(f"advisor: {path}:{line}: {words}." if path else f"advisor: {words}.")
    for library, count in recorder.of_libraries.items():
        words = (
            f"{_launches(count)} of kernels that {library} makes, counted by the statements that ask for them"
        )
        tell(f"advisor: {words}.")
    for function, problem in recorder.problems.items():
        tell(f"advisor: {function} did not run: {problem}")
    told = set()
    for function, defect in recorder.defects:
        place = f"{recorder.relative(defect.path)}:{defect.line}"
        if (place, defect.kind) not in told:
            told.add((place, defect.kind))
            words = defect.kind.replace("_", " ")
            where = f"block {defect.block}, thread {defect.thread}"
            if not defect.block:
                where = f"{defect.unwritten:,} of {defect.elements:,} elements of {defect.array}"
            tell(f"advisor: {place}: {words} in {function}, {where}")
