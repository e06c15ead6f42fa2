"""The process that others are forked from: it has imported Numba, so that they need not.

Reads requests as JSON, one a line, from standard input. Each is answered with the process id of a child, and
with its status when it has ended. A child is like a process that was started for a module of this package
alone: nothing of the workspace has been imported before.
"""

from __future__ import annotations

import faulthandler
import gc
import importlib
import json
import os
import signal
import sys
from typing import Any


def serve() -> None:
    """Answer requests until standard input ends. In a child it returns when the child is to end."""
    answers, requests = os.fdopen(os.dup(1), "w", encoding="utf-8"), os.dup(0)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    # Whoever is at the keyboard ends the program that asks, which then ends this one.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # What is here then is not looked through for garbage, also in each child, which would copy its pages.
    gc.disable()
    _import_numba()
    gc.freeze()
    gc.enable()
    # Read without a buffer: a child must not hold lines that are its parent's.
    for line in iter(lambda: _line(requests), b""):
        request = json.loads(line)
        child = os.fork()
        if child == 0:
            answers.close()
            os.close(requests)
            _become(request)
            return
        _say(answers, {"process": child})
        _, status = os.waitpid(child, 0)
        _say(answers, {"status": os.waitstatus_to_exitcode(status)})


def _import_numba() -> None:
    """Load what is the same for every child. CUDA is not used: that must not come before a fork."""
    try:
        importlib.import_module("numba.cuda")
        importlib.import_module("advisor.evidence.simulated.driver.install")
        target = importlib.import_module("numba.cuda.descriptor").cuda_target
        target.typing_context.refresh()
        target.target_context.refresh()
    except (ImportError, AttributeError):
        # The child finds the same, and says it.
        return


def _line(stream: int) -> bytes:
    """The next line of a stream, empty at its end."""
    found = b""
    while not found.endswith(b"\n"):
        part = os.read(stream, 1)
        if not part:
            return b""
        found += part
    return found


def _say(answers: Any, answer: dict[str, int]) -> None:
    answers.write(json.dumps(answer) + "\n")
    answers.flush()


def _become(request: dict[str, Any]) -> None:
    """Run the module of a request as a process of its own would."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for stream, name, way in ((0, "input", os.O_RDONLY), (2, "errors", os.O_WRONLY | os.O_APPEND)):
        opened = os.open(request[name], way)
        os.dup2(opened, stream)
        os.close(opened)
    if request["new_session"]:
        os.setsid()
    faulthandler.enable()
    os.environ.clear()
    os.environ.update(request["environment"])
    os.chdir(request["folder"])
    sys.path.insert(0, request["folder"])
    sys.argv[1:] = request["arguments"]
    importlib.import_module(request["module"]).main()
