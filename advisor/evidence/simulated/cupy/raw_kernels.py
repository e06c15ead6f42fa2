"""Kernels that a program brings to CuPy as CUDA C++: `cupy.RawKernel` and `cupy.RawModule`.

They are compiled with lines, those of the file where their text stands, and their launches are described.
"""

from __future__ import annotations

import functools
import hashlib
import linecache
import sys
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

from advisor.evidence.simulated.cupy.source_texts import TextPlace, text_place
from advisor.evidence.simulated.driver.executor import ArgumentNote
from advisor.evidence.simulated.driver.launch_notes import DescribedLaunch, LaunchNotes
from advisor.program.kernels.cuda_texts import KernelInText, kernel_in_text

_LINES = "-lineinfo"


class RawKernels:
    """Changes what CuPy offers for such kernels; `notes` describes their launches."""

    def __init__(self, notes: LaunchNotes) -> None:
        self._notes = notes
        self._places: dict[str, TextPlace | None] = {}

    def change_compiler(self, module: ModuleType) -> None:
        """Let `cupy.cuda.compiler` keep the lines of texts that are known."""
        compile_text: Callable[..., Any] = module._compile_module_with_cache

        @functools.wraps(compile_text)
        def compile_with_lines(source: str, options: tuple[str, ...] = (), *rest: Any, **more: Any) -> Any:
            if source in self._places:
                source, options = self._with_lines(source, options)
            return compile_text(source, options, *rest, **more)

        module._compile_module_with_cache = compile_with_lines  # type: ignore[attr-defined]

    def _with_lines(self, source: str, options: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
        place = self._places[source]
        if place is not None:
            file = place.file.replace("\\", "\\\\").replace('"', '\\"')
            lines = source.splitlines(keepends=True)
            lines.insert(place.before, f'#line {place.line} "{file}"\n')
            source = "".join(lines)
        return source, options if _LINES in options else (*options, _LINES)

    def change_classes(self, module: ModuleType) -> None:
        """Let `cupy` offer classes whose launches are described."""
        raw_kernel, raw_module, owner = module.RawKernel, module.RawModule, self
        kinds = module.ndarray

        class RawKernel(raw_kernel):  # type: ignore[misc, valid-type]
            __doc__, __module__ = raw_kernel.__doc__, "cupy"

            def __init__(self, code: str, name: str, *rest: Any, **more: Any) -> None:
                super().__init__(code, name, *rest, **more)
                self.advisor_name = name if owner.takes(code, "RawKernel") else ""

            def __call__(self, grid: Any, block: Any, args: Any, **more: Any) -> Any:
                if not self.advisor_name:
                    return super().__call__(grid, block, args, **more)
                described = owner.describe(self.code, self.advisor_name, args, kinds)
                with owner._notes.described(described):
                    return super().__call__(grid, block, args, **more)

            def __setstate__(self, state: dict[str, Any]) -> None:
                super().__setstate__(state)
                self.advisor_name = self.name
                owner.takes(self.code, "RawKernel")

        class RawModule(raw_module):  # type: ignore[misc, valid-type]
            __doc__, __module__ = raw_module.__doc__, "cupy"

            def __init__(self, **more: Any) -> None:
                super().__init__(**more)
                self.advisor_programs = owner.takes(more.get("code"), "RawModule")

            def get_function(self, name: str) -> Any:
                made = super().get_function(name)
                if not self.advisor_programs:
                    return made
                kernel = RawKernel.__new__(RawKernel)
                kernel.__setstate__(made.__getstate__())
                kernel.advisor_name = name
                return kernel

        for changed in (RawKernel, RawModule):
            changed.__qualname__ = changed.__name__
            setattr(module, changed.__name__, changed)

    def takes(self, code: str | None, kind: str) -> bool:
        """Whether the program made an object of this class with a text, and not CuPy for itself.

        CuPy's compiled code has no frame of its own, so that it looks like the line of the program that
        called it, which then does not name the class.
        """
        # This function, the method that calls it, and whoever makes the object.
        frame = sys._getframe(2)
        if self._notes.is_of_library(frame.f_code.co_filename):
            return False
        if code is not None and code not in self._places:
            self._places[code] = text_place(code, self._notes.place()[0])
        if code is not None and self._places[code] is not None:
            return True
        line = linecache.getline(frame.f_code.co_filename, frame.f_lineno)
        return not line or kind in line

    def describe(self, code: str | None, name: str, args: Sequence[Any], array: type) -> DescribedLaunch:
        """What is known of a launch of a kernel of this text."""
        place = self._places.get(code) if code is not None else None
        found = _kernel(code, name) if code is not None else None
        line = place.line_of(found.line) if place is not None and found is not None else None
        names = found.parameters if found is not None else ()
        arguments = tuple(
            _argument(names[number] if number < len(names) else f"argument {number + 1}", one, array)
            for number, one in enumerate(args)
        )
        file = place.file if place is not None and line is not None else None
        whole = hashlib.sha256((code or "").encode()).hexdigest()[:16]
        text_hash = found.text_hash if found is not None else whole
        return DescribedLaunch(name, file, line, text_hash, arguments, self._notes.place())


@functools.lru_cache(maxsize=256)
def _kernel(code: str, name: str) -> KernelInText | None:
    return kernel_in_text(code, name)


def _argument(name: str, value: Any, array: type) -> ArgumentNote:
    if not isinstance(value, array):
        kind = getattr(value, "dtype", None)
        return ArgumentNote(name, str(kind) if kind is not None else type(value).__name__)
    given: Any = value
    shape, strides = tuple(given.shape), tuple(given.strides)
    spans = [(extent - 1) * stride for extent, stride in zip(shape, strides, strict=True)]
    low = 0 if 0 in shape else sum(span for span in spans if span < 0)
    high = 0 if 0 in shape else sum(span for span in spans if span > 0) + given.dtype.itemsize
    order = "C" if given.flags.c_contiguous else "F" if given.flags.f_contiguous else "A"
    kind = f"array({given.dtype}, {given.ndim}d, {order})"
    return ArgumentNote(name, kind, str(given.dtype), shape, strides, int(given.data.ptr) + low, high - low)
