"""What a search found, as JSON values."""

from __future__ import annotations

from typing import Any

from advisor.evidence.metrics.prediction_error import time_interval
from advisor.runs.tuning.search import TuningResult
from advisor.runs.tuning.trials.trials import Trial


def result_json(result: TuningResult, diff: str, written: bool) -> dict[str, Any]:
    """The result for programs; times are in ms, occupancies from 0 to 1, `ratio` is to the present time."""
    target = result.target
    return {
        "kernel": target.kernel,
        "path": target.path,
        "line": target.line,
        "device": result.device.id,
        "arguments": [{"name": name, "type": kind, "shape": shape} for name, kind, shape in result.arguments],
        "trials": [_trial(trial, result) for trial in result.trials],
        "best": _trial(result.best, result) if result.edited else None,
        "notes": list(result.notes),
        "complete": result.complete,
        "seconds": result.seconds,
        "from_cache": result.kept,
        "diff": diff,
        "written": written,
    }


def _trial(trial: Trial, result: TuningResult) -> dict[str, Any]:
    present = result.present.predicted_ms
    return {
        "configuration": dict(trial.configuration.values),
        "outcome": trial.outcome,
        "reason": trial.reason,
        "deviation": trial.deviation,
        "block": list(trial.block),
        "grid": list(trial.grid),
        "registers": trial.registers,
        "occupancy": trial.occupancy,
        "predicted_ms": trial.predicted_ms,
        "predicted_interval_ms": _interval(trial.predicted_ms),
        "ratio": trial.predicted_ms / present if trial.predicted_ms is not None and present else None,
        "other_kernels_ms": dict(trial.others),
    }


def _interval(predicted_ms: float | None) -> list[float] | None:
    """The ends of the interval of a predicted time."""
    if predicted_ms is None:
        return None
    found = time_interval(predicted_ms)
    return [found.low, found.high]
