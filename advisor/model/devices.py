"""The GPUs that advice can be given for: one TOML file for each, every number with the page it comes from."""

from __future__ import annotations

import difflib
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from pathlib import Path

from advisor.model.data_files import knowledge_folder
from advisor.model.errors import AdvisorError, UsageError
from advisor.model.records import Record
from advisor.model.text.source_text import Span

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_RECORD_METRICS = (
    "sm_count",
    "warp_size",
    "max_threads_per_sm",
    "shared_bytes_per_block",
    "fp64_rate",
    "dram_bandwidth",
    "fp32_peak",
)


@dataclass(frozen=True)
class Device:
    """One GPU as its device file describes it; a number that the file does not give is None (unknown).

    Sizes are in bytes, clocks in Hz, bandwidths in byte/s, peaks in flop/s; `dram_bytes` is the data sheet's
    GB as 10**9. `l1_bytes` is the SM's L1 cache and shared memory together; `fp16_tensor_peak` is for dense
    operands and float32 accumulation; the bandwidths of the links count both directions. Latencies are in
    cycles of the SM, from an instruction to one that needs its result. `dram_share` is what copies attain of
    `dram_bandwidth`; `launch_time` is in seconds, what a launch takes besides its work. `sources` names the
    URL of each number.
    """

    id: str
    name: str
    compute_capability: str
    aliases: tuple[str, ...] = ()
    variant: str = ""

    sm_count: int | None = None
    boost_clock: float | None = None

    warp_size: int | None = None
    max_threads_per_block: int | None = None
    max_threads_per_sm: int | None = None
    max_warps_per_sm: int | None = None
    max_blocks_per_sm: int | None = None

    registers_per_sm: int | None = None
    registers_per_block: int | None = None
    max_registers_per_thread: int | None = None
    register_allocation_unit: int | None = None
    warp_allocation_granularity: int | None = None

    shared_bytes_per_sm: int | None = None
    shared_bytes_per_block: int | None = None
    reserved_shared_bytes: int | None = None
    shared_allocation_unit: int | None = None
    shared_banks: int | None = None
    bank_bytes: int | None = None

    l1_bytes: int | None = None
    l2_bytes: int | None = None
    sector_bytes: int | None = None
    cache_line_bytes: int | None = None

    dram_bytes: float | None = None
    dram_bandwidth: float | None = None
    pcie_bandwidth: float | None = None
    nvlink_bandwidth: float | None = None

    fp32_peak: float | None = None
    fp64_peak: float | None = None
    fp16_tensor_peak: float | None = None
    fp64_rate: float | None = None

    arithmetic_latency: float | None = None
    fp64_latency: float | None = None
    special_latency: float | None = None
    shared_latency: float | None = None
    l1_latency: float | None = None
    l2_latency: float | None = None
    dram_latency: float | None = None
    dram_share: float | None = None
    launch_time: float | None = None

    sources: Mapping[str, str] = field(default_factory=dict, hash=False)

    @property
    def target(self) -> str:
        """The compiler's name of the architecture: `sm_80` for compute capability 8.0."""
        return "sm_" + self.compute_capability.replace(".", "")

    def record(self) -> Record:
        """The device as a record of entity `device`, with the metrics that its file knows."""
        record = Record("device", self.id, path="", span=Span(1), label=self.name)
        record.know("source", **{metric: getattr(self, metric) for metric in _RECORD_METRICS})
        return record


_TEXTS = {"id", "name", "aliases", "variant", "sources"}
_FACTS = {known.name: str(known.type) for known in fields(Device) if known.name not in _TEXTS}


def load_devices(folder: Path | None = None) -> dict[str, Device]:
    """The devices by identifier (the file's name without `.toml`), in order of the identifiers.

    `folder` defaults to the knowledge base's. Raises AdvisorError when a file is not a valid device file.
    """
    return dict(_load(folder or knowledge_folder() / "devices"))


def find_device(name: str, folder: Path | None = None) -> Device:
    """The device called `name`: identifier, name or alias, in any case, spaces, `-` and `_` alike.

    Raises UsageError with close names when there is none.
    """
    devices = _load(folder or knowledge_folder() / "devices")
    wanted = _folded(name)
    for device in devices.values():
        if wanted in map(_folded, (device.id, device.name, *device.aliases)):
            return device
    close = difflib.get_close_matches(wanted, devices, n=3, cutoff=0.5)
    close += [known for known in devices if wanted and wanted in known and known not in close]
    hint = f"Did you mean {' or '.join(close)}?" if close else f"Known devices: {', '.join(devices)}."
    raise UsageError(f"There is no device called {name!r}. {hint}")


def _folded(name: str) -> str:
    return re.sub(r"[\s_-]+", "-", name.strip().casefold())


@cache
def _load(folder: Path) -> dict[str, Device]:
    return {file.stem: _read(file) for file in sorted(folder.glob("*.toml"), key=lambda one: one.stem)}


def _read(file: Path) -> Device:
    try:
        data = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise AdvisorError(f"{file}: {error}") from None
    groups = data.pop("facts", [])
    if unknown := sorted(set(data) - {"name", "aliases", "variant"}):
        raise AdvisorError(f"{file}: {', '.join(unknown)} must stand in a [[facts]] group with its source.")
    if not isinstance(data.get("name"), str):
        raise AdvisorError(f"{file}: the name is missing.")
    values: dict[str, object] = {}
    sources: dict[str, str] = {}
    for key, value, source in _facts(file, groups):
        values[key] = value
        sources[key] = source
    if "compute_capability" not in values:
        raise AdvisorError(f"{file}: the compute_capability is missing.")
    return Device(
        id=file.stem,
        name=data["name"],
        aliases=tuple(data.get("aliases", ())),
        variant=data.get("variant", ""),
        sources=sources,
        **values,  # type: ignore[arg-type]
    )


def _facts(file: Path, groups: list[dict[str, object]]) -> Iterator[tuple[str, object, str]]:
    seen: set[str] = set()
    for number, group in enumerate(groups, start=1):
        source = group.get("source")
        if not isinstance(source, str) or not source.startswith("https://"):
            raise AdvisorError(f"{file}: [[facts]] group {number} has no source that starts with https://.")
        for key, value in group.items():
            if key == "source":
                continue
            if key not in _FACTS:
                close = difflib.get_close_matches(key, _FACTS, n=1)
                raise AdvisorError(
                    f"{file}: unknown fact {key}." + (f" Did you mean {close[0]}?" if close else "")
                )
            if key in seen:
                raise AdvisorError(f"{file}: {key} is given twice.")
            if not _has_type(value, _FACTS[key]):
                raise AdvisorError(f"{file}: {key} is {value!r}, not of type {_FACTS[key].split(' ')[0]}.")
            seen.add(key)
            yield key, value, source


def _has_type(value: object, declared: str) -> bool:
    if isinstance(value, bool):
        return False
    if declared.startswith("int"):
        return isinstance(value, int) and value >= 0
    if declared.startswith("float"):
        return isinstance(value, (int, float)) and value >= 0
    return isinstance(value, str)
