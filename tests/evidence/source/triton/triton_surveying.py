"""Records of a file with Triton kernels, for the tests of what their source says."""

from __future__ import annotations

import textwrap
from pathlib import Path

from advisor.evidence.source.analysis import analyse
from advisor.model.records import Record, Value

HEAD = "import triton\nimport triton.language as tl\n\n\n"
KERNEL = "@triton.jit\ndef k(x, y, n, stride, BLOCK: tl.constexpr):\n"
LAUNCH = "\n\ndef run(x, y, n):\n    k[(triton.cdiv(n, 128),)](x, y, n, 4, BLOCK=128)\n"


def found(folder: Path, entity: str, text: str) -> list[Record]:
    """The records of an entity in a file with this text."""
    file = folder / "program.py"
    file.write_text(text)
    return [one for one in analyse([file], folder).records if one.entity == entity]


def of_kernel(folder: Path, entity: str, body: str) -> list[Record]:
    """The records of an entity in a kernel with this body, which the file launches."""
    return found(
        folder, entity, HEAD + KERNEL + textwrap.indent(textwrap.dedent(body).strip(), "    ") + LAUNCH
    )


def value(record: Record, metric: str) -> Value | None:
    """The value of a metric, None when it is unknown."""
    reading = record.readings.get(metric)
    return None if reading is None else reading.value
