"""Kernels named on the command line as PATH::kernel, and what is known of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from advisor.evidence.metrics.tables import Tables
    from advisor.evidence.simulated.synthesis.result import Synthesis
    from advisor.model.findings import Finding, Report
    from advisor.model.settings.check_options import CheckOptions
    from advisor.model.settings.config import Config
    from advisor.rules.model import Rulebook


@dataclass(frozen=True)
class NamedKernel:
    """The key of a kernel, its kind ("kernel" for those of Numba), and all that was gathered with it;
    `synthesis` is what launches that were made up for it tell, where there are any, and `causes` gives what a
    rule finds in the file.
    """

    key: str
    entity: str
    name: str
    tables: Tables
    rulebook: Rulebook
    report: Report
    options: CheckOptions
    synthesis: Synthesis | None = None
    causes: Callable[[str], list[Finding]] = lambda _: []


def find_kernel(
    text: str,
    config: Config,
    device: str | None = None,
    evidence: str | None = None,
    no_run: bool = False,
    synthesis: bool = True,
) -> NamedKernel:
    """The kernel of `PATH::kernel`, or the only one of `PATH`.

    Raises UsageError when there is no such file or kernel, or more than one.
    """
    from advisor.check.pipeline import Check
    from advisor.evidence.metrics.tables import KERNEL_ENTITIES
    from advisor.model.errors import UsageError
    from advisor.model.settings.check_options import CheckOptions
    from advisor.model.settings.config import prepare_cache_folder
    from advisor.model.settings.selectors import suggestion

    path, _, name = text.partition("::")
    if not Path(path).is_file():
        raise UsageError(f"there is no file `{path}`; write PATH::kernel.")
    options = CheckOptions(
        device=device or config.device,
        any_device=not device and not config.device_named,
        root=Path.cwd(),
        evidence=evidence or config.evidence,  # type: ignore[arg-type]
        no_run=no_run,
        synthesis=synthesis and config.synthesis,
        settings=config,
        cache_folder=prepare_cache_folder(config),
    )
    check = Check([Path(path)], options)
    gathered = check.evidence()
    tables, rulebook, report = gathered.metrics.tables, check.rulebook, gathered.report
    own = Path(path).resolve()
    kernels = [
        (entity, table.keys[row], table.labels[row])
        for entity in KERNEL_ENTITIES
        if (table := tables.get(entity)) is not None
        for row, shown in enumerate(table.paths)
        if (Path.cwd() / shown).resolve() == own
    ]
    if not kernels:
        raise UsageError(f"there is no kernel in `{path}`.")
    labels = [label for _, _, label in kernels]
    chosen = [one for one in kernels if not name or one[2] == name]
    if not chosen:
        hint = suggestion(name, labels)
        raise UsageError(f"there is no kernel `{name}` in `{path}`.{hint} There are {', '.join(labels)}.")
    if len(chosen) > 1:
        raise UsageError(
            f"`{path}` has several kernels; write {path}::{labels[0]}, or {', '.join(labels[1:])}."
        )
    entity, key, label = chosen[0]
    known = gathered.syntheses.get(key)
    return NamedKernel(
        key,
        entity,
        label,
        tables,
        rulebook,
        report,
        options,
        known,
        lambda rule: check.causes_of(rule, gathered),
    )
