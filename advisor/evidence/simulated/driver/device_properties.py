"""What the simulated GPU answers about itself: a device file and what all devices have in common."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from advisor.model.data_files import knowledge_folder
from advisor.model.devices import Device
from advisor.model.errors import AdvisorError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


@dataclass(frozen=True)
class DeviceProperties:
    """A device and its attributes, by the names of CUdevice_attribute without CU_DEVICE_ATTRIBUTE_."""

    device: Device
    attributes: Mapping[str, int]

    @property
    def capability(self) -> tuple[int, int]:
        """Major and minor number of the compute capability."""
        major, minor = self.device.compute_capability.split(".")
        return int(major), int(minor)

    def limit(self, attribute: str) -> int:
        """An attribute that a check needs; raises AdvisorError when neither file gives it."""
        if attribute not in self.attributes:
            raise AdvisorError(f"The attribute {attribute} of {self.device.name} is unknown.")
        return self.attributes[attribute]


def device_properties(device: Device, folder: Path | None = None) -> DeviceProperties:
    """The properties of a device from knowledge/driver/attributes.toml and the device's own file.

    A number of the device that its file does not give is left out. Raises AdvisorError for a broken file.
    """
    file = (folder or knowledge_folder() / "driver") / "attributes.toml"
    try:
        groups = tomllib.loads(file.read_text(encoding="utf-8"))["attributes"]
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, KeyError) as error:
        raise AdvisorError(f"{file}: {error}") from None
    attributes: dict[str, int] = {}
    for group in groups:
        for name, value in group.items():
            number = None if name == "source" else _number(file, name, value, device)
            if number is not None:
                attributes[name] = number
    major, _, minor = device.compute_capability.partition(".")
    own = {"COMPUTE_CAPABILITY_MAJOR": int(major), "COMPUTE_CAPABILITY_MINOR": int(minor)}
    return DeviceProperties(device, {**attributes, **own})


def _number(file: Path, name: str, value: Any, device: Device) -> int | None:
    """A number as it stands, or one from a fact of the device: its name, or a table that scales it."""
    if isinstance(value, int):
        return value
    form = {"fact": value} if isinstance(value, str) else value
    fact = str(form.get("fact"))
    if not hasattr(device, fact):
        raise AdvisorError(f"{file}: {name} names the unknown fact {fact}.")
    found = getattr(device, fact)
    if found is None:
        return None
    return round(1 / found) if form.get("inverse") else int(found // form.get("divide", 1))
