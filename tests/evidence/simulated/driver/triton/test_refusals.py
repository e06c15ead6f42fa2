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
        ("wgmma.fence.sync.aligned;\nret;\n", None),
        ("tcgen05.fence::before_thread_sync;\nret;\n", "tcgen05.fence::before_thread_sync"),
        (
            "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group [%rd1, {1, 2}], [3];\nret;\n",
            "cp.reduce.async.bulk.tensor.2d.global.shared.add.bulk_group",
        ),
    ],
)
def test_the_instruction_is_named(text: str, expected: str | None):
    executor = SimtExecutor(find_device("H100"), lambda outcome: None)
    assert executor.refusal(f"{HEAD}{text}}}\n", "k") == expected
