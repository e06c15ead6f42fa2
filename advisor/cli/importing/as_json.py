"""What an import found, for programs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from advisor.model.history.fingerprint import Fingerprint
from advisor.model.settings.check_options import CheckOptions
from advisor.reports.outputs import render_report

if TYPE_CHECKING:
    from advisor.cli.importing.imported_run import Imported


def import_json(imported: Imported, options: CheckOptions) -> str:
    """The run with its kernels, what was left out, and the findings in the form that `check` gives them."""
    from advisor.reports.rule_pages.catalogue import load_catalogue

    run = imported.run
    checked = json.loads(render_report("json", imported.report, load_catalogue(options.settings)))
    found = {
        "version": 1,
        "run": {
            "id": run.id,
            "label": run.facts.label,
            "device": run.facts.device,
            "executed_on": run.facts.executed_on,
            "metrics": dict(run.metrics),
            "host": dict(run.host),
            "notes": list(run.notes),
        },
        "judged_for": imported.judged_for,
        "kernels": [_kernel(one) for one in run.fingerprints],
        "unused_metrics": list(imported.unused),
        "refused_metrics": dict(imported.refused),
        "findings": checked["findings"],
        "errors": checked["errors"],
        "summary": checked["summary"],
    }
    return json.dumps(found, indent=2, ensure_ascii=False)


def _kernel(fingerprint: Fingerprint) -> dict[str, Any]:
    identity, timing = fingerprint.identity, fingerprint.timing
    return {
        "name": identity.name,
        "path": identity.path,
        "line": fingerprint.line,
        "types": list(identity.types),
        "grid": identity.grid and list(identity.grid),
        "block": identity.block and list(identity.block),
        "dynamic_shared": identity.dynamic_shared,
        "launches": fingerprint.launches,
        "ranges": list(fingerprint.ranges),
        "mean_ms": timing.mean if timing else None,
        "metrics": dict(fingerprint.metrics),
        "lines": [
            {"path": one.path, "line": one.line, "metrics": dict(one.metrics)} for one in fingerprint.lines
        ],
    }
