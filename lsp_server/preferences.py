"""What the user of an editor has chosen, as the client sends it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Preferences:
    """The settings under `kernelAdvisor` in the client; the names there are these in camel case.

    `device` overrides the device of the configuration; `simulate` allows workloads to run in a trusted
    workspace, which they never do otherwise.
    """

    inlay_hints: bool = True
    code_lenses: bool = True
    number_hovers: bool = True
    compiled_evidence: bool = True
    simulate: bool = False
    trusted: bool = False
    device: str = ""
