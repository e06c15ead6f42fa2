"""The program's entry: runs one command and turns every failure into a message and an exit status."""

from __future__ import annotations

import sys

if __name__ == "__main__" and __spec__ is not None and not getattr(sys.flags, "safe_path", False):
    # `python -m` puts the working folder first on the module path: a json.py there would be run.
    del sys.path[0]

import contextlib
import errno
import gc
import io
import os
from collections.abc import Sequence

from advisor.model.errors import AdvisorError, SourceProblem, UsageError
from advisor.model.processes.interruption import Interrupted, Interruption

BROKEN_PIPE = 141


def main(argv: Sequence[str] | None = None) -> int:
    """The exit status of `advisor` with `argv`: 0, 1 for findings, 2 for wrong use or failure."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A character that the terminal cannot show must not end the program.
        sys.stdout.reconfigure(errors="replace")
    try:
        # Without arguments it is the program's entry, and the process is its own.
        with Interruption(only_process=argv is None) as interruption:
            given = sys.argv[1:] if argv is None else argv
            status = _run(given, interruption)
            _end_soon(argv)
            if sys.stdout is not None and not sys.stdout.closed:
                sys.stdout.flush()
            return status
    except KeyboardInterrupt as error:
        reason = error if isinstance(error, Interrupted) else Interrupted()
        print(reason.words, file=sys.stderr)
        _end_soon(argv)
        return reason.status
    except OSError as error:
        _forget_stdout()
        if isinstance(error, BrokenPipeError):
            return BROKEN_PIPE  # whoever read our output has seen enough
        print(f"advisor: error: the output cannot be written: {error.strerror}", file=sys.stderr)
        return 2


def _end_soon(argv: Sequence[str] | None) -> None:
    """Let a process of its own end without a last search for garbage.

    That would go through every syntax tree, or every row of a report, before all are dropped. What a program
    that was run leaves in this process shall end as in its own.
    """
    if argv is None and sys.argv[1:2] != ["run"]:
        gc.freeze()


def _forget_stdout() -> None:
    """Send what is left in the buffer nowhere, so that the interpreter's end does not complain."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(argv: Sequence[str], interruption: Interruption) -> int:
    from advisor.cli import run_command

    try:
        return run_command(argv)
    except Exception as error:
        if interruption.reason is not None:
            raise interruption.reason from error  # its processes were ended, which fails in many ways
        no_space = isinstance(error, OSError) and error.errno == errno.ENOSPC and error.filename is None
        if no_space or isinstance(error, BrokenPipeError):
            raise
        _tell(error)
    return 2


def _tell(error: Exception) -> None:
    from advisor.model.history.addresses import without_secrets
    from advisor.model.text.visible_text import harmless

    text = harmless(without_secrets(str(error)))
    if isinstance(error, UsageError | SourceProblem):
        for line in text.splitlines():
            print(f"advisor: error: {line}", file=sys.stderr)
    elif isinstance(error, AdvisorError):
        remedy = getattr(error, "remedy", "")
        text = f"{text} {remedy}" if remedy else text
        # Errors in rule files come as excerpts with carets, which a word before each line would spoil.
        print(text if "\n" in text else f"advisor: error: {text}", file=sys.stderr)
    else:
        import traceback

        print(harmless(without_secrets("".join(traceback.format_exception(error)))), end="", file=sys.stderr)
        print(
            "advisor: error: this is a fault of the program. "
            "Please report it with the command and the traceback above.",
            file=sys.stderr,
        )


if __name__ == "__main__":
    sys.exit(main())
