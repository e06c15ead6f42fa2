"""PTX written by hand: a module with one kernel."""

from __future__ import annotations

HEAD = ".version 8.4\n.target sm_80, debug\n.address_size 64\n"


def body(*lines: str, registers: str = ".reg .b32 %r<9>; .reg .pred %p<3>;") -> str:
    """The text of a module with a kernel `k` of these lines."""
    return (
        HEAD + ".visible .entry k(.param .u64 k_param_0)\n{\n" + registers + "\n" + "\n".join(lines) + "\n}\n"
    )
