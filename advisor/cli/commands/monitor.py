"""`advisor monitor`: a live view of a GPU and of what the rules say of it."""

from __future__ import annotations

import argparse
import math
import sys
import time
from typing import TYPE_CHECKING

from advisor.cli.options import add_label

if TYPE_CHECKING:
    from collections.abc import Callable

    from advisor.cli.monitoring.recording import Recording
    from advisor.cli.monitoring.watch import Watch
    from advisor.model.settings.check_options import CheckOptions

SUMMARY = "Watch a GPU through NVML: utilisation, memory, clocks, temperature, power, and the rules on them."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `advisor monitor`."""
    parser.add_argument(
        "--gpu", type=_index, default=0, metavar="N", help="the GPU by its index (default: 0)"
    )
    parser.add_argument("--interval", type=_seconds, metavar="S", help="seconds between samples (default: 1)")
    parser.add_argument("--once", action="store_true", help="take one sample, print a line and end")
    parser.add_argument("--record", action="store_true", help="keep the samples as a run of the history")
    add_label(parser)


def run(args: argparse.Namespace) -> int:
    """0 once it is ended, by Ctrl-C too; 2 without a GPU, or when the GPU is lost."""
    from advisor.cli.monitoring.recording import Recording
    from advisor.cli.monitoring.watch import Watch
    from advisor.cli.reporting.chosen_runs import comparing_options
    from advisor.evidence.measured.nvml import Nvml
    from advisor.model.history.store import history_of
    from advisor.runs.comparison.numbers import comparing_numbers

    interval = args.interval or comparing_numbers().monitor.interval_s
    with Nvml(args.gpu) as nvml:
        options: CheckOptions = comparing_options()
        watch = Watch(nvml, options, args.label)
        recording = Recording(history_of(options.settings), watch) if args.record else None
        _watched(watch, recording, args.once, interval)
        if recording is not None and not args.quiet:
            print(f"Kept as run {recording.number} ({watch.run_facts.label}).")
    return 0


def _watched(watch: Watch, recording: Recording | None, once: bool, interval: float) -> None:
    """Look until Ctrl-C, and keep what was seen however it ends."""
    note = ""
    try:
        if once or not (sys.stdout and sys.stdout.isatty()):
            _logged(watch, recording, once, interval)
        else:
            _shown(watch, recording, interval)
    except KeyboardInterrupt:
        pass
    except Exception as error:
        note = f"It ended early: {error}"
        raise
    finally:
        if recording is not None:
            recording.end(note)


def _logged(watch: Watch, recording: Recording | None, once: bool, interval: float) -> None:
    from advisor.cli.monitoring.view import log_line

    def show() -> None:
        print(log_line(watch.facts, watch.samples[-1], watch.findings), flush=True)

    _loop(watch, recording, interval, show, once)


def _shown(watch: Watch, recording: Recording | None, interval: float) -> None:
    from rich.console import Console
    from rich.live import Live

    from advisor.cli.monitoring.view import live_view

    with Live(console=Console(highlight=False), auto_refresh=False, transient=False) as live:
        _loop(watch, recording, interval, lambda: live.update(live_view(watch), refresh=True), False)


def _loop(
    watch: Watch, recording: Recording | None, interval: float, show: Callable[[], None], once: bool
) -> None:
    """Look at every tick, the time that looking takes included."""
    due = time.monotonic()
    while True:
        sample = watch.look()
        if recording is not None:
            recording.add(sample)
        show()
        if once:
            return
        due = max(due + interval, time.monotonic())
        _wait(due - time.monotonic())


def _wait(seconds: float) -> None:
    time.sleep(max(0.0, seconds))


def _index(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 4):
        raise argparse.ArgumentTypeError(f"{text!r} is no index of a GPU (0 or more)")
    return int(text)


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and 0.05 <= value <= 86_400.0):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds (from 0.05 to a day)")
    return value
