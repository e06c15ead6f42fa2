"""What nvdisasm prints of machine code, of many kernels in one run.

Of the 0.4 s that nvdisasm takes for a kernel nearly all is its start. So kernels are linked to one cubin,
where each keeps the instructions that it has alone, and what is printed of that is taken apart again: CUDA
Binary Utilities, https://docs.nvidia.com/cuda/cuda-binary-utilities/#nvdisasm.
"""

from __future__ import annotations

import re
import struct
import subprocess
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

# Source lines and inlining, of code only. The analysis of the flow of data would tell nothing here: it is for
# the branch stack of devices before Volta.
_OPTIONS = ("-gi", "-c", "-ndf")
_SECTION = re.compile(r"^\s*\.section\s+\.text\.([\w$]+)", re.MULTILINE)
_SYMBOL = re.compile(r"^\s*\.type\s+([\w$]+),@function", re.MULTILINE)
_CALLED = re.compile(r"`\(([\w$]+)\)")
_ADDRESS = re.compile(r"^\s*/\*([0-9a-f]{4,})\*/", re.MULTILINE)
_INSTRUCTION_BYTES = 16
# nvdisasm numbers the functions of several kernels that have one name.
_NUMBER = re.compile(r"__\d+$")
_TEXT = ".text."
_HEADER = struct.Struct("<IIQQQQIIQQ")


class DisassemblyFailure(Exception):
    """nvdisasm did not read the cubin or did not finish in time."""


def disassemble(program: str, cubin: bytes, timeout: float, options: Sequence[str] = _OPTIONS) -> str:
    """What nvdisasm prints of a cubin, with source lines and inlining; raises DisassemblyFailure."""
    with tempfile.TemporaryDirectory(prefix="advisor-", ignore_cleanup_errors=True) as folder:
        file = Path(folder) / "kernel.cubin"
        file.write_bytes(cubin)
        try:
            done = subprocess.run(
                [program, *options, str(file)],
                capture_output=True,
                timeout=timeout,
                check=False,
                cwd=folder,
            )
        except (OSError, subprocess.TimeoutExpired) as problem:
            raise DisassemblyFailure(str(problem)) from None
    if done.returncode != 0:
        raise DisassemblyFailure(done.stderr.decode(errors="replace").strip()[:300])
    return done.stdout.decode(errors="replace")


def taken_apart(text: str, cubins: Sequence[bytes]) -> list[str | None]:
    """Of what nvdisasm prints of linked kernels, the part of each by the cubin that it has alone.

    None for a kernel whose functions are not found again with the sizes that they have alone.
    """
    functions = _printed(text)
    holding = {symbol: name for name, one in functions.items() for symbol in _SYMBOL.findall(one)}
    own = [_sizes(cubin) for cubin in cubins]
    holders = Counter(name for sizes in own for name in sizes)
    found: list[str | None] = []
    for sizes in own:
        names = [name for name in sizes if holders[name] == 1 and name in functions]
        for name in names:
            called = {holding[symbol] for symbol in _CALLED.findall(functions[name]) if symbol in holding}
            names += sorted(called.difference(names))
        alike = _unnumbered(sizes) == _unnumbered({name: _size(functions[name]) for name in names})
        found.append("".join(one for name, one in functions.items() if name in names) if alike else None)
    return found


def _printed(text: str) -> dict[str, str]:
    """What is printed of each function, in its order."""
    begins = [*_SECTION.finditer(text)]
    ends = [*(one.start() for one in begins[1:]), len(text)]
    return {one[1]: text[one.start() : end] for one, end in zip(begins, ends, strict=True)}


def _size(printed: str) -> int:
    """The bytes of the code that is printed of a function."""
    return max((int(address, 16) + _INSTRUCTION_BYTES for address in _ADDRESS.findall(printed)), default=0)


def _sizes(cubin: bytes) -> dict[str, int]:
    """The bytes of the code of each function in a cubin.

    ELF-64, "Section Header": https://refspecs.linuxfoundation.org/elf/gabi4+/ch4.sheader.html
    """
    (start,) = struct.unpack_from("<Q", cubin, 0x28)
    count, names = struct.unpack_from("<HH", cubin, 0x3C)
    headers = [_HEADER.unpack_from(cubin, start + number * _HEADER.size) for number in range(count)]
    texts = cubin[headers[names][4] :]
    named = ((texts[one[0] : texts.index(b"\0", one[0])].decode(), one[5]) for one in headers)
    return {name.removeprefix(_TEXT): size for name, size in named if name.startswith(_TEXT)}


def _unnumbered(sizes: Mapping[str, int]) -> Counter[tuple[str, int]]:
    return Counter((_NUMBER.sub("", name), size) for name, size in sizes.items())
