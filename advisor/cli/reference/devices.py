"""`advisor devices`: the GPUs that advice can be given for."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from typing import TYPE_CHECKING

from advisor.cli.options import add_format

if TYPE_CHECKING:
    from advisor.model.devices import Device

SUMMARY = "List the GPUs that advice can be given for, with their numbers and sources."

_HEADER = (
    "device",
    "name",
    "cc",
    "SMs",
    "threads/SM",
    "shared/SM",
    "L2",
    "DRAM",
    "bandwidth",
    "float32",
    "float64",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `advisor devices`."""
    parser.add_argument("name", nargs="*", metavar="DEVICE", help="only these (default: all)")
    add_format(parser, "text", "json")
    parser.add_argument("-v", "--verbose", action="store_true", help="more: every number, with its source")


def run(args: argparse.Namespace) -> int:
    """0 after printing the devices."""
    from advisor.cli.pages.tables import plain_table
    from advisor.model.devices import find_device, load_devices

    devices = [find_device(name) for name in args.name] or list(load_devices().values())
    if args.format == "json":
        print(json.dumps({"devices": [_as_json(device) for device in devices]}, indent=2))
    elif args.verbose:
        print("\n\n".join(_page(device) for device in devices))
    else:
        print(plain_table(_HEADER, [_row(device) for device in devices], right=range(3, len(_HEADER))))
    return 0


def _as_json(device: Device) -> dict[str, object]:
    return {key: value for key, value in asdict(device).items() if value is not None} | {
        "target": device.target
    }


def _row(device: Device) -> tuple[str, ...]:
    return (
        device.id,
        device.name,
        device.compute_capability,
        _count(device.sm_count),
        _count(device.max_threads_per_sm),
        _scaled(device.shared_bytes_per_sm, 1024, "KiB"),
        _scaled(device.l2_bytes, 1024**2, "MiB"),
        _scaled(device.dram_bytes, 1e9, "GB"),
        _scaled(device.dram_bandwidth, 1e9, "GB/s"),
        _scaled(device.fp32_peak, 1e12, "TFLOP/s"),
        _scaled(device.fp64_peak, 1e12, "TFLOP/s"),
    )


def _count(value: int | None) -> str:
    return "unknown" if value is None else str(value)


def _scaled(value: float | None, unit: float, name: str) -> str:
    if value is None:
        return "unknown"
    scaled = value / unit
    return f"{scaled:.0f} {name}" if scaled >= 100 or scaled == int(scaled) else f"{scaled:.3g} {name}"


def _page(device: Device) -> str:
    lines = [f"{device.id}: {device.name}"]
    lines += [f"  {device.variant}"] if device.variant else []
    lines += [f"  also called {', '.join(device.aliases)}"] if device.aliases else []
    for key, source in device.sources.items():
        lines.append(f"  {key} = {getattr(device, key)}")
        lines.append(f"      {source}")
    return "\n".join(lines)
