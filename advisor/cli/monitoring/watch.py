"""Samples of a GPU and what the rules say of the latest of them."""

from __future__ import annotations

import time
from collections import deque
from dataclasses import asdict, replace
from typing import Any

from advisor.evidence.measured.nvml import Facts, Nvml, Sample, run_metrics
from advisor.model.findings import Finding
from advisor.model.history.fingerprint import Run, RunFacts
from advisor.model.history.identity import git_state, toolchain
from advisor.model.records import Value
from advisor.model.settings.check_options import CheckOptions
from advisor.runs.comparison.judged_runs import findings_of, known_device
from advisor.runs.comparison.numbers import comparing_numbers
from advisor.runs.comparison.ranking.kernel_places import KernelPlaces

_LABEL = "monitor"


class Watch:
    """Looks at a GPU; `samples` are the latest, `findings` what the rules say of them as of a run."""

    def __init__(self, nvml: Nvml, options: CheckOptions, label: str = "") -> None:
        self.facts: Facts = nvml.facts()
        self.samples: deque[Sample] = deque(maxlen=comparing_numbers().monitor.window)
        self.findings: list[Finding] = []
        self.seen = 0
        self._nvml = nvml
        self._places = KernelPlaces(options.settings.root, options.root)
        device, judged_for = known_device(self.facts.name, options.device)
        self._options = replace(options, device=judged_for.id)
        self._run_facts = _run_facts(self.facts, device.id if device else self.facts.name, options, label)

    def look(self) -> Sample:
        """One more sample; raises EvidenceUnavailable for a GPU that is lost."""
        self.samples.append(self._nvml.sample())
        self.seen += 1
        if self.seen == 1 or self.seen % comparing_numbers().monitor.judge_every == 0:
            self.judge()
        return self.samples[-1]

    def judge(self) -> None:
        """Judge the samples by the rules. Where the GPU was in use, some kernel ran."""
        found = self.metrics()
        if found.get("gpu_utilization"):
            found["active_kernels"] = 1.0
        run = Run(self._run_facts, found)
        self.findings = findings_of([run], "measured", self._options, self._places)

    def metrics(self) -> dict[str, Value]:
        """The samples as metrics of a run.

        NVML's utilisation is the share of its own period in which a kernel ran, as `gpu_utilization` is of
        the run's. Which of the processes is the one to watch is not known, so none is told as another's.
        """
        found = run_metrics(self.samples, self.facts)
        found.pop("other_processes", None)
        used = [one.utilization for one in self.samples if one.utilization is not None]
        if used:
            found["gpu_utilization"] = sum(used) / len(used)
        return found

    @property
    def run_facts(self) -> RunFacts:
        """Where what is recorded comes from."""
        return self._run_facts


def _run_facts(facts: Facts, device: str, options: CheckOptions, label: str) -> RunFacts:
    commit, dirty = git_state(options.settings.root)
    return RunFacts(
        kind="recording",
        label=label or _LABEL,
        command="advisor monitor --record",
        started=time.time(),
        device=device,
        executed_on=facts.name,
        toolchain=toolchain({"driver": facts.driver}),
        commit=commit,
        dirty=dirty,
    )


def host_content(facts: Facts, samples: list[Sample]) -> dict[str, Any]:
    """What a run keeps of NVML, as `advisor profile` keeps it."""
    return {"nvml": {"facts": asdict(facts), "samples": [asdict(one) for one in samples]}}
