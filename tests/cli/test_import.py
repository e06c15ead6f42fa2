"""`advisor import`: reports kept in the history, matched to kernels, judged by the rules."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from advisor.__main__ import main
from advisor.model.history.store import HistoryStore

DATA = Path(__file__).parents[1] / "data/reports"
sys.path.append(str(Path(__file__).parents[1] / "evidence/measured/reports"))

from nsys_export import launch_bound_run  # noqa: E402

VECTORS = """from numba import cuda


@cuda.jit
def add(x, y, out):
    '''A sum.'''

    i = cuda.grid(1)
    if i < out.size:
        out[i] = x[i] + y[i]
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "pyproject.toml").write_text("[tool.advisor]\n")
    (tmp_path / "vectors.py").write_text(VECTORS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def imported(capsys: pytest.CaptureFixture[str], *argv: object) -> dict[str, Any]:
    assert main(["import", *map(str, argv), "--format", "json"]) == 0
    return json.loads(capsys.readouterr().out)  # type: ignore[no-any-return]


def rules(found: dict[str, Any]) -> set[str]:
    return {finding["rule"] for finding in found["findings"]}


def test_a_run_is_kept(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = imported(capsys, DATA / "ncu-raw.csv", DATA / "ncu-source.csv", "--label", "first")
    store = HistoryStore(project)
    run = store.run(store.find("first"))
    store.close()
    assert found["run"]["id"] == run.id
    assert (run.facts.kind, run.facts.label, run.facts.device) == ("import", "first", "a100-80gb")
    assert run.facts.executed_on == "NVIDIA A100-SXM4-80GB"
    add = next(one for one in run.fingerprints if one.identity.path)
    assert (add.identity.path, add.identity.name, add.line) == ("vectors.py", "add", 5)
    assert add.identity.source_hash
    assert add.metrics["dram_norm"] == pytest.approx(0.9102)
    assert [line.path for line in add.lines] == ["vectors.py", "vectors.py"]
    assert {one.identity.name for one in run.fingerprints} == {"add", "transpose_naive<float>", "scan_tile"}


def test_nothing_is_kept_when_asked_so(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert imported(capsys, DATA / "ncu-raw.csv", "--no-store")["run"]["id"] is None
    assert not (project / ".advisor").exists()


def test_findings_of_kernels_and_lines(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = imported(capsys, DATA / "ncu-raw.csv", DATA / "ncu-source.csv", "--no-store")
    places = {(one["rule"], one["kernel"], Path(one["path"]).name, one["line"]) for one in found["findings"]}
    assert places >= {
        ("memory-bound", "add", "vectors.py", 5),
        ("waits-for-memory", "add", "vectors.py", 5),
        ("hot-line", "add", "vectors.py", 10),
        ("partly-used-sectors", "transpose_naive<float>", "ncu-raw.csv", 1),
        ("few-waves", "transpose_naive<float>", "ncu-raw.csv", 1),
        ("excess-wavefronts-at-line", "scan_tile", "scan.cu", 31),
    }
    # 6,291,456 of 8,000,000 sectors are needed: less than a quarter is wasted.
    assert "excess-sectors-at-line" not in rules(found)


def test_every_finding_rests_on_something_measured(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = imported(capsys, DATA / "ncu-raw.csv", DATA / "ncu-source.csv", "--no-store")
    assert len(found["findings"]) > 8
    for finding in found["findings"]:
        # Beside them stand peaks of the device, which are from its data sheet.
        named = {one["metric"]: one["source"] for one in finding["evidence"]}
        of_device = {"fp32_peak", "dram_bandwidth"}
        assert {source for metric, source in named.items() if metric not in of_device} == {"measured"}


LAUNCH = (
    "ID,Process ID,Process Name,Host Name,Kernel Name,Context,Stream,Block Size,Grid Size,Device,CC,"
    "Section Name,Metric Name,Metric Unit,Metric Value\n"
)


def reported(folder: Path, capability: str = "8.0", block: str = '"(64, 1, 1)"', **more: str) -> Path:
    """A details page of one launch with 168 registers for each thread."""
    rows = {"Registers Per Thread": "168"} | {name.replace("_", " "): value for name, value in more.items()}
    file = folder / f"cc{capability}.csv"
    file.write_text(
        LAUNCH
        + "".join(
            f'0,1,python,h,heavy,1,7,{block},"(4096, 1, 1)",0,{capability},'
            f"Launch Statistics,{name},,{value}\n"
            for name, value in rows.items()
        )
    )
    return file


def occupancy_of(found: dict[str, Any]) -> tuple[float, str, str]:
    """The theoretical occupancy of the finding on registers with its source, and the finding's words."""
    (finding,) = [one for one in found["findings"] if one["rule"] == "occupancy-limited-by-registers"]
    (evidence,) = [one for one in finding["evidence"] if one["metric"] == "theoretical_occupancy"]
    return evidence["value"], evidence["source"], finding["message"]


def test_the_block_size_of_a_report_is_read(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # A warp of 168 registers takes 5,376: 12 fit into 65,536, which are 6 blocks of 2 warps, 12 of 64 warps.
    value, source, message = occupancy_of(imported(capsys, reported(project), "--no-store"))
    assert value == 12 / 64
    assert "limit the resident blocks to 6" in message
    # The report does not tell the shared memory.
    assert source == "assumed"


def test_what_follows_from_measured_numbers_alone_is_measured(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = reported(project, Static_Shared_Memory_Per_Block="0")
    file.write_text(file.read_text().replace("Block,,0", "Block,byte/block,0"))
    value, source, _ = occupancy_of(imported(capsys, file, "--no-store"))
    assert (value, source) == (12 / 64, "measured")


def test_without_a_block_size_nothing_is_called_measured(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = imported(capsys, reported(project, block=""), "--no-store")
    (finding,) = [one for one in found["findings"] if one["rule"] == "occupancy-limited-by-registers"]
    assert {one["source"] for one in finding["evidence"]} == {"assumed"}
    assert "The block size is not known; 256 threads are assumed." in finding["assumptions"]


@pytest.mark.parametrize(
    ("capability", "device", "said"),
    [
        ("9.0", "h100-pcie", "its compute capability is 9.0; rules that need its numbers were judged for"),
        ("8.0", "a100-80gb", "judged for NVIDIA A100 80GB, which has that too"),
        ("7.5", "t4", "judged for NVIDIA T4"),
        (
            "6.1",
            "a100-80gb",
            "none has its compute capability 6.1; rules that need its numbers were judged for",
        ),
    ],
)
def test_a_report_without_a_name_is_judged_for_its_capability(
    project: Path, capsys: pytest.CaptureFixture[str], capability: str, device: str, said: str
) -> None:
    found = imported(capsys, reported(project, capability), "--no-store")
    assert found["judged_for"] == device
    assert any(said in note for note in found["run"]["notes"])


def test_reports_of_two_capabilities_are_not_mixed(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = [str(reported(project, one)) for one in ("8.0", "9.0")]
    assert main(["import", *files, "--no-store"]) == 2
    assert "compute capabilities 8.0 and 9.0" in capsys.readouterr().err


def test_times_and_rates_of_a_report_are_metrics(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    imported(capsys, DATA / "ncu-raw.csv", "--label", "first")
    store = HistoryStore(project)
    run = store.run(store.find("first"))
    store.close()
    add = next(one for one in run.fingerprints if one.identity.path)
    assert add.metrics["time_mean_ms"] == pytest.approx(0.111)
    assert (add.metrics["time_min_ms"], add.metrics["time_max_ms"]) == (0.11, 0.112)
    assert add.metrics["time_cv"] == pytest.approx(0.002 / 2**0.5 / 0.111)
    assert add.metrics["achieved_bandwidth"] == pytest.approx(201.33e6 / 0.111e-3)
    assert add.metrics["achieved_flop_rate"] == pytest.approx(16_777_216 / 0.111e-3)


def test_gains_are_those_of_the_numbers(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = imported(capsys, DATA / "ncu-raw.csv", "--no-store")
    gains = {one["rule"]: one["gain"]["speedup"] for one in found["findings"] if one["gain"]}
    # (1 - 4/32) * 0.78 of the time: 1 / (1 - 0.6825); 7% of a wave: 1 / 0.07.
    assert gains["partly-used-sectors"] == pytest.approx(1 / (1 - 0.6825), rel=1e-3)
    assert gains["few-waves"] == pytest.approx(1 / 0.07, rel=1e-2)


@pytest.mark.parametrize("launch", ["cuLaunchKernel", "cudaLaunchKernel_v7000"])
@pytest.mark.parametrize("old", [False, True])
def test_host_rules_see_the_driver_and_the_runtime(
    project: Path, capsys: pytest.CaptureFixture[str], launch: str, old: bool
) -> None:
    found = imported(capsys, launch_bound_run(project / "run.sqlite", launch, old=old), "--no-store")
    assert {"launch-bound", "gpu-underused"} <= rules(found)
    # 150 of 1,000 us are copies: less than a fifth.
    assert "high-memcpy-share" not in rules(found)
    (bound,) = [one for one in found["findings"] if one["rule"] == "launch-bound"]
    assert "720 us of the 1 ms" in bound["message"]


def test_high_memcpy_share_of_a_trace(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = imported(capsys, DATA / "nsys-gpu-trace.csv", "--no-store")
    assert {"high-memcpy-share", "gpu-underused"} <= rules(found)
    assert found["judged_for"] == "l4"


def test_the_case_study_tells_its_story(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """SM utilisation 9.1% to 74% and tensor cores 0 to 62%: "CUDA Performance Debugging & Profiling"."""
    before = imported(capsys, DATA / "case-study-before.csv", "--label", "before")
    after = imported(capsys, DATA / "case-study-after.csv", "--label", "after")
    (first,), (second,) = before["kernels"], after["kernels"]
    assert first["name"] == second["name"] == "matmul_bias_relu"
    assert first["metrics"]["sm_throughput"] == pytest.approx(0.091)
    assert second["metrics"]["sm_throughput"] == pytest.approx(0.74)
    assert first["metrics"]["tensor_utilization"] == 0.0
    assert second["metrics"]["tensor_utilization"] == pytest.approx(0.62)
    # 4 ms to 0.9 ms: the four to five times as fast that the document tells of.
    assert 4 < first["metrics"]["latency_ms"] / second["metrics"]["latency_ms"] < 5
    assert "few-waves" in rules(before)
    assert rules(after) == set()
    store = HistoryStore(project)
    assert [run.facts.label for run in store.runs()] == ["after", "before"]
    store.close()


def test_the_case_study_in_text(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, numbers in (("before", ("9.1%", "0%")), ("after", ("74%", "62%"))):
        assert main(["import", str(DATA / f"case-study-{name}.csv"), "--no-store"]) == 0
        row = next(
            line for line in capsys.readouterr().out.splitlines() if line.startswith("matmul_bias_relu ")
        )
        assert all(number in row.split() for number in numbers)


def test_a_kernel_is_matched_by_the_users_word(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = imported(
        capsys, DATA / "ncu-raw.csv", "--no-store", "--map", r"transpose_naive<\w+>=vectors.py::add"
    )
    assert {one["path"] for one in found["kernels"]} == {"vectors.py"}


def test_two_kernels_of_one_name_are_not_guessed(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "old").mkdir()
    (project / "old/vectors.py").write_text(VECTORS)
    found = imported(capsys, DATA / "ncu-raw.csv", "--no-store")
    assert {one["path"] for one in found["kernels"]} == {None}
    assert any("--map says which" in note for note in found["run"]["notes"])


def test_a_kernel_of_another_module_is_not_matched(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "vectors.py").rename(project / "other.py")
    found = imported(capsys, DATA / "ncu-raw.csv", "--no-store")
    assert {one["path"] for one in found["kernels"]} == {None}


def test_suppressions_of_the_source_hold(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = VECTORS.replace(
        "def add(x, y, out):", "def add(x, y, out):  # advisor: ignore[memory-bound] a sum"
    )
    (project / "vectors.py").write_text(text)
    assert "memory-bound" not in rules(imported(capsys, DATA / "ncu-raw.csv", "--no-store"))


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["missing.csv"], "there is no such file"),
        (["bad.csv"], "none of the reports"),
        ([str(DATA / "ncu-raw.csv"), "bad.csv"], "none of the reports"),
        ([str(DATA / "ncu-raw.csv"), "--map", "nonsense"], "write it as 'regex=path::kernel'"),
        ([str(DATA / "ncu-raw.csv"), "--map", "(=vectors.py::add"], "no regular expression"),
        ([str(DATA / "ncu-raw.csv"), "--map", "x=vectors.py::mul"], "there is no kernel vectors.py::mul"),
        ([str(DATA / "ncu-raw.csv"), "--device", "h999"], "There is no device called"),
        ([str(DATA / "ncu-raw.csv"), str(DATA / "nsys-gpu-trace.csv")], "several GPUs"),
    ],
)
def test_bad_input_is_told_in_a_sentence_and_nothing_is_kept(
    project: Path, capsys: pytest.CaptureFixture[str], argv: list[str], said: str
) -> None:
    (project / "bad.csv").write_text("name,price\napple,3\n")
    assert main(["import", *argv]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1
    assert not (project / ".advisor").exists()


def test_every_file_that_cannot_be_read_is_named(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "bad.csv").write_text("name,price\napple,3\n")
    (project / "empty.csv").write_text("")
    assert main(["import", "bad.csv", str(DATA / "ncu-raw.csv"), "empty.csv"]) == 2
    said = capsys.readouterr().err
    assert "bad.csv: this is none of the reports" in said and "empty.csv: the file is empty" in said
    assert main(["import", "bad.csv", "gone.csv", "absent.csv"]) == 2
    said = capsys.readouterr().err
    assert "gone.csv: there is no such file" in said and "absent.csv: there is no such file" in said
    assert not (project / ".advisor").exists()


@pytest.mark.parametrize(
    ("name", "line", "old", "new", "said"),
    [
        ("nsys-gpu-trace.csv", 3, None, "x1y", "`x1y` in the column Duration is no number"),
        ("ncu-raw.csv", 5, ",", "", "do not have the columns of the header"),
    ],
)
def test_a_row_that_is_not_understood_is_named_by_its_line(
    project: Path, capsys: pytest.CaptureFixture[str],
    name: str, line: int, old: str | None, new: str, said: str,
) -> None:  # fmt: skip
    lines = (DATA / name).read_text().splitlines(keepends=True)
    cells = lines[line - 1].split(",")
    lines[line - 1] = (
        ",".join([cells[0], new, *cells[2:]]) if old is None else "".join(lines[line - 1].split(old, 1))
    )
    (project / name).write_text("".join(lines))
    assert main(["import", name]) == 2
    error = capsys.readouterr().err
    assert f"{name}:{line}: " in error and said in error
    assert not (project / ".advisor").exists()


@pytest.mark.parametrize(("level", "status"), [(None, 0), ("info", 1), ("warning", 1), ("error", 0)])
def test_findings_make_the_status_only_where_a_fail_level_is_given(
    project: Path, capsys: pytest.CaptureFixture[str], level: str | None, status: int
) -> None:
    argv = ["import", str(DATA / "ncu-raw.csv"), "--no-store", "--format", "json"]
    assert main([*argv, *(["--fail-level", level] if level else [])]) == status
    severities = {one["severity"] for one in json.loads(capsys.readouterr().out)["findings"]}
    assert "warning" in severities and "error" not in severities


def test_a_rule_that_does_not_load_is_an_error(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "pack").mkdir()
    (project / "pack/broken.rules").write_text("rule x {\n")
    (project / "pyproject.toml").write_text('[tool.advisor]\npacks = ["pack"]\n')
    assert main(["import", str(DATA / "ncu-raw.csv"), "--no-store"]) == 2
    assert "broken.rules:1" in capsys.readouterr().out


def test_unused_metrics_are_counted_and_named(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["import", str(DATA / "ncu-raw.csv"), "--no-store"]) == 0
    printed = capsys.readouterr().out
    assert (
        "2 metrics of the report not used: device__attribute_multiprocessor_count, some__future_metric.sum."
        in printed
    )


def test_the_gpu_that_no_report_names(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = imported(capsys, DATA / "ncu-details-comma.csv", "--no-store")
    assert found["run"]["device"] == found["run"]["executed_on"] == "unknown GPU"
    assert any("does not name its GPU" in note for note in found["run"]["notes"])
    named = imported(capsys, DATA / "ncu-details-comma.csv", "--no-store", "--device", "h100-sxm")
    assert named["run"]["device"] == named["judged_for"] == "h100-sxm"


def test_kernels_stand_beside_their_ranges(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["import", str(DATA / "case-study-before.csv"), "--no-store"]) == 0
    (header, row) = _table(capsys.readouterr().out)
    assert (header.split()[-1], row.split("  ")[-1].strip()) == ("range", "train step")


def test_without_ranges_there_is_no_column_of_them(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["import", str(DATA / "nsys-gpu-trace.csv"), "--no-store"]) == 0
    assert "range" not in _table(capsys.readouterr().out)[0]


def _table(output: str) -> list[str]:
    """The lines of the table of kernels."""
    lines = output.splitlines()
    begin = next(number for number, line in enumerate(lines) if line.startswith("kernel "))
    return lines[begin : lines.index("", begin)]


def traced(folder: Path, *kernels: tuple[str, list[int], float], device: str = "NVIDIA A100") -> Path:
    """A trace of torch.profiler with launches one after the other: name, grid and microseconds."""
    at, events = 0.0, []
    for name, grid, spent in kernels:
        details = {"grid": grid, "block": [128, 1, 1], "registers per thread": 32, "shared memory": 0}
        events.append(
            {
                "ph": "X",
                "cat": "kernel",
                "name": name,
                "ts": at,
                "dur": spent,
                "pid": 0,
                "tid": 7,
                "args": details,
            }
        )
        at += spent
    properties = [{"name": device, "computeMajor": 8, "computeMinor": 0, "numSms": 108}]
    file = folder / "trace.json"
    file.write_text(json.dumps({"deviceProperties": properties, "traceEvents": events}))
    return file


UNSTEADY = [5.0, 50.0] * 10


@pytest.mark.parametrize(
    ("name", "severity"),
    [
        ("void at::native::vectorized_elementwise_kernel<4, add, float*>(int, float*)", "info"),
        ("volta_sgemm_128x64_nn", "info"),
        ("my_kernel(float*)", "warning"),
        # The program's own, whatever its name reminds of.
        ("gemm_of_mine(float*)", "warning"),
    ],
)
def test_nobody_changes_why_the_launches_of_a_library_vary(
    project: Path, capsys: pytest.CaptureFixture[str], name: str, severity: str
) -> None:
    file = traced(project, *((name, [4096, 1, 1], spent) for spent in UNSTEADY))
    (finding,) = [
        one
        for one in imported(capsys, file, "--no-store")["findings"]
        if one["rule"] == "varying-kernel-time"
    ]
    assert finding["severity"] == severity
    assert any("a library brings the kernel" in one for one in finding["assumptions"]) == (severity == "info")


@pytest.mark.parametrize("name", ["void at::native::reduce_kernel<512, float>(float)", "my_kernel(float*)"])
def test_how_much_work_a_library_gets_is_the_callers_to_decide(
    project: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    file = traced(project, (name, [4, 1, 1], 900.0))
    found = imported(capsys, file, "--no-store")["findings"]
    severities = {one["rule"]: one["severity"] for one in found}
    assert severities["multiprocessors-without-blocks"] == "warning"


def test_a_kernel_that_stands_in_the_project_is_no_librarys(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "mine.py").write_text(VECTORS.replace("def add", "def splitKreduce_kernel"))
    file = traced(project, *(("splitKreduce_kernel", [4096, 1, 1], spent) for spent in UNSTEADY))
    mapped = ("--map", "splitK.*=mine.py::splitKreduce_kernel")
    for options, severity in (((), "info"), (mapped, "warning")):
        found = imported(capsys, file, "--no-store", *options)["findings"]
        assert {one["severity"] for one in found if one["rule"] == "varying-kernel-time"} == {severity}


def test_a_trace_of_an_amd_gpu_is_not_judged_as_one_of_nvidia(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # ROCm gives gfx90a as capability 9.0; 4 blocks would leave multiprocessors of an H100 without one.
    file = traced(project, ("reduce(float*)", [4, 1, 1], 900.0), device="AMD Instinct MI250")
    found = imported(capsys, file, "--no-store")
    assert "multiprocessors-without-blocks" not in rules(found)
    assert any("AMD GPU" in note for note in found["run"]["notes"])
    assert not {"registers", "grid_blocks"} & set(found["kernels"][0]["metrics"])


def test_what_a_small_shape_could_gain_is_no_gain_of_the_whole_kernel(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of 10 ms one launch of 1 ms has 4 blocks for 108 multiprocessors, the others have enough."""
    file = traced(project, ("f(float*)", [4, 1, 1], 1000.0), *[("f(float*)", [4096, 1, 1], 900.0)] * 10)
    (finding,) = [
        one for one in imported(capsys, file)["findings"] if one["rule"] == "multiprocessors-without-blocks"
    ]
    assert finding["launches"] == {"showing": 1, "of": 11, "share_of_time": pytest.approx(0.1)}
    # A tenth of the time becomes 27 times as fast: 1 / (0.9 + 0.1 / 27).
    assert finding["gain"]["speedup"] == pytest.approx(27.0)
    assert main(["report", "--format", "json"]) == 0
    (ranked,) = json.loads(capsys.readouterr().out)["devices"]
    (action,) = [one for one in ranked["actions"] if one["rule"] == finding["rule"]]
    assert action["gain_of_run"] == pytest.approx(1 / (0.9 + 0.1 / 27.0))
