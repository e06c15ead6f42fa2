"""`advisor doctor`: what this machine can do, and why not."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.cli.options import add_format

if TYPE_CHECKING:
    from advisor.cli.machine.evidence import Availability
    from advisor.cli.machine.parts import Part

SUMMARY = "Say what this machine can do and why not: toolchain, GPU, sources of evidence."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `advisor doctor`."""
    add_format(parser, "text", "json")


def run(args: argparse.Namespace) -> int:
    """0 always: a machine that lacks something is a fact, not a failure."""
    from advisor.cli.machine.evidence import availabilities
    from advisor.cli.machine.parts import look_for_parts

    parts = look_for_parts()
    sources = availabilities(parts)
    surroundings = _surroundings()
    if args.format == "json":
        content = {
            "parts": [asdict(part) for part in parts],
            "evidence": [asdict(source) for source in sources],
            **surroundings,
        }
        print(json.dumps(content, indent=2))
    else:
        print(_text(parts, sources, surroundings))
    return 0


def _surroundings() -> dict[str, object]:
    from advisor.model.errors import UsageError
    from advisor.model.history.addresses import without_secrets
    from advisor.model.history.store import history_of
    from advisor.model.settings.config import cache_folder, load_config

    try:
        config = load_config(Path.cwd())
        history = history_of(config).name
    except UsageError as error:
        wrong = f"wrong: {without_secrets(str(error))}"
        return {"configuration": wrong, "cache": None, "history": None, "executable": sys.executable}
    return {
        "configuration": str(config.file) if config.file else None,
        "cache": str(cache_folder(config)),
        "history": history,
        "executable": sys.executable,
    }


def _text(parts: list[Part], sources: list[Availability], surroundings: dict[str, object]) -> str:
    lines = ["Parts"]
    for part in parts:
        lines.append(f"  {'yes' if part.found else 'no ':3}  {part.name:<12}{part.detail}")
        if part.remedy and not part.found:
            lines.append(f"       {'':<12}{part.remedy}")
    lines += ["", "Evidence"]
    for source in sources:
        lines.append(f"  {'yes' if source.available else 'no ':3}  {source.source:<12}{source.gives}")
        if not source.available:
            remedy = f": {source.remedy}" if source.remedy else "."
            lines.append(f"       {'':<12}{source.reason}{remedy}")
    lines += ["", "Environment"]
    lines += [f"       {key:<14}{value or 'none'}" for key, value in surroundings.items()]
    return "\n".join(lines)
