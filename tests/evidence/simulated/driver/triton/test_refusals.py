"""What of a kernel the machine does not execute, as it is told before a launch."""

from __future__ import annotations

import pytest

from advisor.evidence.simulated.launches.simt_executor import SimtExecutor
from advisor.model.devices import find_device

HEAD = ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k()\n{\n.reg .b64 %rd<2>;\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ret;\n", None),
        ("wgmma.fence.sync.aligned;\nret;\n", "wgmma.fence.sync.aligned"),
        (
            "@%p1 cp.async.bulk.tensor.2d.shared::cta.global.tile [%rd1], [%rd1, {%r1, %r2}], [%r3];\nret;\n",
            "cp.async.bulk.tensor.2d.shared::cta.global.tile",
        ),
    ],
)
def test_the_instruction_is_named(text: str, expected: str | None):
    executor = SimtExecutor(find_device("H100"), lambda outcome: None)
    assert executor.refusal(f"{HEAD}{text}}}\n", "k") == expected
