"""The licences and the size of what an environment has installed; this runs inside that environment."""

from __future__ import annotations

import json
from importlib import metadata
from pathlib import Path

# What every environment brings, whatever is installed in it.
_OWN = {"pip", "setuptools", "wheel"}


def materials() -> list[dict[str, str | int]]:
    """Name, version, licence and bytes on the disk of each distribution."""
    found = [one for one in metadata.distributions() if one.metadata["Name"].lower() not in _OWN]
    return sorted((_material(one) for one in found), key=lambda one: str(one["name"]).lower())


def _material(one: metadata.Distribution) -> dict[str, str | int]:
    files = {Path(str(file.locate())) for file in one.files or []}
    size = sum(file.stat().st_size for file in files if file.is_file())
    return {"name": one.metadata["Name"], "version": one.version, "licence": _licence(one), "bytes": size}


def _licence(one: metadata.Distribution) -> str:
    stated = one.metadata.get("License-Expression")
    if stated:
        return stated
    classes = [
        line.rpartition(" :: ")[2]
        for line in one.metadata.get_all("Classifier") or []
        if line.startswith("License ::")
    ]
    # Some packages write the whole text into the field: its first line is the name.
    text = (one.metadata.get("License") or "").strip()
    return ", ".join(classes) or (text.splitlines()[0] if text else "")


if __name__ == "__main__":
    print(json.dumps(materials()))
