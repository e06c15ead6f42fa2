"""`advisor doctor` and `advisor devices`."""

import builtins
import json
from collections.abc import Callable
from importlib import metadata
from typing import Any

import pytest

from advisor.cli.machine.evidence import availabilities
from advisor.cli.machine.parts import Part, look_for_parts
from advisor.model.errors import EvidenceUnavailable
from advisor.model.records import SOURCES

Run = Callable[..., Any]

NAMES = ("Python", "advisor", "numba", "numba-cuda", "NVVM", "nvJitLink", "nvdisasm", "GPU")


def parts(missing: dict[str, str]) -> list[Part]:
    """All parts, present but for those in `missing` (name to remedy)."""
    return [
        Part(name, False, f"{name} is not there", missing[name]) if name in missing else Part(name, True, "1")
        for name in NAMES
    ]


def test_with_the_toolchain_there_is_source_and_compiled_evidence() -> None:
    found = {item.source: item for item in availabilities(parts({}))}
    assert found["source"].available
    assert found["compiled"].available
    assert found["compiled"].reason == ""


def test_without_a_tool_the_source_evidence_stays_and_one_line_says_what_helps() -> None:
    found = {item.source: item for item in availabilities(parts({"nvdisasm": "pip install x"}))}
    assert found["source"].available
    assert not found["compiled"].available
    assert found["compiled"].reason == "nvdisasm: nvdisasm is not there"
    assert found["compiled"].remedy == "pip install x"


def test_many_missing_parts_are_one_sentence_with_one_remedy() -> None:
    found = {item.source: item for item in availabilities(parts(dict.fromkeys(NAMES[2:], "pip a")))}
    assert found["synthesised"].reason == "numba, numba-cuda and NVVM are missing"
    assert found["synthesised"].remedy == "pip a"
    assert found["source"].available


def test_a_driver_that_does_not_answer_is_no_missing_package() -> None:
    found = {part.name: part for part in look_for_parts()}["GPU"]
    assert found.remedy == ("pip install 'kernel-advisor[gpu]'" if "pynvml" in found.detail else "")


def test_one_remedy_for_two_parts_is_named_once() -> None:
    found = {item.source: item for item in availabilities(parts({"NVVM": "pip a", "nvJitLink": "pip a"}))}
    assert found["compiled"].remedy == "pip a"


def test_a_missing_gpu_does_not_touch_the_compiler() -> None:
    found = {item.source: item for item in availabilities(parts({"GPU": ""}))}
    assert found["compiled"].available
    assert not found["measured"].available


def test_a_source_that_this_version_lacks_is_said_to_be_missing_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("advisor.cli.machine.evidence.find_spec", lambda name: None)
    assert all("this version" in item.reason for item in availabilities(parts({})))


def test_every_part_is_looked_for_and_says_something() -> None:
    found = look_for_parts()
    assert tuple(part.name for part in found) == NAMES
    assert all(part.detail for part in found)


def test_packages_that_are_not_there_are_named_with_the_command_that_brings_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real = builtins.__import__

    def no_cuda(name: str, *args: Any, **more: Any) -> Any:
        if name.split(".")[0] in ("cuda", "pynvml"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return real(name, *args, **more)

    def no_version(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(builtins, "__import__", no_cuda)
    monkeypatch.setattr(metadata, "version", no_version)
    monkeypatch.setattr("sys.platform", "linux")
    found = {part.name: part for part in look_for_parts()}
    assert not any(found[name].found for name in NAMES[2:])
    assert {found[name].remedy for name in NAMES[2:]} == {"pip install 'kernel-advisor[gpu]'"}
    assert found["GPU"].detail == "the module pynvml is not installed"


def test_a_compiler_that_does_not_load_beside_the_others_is_not_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def failing() -> None:
        raise EvidenceUnavailable("numba-cuda 9 does not load beside numpy 9: AttributeError: gone.")

    monkeypatch.setattr("advisor.cli.machine.parts.load_compilers", failing)
    found = {part.name: part for part in look_for_parts()}["numba-cuda"]
    assert found == Part(
        "numba-cuda",
        False,
        "numba-cuda 9 does not load beside numpy 9: AttributeError: gone",
        "pip install --upgrade 'kernel-advisor[gpu]'",
    )


def test_programs_run_on_the_simulated_gpu_on_linux_only(monkeypatch: pytest.MonkeyPatch) -> None:
    assert all(item.available for item in availabilities(parts({})))
    monkeypatch.setattr("sys.platform", "win32")
    found = {item.source: item for item in availabilities(parts({}))}
    assert (found["simulated"].available, found["compiled"].available) == (False, True)
    assert "Linux only" in found["simulated"].reason


def test_doctor_ends_with_0_and_its_json_has_parts_and_evidence(advisor: Run, project: Any) -> None:
    outcome = advisor("doctor", "--format", "json")
    content = json.loads(outcome.out)
    assert outcome.status == 0
    assert [part["name"] for part in content["parts"]] == list(NAMES)
    assert [item["source"] for item in content["evidence"]] == list(SOURCES)
    assert not (project / ".advisor").exists()


def test_doctor_reads_well_and_survives_a_wrong_configuration(advisor: Run, project: Any) -> None:
    (project / "advisor.toml").write_text("devise = 1\n")
    outcome = advisor("doctor")
    assert outcome.status == 0
    assert "Evidence" in outcome.out
    assert "wrong: advisor.toml:1: unknown key `devise`" in outcome.out


def test_devices_as_a_table_with_units(advisor: Run) -> None:
    lines = advisor("devices").out.splitlines()
    (row,) = [line for line in lines if line.split()[0] == "a100-80gb"]
    for cell in ("8.0", "108", "2048", "164 KiB", "40 MiB", "80 GB", "2039 GB/s", "19.5 TFLOP/s"):
        assert cell in row


def test_devices_with_their_sources(advisor: Run) -> None:
    out = advisor("devices", "v100", "--verbose").out
    assert "sm_count = 80\n      https://" in out
    assert "a100" not in out


def test_devices_as_json(advisor: Run) -> None:
    (device,) = json.loads(advisor("devices", "T4", "--format", "json").out)["devices"]
    assert (device["id"], device["sm_count"], device["target"]) == ("t4", 40, "sm_75")
    assert device["sources"]["sm_count"].startswith("https://")


def test_an_unknown_device_is_a_usage_error_with_a_suggestion(advisor: Run) -> None:
    outcome = advisor("devices", "v1o0")
    assert outcome.status == 2
    assert "v100" in outcome.err
