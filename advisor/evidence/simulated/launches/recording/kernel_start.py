"""The call of numba-cuda that starts a kernel, behind what a launch may begin with: compilation, copies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

# What is called around a start: with the stream, and with what starts the kernel.
Around = Callable[[Any, Callable[[], Any]], Any]


def wrap_kernel_start(around: Around) -> None:
    """Lead each start of a kernel through `around` from here on. Imports numba.cuda."""
    import numba.cuda  # noqa: F401 - the package must be imported before its parts
    from numba.cuda import dispatcher
    from numba.cuda.cudadrv import driver

    holder, name = (dispatcher, "launch") if hasattr(dispatcher, "launch") else (driver, "launch_kernel")
    original = getattr(holder, name)
    # Where the stream stands among the arguments of `cuda.core.launch`, and of numba-cuda's own before it.
    position = 0 if name == "launch" else 7

    def start(*arguments: Any, **options: Any) -> Any:
        stream = options["stream"] if "stream" in options else arguments[position]
        return around(stream, lambda: original(*arguments, **options))

    setattr(holder, name, start)
