"""The device files: every number has a source, and agrees with what is known of the architecture."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from advisor.model.devices import Device, find_device, load_devices
from advisor.model.errors import AdvisorError, UsageError

DEVICES = load_devices()
TEXTS = {"id", "name", "aliases", "variant", "sources"}
NEEDED_FOR_OCCUPANCY = {
    "warp_size", "max_threads_per_block", "max_threads_per_sm", "max_warps_per_sm", "max_blocks_per_sm",
    "registers_per_sm", "registers_per_block", "max_registers_per_thread", "register_allocation_unit",
    "warp_allocation_granularity", "shared_bytes_per_sm", "shared_bytes_per_block", "reserved_shared_bytes",
    "shared_allocation_unit",
}  # fmt: skip
# Facts of the architecture, which all devices of one compute capability share.
ARCHITECTURE = NEEDED_FOR_OCCUPANCY | {
    "shared_banks", "bank_bytes", "l1_bytes", "sector_bytes", "cache_line_bytes", "fp64_rate",
}  # fmt: skip


def test_the_promised_devices_are_there() -> None:
    assert list(DEVICES) == [
        "a100-40gb", "a100-80gb", "a100-80gb-pcie", "b200", "h100-pcie", "h100-sxm", "h200",
        "l4", "l40s", "rtx-3090", "rtx-4090", "t4", "v100",
    ]  # fmt: skip


@pytest.mark.parametrize("device", DEVICES.values(), ids=DEVICES.keys())
def test_every_number_has_a_source(device: Device) -> None:
    known = {name.name for name in fields(Device) if getattr(device, name.name) is not None} - TEXTS
    assert known == set(device.sources)
    assert all(source.startswith("https://") for source in device.sources.values())


@pytest.mark.parametrize("device", DEVICES.values(), ids=DEVICES.keys())
def test_what_the_rules_and_the_occupancy_need_is_known(device: Device) -> None:
    needed = ARCHITECTURE | {"sm_count", "dram_bytes", "dram_bandwidth", "fp32_peak", "fp16_tensor_peak"}
    assert not [fact for fact in sorted(needed) if getattr(device, fact) is None]


@pytest.mark.parametrize("device", DEVICES.values(), ids=DEVICES.keys())
def test_what_a_predicted_time_needs_is_known(device: Device) -> None:
    needed = ("boost_clock", "l1_bytes", "l2_bytes", "fp32_peak", "fp64_peak", "dram_bandwidth")
    assert not [fact for fact in needed if getattr(device, fact) is None]


@pytest.mark.parametrize("device", DEVICES.values(), ids=DEVICES.keys())
def test_memory_that_lies_further_away_answers_later(device: Device) -> None:
    assert device.l1_latency * 4 < device.l2_latency < device.dram_latency
    for kind in ("arithmetic", "shared"):
        own = getattr(device, f"{kind}_latency")
        assert own is None or own < device.l1_latency


@pytest.mark.parametrize("device", DEVICES.values(), ids=DEVICES.keys())
def test_the_numbers_of_one_device_agree_with_each_other(device: Device) -> None:
    assert device.max_threads_per_sm == device.max_warps_per_sm * device.warp_size
    assert device.shared_bytes_per_block + device.reserved_shared_bytes <= device.shared_bytes_per_sm
    assert device.shared_bytes_per_sm < device.l1_bytes
    assert device.fp64_peak / device.fp32_peak == pytest.approx(device.fp64_rate, rel=0.02)


@pytest.mark.parametrize("device", DEVICES.values(), ids=DEVICES.keys())
def test_the_peak_follows_from_cores_and_clock(device: Device) -> None:
    cores = 64 if device.compute_capability in {"7.0", "7.5", "8.0"} else 128
    assert device.sm_count * cores * 2 * device.boost_clock == pytest.approx(device.fp32_peak, rel=0.01)


def test_devices_of_one_architecture_share_its_facts() -> None:
    seen: dict[str, Device] = {}
    for device in DEVICES.values():
        first = seen.setdefault(device.compute_capability, device)
        assert {fact: getattr(device, fact) for fact in ARCHITECTURE} == {
            fact: getattr(first, fact) for fact in ARCHITECTURE
        }, f"{device.id} differs from {first.id}"


def test_names_are_unique() -> None:
    names = [
        name.casefold() for device in DEVICES.values() for name in {device.id, device.name, *device.aliases}
    ]
    assert sorted(names) == sorted(set(names))


def test_the_bandwidths_of_the_three_a100() -> None:
    assert find_device("A100-SXM4-40GB").dram_bandwidth == 1555e9
    assert find_device("A100-SXM4-80GB").dram_bandwidth == 2039e9
    # The name that the driver gives the card.
    assert find_device("NVIDIA A100 80GB PCIe").dram_bandwidth == 1935e9


@pytest.mark.parametrize(
    ("name", "identifier"),
    [
        ("a100", "a100-40gb"),
        ("NVIDIA A100 80GB", "a100-80gb"),
        ("NVIDIA A100 80GB PCIe", "a100-80gb-pcie"),
        ("rtx 4090", "rtx-4090"),
        ("RTX_4090", "rtx-4090"),
        ("NVIDIA GeForce RTX 3090", "rtx-3090"),
        ("NVIDIA H100 80GB HBM3", "h100-sxm"),
        (" T4 ", "t4"),
    ],
)
def test_a_device_is_found_by_any_of_its_names(name: str, identifier: str) -> None:
    assert find_device(name).id == identifier


def test_a_wrong_name_gets_suggestions() -> None:
    with pytest.raises(UsageError, match=r"There is no device called 'h100-smx'\. Did you mean .*h100-sxm"):
        find_device("h100-smx")


def test_a_name_far_from_all_lists_the_devices() -> None:
    with pytest.raises(UsageError, match=r"Known devices: a100-40gb, .*v100\."):
        find_device("quadro")


def test_an_empty_name_lists_the_devices() -> None:
    with pytest.raises(UsageError, match="Known devices"):
        find_device("")


def test_the_record_has_the_vocabulary_of_the_entity() -> None:
    record = find_device("t4").record()
    assert (record.entity, record.key, record.label) == ("device", "t4", "NVIDIA T4")
    assert {metric: reading.value for metric, reading in record.readings.items()} == {
        "sm_count": 40,
        "warp_size": 32,
        "max_threads_per_sm": 1024,
        "shared_bytes_per_block": 64 * 1024,
        "fp64_rate": 1 / 32,
        "dram_bandwidth": 320e9,
        "fp32_peak": 8.1e12,
    }
    assert {reading.source for reading in record.readings.values()} == {"source"}


def test_an_unknown_number_is_absent_from_the_record() -> None:
    bare = Device(id="x", name="X", compute_capability="8.0", sm_count=4)
    assert list(bare.record().readings) == ["sm_count"]


def test_the_target_is_the_compilers_name() -> None:
    assert find_device("b200").target == "sm_100"
    assert find_device("l4").target == "sm_89"


def device_file(folder: Path, text: str) -> Path:
    (folder / "mine.toml").write_text(text, encoding="utf-8")
    return folder


def test_a_file_is_all_that_a_new_device_takes(tmp_path: Path) -> None:
    facts = '[[facts]]\nsource = "https://example.org/x"\ncompute_capability = "9.0"\nsm_count = 7\n'
    device = find_device("My GPU", device_file(tmp_path, f'name = "My GPU"\n{facts}'))
    assert (device.id, device.sm_count, device.l2_bytes) == ("mine", 7, None)
    assert device.sources["sm_count"] == "https://example.org/x"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('name = "X"\nsm_count = 7\n', r"mine\.toml: sm_count must stand in a \[\[facts\]\] group"),
        ('name = "X"\n[[facts]]\nsm_count = 7\n', "group 1 has no source"),
        (
            'name = "X"\n[[facts]]\nsource = "a book"\nsm_count = 7\n',
            "group 1 has no source that starts with https",
        ),
        (
            'name = "X"\n[[facts]]\nsource = "https://x"\nsm_cuont = 7\n',
            "unknown fact sm_cuont. Did you mean sm_count",
        ),
        ('name = "X"\n[[facts]]\nsource = "https://x"\nsm_count = 7.5\n', "sm_count is 7.5, not of type int"),
        ('name = "X"\n[[facts]]\nsource = "https://x"\nsm_count = true\n', "sm_count is True"),
        ('name = "X"\n[[facts]]\nsource = "https://x"\nsm_count = -1\n', "sm_count is -1"),
        ('name = "X"\n[[facts]]\nsource = "https://x"\nsm_count = 7\n', "the compute_capability is missing"),
        ('[[facts]]\nsource = "https://x"\nsm_count = 7\n', "the name is missing"),
        ("name = ", r"mine\.toml: Invalid value"),
        (
            'name = "X"\n[[facts]]\nsource = "https://x"\nsm_count = 7\n'
            '[[facts]]\nsource = "https://y"\nsm_count = 8\n',
            "sm_count is given twice",
        ),
    ],
)
def test_a_wrong_file_is_refused_with_the_reason(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(AdvisorError, match=message):
        load_devices(device_file(tmp_path, text))
